"""Arcs as curves: bent round nodes in their way, two opposite ones side by side, cut at nodes' borders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.patches import Patch, PathPatch, Polygon
from matplotlib.path import Path
from numpy.typing import NDArray

_BENDS = (0.0, 0.14, -0.14, 0.26, -0.26, 0.4, -0.4)
_OPPOSITE = 0.16
_T = np.linspace(0, 1, 41)[:, None]

Curve = NDArray[np.float64]  # the three points of a quadratic Bézier curve


def curves(
    places: NDArray[np.float64], sizes: NDArray[np.float64], pairs: Sequence[tuple[int, int]]
) -> list[Curve]:
    """Return each arc's curve, from border to border."""
    known = set(pairs)
    result = []
    for a, b in pairs:
        bends = (_OPPOSITE, 0.3, 0.42) if (b, a) in known else _BENDS
        candidates = [_curve(places[a], places[b], bend) for bend in bends]
        hits = [_nodes_hit(curve, places, sizes, (a, b)) for curve in candidates]
        best = candidates[int(np.argmin(hits))]
        result.append(_cut(best, places[a], sizes[a], places[b], sizes[b]))
    return result


def _curve(start: NDArray[np.float64], end: NDArray[np.float64], bend: float) -> Curve:
    """Return a curve that leaves the straight line by half of `bend` times its length, to the left."""
    way = end - start
    left = np.array([-way[1], way[0]])
    return np.array([start, (start + end) / 2 + bend * left, end])


def _points(curve: Curve) -> NDArray[np.float64]:
    p0, p1, p2 = curve
    points: NDArray[np.float64] = (1 - _T) ** 2 * p0 + 2 * _T * (1 - _T) * p1 + _T**2 * p2
    return points


def _nodes_hit(
    curve: Curve, places: NDArray[np.float64], sizes: NDArray[np.float64], ends: tuple[int, int]
) -> int:
    """Return how many nodes, apart from its ends, a curve runs through or touches."""
    distance = (_points(curve)[:, None, :] - places[None]) / (sizes[None] / 2 + 0.05)
    hit = ((distance**2).sum(axis=2) < 1).any(axis=0)
    hit[list(ends)] = False
    return int(hit.sum())


def _cut(
    curve: Curve,
    start: NDArray[np.float64],
    start_size: NDArray[np.float64],
    end: NDArray[np.float64],
    end_size: NDArray[np.float64],
) -> Curve:
    """Return the part of a curve between the borders of two elliptic nodes."""
    points = _points(curve)
    outside = (((points - start) / (start_size / 2 + 0.01)) ** 2).sum(axis=1) > 1
    outside &= (((points - end) / (end_size / 2 + 0.02)) ** 2).sum(axis=1) > 1
    steps = np.flatnonzero(outside)
    if len(steps) < 2:
        return curve
    first, last = _T[steps[0], 0], _T[steps[-1], 0]
    first = _refined(curve, start, start_size / 2 + 0.01, float(_T[max(steps[0] - 1, 0), 0]), float(first))
    last = _refined(curve, end, end_size / 2 + 0.02, float(_T[min(steps[-1] + 1, 40), 0]), float(last))
    return _between(curve, first, last)


def _refined(
    curve: Curve, centre: NDArray[np.float64], radii: NDArray[np.float64], inside: float, outside: float
) -> float:
    """Return where a curve crosses an ellipse, by halving between a point inside and one outside."""
    for _ in range(30):
        middle = (inside + outside) / 2
        if (((_at(curve, middle) - centre) / radii) ** 2).sum() > 1:
            outside = middle
        else:
            inside = middle
    return outside


def _at(curve: Curve, t: float) -> NDArray[np.float64]:
    point: NDArray[np.float64] = (1 - t) ** 2 * curve[0] + 2 * t * (1 - t) * curve[1] + t**2 * curve[2]
    return point


def _between(curve: Curve, first: float, last: float) -> Curve:
    """Return the same curve from parameter `first` to `last` (the blossom of a quadratic curve)."""
    p0, p1, p2 = curve
    middle = (
        (1 - first) * (1 - last) * p0 + ((1 - first) * last + first * (1 - last)) * p1 + first * last * p2
    )
    return np.array([_at(curve, first), middle, _at(curve, last)])


def arrow(curve: Curve, colour: str, width: float, dashes: Any, scale: float) -> tuple[Patch, Patch]:
    """Return the shaft and the head of the arrow along a curve; the head ends at the curve's last point.

    The head is a patch of its own, so that dashes do not tear it.
    """
    length = scale * (0.085 + 0.022 * width)
    length = min(length, 0.8 * float(np.linalg.norm(curve[2] - curve[0])))
    # The shaft ends inside the head, whose direction is that of the curve's last piece.
    at = _refined(curve, curve[2], np.full(2, 0.7 * length), 1.0, 0.0)
    way = curve[2] - _at(curve, at)
    way = way / max(float(np.linalg.norm(way)), 1e-9)
    side = np.array([-way[1], way[0]]) * 0.4 * length
    base = curve[2] - way * length
    head = Polygon(
        [curve[2], base + side, base - side],
        closed=True, facecolor=colour, edgecolor=colour, linewidth=0.4, joinstyle="miter", zorder=2.5,
    )  # fmt: skip
    shaft = PathPatch(
        Path(_between(curve, 0.0, at), [Path.MOVETO, Path.CURVE3, Path.CURVE3]),
        facecolor="none", edgecolor=colour, linewidth=width, linestyle=dashes, capstyle="butt", zorder=2,
    )  # fmt: skip
    return shaft, head
