"""One or two metrics against the number of nodes: F1, precision and recall, areas, SHD and time.

Networks that were given instead of drawn at random are shown one by one (`given_networks`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterMathtext, NullFormatter

from ctbnlab.evaluation import summary
from ctbnlab.presentation import style
from ctbnlab.presentation.figures import facets, given_networks

_TWO_METRICS = (facets.SIZE[0], 1.4)  # lower facets: there are twice as many rows


@style.styled
def f1(cells: pd.DataFrame) -> Figure:
    """Return the figure of F1 scores, with the published ones."""
    return draw(cells, {"f1": "F1 score"}, "F1 score of the arcs")


@style.styled
def precision_recall(cells: pd.DataFrame) -> Figure:
    """Return the figure of precision (true among learned arcs) and recall (learned among true arcs)."""
    metrics = {"precision": "precision", "recall": "recall"}
    return draw(cells, metrics, "Precision and recall of the arcs")


@style.styled
def areas(cells: pd.DataFrame) -> Figure:
    """Return the figure of the areas under the precision–recall and the ROC curve."""
    metrics = {"average_precision": "average precision", "roc_auc": "ROC area"}
    note = (
        "Average precision: area under the precision–recall curve. ROC area: probability that a true arc "
        "ranks above a false one."
    )
    return draw(cells, metrics, "Arcs ranked by their evidence: areas under the curves", note=note)


@style.styled
def shd(cells: pd.DataFrame) -> Figure:
    """Return the figure of structural Hamming distances."""
    return draw(cells, {"shd": "SHD"}, "Structural Hamming distance (SHD): arcs missed and invented")


@style.styled
def cpu_time(cells: pd.DataFrame) -> Figure:
    """Return the figure of CPU times of learning, on a logarithmic axis."""
    return draw(cells, {"cpu_seconds": "CPU time (s)"}, "CPU time of learning one network", log=True)


def draw(
    cells: pd.DataFrame, metrics: Mapping[str, str], title: str, *, log: bool = False, note: str | None = None
) -> Figure:
    """Return a figure of metrics, given with their names, for every learner."""
    lines = [line for metric in metrics for line in facets.learner_lines(cells, metric)]
    grid, selection = arranged(cells, metrics, lines)
    axes = list(grid.axes.values())
    if log:
        _log_scale(axes)
    elif set(metrics) <= set(facets.SHARES):
        facets.share_limits(axes)
    if note is not None:
        grid.notes.insert(0, note)
    return grid.finish(title + selection, grid.x_label)


def arranged(
    cells: pd.DataFrame,
    metrics: Mapping[str, str],
    lines: Sequence[facets.Line],
    share_y: bool | Literal["row"] = True,
) -> tuple[facets.Grid, str]:
    """Return facets with these lines and a legend, and a note on the data that were selected."""
    chosen, selection = facets.only_most_data(cells[cells["metric"].isin(metrics)])
    drawn = [line for line in lines if points_of(chosen, line)[line.column].notna().any()]
    if not drawn:
        raise style.AbsentData("no learner has a value")
    arrange = given_networks.arranged if facets.has_given_networks(chosen) else _against_nodes
    grid = arrange(chosen, metrics, drawn, share_y)
    facets.explain(grid, chosen[chosen["learner"].isin({line.learner for line in drawn})], drawn)
    return grid, selection


def points_of(cells: pd.DataFrame, line: facets.Line) -> pd.DataFrame:
    """Return the cells of a line."""
    return cells[(cells["metric"] == line.metric) & (cells["learner"] == line.learner)]


def _against_nodes(
    cells: pd.DataFrame,
    metrics: Mapping[str, str],
    lines: Sequence[facets.Line],
    share_y: bool | Literal["row"],
) -> facets.Grid:
    """Return the paper's facets, with a row for each number of states and metric."""
    names = list(metrics)
    points = set(zip(cells["states"].map(summary.states_key), cells["density"], strict=True))
    grid = facets.grid(
        (((states, number), density) for states, density in points for number in range(len(names))),
        facets.SIZE if len(names) == 1 else _TWO_METRICS,
        share_y=share_y,
    )
    nodes = sorted(set(cells["nodes"]))
    step = min(np.diff(nodes), default=nodes[0])
    for ((states, number), density), axes in grid.axes.items():
        text = ",".join(map(str, states))
        here = cells[(cells["states"] == text) & (cells["density"] == density)]
        _band(axes, here, step)
        facets.draw_lines(axes, here, [line for line in lines if line.metric == names[number]], "nodes", step)
        axes.set_xticks(nodes)
        axes.set_xlim(nodes[0] - 0.6 * step, nodes[-1] + 0.6 * step)
    rows = {
        (summary.states_key(states), number): f"{facets.short_states(states)}\n{metrics[name]}"
        for states in set(cells["states"])
        for number, name in enumerate(names)
    }
    facets.name_facets(grid, rows, facets.density_names(cells))
    return replace(grid, x_label="Number of nodes")


def _band(axes: Axes, cells: pd.DataFrame, step: float) -> None:
    for nodes in sorted(set(cells.loc[cells["extension"], "nodes"])):
        axes.axvspan(nodes - 0.45 * step, nodes + 0.45 * step, color=facets.BAND, zorder=0, linewidth=0)


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
