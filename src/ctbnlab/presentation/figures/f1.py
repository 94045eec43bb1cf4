"""F1 score against the number of nodes."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from ctbnlab.presentation import style
from ctbnlab.presentation.figures import facets


@style.styled
def f1(cells: pd.DataFrame) -> Figure:
    """Return the figure: how well arcs are found."""
    lines = facets.learner_lines(cells, "f1")
    return facets.by_nodes(cells, lines, "F1 score of the arcs", "F1 score")
