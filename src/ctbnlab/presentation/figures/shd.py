"""Structural Hamming distance against the number of nodes."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from ctbnlab.presentation import style
from ctbnlab.presentation.figures import facets


@style.styled
def shd(cells: pd.DataFrame) -> Figure:
    """Return the figure: how many arcs are wrong."""
    lines = facets.learner_lines(cells, "shd")
    title = "Structural Hamming distance (SHD): arcs missed and invented"
    return facets.by_nodes(cells, lines, title, "SHD")
