"""A graph as a picture: nodes that fit their names, and arrows between them; all lengths are inches."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse
from numpy.typing import NDArray

from ctbnlab.model.network import Network
from ctbnlab.presentation import style
from ctbnlab.presentation.draw import cim_panels
from ctbnlab.presentation.draw.arc_kinds import Arc, kinds_of
from ctbnlab.presentation.draw.arrows import arrow, bends, curve
from ctbnlab.presentation.draw.node_marks import OWN_CLOCK, NodeMarks
from ctbnlab.presentation.draw.node_positions import node_positions
from ctbnlab.presentation.draw.text_size import folded, text_height, text_width

NO_MARKS = NodeMarks()
MARGIN = 0.2
MAX_NAMED = 60  # with more nodes only short names are written
_THIN, _PLAIN, _WIDE = 0.8, 1.3, 2.8


@dataclass(frozen=True)
class Drawing:
    """The content of a picture: names and arcs, and if known what their width shows and the true arcs.

    Widths follow the rank of the strength if it is `ranked`, and the strength itself otherwise.
    """

    names: tuple[str, ...]
    arcs: tuple[Arc, ...]
    strength: Mapping[Arc, float] = field(default_factory=dict)
    strength_name: str = ""
    ranked: bool = True
    true: tuple[Arc, ...] | None = None
    marks: NodeMarks = NO_MARKS


@dataclass(frozen=True)
class Picture:
    """A drawing laid out: where its nodes and curves are, in inches, and what is in its legend."""

    drawing: Drawing
    labels: Sequence[str]
    font: float
    positions: NDArray[np.float64]
    sizes: NDArray[np.float64]
    bend: Mapping[tuple[int, int], float]
    legend: Sequence[Line2D]

    @classmethod
    def of(cls, drawing: Drawing, layout: str = "auto") -> Picture:
        """Lay a drawing out; `layout` is "auto", "circle" or "springs"."""
        labels, font, note = _labels(drawing.names)
        sizes = np.array([_node_size(label, font) for label in labels])
        arcs = list(dict.fromkeys([*drawing.arcs, *(drawing.true or ())]))
        positions = node_positions(drawing.names, arcs, sizes, layout)
        pairs = _indexed(drawing.names, arcs)
        bend = dict(zip(pairs, bends(positions, sizes, pairs), strict=True))
        return cls(drawing, labels, font, positions, sizes, bend, _legend_entries(drawing, note))

    @property
    def size(self) -> tuple[float, float]:
        """The width and height that the graph and its legend need."""
        width, height = self.graph_size
        entries = (text_width(str(entry.get_label()), 9.0) + 0.7 for entry in self.legend)
        return max(width, *entries, 0.0), height + self._below

    @property
    def graph_size(self) -> tuple[float, float]:
        """The width and height that the graph alone needs."""
        low, high = _bounds(self.positions, self.sizes, self.bend)
        width, height = (high - low + 2 * MARGIN).tolist()
        return width, height

    def shift_to(self, corner: tuple[float, float]) -> NDArray[np.float64]:
        """Return by how much to move the positions so that the graph has its lower left corner there."""
        low, _ = _bounds(self.positions, self.sizes, self.bend)
        return np.array(corner) - low + MARGIN

    @property
    def _below(self) -> float:
        return 0.25 * len(self.legend) + (0.1 if self.legend else 0.0)

    def draw(self, axes: Axes, height: float | None = None, scale: float = 1.0) -> None:
        """Draw on axes whose coordinates are inches, centred above the legend; `height` may be given.

        `scale` is that of the legend's letters, if inches of the picture are less on paper.
        """
        width, needed = self.size
        height = needed if height is None else height
        low, high = _bounds(self.positions, self.sizes, self.bend)
        shift = np.array([width / 2, self._below + (height - self._below) / 2]) - (low + high) / 2
        marks = self.drawing.marks
        nodes = [
            _draw_node(axes, label, position, size, self.font, marks.look(name))
            for name, label, position, size in zip(
                self.drawing.names, self.labels, self.positions + shift, self.sizes, strict=True
            )
        ]
        for name, node in zip(self.drawing.names, nodes, strict=True):
            if name in marks.own_clocks:
                _draw_own_clock(axes, node, self.font)
        _draw_arcs(axes, self.drawing, nodes, self.bend)
        if self.legend:
            (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
            corner = ((0.1 - left) / (right - left), (0.05 - bottom) / (top - bottom))
            axes.legend(
                handles=self.legend,
                loc="lower left",
                bbox_to_anchor=corner,
                borderaxespad=0,
                fontsize=9.0 * scale,
            )


@style.styled
def draw_graph(drawing: Drawing, layout: str = "auto", network: Network | None = None) -> Figure:
    """Return the picture, with the intensity matrices of `network` beside it if one is given."""
    picture = Picture.of(drawing, layout)
    panels = cim_panels.panels(network) if network is not None else []
    panel = cim_panels.size_of(panels) if panels else (0.0, 0.0)
    width, height = picture.size
    height = max(height, panel[1] + 2 * MARGIN)
    figure, axes = _canvas(width + (panel[0] + 3 * MARGIN if panels else 0.0), height)
    picture.draw(axes, height)
    if panels:
        cim_panels.draw(axes, panels, width + 2 * MARGIN, (height + panel[1]) / 2)
    return figure


def _draw_arcs(
    axes: Axes, drawing: Drawing, nodes: Sequence[Ellipse], bend: Mapping[tuple[int, int], float]
) -> None:
    # The more arcs, the thinner the lines; the more nodes, the smaller the tips.
    thinner = min(1.0, math.sqrt(60 / max(len(bend), 1)))
    scale = 1.0 if len(nodes) <= MAX_NAMED else 0.7
    for kind in kinds_of(drawing.arcs, drawing.true):
        for arc, (tail, head) in zip(kind.arcs, _indexed(drawing.names, kind.arcs), strict=True):
            width = max(0.5, thinner * arc_width(arc, drawing.strength, drawing.ranked))
            rad = bend[tail, head]
            look = {"colour": kind.colour, "width": width, "dashes": kind.dashes, "scale": scale}
            for patch in arrow(nodes[tail], nodes[head], rad, **look):
                axes.add_patch(patch)


def _labels(names: Sequence[str]) -> tuple[list[str], float, str]:
    """Return the text in each node, its font size, and a note if names are left out."""
    if len(names) <= MAX_NAMED:
        return [folded(name) for name in names], 10.0 if len(names) <= 30 else 8.0, ""
    if max(map(len, names)) <= 4:
        return list(names), 6.0, ""
    return [""] * len(names), 6.0, f"the names of {len(names)} nodes are left out"


def _node_size(label: str, font: float) -> tuple[float, float]:
    if not label:
        return 0.16, 0.16
    # An ellipse holds a rectangle √2 times smaller; less is enough, because letters leave the corners free.
    width, height = 1.28 * text_width(label, font) + 0.12, 1.35 * text_height(label, font) + 0.06
    return max(width, height), height


def _indexed(names: Sequence[str], arcs: Sequence[Arc]) -> list[tuple[int, int]]:
    index = {name: i for i, name in enumerate(names)}
    return [(index[a], index[b]) for a, b in arcs]


def _bounds(
    positions: NDArray[np.float64], sizes: NDArray[np.float64], bend: Mapping[tuple[int, int], float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lower left and upper right corners of all nodes and curves."""
    curves = [curve(positions[tail], positions[head], rad) for (tail, head), rad in bend.items()]
    points = np.concatenate([positions - sizes / 2, positions + sizes / 2, *curves])
    return points.min(axis=0), points.max(axis=0)


