"""F1 score against the number of trajectories: the first experiment."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from ctbnlab.evaluation import summary
from ctbnlab.presentation import style
from ctbnlab.presentation.figures import facets, given_networks

_COLUMNS = 4  # of given networks


@style.styled
def f1_by_trajectories(cells: pd.DataFrame) -> Figure:
    """Return the figure: rows are numbers of states and densities, columns numbers of nodes."""
    chosen = cells[cells["metric"] == "f1"]
    if "trajectories" not in facets.free_factors(chosen):
        raise style.AbsentData("the number of trajectories does not vary")
    lines = [
        line
        for line in facets.learner_lines(chosen, "f1")
        if chosen.loc[chosen["learner"] == line.learner, line.column].notna().any()
    ]
    chosen = chosen.assign(facet=_facets(chosen))
    grid = facets.grid(chosen["facet"], (facets.SIZE[0], 1.45))
    counts = sorted(set(chosen["trajectories"]))
    step = min(b - a for a, b in pairwise(counts))
    for key, axes in grid.axes.items():
        facets.draw_lines(axes, facets.at(chosen, "facet", key), lines, "trajectories", step)
        axes.set_xticks(counts)
        axes.set_xlim(counts[0] - 0.5 * step, counts[-1] + 0.5 * step)
    facets.share_limits(grid.axes.values())
    _name(grid, chosen)
    facets.explain(grid, chosen, lines)
    return grid.finish("F1 score against the number of trajectories", "Trajectories")


def _facets(cells: pd.DataFrame) -> list[Any]:
    """Return each cell's facet."""
    if facets.has_given_networks(cells):
        return [
            divmod(place, _COLUMNS) for place in cells["network"].map(given_networks.in_order(cells).index)
        ]
    rows = zip(cells["states"].map(summary.states_key), cells["density"], strict=True)
    return list(zip(rows, cells["nodes"], strict=True))


def _name(grid: facets.Grid, cells: pd.DataFrame) -> None:
    if facets.has_given_networks(cells):
        for key, axes in grid.axes.items():
            axes.set_title(facets.at(cells, "facet", key)["network"].iloc[0], parse_math=False)
        facets.name_facets(grid, {row: "F1 score" for row, _ in grid.axes}, {})
        return
    rows = {
        (
            states,
            density,
        ): f"{facets.short_states(','.join(map(str, states)))},\ndensity {density:g}\nF1 score"
        for (states, density), _ in grid.axes
    }
    facets.name_facets(grid, rows, {nodes: f"{nodes} nodes" for _, nodes in grid.axes})
