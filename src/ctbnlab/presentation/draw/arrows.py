"""Arrows from node to node: bent around other nodes, opposite ones apart; matplotlib draws them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.bezier import BezierSegment, inside_circle, split_path_inout
from matplotlib.patches import ConnectionStyle, Ellipse, FancyArrowPatch, PathPatch
from matplotlib.path import Path
from numpy.typing import NDArray

# Candidates for `rad` of the connection style arc3, the first ones preferred.
_BENDS = (0.0, -0.14, 0.14, -0.26, 0.26, -0.4, 0.4)
_BENDS_OF_OPPOSITES = (-0.16, -0.3, -0.42)  # both bend to their own left, and so apart
_CLEARANCE = 0.05  # inches between an arrow and the nodes it passes
_TOLERANCE = 1e-4  # inches, of the place where a curve crosses a border
_T = np.linspace(0, 1, 41)  # curve parameters of the points that are checked


def bends(
    positions: NDArray[np.float64], sizes: NDArray[np.float64], pairs: Sequence[tuple[int, int]]
) -> list[float]:
    """Return for each arc (tail, head) the first candidate whose curve runs through the fewest nodes."""
    arcs = set(pairs)
    chosen = []
    for tail, head in pairs:
        candidates = _BENDS_OF_OPPOSITES if (head, tail) in arcs else _BENDS
        others = np.delete(np.arange(len(positions)), [tail, head])
        hits = [
            _nodes_hit(curve(positions[tail], positions[head], rad), positions[others], sizes[others])
            for rad in candidates
        ]
        chosen.append(candidates[int(np.argmin(hits))])
    return chosen


def _nodes_hit(
    points: NDArray[np.float64], positions: NDArray[np.float64], sizes: NDArray[np.float64]
) -> int:
    """Return the number of nodes that a curve, given as points, runs through or touches."""
    scaled = (points[:, None] - positions) / (sizes / 2 + _CLEARANCE)
    return int(((scaled**2).sum(axis=2) < 1).any(axis=0).sum())


def curve(tail: NDArray[np.float64], head: NDArray[np.float64], rad: float) -> NDArray[np.float64]:
    """Return points along the connection from centre to centre of two nodes."""
    path = ConnectionStyle.Arc3(rad).connect(tuple(tail), tuple(head))
    return np.asarray(BezierSegment(path.vertices)(_T))


def tip_length(width: float, scale: float = 1.0) -> float:
    """Return the length of the tip of an arrow of some width, in points."""
    return scale * (7.0 + 1.6 * width)


def paths(tail: Ellipse, head: Ellipse, rad: float, length: float) -> tuple[Path, Path]:
    """Return the shaft of an arrow, which ends within its tip of some length, and the way to the point."""
    path = shaft = ConnectionStyle.Arc3(rad).connect(tail.center, head.center)
    try:
        # FancyArrowPatch can clip at nodes too, but several times slower, and again for every output format.
        _, path = split_path_inout(path, _inside(tail, 0.01), _TOLERANCE)
        path, _ = split_path_inout(path, _inside(head, 0.02), _TOLERANCE)
        x, y = np.asarray(path.vertices)[-1]
        shaft, _ = split_path_inout(path, inside_circle(x, y, 0.7 * length / 72), _TOLERANCE)
    except ValueError:
        pass  # The nodes overlap, and so cover whatever is not cut off.
    return shaft, path


def arrow(
    tail: Ellipse, head: Ellipse, rad: float, *, colour: str, width: float, dashes: Any, scale: float
) -> tuple[PathPatch, FancyArrowPatch]:
    """Return the shaft and the tip of an arrow from border to border of two nodes.

    The tip is a patch without an outline, because matplotlib would dash the outline like the shaft.
    """
    length = tip_length(width, scale)
    shaft, path = paths(tail, head, rad, length)
    line = PathPatch(
        shaft, facecolor="none", edgecolor=colour,
        linewidth=width, linestyle=dashes, capstyle="butt", zorder=2,
    )  # fmt: skip
    tip = FancyArrowPatch(
        path=path, arrowstyle="-|>,head_length=1,head_width=0.4", mutation_scale=length,
        color=colour, linewidth=0, zorder=2.5,
    )  # fmt: skip
    return line, tip


def _inside(node: Ellipse, gap: float) -> Callable[[tuple[float, float]], bool]:
    """Return a function that tests whether a point is in a node or within `gap` of its border."""
    (x, y), a, b = node.center, node.width / 2 + gap, node.height / 2 + gap
    return lambda point: ((point[0] - x) / a) ** 2 + ((point[1] - y) / b) ** 2 < 1
