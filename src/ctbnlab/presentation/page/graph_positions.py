"""Positions of a page's nodes, computed beforehand: by stress, component by component, always the same.

Stress places nodes so that distances on the page are proportional to those in the graph (Gansner, Koren and
North 2004). It starts from pivot distances projected on their two main axes. All sums are numpy's own, not
those of a linear algebra library, whose last digits depend on its number of threads.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ctbnlab.presentation.draw.node_positions import apart, bounds, packed

Points = NDArray[np.float64]
Pair = tuple[int, int]
_PIVOTS = 40
_ROUNDS = 250
_STRETCH = np.array([1.15, 0.9])  # pages are wider than high
_FAR = 3.0  # the distance of nodes that are not connected, in a component of one


def stress_positions(n: int, pairs: Sequence[Pair], sizes: Points, length: float) -> Points:
    """Return the centres of `n` nodes whose arcs are about `length` long; boxes of `sizes` do not overlap."""
    neighbours: list[set[int]] = [set() for _ in range(n)]
    for a, b in pairs:
        neighbours[a].add(b)
        neighbours[b].add(a)
    centres = np.zeros((n, 2))
    boxes = []
    components = _components(neighbours)
    for component in components:
        found = apart(_placed(component, neighbours) * length * _STRETCH, sizes[component])
        low, high = bounds(found, sizes[component])
        centres[component] = found - low
        boxes.append(high - low)
    for component, corner in zip(components, packed(boxes), strict=True):
        centres[component] += corner
    return centres


def _components(neighbours: Sequence[set[int]]) -> list[list[int]]:
    """Return the connected components, the largest first."""
    unseen = set(range(len(neighbours)))
    found = []
    for start in range(len(neighbours)):
        if start in unseen:
            reached = sorted(_distances(start, neighbours))
            unseen -= set(reached)
            found.append(reached)
    return sorted(found, key=lambda component: (-len(component), component))


def _distances(start: int, neighbours: Sequence[set[int]]) -> dict[int, int]:
    """Return the number of steps from a node to each one that it reaches."""
    steps = {start: 0}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for other in sorted(neighbours[node]):
            if other not in steps:
                steps[other] = steps[node] + 1
                queue.append(other)
    return steps


def _placed(component: Sequence[int], neighbours: Sequence[set[int]]) -> Points:
    n = len(component)
    if n == 1:
        return np.zeros((1, 2))
    wanted = np.zeros((n, n))
    for i, node in enumerate(component):
        steps = _distances(node, neighbours)
        wanted[i] = [steps.get(other, _FAR) for other in component]
    return _turned(_by_stress(_on_two_axes(wanted), wanted))


def _on_two_axes(wanted: Points) -> Points:
    """Return the two main axes of the squared distances to some pivots, by power iteration."""
    n = len(wanted)
    pivots = [0]
    nearest = wanted[0].copy()
    while len(pivots) < min(n, _PIVOTS):
        pivots.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, wanted[pivots[-1]])
    squared = wanted[:, pivots] ** 2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    moments = np.einsum("np,nq->pq", centred, centred)
    axes: list[NDArray[np.float64]] = []
    for axis in range(2):
        vector = np.cos((axis + 1.0) * np.arange(1.0, len(pivots) + 1))
        for _ in range(100):
            for other in axes:
                vector = vector - (vector * other).sum() * other
            vector = np.einsum("pq,q->p", moments, vector)
            norm = math.sqrt((vector**2).sum())
            vector = vector / norm if norm > 1e-12 else np.zeros_like(vector)
        axes.append(vector)
    found = np.stack([np.einsum("np,p->n", centred, axis) for axis in axes], axis=1)
    scale = np.abs(found).max() or 1.0
    # Nodes at one place would stay together: a spiral of small steps takes them apart.
    angle = np.arange(n) * 2.4
    spiral = np.stack([np.cos(angle), np.sin(angle)], axis=1) * (0.1 * np.sqrt(np.arange(n) + 1.0))[:, None]
    result: Points = found / scale * wanted.max() / 2 + spiral
    return result


def _by_stress(points: Points, wanted: Points) -> Points:
    """Return the points after moves that each bring them nearer to the wanted distances."""
    weights = np.divide(1.0, wanted**2, out=np.zeros_like(wanted), where=wanted > 0)
    total = weights.sum(axis=1)[:, None]
    for _ in range(_ROUNDS):
        gaps = points[:, None] - points[None]
        lengths = np.sqrt((gaps**2).sum(axis=2))
        ratio = np.divide(wanted, lengths, out=np.zeros_like(wanted), where=lengths > 1e-9)
        aims = points[None] + ratio[:, :, None] * gaps
        points = (weights[:, :, None] * aims).sum(axis=1) / total
    return points


def _turned(points: Points) -> Points:
    """Return the points with their longest direction from left to right."""
    centred = points - points.mean(axis=0)
    x, y = centred[:, 0], centred[:, 1]
    angle = 0.5 * math.atan2(2 * float((x * y).sum()), float((x * x - y * y).sum()))
    cosine, sine = math.cos(angle), math.sin(angle)
    return np.stack([x * cosine + y * sine, y * cosine - x * sine], axis=1)
