"""The paper's facets: a column for each density, a row for each number of states; series and notes.

Facets are small enough that four columns fit the width of a page, where the text stays readable.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ctbnlab.evaluation import summary
from ctbnlab.presentation import style

BAND = "#F0EDE4"
SIZE = (1.95, 1.75)  # of a facet, in inches
# Metrics that lie between 0 and 1: error bars end there.
SHARES = ("f1", "precision", "recall", "average_precision", "roc_auc")


@dataclass(frozen=True)
class Line:
    """One series of a facet: the values in `column` of the cells of one metric and learner."""

    learner: str
    label: str
    look: style.Look
    metric: str
    column: str = "value"
    sd: str = "sd"
    dashes: Any = "-"
    hollow: bool = False
    marker: str | None = None
    with_spread: bool = True

    def draw(self, axes: Axes, x: Any, cells: pd.DataFrame) -> None:
        """Draw mean and spread of each cell at its position in `x`."""
        values, spread = (cells[name].to_numpy(float) for name in (self.column, self.sd))
        axes.errorbar(
            x,
            values,
            yerr=error_bars(values, spread, self.metric) if self.with_spread else None,
            label=self.label,
            **self._appearance(),
            elinewidth=0.7,
            capsize=1.3,
        )

    def handle(self) -> Line2D:
        """Return the legend entry."""
        return Line2D([], [], label=self.label, **self._appearance())

    def _appearance(self) -> dict[str, Any]:
        return {
            "color": self.look.colour,
            "linestyle": self.dashes,
            "marker": self.marker or self.look.marker,
            "markerfacecolor": "white" if self.hollow else self.look.colour,
            "markeredgecolor": self.look.colour,
            "linewidth": 0.9 if self.hollow else 1.2,
            "markersize": 3.8,
            "markeredgewidth": 0.8,
        }


def share_limits(every: Iterable[Axes]) -> None:
    """Let the axes of shares, which share their scale, end a little above 1 and below the lowest value."""
    axes = list(every)
    lowest = min(float(one.dataLim.y0) for one in axes)
    low = max(0.0, math.floor(min(lowest, 0.8) * 10) / 10)
    for one in axes:
        one.set_ylim(low - 0.03 * (1 - low), 1 + 0.05 * (1 - low))


def error_bars(values: Any, spread: Any, metric: str) -> Any:
    """Return the lengths of error bars below and above; those of a share end at 0 and at 1."""
    spread = np.nan_to_num(spread)
    if metric not in SHARES:
        return np.array([spread, spread])
    return np.clip(np.array([np.minimum(spread, values), np.minimum(spread, 1 - values)]), 0, None)


@dataclass(frozen=True)
class Grid:
    """A figure, its facets by (row, column), and the entries and notes of its legend."""

    figure: Figure
    axes: dict[tuple[Any, Any], Axes]
    handles: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    x_label: str = ""

    def finish(self, title: str, x_label: str | None = None) -> Figure:
        """Add the title, the x label below the last facet of each column, and the legend."""
        self.figure.suptitle(textwrap.fill(title, int(self.figure.get_figwidth() / 0.105)))
        for column in {column for _, column in self.axes} if x_label else ():
            last = max(row for row, c in self.axes if c == column)
            self.axes[last, column].set_xlabel(str(x_label))
        style.legend(self.figure, self.handles, self.notes)
        return self.figure


def grid(
    points: Iterable[tuple[Any, Any]],
    size: tuple[float, float] = SIZE,
    *,
    share_x: bool | Literal["row"] = True,
    share_y: bool | Literal["row"] = True,
) -> Grid:
    """Return a figure with facets at the given (row, column) points only."""
    present = set(points)
    rows = sorted({row for row, _ in present})
    columns = sorted({column for _, column in present})
    width = max(5.8, 0.7 + size[0] * len(columns))
    figure = style.new_figure(width, 1.7 + max(size[1], 2.4 if len(rows) == 1 else 0) * len(rows))
    subplots = figure.subplots(len(rows), len(columns), sharex=share_x, sharey=share_y, squeeze=False)
    axes = {}
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            if (row, column) in present:
                axes[row, column] = subplots[i, j]
            else:
                subplots[i, j].remove()
    for row in rows:
        first = next(column for column in columns if (row, column) in axes)
        axes[row, first].tick_params(labelleft=True)
    for column in columns:
        last = next(row for row in reversed(rows) if (row, column) in axes)
        axes[last, column].tick_params(labelbottom=True)
    figure.align_ylabels(list(axes.values()))
    return Grid(figure, axes)


def name_facets(facets: Grid, row_names: Mapping[Any, str], column_names: Mapping[Any, str]) -> None:
    """Name each column above its first facet, and each row beside its first facet."""
    for row, name in row_names.items():
        first = min(column for r, column in facets.axes if r == row)
        facets.axes[row, first].set_ylabel(name)
    for column, name in column_names.items():
        first = min(row for row, c in facets.axes if c == column)
        facets.axes[first, column].set_title(name)


def states_by_density(cells: pd.DataFrame, size: tuple[float, float] = SIZE, **shared: Any) -> Grid:
    """Return the paper's facets: a row for each number of states, a column for each density."""
    return grid(zip(cells["states"].map(summary.states_key), cells["density"], strict=True), size, **shared)


