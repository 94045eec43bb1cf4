"""ΔBIC %: the paper's comparison of CTPC with CTSS, and apart from it that of other learners.

The others are apart because their values can be a thousand times as large: a learner that finds the large
parent sets of dense networks has a far worse BIC than one that misses them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from ctbnlab.evaluation import summary
from ctbnlab.evaluation.published.paper_values import PAPER_ALGORITHMS
from ctbnlab.presentation import style
from ctbnlab.presentation.figures import facets
from ctbnlab.presentation.figures.against_nodes import arranged

_WHY_WORSE = (
    "Why finding more arcs can lower BIC: each parameter costs ½ ln ψ, and a node with many parents has one "
    "set of rates per joint state of them. At high density these cost more than they earn in likelihood, "
    "although the parents are true."
)


@style.styled
def delta_bic(cells: pd.DataFrame) -> Figure:
    """Return the paper's comparison: ΔBIC % of CTPC against CTSS, each row on its own scale."""
    base = baseline(cells)
    learners = _learners(cells, base, paper=True)
    grid, selection = _grid(cells, base, learners, "row")
    scales = ["Rows have different scales."] if len({row for row, _ in grid.axes}) > 1 else []
    grid.notes[:0] = [_meaning(base), _better_side(cells, base), *scales]
    return grid.finish(f"ΔBIC % against {base}{selection}", grid.x_label)


@style.styled
def delta_bic_other(cells: pd.DataFrame) -> Figure:
    """Return ΔBIC % of the learners that the paper does not have, on a logarithmic scale beyond ±1."""
    base = baseline(cells)
    learners = _learners(cells, base, paper=False)
    grid, selection = _grid(cells, base, learners, True)
    values = cells.loc[
        (cells["metric"] == "delta_bic_percent") & cells["learner"].isin(learners), "value"
    ].dropna()
    for axes in grid.axes.values():
        axes.set_yscale("symlog", linthresh=1.0, linscale=0.6)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}".replace("-", "−")))
        axes.set_ylim(min(-0.6, 2.5 * values.min()), max(1.0, 2.5 * values.max()))
    grid.notes[:0] = [
        _meaning(base),
        _better_side(cells, base),
        "The scale is logarithmic beyond ±1.",
        _WHY_WORSE,
    ]
    return grid.finish(f"ΔBIC % of other learners against {base}{selection}", grid.x_label)


def baseline(cells: pd.DataFrame) -> str:
    """Return the name of the learner that the others are compared with: its ΔBIC is 0 everywhere."""
    known = cells[(cells["metric"] == "delta_bic_percent") & cells["value"].notna()]
    for label in summary.learners(known):
        if (known.loc[known["learner"] == label, "value"] == 0).all():
            return summary.display_name(label)
    raise style.AbsentData("no learner has a value")


def _learners(cells: pd.DataFrame, base: str, *, paper: bool) -> set[str]:
    """Return the learners to draw; the one compared with is a line at 0, not a series."""
    return {
        label
        for label, algorithm in facets.labels_of(cells)
        if (algorithm in PAPER_ALGORITHMS) == paper and summary.display_name(label) != base
    }


def _grid(
    cells: pd.DataFrame, base: str, learners: set[str], share_y: bool | Literal["row"]
) -> tuple[facets.Grid, str]:
    """Return the facets; on one scale for all rows, spreads would hide the means and are left out."""
    lines = [
        replace(line, with_spread=share_y == "row")
        for line in facets.learner_lines(cells, "delta_bic_percent")
        if line.learner in learners
    ]
    grid, selection = arranged(cells, {"delta_bic_percent": "ΔBIC %"}, lines, share_y)
    looks = style.looks(facets.labels_of(cells))
    colour = {summary.display_name(label): look.colour for label, look in looks.items()}[base]
    for axes in grid.axes.values():
        axes.axhline(0, color=colour, linewidth=0.9, zorder=1)
    return grid, selection


def _meaning(base: str) -> str:
    return (
        f"ΔBIC % = 100 (BIC of {base} − BIC) / BIC of {base}, with BIC = ln L − ½ k ln ψ for likelihood L, "
        f"k parameters and ψ transitions. The line at 0 is {base}."
    )


def _better_side(cells: pd.DataFrame, base: str) -> str:
    """Return which side of 0 is better: dividing by a positive BIC of the baseline flips the axis."""
    known = cells[cells["metric"] == "bic"]
    named = known["learner"].map(summary.display_name) == base
    positive = known.loc[named, "value"].dropna() > 0
    if not positive.any():
        return f"Above the line, a learner's BIC is higher (better) than that of {base}."
    if positive.all():
        return f"Above the line, a learner's BIC is lower (worse) than that of {base}."
    return (
        f"Above the line, BIC is better than that of {base} where the latter is negative, "
        "and worse where it is positive."
    )