def _canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """Return a figure whose data coordinates are inches."""
    figure = style.new_figure(width, height, layout=None)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()
    return figure, axes


def arc_width(arc: Arc, strength: Mapping[Arc, float], ranked: bool) -> float:
    """Return an arc's line width: by the rank of its strength if strengths differ by orders of magnitude."""
    if arc not in strength or len(set(strength.values())) < 2:
        return _PLAIN
    values = sorted(set(strength.values()))
    if ranked:
        share = values.index(strength[arc]) / (len(values) - 1)
    else:
        share = (strength[arc] - values[0]) / (values[-1] - values[0])
    return _THIN + (_WIDE - _THIN) * share


def _draw_node(
    axes: Axes,
    label: str,
    centre: NDArray[np.float64],
    size: NDArray[np.float64],
    font: float,
    look: dict[str, Any],
) -> Ellipse:
    x, y = map(float, centre)
    width = 1.0 if font > 6 else 0.6
    node = Ellipse((x, y), float(size[0]), float(size[1]), linewidth=width, zorder=3, **look)
    axes.add_patch(node)
    axes.text(
        x, y, label,
        ha="center", va="center", fontsize=font, zorder=4, linespacing=1.05, parse_math=False,
    )  # fmt: skip
    return node


def _draw_own_clock(axes: Axes, node: Ellipse, font: float) -> None:
    """Write the mark of an own clock at the upper right of a node."""
    (x, y), width, height = node.center, node.width, node.height
    corner = math.sqrt(0.5)
    axes.text(
        # A little outside, so that it covers no letter.
        x + corner * width / 2 + 0.05, y + corner * height / 2 + 0.06, OWN_CLOCK,
        ha="center", va="center", fontsize=0.85 * font, zorder=5,
        bbox={"boxstyle": "circle,pad=0.1", "facecolor": "white", "edgecolor": "#333333", "linewidth": 0.6},
    )  # fmt: skip


def _legend_entries(drawing: Drawing, note: str) -> list[Line2D]:
    known_truth = drawing.true is not None
    entries = [kind.line() for kind in kinds_of(drawing.arcs, drawing.true)] if known_truth else []
    entries += drawing.marks.legend(drawing.names)
    known = {value for value in drawing.strength.values() if not math.isnan(value)}
    if len(known) > 1:
        label = f"wider: {drawing.strength_name}"
        entries.append(Line2D([], [], color="#3A3A3A", linewidth=_WIDE, label=label))
    if note:
        entries.append(Line2D([], [], linestyle="", label=note))
    return entries
