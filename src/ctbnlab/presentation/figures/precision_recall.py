"""Precision and recall against the number of nodes."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from matplotlib.figure import Figure

from ctbnlab.presentation import style
from ctbnlab.presentation.figures import facets

_KINDS = {"precision": ("-", "^"), "recall": ((0, (1, 1.2)), "v")}


@style.styled
def precision_recall(cells: pd.DataFrame) -> Figure:
    """Return the figure: what share of the learned arcs is true, and of the true arcs is learned."""
    lines = [
        replace(line, label=f"{line.label}, {metric}", dashes=dashes, marker=marker)
        for metric, (dashes, marker) in _KINDS.items()
        for line in facets.learner_lines(cells, metric)
    ]
    lines.sort(key=lambda line: [name for name, _ in facets.labels_of(cells)].index(line.learner))
    return facets.by_nodes(cells, lines, "Precision and recall of the arcs", "Precision, recall")
