"""The paper's facets: a column for each density, a row for each number of states; series and notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ctbnlab.evaluation import summary
from ctbnlab.presentation import style

BAND = "#F0EDE4"


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

    def draw(self, axes: Axes, x: Any, cells: pd.DataFrame) -> None:
        """Draw mean and spread of each cell at its position in `x`."""
        axes.errorbar(
            x,
            cells[self.column].to_numpy(float),
            yerr=np.nan_to_num(cells[self.sd].to_numpy(float)),
            label=self.label,
            **self._appearance(),
            elinewidth=0.8,
            capsize=1.5,
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
            "linewidth": 1.0 if self.hollow else 1.3,
        }


@dataclass(frozen=True)
class Grid:
    """A figure, its facets by (row, column), and the entries and notes of its legend."""

    figure: Figure
    axes: dict[tuple[Any, Any], Axes]
    handles: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def finish(self, title: str, x_label: str) -> Figure:
        """Add the title, the x label below the last facet of each column, and the legend."""
        self.figure.suptitle(title)
        for column in {column for _, column in self.axes}:
            last = max(row for row, c in self.axes if c == column)
            self.axes[last, column].set_xlabel(x_label)
        style.legend(self.figure, self.handles, self.notes)
        return self.figure


def grid(points: Iterable[tuple[Any, Any]], size: tuple[float, float] = (2.75, 2.15)) -> Grid:
    """Return a figure with facets at the given (row, column) points only."""
    present = set(points)
    rows = sorted({row for row, _ in present})
    columns = sorted({column for _, column in present})
    width = max(5.8, 0.7 + size[0] * len(columns))
    figure = style.new_figure(width, 1.7 + max(size[1], 2.4 if len(rows) == 1 else 0) * len(rows))
    subplots = figure.subplots(len(rows), len(columns), sharex=True, sharey=True, squeeze=False)
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
    return Grid(figure, axes)


def name_facets(facets: Grid, y_label: str, row_names: dict[Any, str], column_names: dict[Any, str]) -> None:
    """Name each column above its first facet, and each row, with the y label, beside its first facet."""
    for row, name in row_names.items():
        first = min(column for r, column in facets.axes if r == row)
        facets.axes[row, first].set_ylabel(f"{name}\n{y_label}")
    for column, name in column_names.items():
        first = min(row for row, c in facets.axes if c == column)
        facets.axes[first, column].set_title(name)


def states_by_density(cells: pd.DataFrame, size: tuple[float, float] = (2.75, 2.15)) -> Grid:
    """Return the paper's facets: a row for each number of states, a column for each density."""
    return grid(zip(cells["states"].map(summary.states_key), cells["density"], strict=True), size)


def in_facets(facets: Grid, cells: pd.DataFrame) -> Iterator[tuple[Axes, pd.DataFrame]]:
    """Yield each facet of `states_by_density` with its cells."""
    for (states, density), axes in facets.axes.items():
        text = ",".join(map(str, states))
        yield axes, cells[(cells["states"] == text) & (cells["density"] == density)]


def name_states_and_densities(facets: Grid, cells: pd.DataFrame, y_label: str) -> None:
    """Name the rows and columns of `states_by_density`."""
    rows = {summary.states_key(states): summary.states_name(states) for states in set(cells["states"])}
    columns = {density: f"Density {density:g}" for density in set(cells["density"])}
    name_facets(facets, y_label, rows, columns)


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


def only_most_data(cells: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Return one cell for each point of a facet, that of most data and fewest cores, and a note on which."""
    selected = []
    for name in summary.free_factors(cells):
        value = cells[name].min() if name == "threads" else cells[name].max()
        cells = cells[cells[name] == value]
        units = {"threads": "core" if value == 1 else "cores", "duration": "time units", "scattered": "parts"}
        selected.append(f"{value:g} {units.get(name, name)}")
    return cells, f" ({', '.join(selected)})" if selected else ""


def dodge(number: int, count: int, step: float) -> float:
    """Return the shift of one of `count` series along x, so that series do not cover each other."""
    return float((number - (count - 1) / 2) * step * min(0.09, 0.5 / count))


def explain(facets: Grid, cells: pd.DataFrame, lines: Sequence[Line]) -> None:
    """Add lines, conventions and abbreviations to the legend."""
    facets.handles.extend(line.handle() for line in lines)
    if cells["extension"].any():
        facets.handles.append(Patch(color=BAND, label="not in the paper's design: our extension"))
    if cells[list(summary.FAILURES.values())].to_numpy().any():
        facets.handles.append(
            Line2D([], [], linestyle="", marker="x", color="black", label="some replicates failed")
        )
    micro = "micro" in set(cells["average"])
    average = "Micro-averaged over networks" if micro else "Mean over networks"
    hollow = any(line.hollow for line in lines)
    spread = "spread of one network" if micro else "standard deviation"
    facets.notes.append(
        f"{average} ± {spread}" + ("; hollow markers: the paper's published values." if hollow else ".")
    )
    facets.notes.extend(abbreviations(cells["algorithm"]))


def abbreviations(names: Iterable[str]) -> list[str]:
    """Return the algorithms' abbreviations spelled out, as at most one note."""
    shown = set(names)
    texts = [text for name, text in style.ABBREVIATIONS.items() if name in shown]
    return [". ".join(texts) + "."] if texts else []
