"""F1 score against the number of trajectories: the first experiment."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ctbnlab.evaluation import summary
from ctbnlab.presentation import style
from ctbnlab.presentation.figures import facets

_GAP = 1.0  # between the groups of two numbers of nodes, in steps of trajectories


@style.styled
def f1_by_trajectories(cells: pd.DataFrame) -> Figure:
    """Return the figure: each facet has a group for each number of nodes, with F1 against trajectories."""
    chosen = cells[cells["metric"] == "f1"]
    if "trajectories" not in summary.free_factors(chosen):
        raise style.AbsentData("the number of trajectories does not vary")
    lines = [
        line
        for line in facets.learner_lines(chosen, "f1")
        if chosen.loc[chosen["learner"] == line.learner, line.column].notna().any()
    ]
    counts, nodes = sorted(set(chosen["trajectories"])), sorted(set(chosen["nodes"]))
    x_of = {
        (n, count): group * (len(counts) - 1 + 2 * _GAP) + i
        for group, n in enumerate(nodes)
        for i, count in enumerate(counts)
    }
    grid = facets.states_by_density(chosen, (0.9 + 0.21 * len(x_of), 2.3))
    for axes, here in facets.in_facets(grid, chosen):
        _draw_groups(axes, here, lines, x_of)
        bottom = axes.get_subplotspec().is_last_row()  # type: ignore[union-attr]
        _name_groups(axes, counts, nodes, x_of, bottom)
    facets.name_states_and_densities(grid, chosen, "F1 score")
    facets.explain(grid, chosen, lines)
    return grid.finish("F1 score and the number of trajectories", "Trajectories (n: nodes)")


def _draw_groups(
    axes: Axes, cells: pd.DataFrame, lines: list[facets.Line], x_of: dict[tuple[int, int], float]
) -> None:
    for number, line in enumerate(lines):
        known = cells[(cells["learner"] == line.learner) & cells[line.column].notna()]
        for _, group in known.groupby("nodes"):
            group = group.sort_values("trajectories")
            keys = zip(group["nodes"], group["trajectories"], strict=True)
            shift = facets.dodge(number, len(lines), 1.0)
            line.draw(axes, [x_of[key] + shift for key in keys], group)


def _name_groups(
    axes: Axes, counts: list[int], nodes: list[int], x_of: dict[tuple[int, int], float], bottom: bool
) -> None:
    axes.set_xticks(list(x_of.values()), [str(count) for _, count in x_of], rotation=90, fontsize=7.5)
    axes.set_xlim(-_GAP, max(x_of.values()) + _GAP)
    axes.grid(axis="x", visible=False)
    axes.xaxis.labelpad = 20
    for n in nodes:
        if n != nodes[0]:
            axes.axvline(x_of[n, counts[0]] - _GAP, color="#D0D0D0", linewidth=0.8)
        if bottom:
            middle = (x_of[n, counts[0]] + x_of[n, counts[-1]]) / 2
            axes.annotate(
                f"n = {n}", (middle, 0), (0, -30), xycoords=axes.get_xaxis_transform(),
                textcoords="offset points", ha="center", va="top", fontsize=8.5,
            )  # fmt: skip
