"""Where the nodes of a picture stand, in inches: on a circle, or as springs between them would have it.

Everything is deterministic: no layout starts from random positions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Arc = tuple[str, str]
Positions = NDArray[np.float64]  # [node, (x, y)]
LAYOUTS = ("auto", "circle", "springs")
GAP = 0.22  # between the borders of two nodes


def positions(names: Sequence[str], arcs: Sequence[Arc], sizes: Positions, layout: str) -> Positions:
    """Return the nodes' places; parts of the graph that no arc joins stand beside each other."""
    index = {name: i for i, name in enumerate(names)}
    pairs = [(index[a], index[b]) for a, b in arcs]
    parts = _components(len(names), pairs)
    placed = np.zeros((len(names), 2))
    boxes = []
    for part in parts:
        inside = [(a, b) for a, b in pairs if a in set(part)]
        placed[part] = _part(part, inside, sizes[part], layout)
        low, high = _bounds(placed[part], sizes[part])
        placed[part] -= low
        boxes.append(high - low)
    for part, corner in zip(parts, _packed(boxes), strict=True):
        placed[part] += corner
    return placed


def _components(n: int, pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(pairs)
    found = [sorted(part) for part in networkx.connected_components(graph)]
    return sorted(found, key=lambda part: (-len(part), part))


def _part(part: Sequence[int], pairs: Sequence[tuple[int, int]], sizes: Positions, layout: str) -> Positions:
    n = len(part)
    crowded = len({frozenset(pair) for pair in pairs}) > 2.5 * n and n <= 30
    if layout == "circle" or (layout == "auto" and (n <= 6 or crowded)):
        return _circle(sizes)
    return _apart(_springs(part, pairs), sizes)


def _circle(sizes: Positions) -> Positions:
    """Return places on an ellipse as wide as the nodes ask for, the first node on top, clockwise."""
    n = len(sizes)
    if n == 1:
        return np.zeros((1, 2))
    width, height = sizes.max(axis=0) + 2 * GAP
    angles = math.pi / 2 - 2 * math.pi * np.arange(n) / n
    unit = np.column_stack([np.cos(angles), np.sin(angles)])
    steps = np.abs(unit - np.roll(unit, 1, axis=0))
    # Neighbours must clear each other in one direction at least.
    radius = max(min(width / max(x, 1e-9), height / max(y, 1e-9)) for x, y in steps)
    radius = max(radius, 0.55 * width, 0.95 if n > 2 else 0.7)
    places: Positions = unit * radius
    return places


def _springs(part: Sequence[int], pairs: Sequence[tuple[int, int]]) -> Positions:
    """Return Kamada and Kawai's places, scaled so that a typical arc has a readable length."""
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(part)
    graph.add_edges_from(pairs)
    found: Mapping[int, NDArray[np.float64]] = networkx.kamada_kawai_layout(graph)
    places = np.array([found[node] for node in part])
    row = {node: i for i, node in enumerate(part)}
    lengths = [float(np.linalg.norm(places[row[a]] - places[row[b]])) for a, b in pairs]
    wanted = 1.5 if len(part) <= 30 else 1.0
    return places * (wanted / float(np.median(lengths)) if lengths else 1.0)


def _apart(places: Positions, sizes: Positions) -> Positions:
    """Push nodes that overlap apart, each pair along the direction that needs the shorter way."""
    places = places.copy()
    need = (sizes[:, None] + sizes[None]) / 2 + GAP
    for _ in range(300):
        short = need - np.abs(places[:, None] - places[None])
        close = np.argwhere(np.triu((short > 1e-6).all(axis=2), 1))
        if not len(close):
            break
        for i, j in close:
            away = places[j] - places[i]
            lacking = need[i, j] - np.abs(away)
            axis = int(np.argmin(lacking))
            if lacking[axis] > 0:
                push = (lacking[axis] / 2 + 1e-3) * (1.0 if away[axis] >= 0 else -1.0)
                places[i, axis] -= push
                places[j, axis] += push
    return places


def _bounds(places: Positions, sizes: Positions) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return (places - sizes / 2).min(axis=0), (places + sizes / 2).max(axis=0)


def _packed(boxes: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """Return the lower left corners of boxes set on shelves about as wide as they are high together."""
    gap = 0.5
    area = sum(float((box + gap).prod()) for box in boxes)
    limit = max(1.3 * math.sqrt(area), max(float(box[0]) for box in boxes))
    corners: list[NDArray[np.float64]] = []
    x = y = shelf = 0.0
    for box in boxes:
        if x > 0 and x + box[0] > limit:
            x, y, shelf = 0.0, y - shelf - gap, 0.0
        corners.append(np.array([x, y - box[1]]))
        x += float(box[0]) + gap
        shelf = max(shelf, float(box[1]))
    return corners
