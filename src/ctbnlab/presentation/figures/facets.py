"""The paper's facets: one for each density (columns) and number of states (rows), lines against nodes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import LogFormatterMathtext, NullFormatter

from ctbnlab.evaluation import summary
from ctbnlab.presentation import style

_BAND = "#F0EDE4"


@dataclass(frozen=True)
class Line:
    """One series of a facet: what the table of cells has under `column` of `metric`, for one learner."""

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
        """Draw mean and spread at `x`, one place for each of the cells."""
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
        """Return the line's entry in a legend."""
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
    """A figure with its facets by (row, column)."""

    figure: Figure
    axes: dict[tuple[Any, Any], Axes]
    handles: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def finish(self, title: str, x_label: str) -> Figure:
        """Add title, the x axis's name below the last facet of each column, and the legend."""
        self.figure.suptitle(title)
        for column in {column for _, column in self.axes}:
            last = max(row for row, c in self.axes if c == column)
            self.axes[last, column].set_xlabel(x_label)
        style.legend(self.figure, self.handles, self.notes)
        return self.figure


def grid(points: Iterable[tuple[Any, Any]], size: tuple[float, float] = (2.75, 2.15)) -> Grid:
    """Return facets for the (row, column) points that exist; the places of others stay free."""
    present = set(points)
    rows = sorted({row for row, _ in present})
    columns = sorted({column for _, column in present})
    width = max(5.8, 0.7 + size[0] * len(columns))
    figure = style.new_figure(width, 1.7 + max(size[1], 2.4 if len(rows) == 1 else 0) * len(rows))
    places = figure.subplots(len(rows), len(columns), sharex=True, sharey=True, squeeze=False)
    axes = {}
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            if (row, column) in present:
                axes[row, column] = places[i, j]
            else:
                places[i, j].remove()
    for row in rows:
        first = next(column for column in columns if (row, column) in axes)
        axes[row, first].tick_params(labelleft=True)
    for column in columns:
        last = next(row for row in reversed(rows) if (row, column) in axes)
        axes[last, column].tick_params(labelbottom=True)
    return Grid(figure, axes)


def name_facets(facets: Grid, y_label: str, row_names: dict[Any, str], column_names: dict[Any, str]) -> None:
    """Write a column's name over its first facet, and a row's name beside its first, with the y axis's."""
    for row, name in row_names.items():
        first = min(column for r, column in facets.axes if r == row)
        facets.axes[row, first].set_ylabel(f"{name}\n{y_label}")
    for column, name in column_names.items():
        first = min(row for row, c in facets.axes if c == column)
        facets.axes[first, column].set_title(name)


def labels_of(cells: pd.DataFrame) -> list[tuple[str, str]]:
    """Return (label, algorithm) of the learners, in the paper's order."""
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
    """Keep one cell for each point of a facet: the most data, one core; say what was kept."""
    kept = []
    for name in summary.free_factors(cells):
        value = cells[name].min() if name == "threads" else cells[name].max()
        cells = cells[cells[name] == value]
        unit = {"threads": "core", "duration": "units of time"}.get(name, name)
        kept.append(f"{value:g} {unit}")
    return cells, f" ({', '.join(kept)})" if kept else ""


def by_nodes(
    cells: pd.DataFrame, lines: Sequence[Line], title: str, y_label: str, *, log: bool = False
) -> Figure:
    """Return the figure of some lines against the number of nodes."""
    metrics = {line.metric for line in lines}
    chosen, kept = only_most_data(cells[cells["metric"].isin(metrics)])
    drawn = [line for line in lines if _points_of(chosen, line)[line.column].notna().any()]
    if not drawn:
        raise style.AbsentData("no learner has a value")
    points = {(summary.states_key(s), d) for s, d in zip(chosen["states"], chosen["density"], strict=True)}
    facets = grid(points)
    nodes = sorted(set(chosen["nodes"]))
    step = min(np.diff(nodes), default=nodes[0])
    for (states, density), axes in facets.axes.items():
        text = ",".join(map(str, states))
        here = chosen[(chosen["states"] == text) & (chosen["density"] == density)]
        _band(axes, here, step)
        marked: set[str] = set()
        for place, line in enumerate(drawn):
            mine = _points_of(here, line).sort_values("nodes")
            x = mine["nodes"].to_numpy(float) + dodge(place, len(drawn), step)
            seen = mine[line.column].notna().to_numpy()
            line.draw(axes, x[seen], mine[seen])
            if line.learner not in marked:
                marked.add(line.learner)
                _mark_failures(axes, x, mine, line)
    row_names = {summary.states_key(s): summary.states_name(s) for s in set(chosen["states"])}
    name_facets(facets, y_label, row_names, {d: f"Density {d:g}" for d in set(chosen["density"])})
    for axes in facets.axes.values():
        axes.set_xticks(nodes)
        axes.set_xlim(nodes[0] - 0.6 * step, nodes[-1] + 0.6 * step)
    if log:
        log_scale(list(facets.axes.values()))
    explain(facets, chosen[chosen["learner"].isin({line.learner for line in drawn})], drawn)
    return facets.finish(title + kept, "Number of nodes")


def _points_of(cells: pd.DataFrame, line: Line) -> pd.DataFrame:
    return cells[(cells["metric"] == line.metric) & (cells["learner"] == line.learner)]


def dodge(place: int, count: int, step: float) -> float:
    """Return how far a series stands from its true place, so that series do not cover each other."""
    return float((place - (count - 1) / 2) * step * min(0.09, 0.5 / count))


def _band(axes: Axes, cells: pd.DataFrame, step: float) -> None:
    for nodes in sorted(set(cells.loc[cells["extension"], "nodes"])):
        axes.axvspan(nodes - 0.45 * step, nodes + 0.45 * step, color=_BAND, zorder=0, linewidth=0)


def _mark_failures(axes: Axes, x: Any, cells: pd.DataFrame, line: Line) -> None:
    incomplete = (cells[list(summary.FAILURES.values())].sum(axis=1) > 0).to_numpy()
    if incomplete.any():
        axes.plot(
            x[incomplete], np.full(incomplete.sum(), 0.03), linestyle="", marker="x", markersize=4,
            color=line.look.colour, transform=axes.get_xaxis_transform(), clip_on=False,
        )  # fmt: skip


def log_scale(places: Sequence[Axes]) -> None:
    """Make the y axes logarithmic; a spread that reaches below zero ends at the axis."""
    lowest, highest = math.inf, 0.0
    for axes in places:
        for line in axes.get_lines():
            if line.get_transform() == axes.transData:
                values = np.asarray(line.get_ydata(), float)
                values = values[values > 0]
                lowest = min(lowest, values.min(initial=math.inf))
                highest = max(highest, values.max(initial=0.0))
    for axes in places:
        axes.set_yscale("log", nonpositive="clip")
        axes.yaxis.set_major_formatter(LogFormatterMathtext())
        axes.yaxis.set_minor_formatter(NullFormatter())
    if lowest < highest:
        places[0].set_ylim(lowest / 1.8, highest * 1.8)


def explain(facets: Grid, cells: pd.DataFrame, lines: Sequence[Line]) -> None:
    """Add to the legend what the facets show: lines, conventions and abbreviations."""
    facets.handles.extend(line.handle() for line in lines)
    if cells["extension"].any():
        facets.handles.append(Patch(color=_BAND, label="not in the paper's design: our extension"))
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
    """Return what the abbreviations of these algorithms stand for, as one note."""
    shown = set(names)
    texts = [text for name, text in style.ABBREVIATIONS.items() if name in shown]
    return [". ".join(texts) + "."] if texts else []
