"""The frequencies of arcs in a bootstrap as dots, one line per arc."""

from __future__ import annotations

import os
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from ctbnlab.io import json_text
from ctbnlab.learning import bootstrap_result
from ctbnlab.learning.bootstrap_result import Bootstrap
from ctbnlab.model.names import arc_text
from ctbnlab.presentation import style
from ctbnlab.presentation.bootstrap_table import LISTED, listed
from ctbnlab.presentation.terminal import cells, clipped

_MOST = 80  # arcs; more lines cannot be read
_WIDEST = 80  # characters of an arc


def is_bootstrap(path: str | os.PathLike[str]) -> bool:
    """Return whether a JSON file holds a bootstrap."""
    content = json_text.read(path)
    return isinstance(content, dict) and content.get("format") == bootstrap_result.FORMAT


def plot_frequencies(path: str | os.PathLike[str], output: str | os.PathLike[str], format: str) -> None:
    """Draw the frequencies of a bootstrap's file."""
    style.save(draw_frequencies(Bootstrap.read(path)), Path(output), format)


@style.styled
def draw_frequencies(found: Bootstrap) -> Figure:
    """Return the figure: arcs in the graph or found often, the most frequent ones at the top."""
    rows = sorted(listed(found), key=lambda row: -row.frequency)[:_MOST]
    if not rows:
        return style.placeholder(f"No arc is in the graph or in {LISTED:.0%} of the replicates.")
    names = [clipped(arc_text(row.source, row.target, arrow=" → "), _WIDEST) for row in rows]
    figure = style.new_figure(4.5 + 0.09 * max(map(cells, names)), 1.2 + 0.2 * len(rows))
    axes = figure.subplots()
    for kept, fill, label in ((True, style.BLUE, "in the graph from all data"), (False, "none", "not in it")):
        at = [k for k, row in enumerate(rows) if row.kept == kept]
        axes.scatter(
            [rows[k].frequency for k in at],
            at,
            s=28,
            facecolors=fill,
            edgecolors=style.BLUE,
            label=label,
            zorder=3,
            clip_on=False,
        )
    axes.set(xlim=(0, 1), ylim=(len(rows) - 0.4, -0.6))
    axes.set_yticks(range(len(rows)), names, parse_math=False)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    axes.grid(axis="y", linewidth=0.4)
    axes.set_xlabel(f"Share of {len(found.replicates):,} replicates with the arc")
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure
