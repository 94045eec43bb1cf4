"""One or two metrics against the number of nodes: F1, precision and recall, SHD, time and ΔBIC."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterMathtext, NullFormatter

from ctbnlab.evaluation import summary
from ctbnlab.presentation import style
from ctbnlab.presentation.figures import facets

_PRECISION_RECALL = {"precision": ("-", "^"), "recall": ((0, (1, 1.2)), "v")}


@style.styled
def f1(cells: pd.DataFrame) -> Figure:
    """Return the figure of F1 scores, with the published ones."""
    lines = facets.learner_lines(cells, "f1")
    return _against_nodes(cells, lines, "F1 score of the arcs", "F1 score")


@style.styled
def precision_recall(cells: pd.DataFrame) -> Figure:
    """Return the figure of precision (true among learned arcs) and recall (learned among true arcs)."""
    lines = [
        replace(line, label=f"{line.label}, {metric}", dashes=dashes, marker=marker)
        for metric, (dashes, marker) in _PRECISION_RECALL.items()
        for line in facets.learner_lines(cells, metric)
    ]
    lines.sort(key=lambda line: [name for name, _ in facets.labels_of(cells)].index(line.learner))
    return _against_nodes(cells, lines, "Precision and recall of the arcs", "Precision, recall")


@style.styled
def shd(cells: pd.DataFrame) -> Figure:
    """Return the figure of structural Hamming distances."""
    lines = facets.learner_lines(cells, "shd")
    title = "Structural Hamming distance (SHD): arcs missed and invented"
    return _against_nodes(cells, lines, title, "SHD")


@style.styled
def cpu_time(cells: pd.DataFrame) -> Figure:
    """Return the figure of CPU times of learning, on a logarithmic axis."""
    lines = facets.learner_lines(cells, "cpu_seconds")
    return _against_nodes(cells, lines, "CPU time of learning", "CPU time per network (s)", log=True)


@style.styled
def delta_bic(cells: pd.DataFrame) -> Figure:
    """Return the figure of ΔBIC %: how much a learner's BIC differs from that of CTSS."""
    known = cells[(cells["metric"] == "delta_bic_percent") & cells["value"].notna()]
    # CTSS, with which the others are compared, is 0 everywhere: a line, not a series.
    moving = set(known.loc[known["algorithm"] != "ctss", "learner"])
    moving |= set(known.loc[known["value"] != 0, "learner"])
    lines = [line for line in facets.learner_lines(cells, "delta_bic_percent") if line.learner in moving]
    title = "ΔBIC % = 100 (BIC of CTSS − BIC) / BIC of CTSS"
    figure = _against_nodes(cells, lines, title, "ΔBIC %")
    for axes in figure.axes:
        axes.axhline(0, color=style.BLUE, linewidth=0.9, zorder=1)
    legend_title = figure.legends[0].get_title()
    meaning = "BIC = ln L − ½ k ln ψ with likelihood L, k parameters and ψ transitions"
    notes = f"{meaning}. The line at 0 is CTSS (continuous-time search and score). {_better_side(cells)}"
    width = int(figure.get_figwidth() / 0.066)
    legend_title.set_text("\n".join([*textwrap.wrap(notes, width), legend_title.get_text()]))
    return figure


def _better_side(cells: pd.DataFrame) -> str:
    """Return which side of 0 is better: dividing by the BIC of CTSS flips the axis where that is positive."""
    positive = cells.loc[cells["metric"] == "bic", "value"].dropna() > 0
    if not positive.any():
        return "Above the line, a learner's BIC is higher (better) than that of CTSS."
    if positive.all():
        return "Above the line, a learner's BIC is lower (worse) than that of CTSS."
    return (
        "Above the line, BIC is better than that of CTSS if the latter is negative, worse if it is positive."
    )


def _against_nodes(
    cells: pd.DataFrame, lines: Sequence[facets.Line], title: str, y_label: str, *, log: bool = False
) -> Figure:
    """Return a figure of lines against the number of nodes."""
    metrics = {line.metric for line in lines}
    chosen, selection = facets.only_most_data(cells[cells["metric"].isin(metrics)])
    drawn = [line for line in lines if _points_of(chosen, line)[line.column].notna().any()]
    if not drawn:
        raise style.AbsentData("no learner has a value")
    grid = facets.states_by_density(chosen)
    nodes = sorted(set(chosen["nodes"]))
    step = min(np.diff(nodes), default=nodes[0])
    for axes, here in facets.in_facets(grid, chosen):
        _band(axes, here, step)
        marked: set[str] = set()
        for number, line in enumerate(drawn):
            points = _points_of(here, line).sort_values("nodes")
            x = points["nodes"].to_numpy(float) + facets.dodge(number, len(drawn), step)
            known = points[line.column].notna().to_numpy()
            line.draw(axes, x[known], points[known])
            if line.learner not in marked:
                marked.add(line.learner)
                _mark_failures(axes, x, points, line)
    facets.name_states_and_densities(grid, chosen, y_label)
    for axes in grid.axes.values():
        axes.set_xticks(nodes)
        axes.set_xlim(nodes[0] - 0.6 * step, nodes[-1] + 0.6 * step)
    if log:
        _log_scale(list(grid.axes.values()))
    facets.explain(grid, chosen[chosen["learner"].isin({line.learner for line in drawn})], drawn)
    return grid.finish(title + selection, "Number of nodes")


def _points_of(cells: pd.DataFrame, line: facets.Line) -> pd.DataFrame:
    return cells[(cells["metric"] == line.metric) & (cells["learner"] == line.learner)]


def _band(axes: Axes, cells: pd.DataFrame, step: float) -> None:
    for nodes in sorted(set(cells.loc[cells["extension"], "nodes"])):
        axes.axvspan(nodes - 0.45 * step, nodes + 0.45 * step, color=facets.BAND, zorder=0, linewidth=0)


def _mark_failures(axes: Axes, x: Any, cells: pd.DataFrame, line: facets.Line) -> None:
    incomplete = (cells[list(summary.FAILURES.values())].sum(axis=1) > 0).to_numpy()
    if incomplete.any():
        axes.plot(
            x[incomplete], np.full(incomplete.sum(), 0.03), linestyle="", marker="x", markersize=4,
            color=line.look.colour, transform=axes.get_xaxis_transform(), clip_on=False,
        )  # fmt: skip


def _log_scale(every: Sequence[Axes]) -> None:
    """Make the y axes logarithmic; error bars that reach below zero end at the axis."""
    lowest, highest = math.inf, 0.0
    for axes in every:
        for line in axes.get_lines():
            if line.get_transform() == axes.transData:
                values = np.asarray(line.get_ydata(), float)
                values = values[values > 0]
                lowest = min(lowest, values.min(initial=math.inf))
                highest = max(highest, values.max(initial=0.0))
    for axes in every:
        axes.set_yscale("log", nonpositive="clip")
        axes.yaxis.set_major_formatter(LogFormatterMathtext())
        axes.yaxis.set_minor_formatter(NullFormatter())
    if lowest < highest:
        every[0].set_ylim(lowest / 1.8, highest * 1.8)
