"""A graph as a picture: nodes that fit their names, arrows from border to border, all in inches."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse
from numpy.typing import NDArray

from ctbnlab.model.network import Network
from ctbnlab.presentation import style
from ctbnlab.presentation.draw import cims as cim_tables
from ctbnlab.presentation.draw.arcs import arrow, curves
from ctbnlab.presentation.draw.kinds import Arc, kinds_of
from ctbnlab.presentation.draw.layout import positions
from ctbnlab.presentation.draw.text import folded, text_height, text_width

MARGIN = 0.2
MAX_NAMED = 60  # with more nodes only short names are written
_THIN, _PLAIN, _WIDE = 0.8, 1.3, 2.8


@dataclass(frozen=True)
class Drawing:
    """What is to be drawn: names and arcs, the strength of evidence for arcs where known, and the truth."""

    names: tuple[str, ...]
    arcs: tuple[Arc, ...]
    strength: Mapping[Arc, float] = field(default_factory=dict)
    strength_name: str = ""
    true: tuple[Arc, ...] | None = None


@style.styled
def draw_graph(drawing: Drawing, layout: str = "auto", network: Network | None = None) -> Figure:
    """Return the picture, with the intensity matrices of `network` beside it if one is given."""
    labels, font, note = _labels(drawing.names)
    sizes = np.array([_node_size(label, font) for label in labels])
    every = list(dict.fromkeys([*drawing.arcs, *(drawing.true or ())]))
    places = positions(drawing.names, every, sizes, layout)
    paths = dict(zip(every, curves(places, sizes, _indexed(drawing.names, every)), strict=True))
    low, high = _bounds(places, sizes, list(paths.values()))
    entries = _legend_entries(drawing, note)
    below = 0.25 * len(entries) + (0.1 if entries else 0.0)
    blocks = cim_tables.blocks(network) if network is not None else []
    panel = cim_tables.panel_size(blocks) if blocks else (0.0, 0.0)
    graph = high - low + 2 * MARGIN
    width = max(float(graph[0]), *(text_width(str(entry.get_label()), 9.0) + 0.7 for entry in entries), 0.0)
    height = max(float(graph[1]) + below, panel[1] + 2 * MARGIN)
    figure, axes = _canvas(width + (panel[0] + 3 * MARGIN if blocks else 0.0), height)
    # The graph stands in the middle of its part, above the legend.
    shift = np.array([width / 2, below + (height - below) / 2]) - (low + high) / 2
    _draw_arcs(axes, drawing, {arc: path + shift for arc, path in paths.items()})
    for label, place, size in zip(labels, places + shift, sizes, strict=True):
        _draw_node(axes, label, place, size, font)
    if entries:
        corner = (0.1 / figure.get_figwidth(), 0.05 / height)
        axes.legend(handles=entries, loc="lower left", bbox_to_anchor=corner, borderaxespad=0)
    if blocks:
        cim_tables.draw_blocks(axes, blocks, width + 2 * MARGIN, (height + panel[1]) / 2)
    return figure


def _draw_arcs(axes: Axes, drawing: Drawing, paths: Mapping[Arc, NDArray[np.float64]]) -> None:
    # Many arcs want thinner lines, many nodes smaller heads.
    thinner = min(1.0, math.sqrt(60 / max(len(paths), 1)))
    head = 1.0 if len(drawing.names) <= MAX_NAMED else 0.7
    for kind in kinds_of(drawing.arcs, drawing.true):
        for arc in kind.arcs:
            width = max(0.5, thinner * _arc_width(arc, drawing.strength))
            for patch in arrow(paths[arc], kind.colour, width, kind.dashes, head):
                axes.add_patch(patch)


def _labels(names: Sequence[str]) -> tuple[list[str], float, str]:
    """Return what is written in the nodes, how large, and a remark if names are left out."""
    if len(names) <= MAX_NAMED:
        return [folded(name) for name in names], 10.0 if len(names) <= 30 else 8.0, ""
    if max(map(len, names)) <= 4:
        return list(names), 6.0, ""
    return [""] * len(names), 6.0, f"the names of {len(names)} nodes are left out"


def _node_size(label: str, font: float) -> tuple[float, float]:
    if not label:
        return 0.16, 0.16
    # An ellipse holds a rectangle √2 times smaller; a little less does for the corners of letters.
    width, height = 1.28 * text_width(label, font) + 0.12, 1.35 * text_height(label, font) + 0.06
    return max(width, height), height


def _indexed(names: Sequence[str], arcs: Sequence[Arc]) -> list[tuple[int, int]]:
    index = {name: i for i, name in enumerate(names)}
    return [(index[a], index[b]) for a, b in arcs]


def _bounds(
    places: NDArray[np.float64], sizes: NDArray[np.float64], paths: Sequence[NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the corners of everything drawn; a curve reaches half way to its middle point."""
    reach = [places - sizes / 2, places + sizes / 2]
    reach += [path[[1]] / 2 + (path[[0]] + path[[2]]) / 4 for path in paths]
    points = np.concatenate(reach)
    return points.min(axis=0), points.max(axis=0)


def _canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """Return a figure whose data coordinates are inches."""
    figure = style.new_figure(width, height)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()
    return figure, axes


def _arc_width(arc: Arc, strength: Mapping[Arc, float]) -> float:
    """Return an arc's width: by the rank of its strength, since strengths differ by orders of magnitude."""
    if arc not in strength or len(set(strength.values())) < 2:
        return _PLAIN
    ranked = sorted(set(strength.values()))
    return _THIN + (_WIDE - _THIN) * ranked.index(strength[arc]) / (len(ranked) - 1)


def _draw_node(
    axes: Axes, label: str, place: NDArray[np.float64], size: NDArray[np.float64], font: float
) -> None:
    axes.add_patch(
        Ellipse(
            (float(place[0]), float(place[1])), float(size[0]), float(size[1]),
            facecolor="#F6F3EA", edgecolor="#333333", linewidth=1.0 if font > 6 else 0.6, zorder=3,
        )
    )  # fmt: skip
    axes.text(
        float(place[0]), float(place[1]), label,
        ha="center", va="center", fontsize=font, zorder=4, linespacing=1.05, parse_math=False,
    )  # fmt: skip


def _legend_entries(drawing: Drawing, note: str) -> list[Line2D]:
    known_truth = drawing.true is not None
    entries = [kind.line() for kind in kinds_of(drawing.arcs, drawing.true)] if known_truth else []
    known = {value for value in drawing.strength.values() if not math.isnan(value)}
    if len(known) > 1:
        label = f"wider: stronger evidence ({drawing.strength_name})"
        entries.append(Line2D([], [], color="#3A3A3A", linewidth=_WIDE, label=label))
    if note:
        entries.append(Line2D([], [], linestyle="", label=note))
    return entries
