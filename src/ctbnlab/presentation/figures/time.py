"""Execution time against the number of nodes."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from ctbnlab.presentation import style
from ctbnlab.presentation.figures import facets


@style.styled
def time(cells: pd.DataFrame) -> Figure:
    """Return the figure: CPU seconds of learning, on a logarithmic axis."""
    lines = facets.learner_lines(cells, "cpu_seconds")
    title = "Execution time: CPU seconds of learning alone"
    return facets.by_nodes(cells, lines, title, "CPU seconds", log=True)
