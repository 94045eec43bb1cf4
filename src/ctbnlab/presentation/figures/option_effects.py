"""Precision, recall and F1 against any option that takes several values: a level, a test, a file.

Every swept option has its own rows. A single series shows the three metrics in one facet; several series have
a row per metric.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ctbnlab.evaluation import summary
from ctbnlab.presentation import style
from ctbnlab.presentation.figures import facets, given_networks
from ctbnlab.presentation.figures.swept_options import Sweep, sweeps

METRICS = {"f1": "F1", "precision": "precision", "recall": "recall"}
_KINDS = {
    "f1": ("-", style.Look(style.BLACK, "o")),
    "precision": ((0, (3, 1.5)), style.Look(style.BLUE, "^")),
    "recall": ((0, (1, 1.2)), style.Look(style.VERMILLION, "v")),
}
# What the paper's experiments used, by algorithm and option.
PAPER_VALUES = {("ctpc-chi2", "alpha"): 0.1}
_OPTION_NAMES = {"alpha": "significance level α"}
_PAGE = 7.4  # inches for the facets of a row
Row = tuple[int, tuple[int, ...], int]  # number of the sweep, states, number of the metric


@style.styled
def sweep(cells: pd.DataFrame) -> Figure:
    """Return the figure: columns are sizes and densities, or given networks; rows are options and states."""
    chosen, selection = facets.only_most_data(cells[cells["metric"].isin(METRICS) & cells["value"].notna()])
    found = sweeps(_placed(chosen))
    if not found:
        raise style.AbsentData("no learner's option takes several values")
    several = any(len(one.series) > 1 for one in found)
    metrics = [(metric,) for metric in METRICS] if several else [tuple(METRICS)]
    lines = [[_lines(one, group) for group in metrics] for one in found]
    keys = [
        ((number, states, k), column)
        for number, one in enumerate(found)
        for states, column in sorted(set(zip(one.cells["row"], one.cells["column"], strict=True)))
        for k in range(len(metrics))
    ]
    width = max(1.15, _PAGE / len({column for _, column in keys}))
    grid = facets.grid(keys, (width, 1.45 if several else 1.6), share_x="row")
    for ((number, states, k), column), axes in grid.axes.items():
        one = found[number]
        here = facets.at(facets.at(one.cells, "row", states), "column", column)
        facets.draw_lines(axes, here, lines[number][k], "x", one.step, log=one.log)
        _finish_axes(axes, one)
    facets.share_limits(grid.axes.values())
    _name(grid, found, [" and ".join(METRICS[m] for m in group) for group in metrics], several)
    every = [line for per_sweep in lines for group in per_sweep for line in group]
    facets.explain(grid, pd.concat([one.cells for one in found]), every)
    if any(_paper_value(one) is not None for one in found):
        grid.notes[0] += " Dotted vertical line: the paper's value."
    names = " and ".join(_option_name(one.option) for one in found)
    return grid.finish(f"Effect of the {names}{selection}")


def _option_name(option: str) -> str:
    return _OPTION_NAMES.get(option, f"option {option}")


def _placed(cells: pd.DataFrame) -> pd.DataFrame:
    """Return cells with the row and the column of their facet."""
    rows: list[Any] = [()] * len(cells)
    if facets.has_given_networks(cells):
        order = given_networks.in_order(cells)
        return cells.assign(row=rows, column=cells["network"].map(order.index))
    columns: list[Any] = list(zip(cells["nodes"], cells["density"], strict=True))
    return cells.assign(row=cells["states"].map(summary.states_key), column=columns)


def _lines(one: Sweep, metrics: tuple[str, ...]) -> list[facets.Line]:
    looks = style.looks(one.series)
    dashes: Any = "" if one.names else "-"
    if len(metrics) == 1:
        return [facets.Line(name, name, looks[name], metrics[0], dashes=dashes) for name, _ in one.series]
    name = one.series[0][0]
    return [
        facets.Line(name, f"{name}, {METRICS[metric]}", look, metric, dashes=dashes and kind)
        for metric, (kind, look) in _KINDS.items()
    ]


def _paper_value(one: Sweep) -> float | None:
    values = (PAPER_VALUES.get((algorithm, one.option)) for _, algorithm in one.series)
    return None if one.names else next((value for value in values if value is not None), None)


def _finish_axes(axes: Axes, one: Sweep) -> None:
    if one.log:
        axes.set_xscale("log")
    if one.names:
        slanted = max(map(len, one.names)) > 4
        axes.set_xticks(
            range(len(one.names)), one.names, parse_math=False, rotation=35 if slanted else 0,
            ha="right" if slanted else "center", rotation_mode="anchor",
        )  # fmt: skip
        axes.grid(axis="x", visible=False)
    if (paper := _paper_value(one)) is not None:
        axes.axvline(paper, color="#909090", linewidth=0.9, linestyle=":")
    axes.set_xlim(*one.limits)


def _middle(columns: list[Any]) -> Any:
    return sorted(columns)[(len(columns) - 1) // 2]


def _name(grid: facets.Grid, found: list[Sweep], metric_names: list[str], several: bool) -> None:
    """Name columns above the first facet, rows beside it, and each option below its last row."""
    given = facets.has_given_networks(found[0].cells)
    networks = given_networks.in_order(found[0].cells) if given else []
    top = {column: min(row for row, c in grid.axes if c == column) for _, column in grid.axes}
    for (row, column), axes in grid.axes.items():
        number, states, k = row
        if row == top[column]:
            title = networks[column] if given else f"{column[0]} nodes,\ndensity {column[1]:g}"
            axes.set_title(title, fontsize=9, parse_math=False)
        if column == min(c for r, c in grid.axes if r == row):
            name = [] if given else [facets.short_states(",".join(map(str, states)))]
            axes.set_ylabel("\n".join([*name, metric_names[k] if several else "precision, recall, F1"]))
        below = [r for r, c in grid.axes if c == column and r[0] == number and r > row]
        if below:
            axes.tick_params(labelbottom=False)
        elif column == _middle([c for r, c in grid.axes if r == row]):
            # Once for all facets of the row, which are narrow.
            axes.set_xlabel(_option_name(found[number].option).capitalize(), parse_math=False)
