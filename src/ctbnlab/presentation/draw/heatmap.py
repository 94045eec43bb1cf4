"""The adjacency matrix as a heat map of true, missed and invented arcs."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from ctbnlab.presentation import style
from ctbnlab.presentation.draw.arc_kinds import Arc, kinds_of
from ctbnlab.presentation.draw.text_size import text_width


@style.styled
def draw_heatmap(
    names: Sequence[str], arcs: Sequence[Arc], true: Sequence[Arc] | None = None, title: Sequence[str] = ()
) -> Figure:
    """Return the heat map: rows are parents, columns children; colour and hatching show the kind of arc.

    The first line of the title is larger than the others.
    """
    n = len(names)
    cell = 0.3 if n <= 40 else max(0.09, 12 / n)
    font = min(9.0, cell * 72 * 0.62)
    name_width = max(text_width(name, font) for name in names)
    with_names = name_width < 2.5 and font >= 4
    margin = (name_width if with_names else 0.1) + 0.65
    kinds = kinds_of(arcs, true)
    entries: list[Patch | Line2D] = [kind.patch() for kind in kinds]
    if not with_names:
        note = f"names of {n} variables left out; the first is at the top left"
        entries.append(Line2D([], [], linestyle="", label=note))
    below = 0.35 + 0.23 * len(entries)
    width = max(margin + n * cell + 0.25, 3.9)
    heading = _heading(title, width)
    height = margin + n * cell + below + (0.19 * len(heading))
    figure = style.new_figure(width, height, layout=None)
    axes = figure.add_axes(
        (max(margin, (width - n * cell) / 2) / width, below / height, n * cell / width, n * cell / height)
    )
    index = {name: i for i, name in enumerate(names)}
    for i in range(n):
        axes.add_patch(Rectangle((i - 0.5, i - 0.5), 1, 1, facecolor="#DDDDDD", linewidth=0))
    for kind in kinds:
        for parent, child in kind.arcs:
            x, y = index[child], index[parent]
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, **kind.square()))
    _finish_axes(axes, n, list(names) if with_names else [], font)
    for number, (line, size) in enumerate(heading):
        top = 1 - (0.1 + 0.19 * number) / height
        figure.text(0.5, top, line, ha="center", va="top", fontsize=size, parse_math=False)
    figure.legend(handles=entries, loc="lower center", handlelength=1.3, handleheight=1.1)
    return figure


def _heading(title: Sequence[str], width: float) -> list[tuple[str, float]]:
    """Return the lines of the title, broken to fit the width, with their font sizes."""
    return [
        (line, size)
        for text, size in zip(title, (10.5, *[9.0] * len(title)), strict=False)
        for line in textwrap.wrap(text, int(width / (0.0085 * size)))
    ]


def _finish_axes(axes: Axes, n: int, labels: list[str], font: float) -> None:
    """Add the names, the lines between cells, and the axes' titles."""
    axes.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5))
    ticks = list(range(len(labels)))
    axes.set_xticks(ticks, labels, rotation=90, fontsize=font, parse_math=False)
    axes.set_yticks(ticks, labels, fontsize=font, parse_math=False)
    axes.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False, pad=3)
    axes.grid(False)
    lines = [i + 0.5 for i in range(n - 1)]
    axes.hlines(lines, -0.5, n - 0.5, color="#E6E6E6", linewidth=0.5, zorder=3)
    axes.vlines(lines, -0.5, n - 0.5, color="#E6E6E6", linewidth=0.5, zorder=3)
    axes.spines[:].set_visible(True)
    axes.spines[:].set_color("#999999")
    axes.set_xlabel("child")
    axes.xaxis.set_label_position("top")
    axes.set_ylabel("parent")
