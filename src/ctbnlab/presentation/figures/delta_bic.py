"""ΔBIC % against the number of nodes."""

from __future__ import annotations

import textwrap

import pandas as pd
from matplotlib.figure import Figure

from ctbnlab.presentation import style
from ctbnlab.presentation.figures import facets


@style.styled
def delta_bic(cells: pd.DataFrame) -> Figure:
    """Return the figure: how much worse or better a learner's BIC is than that of CTSS."""
    known = cells[(cells["metric"] == "delta_bic_percent") & cells["value"].notna()]
    # The learner that the others are measured against is 0 everywhere: a line, not a series.
    moving = set(known.loc[known["algorithm"] != "ctss", "learner"])
    moving |= set(known.loc[known["value"] != 0, "learner"])
    lines = [line for line in facets.learner_lines(cells, "delta_bic_percent") if line.learner in moving]
    title = "ΔBIC % = 100 (BIC of CTSS − BIC) / BIC of CTSS"
    figure = facets.by_nodes(cells, lines, title, "ΔBIC %")
    for axes in figure.axes:
        axes.axhline(0, color=style.BLUE, linewidth=0.9, zorder=1)
    title_of_legend = figure.legends[0].get_title()
    meaning = "BIC = ln L − ½ k ln ψ, of likelihood L, k parameters and ψ transitions"
    notes = f"{meaning}. The line at 0 is CTSS (continuous-time search and score). {_direction(cells)}"
    width = int(figure.get_figwidth() / 0.066)
    title_of_legend.set_text("\n".join([*textwrap.wrap(notes, width), title_of_legend.get_text()]))
    return figure


def _direction(cells: pd.DataFrame) -> str:
    """Say which way is better: dividing by the BIC of CTSS turns the axis round where that is positive."""
    positive = cells.loc[cells["metric"] == "bic", "value"].dropna() > 0
    if not positive.any():
        return "Above it a learner's BIC is higher, which is better, than that of CTSS."
    if positive.all():
        return "Above it a learner's BIC is lower, which is worse, than that of CTSS."
    return "Above it BIC is better than that of CTSS where that is negative, worse where it is positive."