def in_facets(facets: Grid, cells: pd.DataFrame) -> Iterator[tuple[Axes, pd.DataFrame]]:
    """Yield each facet of `states_by_density` with its cells."""
    for (states, density), axes in facets.axes.items():
        text = ",".join(map(str, states))
        yield axes, cells[(cells["states"] == text) & (cells["density"] == density)]


def name_states_and_densities(facets: Grid, cells: pd.DataFrame, y_label: str) -> None:
    """Name the rows and columns of `states_by_density`."""
    rows = {
        summary.states_key(states): f"{summary.states_name(states)}\n{y_label}"
        for states in set(cells["states"])
    }
    name_facets(facets, rows, density_names(cells))


def at(cells: pd.DataFrame, column: str, key: Any) -> pd.DataFrame:
    """Return the rows with a key that is a tuple, which pandas would compare part by part."""
    return cells[[value == key for value in cells[column]]]


def density_names(cells: pd.DataFrame) -> dict[Any, str]:
    """Return the titles of the columns of densities."""
    return {density: f"Density {density:g}" for density in set(cells["density"])}


def has_given_networks(cells: pd.DataFrame) -> bool:
    """Return whether the networks were given by name, rather than drawn at random."""
    return "network" in cells and bool(cells["network"].notna().any())


def labels_of(cells: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the learners as (label, algorithm), in the paper's order."""
    algorithm = dict(zip(cells["learner"], cells["algorithm"], strict=True))
    return [(label, algorithm[label]) for label in summary.learners(cells)]


def learner_lines(cells: pd.DataFrame, metric: str) -> list[Line]:
    """Return a line for each learner, and a hollow dashed one for each algorithm with published values."""
    chosen = cells[cells["metric"] == metric]
    pairs = labels_of(cells)
    look = style.looks(pairs)
    lines, shown = [], set()
    for label, algorithm in pairs:
        lines.append(Line(label, summary.display_name(label), look[label], metric))
        has_published = chosen.loc[chosen["learner"] == label, "published"].notna().any()
        if has_published and algorithm not in shown:
            shown.add(algorithm)
            name = f"{summary.display_name(algorithm)}, published"
            lines.append(
                Line(label, name, look[label], metric, "published", "published_sd", (0, (3, 2)), hollow=True)
            )
    return lines


def free_factors(cells: pd.DataFrame) -> list[str]:
    """Return the factors that take several values at one point of a facet, or for one given network."""
    if not has_given_networks(cells):
        return summary.free_factors(cells)
    factors = [name for name in summary.POINT if name in ("trajectories", "duration", "scattered", "threads")]
    counts = cells.groupby("network")[factors].nunique()
    return [name for name in factors if (counts[name] > 1).any()]


def only_most_data(cells: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return one cell for each point of a facet, that of most data and fewest cores, and a note on which."""
    selected = []
    for name in free_factors(cells):
        groups = cells["network"] if has_given_networks(cells) else pd.Series("all", cells.index)
        values = cells[name].groupby(groups)
        cells = cells[cells[name] == values.transform("min" if name == "threads" else "max")]
        if cells[name].nunique() == 1:
            value = cells[name].iloc[0]
            units = {
                "threads": "core" if value == 1 else "cores",
                "duration": "time units",
                "scattered": "parts",
            }
            selected.append(f"{value:g} {units.get(name, name)}")
    return cells, f" ({', '.join(selected)})" if selected else ""


def replicates(cells: pd.DataFrame) -> str:
    """Return what a cell has several of: random networks, or data sets of a given network."""
    return "data sets" if has_given_networks(cells) else "networks"


def dodge(number: int, count: int, step: float) -> float:
    """Return the shift of one of `count` series along x, so that series do not cover each other."""
    return float((number - (count - 1) / 2) * step * min(0.09, 0.5 / count))


def draw_lines(
    axes: Axes, cells: pd.DataFrame, lines: Sequence[Line], along: str, step: float, *, log: bool = False
) -> None:
    """Draw lines against the column `along`, side by side, and mark cells in which some replicates failed."""
    marked: set[str] = set()
    for number, line in enumerate(lines):
        points = cells[(cells["metric"] == line.metric) & (cells["learner"] == line.learner)]
        points = points.sort_values(along)
        shift = dodge(number, len(lines), step)
        x = points[along].to_numpy(float)
        x = x * 10**shift if log else x + shift
        known = points[line.column].notna().to_numpy()
        line.draw(axes, x[known], points[known])
        if line.learner not in marked:
            marked.add(line.learner)
            _mark_failures(axes, x, points, line.look.colour)


def _mark_failures(axes: Axes, x: Any, cells: pd.DataFrame, colour: str) -> None:
    incomplete = (cells[list(summary.FAILURES.values())].sum(axis=1) > 0).to_numpy()
    if incomplete.any():
        axes.plot(
            x[incomplete], np.full(incomplete.sum(), 0.03), linestyle="", marker="x", markersize=4,
            color=colour, transform=axes.get_xaxis_transform(), clip_on=False,
        )  # fmt: skip


def explain(facets: Grid, cells: pd.DataFrame, lines: Sequence[Line]) -> None:
    """Add lines, conventions and abbreviations to the legend."""
    # A learner's lines in the rows of several metrics share one entry.
    facets.handles.extend({line.label: line.handle() for line in lines}.values())
    if cells["extension"].any():
        facets.handles.append(Patch(color=BAND, label="not in the paper"))
    if cells[list(summary.FAILURES.values())].to_numpy().any():
        facets.handles.append(
            Line2D([], [], linestyle="", marker="x", color="black", label="some replicates failed")
        )
    micro = "micro" in set(cells["average"])
    average = f"{'Micro-averaged' if micro else 'Mean'} over {replicates(cells)}"
    hollow = any(line.hollow for line in lines)
    spread = "spread of one network" if micro else "standard deviation"
    text = f"{average} ± {spread}" if any(line.with_spread for line in lines) else average
    facets.notes.append(text + ("; hollow markers: the paper's published values." if hollow else "."))
    facets.notes.extend(abbreviations(cells["algorithm"]))


def abbreviations(names: Iterable[str]) -> list[str]:
    """Return the algorithms' abbreviations spelled out, as at most one note."""
    shown = set(names)
    texts = [text for name, text in style.ABBREVIATIONS.items() if name in shown]
    return [". ".join(texts) + "."] if texts else []


def short_states(states: str) -> str:
    """Return the name of variables with this number of states, without the word."""
    return summary.states_name(states).removesuffix(" variables")
