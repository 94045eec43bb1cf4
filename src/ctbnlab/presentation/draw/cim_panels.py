"""Panels with a network's conditional intensity matrices, one per variable, beside its picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.model.network import Network
from ctbnlab.presentation.draw.text_size import text_height, text_width

MAX_MATRICES = 40
MAX_STATES = 6
NOTE = "Transitions per unit of time, from the row's state to the column's state."
_SIZE = 8.5
_LINE = 0.235
_PAD = 0.09
_GAP = 0.3
_HEAD, _DIAGONAL, _RULE = "#EDEDED", "#DCE9F2", "#A8A8A8"


@dataclass(frozen=True)
class _Matrix:
    """One intensity matrix and, as its heading, the parents' states that select it."""

    heading: str
    states: tuple[str, ...]
    rates: NDArray[np.float64]

    @property
    def column_width(self) -> float:
        texts = [*self.states, *(rate_text(rate) for rate in self.rates.flat)]
        return max(text_width(text, _SIZE) for text in texts) + 2 * _PAD

    @property
    def size(self) -> tuple[float, float]:
        table = self.column_width * (len(self.states) + 1)
        heading = text_height(self.heading, _SIZE) if self.heading else 0.0
        height = heading + _LINE * (len(self.states) + 1)
        return max(table, text_width(self.heading, _SIZE)), height


@dataclass(frozen=True)
class _Panel:
    """The matrices of one variable, under its name and its parents' names."""

    title: str
    matrices: tuple[_Matrix, ...]
    per_row: int

    @property
    def rows(self) -> list[tuple[_Matrix, ...]]:
        step = self.per_row
        return [self.matrices[i : i + step] for i in range(0, len(self.matrices), step)]

    @property
    def size(self) -> tuple[float, float]:
        widths = [sum(m.size[0] + _GAP for m in row) - _GAP for row in self.rows]
        heights = [max(m.size[1] for m in row) + 0.12 for row in self.rows]
        return max(*widths, text_width(self.title, 10.0)), 0.3 + sum(heights)


def panels(network: Network, variables: Sequence[int] | None = None) -> list[_Panel]:
    """Return a panel per variable, all or some; refuse more or larger matrices than fit a picture."""
    chosen = range(len(network.variables)) if variables is None else variables
    count = sum(network.cims[i].n_configurations for i in chosen)
    states = max(len(network.variables[i].states) for i in chosen)
    if count > MAX_MATRICES or states > MAX_STATES:
        advice = "leave --cims out" if variables is None else "name fewer variables"
        raise InputError(
            f"has {count} intensity matrices of up to {states} states; "
            f"at most {MAX_MATRICES} of {MAX_STATES} states are drawn: {advice}"
        )
    return [_panel(network, i) for i in chosen]


def _panel(network: Network, i: int) -> _Panel:
    parents = [network.variables[j] for j in network.parents[i]]
    shape = tuple(len(parent.states) for parent in parents)
    matrices = []
    for configuration, rates in enumerate(network.cims[i].table()):
        states = np.unravel_index(configuration, shape) if shape else ()
        heading = "\n".join(
            f"{parent.name} = {parent.states[int(s)]}" for parent, s in zip(parents, states, strict=True)
        )
        matrices.append(_Matrix(heading, network.variables[i].states, rates))
    given = f" given {', '.join(parent.name for parent in parents)}" if parents else ""
    return _Panel(network.variables[i].name + given, tuple(matrices), 4 if len(matrices) > 4 else 2)


def size_of(found: list[_Panel]) -> tuple[float, float]:
    """Return the width and height of all panels, one below the other."""
    width = max(text_width(NOTE, _SIZE), *(panel.size[0] for panel in found))
    return width, sum(panel.size[1] + 0.18 for panel in found)


def draw(axes: Axes, found: list[_Panel], x: float, top: float) -> None:
    """Draw the panels downwards from (x, top), in inches."""
    for panel in found:
        axes.text(x, top - 0.15, panel.title, fontsize=10, fontweight="bold", parse_math=False)
        y = top - 0.3
        for row in panel.rows:
            left = x
            for matrix in row:
                _draw_matrix(axes, matrix, left, y)
                left += matrix.size[0] + _GAP
            y -= max(matrix.size[1] for matrix in row) + 0.12
        top -= panel.size[1] + 0.18
    axes.text(x, top, NOTE, fontsize=_SIZE, va="baseline")


def _draw_matrix(axes: Axes, matrix: _Matrix, x: float, top: float) -> None:
    if matrix.heading:
        # Line by line on its baseline: a descender must not lift the other lines.
        for line in matrix.heading.split("\n"):
            top -= text_height(line, _SIZE)
            axes.text(x, top + 0.055, line, fontsize=_SIZE, va="baseline", parse_math=False)
    step = matrix.column_width
    names = matrix.states
    rows = [["", *names]]
    rows += [[name, *map(rate_text, rates)] for name, rates in zip(names, matrix.rates, strict=True)]
    for i, row in enumerate(rows):
        for j, text in enumerate(row):
            colour = _HEAD if 0 in (i, j) else _DIAGONAL if i == j else "white"
            corner = (x + j * step, top - (i + 1) * _LINE)
            axes.add_patch(Rectangle(corner, step, _LINE, facecolor=colour, edgecolor=_RULE, linewidth=0.6))
            axes.text(
                corner[0] + step / 2, corner[1] + _LINE / 2, text,
                fontsize=_SIZE, ha="center", va="center_baseline", parse_math=False,
            )  # fmt: skip


def rate_text(rate: float) -> str:
    """Return a rate with three significant digits (four from 1000 on) and a true minus sign."""
    rate += 0.0  # turns −0 into 0
    text = f"{rate:.3g}" if abs(rate) < 1000 else f"{rate:.4g}"
    return text.replace("-", "−")
