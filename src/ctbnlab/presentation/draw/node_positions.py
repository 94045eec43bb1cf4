"""Positions of the nodes of a picture, in inches: on a circle, or by Kamada and Kawai's springs.

Everything is deterministic: no layout starts from random positions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError

if TYPE_CHECKING:  # the page on data draws without matplotlib, which that module imports
    from ctbnlab.presentation.draw.arc_kinds import Arc

Points = NDArray[np.float64]  # [node, (x, y)]
LAYOUTS = ("auto", "circle", "springs")
GAP = 0.22  # between the borders of two nodes


def require_layout(layout: str) -> None:
    """Refuse a layout that does not exist."""
    if layout not in LAYOUTS:
        raise InputError(f"unknown layout {layout!r}; known: {', '.join(LAYOUTS)}")


def node_positions(names: Sequence[str], arcs: Sequence[Arc], sizes: Points, layout: str) -> Points:
    """Return the nodes' centres; connected components are laid out one by one and set side by side."""
    index = {name: i for i, name in enumerate(names)}
    pairs = [(index[a], index[b]) for a, b in arcs]
    components = _components(len(names), pairs)
    centres = np.zeros((len(names), 2))
    boxes = []
    for component in components:
        inside = [(a, b) for a, b in pairs if a in set(component)]
        centres[component] = _laid_out(component, inside, sizes[component], layout)
        low, high = bounds(centres[component], sizes[component])
        centres[component] -= low
        boxes.append(high - low)
    for component, corner in zip(components, packed(boxes), strict=True):
        centres[component] += corner
    return centres


def _components(n: int, pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the connected components, the largest first."""
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(pairs)
    found = [sorted(component) for component in networkx.connected_components(graph)]
    return sorted(found, key=lambda component: (-len(component), component))


def _laid_out(
    component: Sequence[int], pairs: Sequence[tuple[int, int]], sizes: Points, layout: str
) -> Points:
    n = len(component)
    crowded = len({frozenset(pair) for pair in pairs}) > 2.5 * n and n <= 30
    if layout == "circle" or (layout == "auto" and (n <= 6 or crowded)):
        return _circle(sizes)
    return apart(_springs(component, pairs), sizes)


def _circle(sizes: Points) -> Points:
    """Return centres on a circle large enough for the nodes, clockwise from the top."""
    n = len(sizes)
    if n == 1:
        return np.zeros((1, 2))
    width, height = sizes.max(axis=0) + 2 * GAP
    angles = math.pi / 2 - 2 * math.pi * np.arange(n) / n
    unit = np.column_stack([np.cos(angles), np.sin(angles)])
    steps = np.abs(unit - np.roll(unit, 1, axis=0))
    # Neighbours must clear each other horizontally or vertically.
    radius = max(min(width / max(x, 1e-9), height / max(y, 1e-9)) for x, y in steps)
    radius = max(radius, 0.55 * width, 0.95 if n > 2 else 0.7)
    centres: Points = unit * radius
    return centres


def _springs(component: Sequence[int], pairs: Sequence[tuple[int, int]]) -> Points:
    """Return Kamada and Kawai's positions, scaled so that the median arc has a readable length."""
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(component)
    graph.add_edges_from(pairs)
    found: Mapping[int, NDArray[np.float64]] = networkx.kamada_kawai_layout(graph)
    centres = np.array([found[node] for node in component])
    row = {node: i for i, node in enumerate(component)}
    lengths = [float(np.linalg.norm(centres[row[a]] - centres[row[b]])) for a, b in pairs]
    length = 1.5 if len(component) <= 30 else 1.0
    return centres * (length / float(np.median(lengths)) if lengths else 1.0)


def apart(centres: Points, sizes: Points) -> Points:
    """Push nodes that overlap apart, each pair along the axis with the smaller overlap."""
    centres = centres.copy()
    needed = (sizes[:, None] + sizes[None]) / 2 + GAP
    for _ in range(300):
        overlap = needed - np.abs(centres[:, None] - centres[None])
        close = np.argwhere(np.triu((overlap > 1e-6).all(axis=2), 1))
        if not len(close):
            break
        for i, j in close:
            distance = centres[j] - centres[i]
            lacking = needed[i, j] - np.abs(distance)
            axis = int(np.argmin(lacking))
            if lacking[axis] > 0:
                push = (lacking[axis] / 2 + 1e-3) * (1.0 if distance[axis] >= 0 else -1.0)
                centres[i, axis] -= push
                centres[j, axis] += push
    return centres


def bounds(centres: Points, sizes: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lower left and the upper right corner of what boxes at these centres cover."""
    return (centres - sizes / 2).min(axis=0), (centres + sizes / 2).max(axis=0)


def packed(boxes: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """Return the lower left corners of boxes packed into rows, the whole about as wide as high."""
    gap = 0.5
    area = sum(float((box + gap).prod()) for box in boxes)
    limit = max(1.3 * math.sqrt(area), max(float(box[0]) for box in boxes))
    corners: list[NDArray[np.float64]] = []
    x = y = row_height = 0.0
    for box in boxes:
        if x > 0 and x + box[0] > limit:
            x, y, row_height = 0.0, y - row_height - gap, 0.0
        corners.append(np.array([x, y - box[1]]))
        x += float(box[0]) + gap
        row_height = max(row_height, float(box[1]))
    return corners
