"""Graphs and intensity matrices on axes, the user's or new ones, as other plotting methods in Python do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.legend import Legend
from matplotlib.patches import FancyArrowPatch, Patch
from matplotlib.text import Text

from ctbnlab.errors import InputError
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.graph_like import named_graph
from ctbnlab.model.network import Network
from ctbnlab.presentation import style
from ctbnlab.presentation.draw import cim_panels
from ctbnlab.presentation.draw.graph_picture import Picture
from ctbnlab.presentation.draw.node_positions import require_layout
from ctbnlab.presentation.draw.plot import drawing_of

_CIM_MARGIN = 0.12


@style.styled
def draw_on_axes(
    graph: Network | LearnedGraph,
    ax: Axes | None = None,
    *,
    true: Any = None,
    layout: str = "auto",
    width: str = "evidence",
) -> Axes:
    """Draw a network or learned graph on axes; a graph that is too large for them is drawn smaller."""
    require_layout(layout)
    drawing = drawing_of(graph, None, width)
    if true is not None:
        drawing = replace(drawing, true=_true_arcs(true, graph.names))
    picture = Picture.of(drawing, layout)
    return _drawn(ax, picture.size, lambda axes, factor: picture.draw(axes, scale=factor))


@style.styled
def draw_cims_on_axes(network: Network, variables: Sequence[str] = (), ax: Axes | None = None) -> Axes:
    """Draw the intensity matrices of some or all variables on axes."""
    chosen = [network.index(name) for name in variables or network.names]
    panels = cim_panels.panels(network, chosen)
    width, height = (length + 2 * _CIM_MARGIN for length in cim_panels.size_of(panels))

    return _drawn(
        ax,
        (width, height),
        lambda axes, _: cim_panels.draw(axes, panels, _CIM_MARGIN, height - _CIM_MARGIN),
    )


def _true_arcs(true: Any, names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    found = named_graph(true)
    strangers = {end for arc in found.arcs for end in arc} | set(found.names or names)
    for name in sorted(strangers ^ set(names)):
        raise InputError(f"the variable {name!r} is in only one of the two graphs")
    return tuple(found.arcs)


def _drawn(ax: Axes | None, size: tuple[float, float], draw: Callable[[Axes, float], None]) -> Axes:
    """Call `draw` for axes whose coordinates are inches from (0, 0) to `size`, or less if it does not fit."""
    width, height = size
    if ax is None:
        # With pyplot, so that a notebook shows the figure, and a script by `plt.show()`.
        from matplotlib import pyplot as plt

        ax = plt.figure(figsize=(width, height)).add_axes((0, 0, 1, 1))
    box = ax.get_window_extent()  # in pixels
    room = box.width / ax.figure.dpi, box.height / ax.figure.dpi
    factor = min(1.0, room[0] / width, room[1] / height)
    # What is left of the axes is on all sides.
    spare = (room[0] / factor - width) / 2, (room[1] / factor - height) / 2
    before = set(ax.get_children())
    ax.set(xlim=(-spare[0], width + spare[0]), ylim=(-spare[1], height + spare[1]), aspect="equal")
    ax.set_axis_off()
    draw(ax, factor)
    if factor < 1:
        _shrink([child for child in ax.get_children() if child not in before], factor)
    return ax


def _shrink(artists: Iterable[Artist], factor: float) -> None:
    """Make smaller what is measured in points: letters, lines and the tips of arrows, but no legend."""
    for artist in artists:
        if isinstance(artist, Legend):  # its texts share a font; it was made in the right size
            continue
        for each in artist.findobj():
            if isinstance(each, Text):
                each.set_fontsize(factor * float(each.get_fontsize()))
            elif isinstance(each, Patch):
                each.set_linewidth(factor * each.get_linewidth())
            if isinstance(each, FancyArrowPatch):
                each.set_mutation_scale(factor * each.get_mutation_scale())
