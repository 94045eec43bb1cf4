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
def trajectories(cells: pd.DataFrame) -> Figure:
    """Return the figure: in each facet a group for each number of nodes, in it the trajectories."""
    chosen = cells[cells["metric"] == "f1"]
    if "trajectories" not in summary.free_factors(chosen):
        raise style.AbsentData("the number of trajectories does not vary")
    lines = [
        line
        for line in facets.learner_lines(chosen, "f1")
        if chosen.loc[chosen["learner"] == line.learner, line.column].notna().any()
    ]
    counts, nodes = sorted(set(chosen["trajectories"])), sorted(set(chosen["nodes"]))
    place = {
        (n, count): group * (len(counts) - 1 + 2 * _GAP) + i
        for group, n in enumerate(nodes)
        for i, count in enumerate(counts)
    }
    size = (0.9 + 0.21 * len(place), 2.3)
    points = zip(chosen["states"].map(summary.states_key), chosen["density"], strict=True)
    grid = facets.grid(points, size)
    for (states, density), axes in grid.axes.items():
        text = ",".join(map(str, states))
        here = chosen[(chosen["states"] == text) & (chosen["density"] == density)]
        _draw_groups(axes, here, lines, place)
        bottom = axes.get_subplotspec().is_last_row()  # type: ignore[union-attr]
        _name_groups(axes, counts, nodes, place, bottom)
    row_names = {summary.states_key(s): summary.states_name(s) for s in set(chosen["states"])}
    density_names = {d: f"Density {d:g}" for d in set(chosen["density"])}
    facets.name_facets(grid, "F1 score", row_names, density_names)
    facets.explain(grid, chosen, lines)
    return grid.finish("F1 score and the number of trajectories", "Trajectories (by n nodes)")


def _draw_groups(
    axes: Axes, cells: pd.DataFrame, lines: list[facets.Line], place: dict[tuple[int, int], float]
) -> None:
    for number, line in enumerate(lines):
        mine = cells[(cells["learner"] == line.learner) & cells[line.column].notna()]
        for _, group in mine.groupby("nodes"):
            group = group.sort_values("trajectories")
            keys = zip(group["nodes"], group["trajectories"], strict=True)
            shift = facets.dodge(number, len(lines), 1.0)
            line.draw(axes, [place[key] + shift for key in keys], group)


def _name_groups(
    axes: Axes, counts: list[int], nodes: list[int], place: dict[tuple[int, int], float], bottom: bool
) -> None:
    axes.set_xticks(list(place.values()), [str(count) for _, count in place], rotation=90, fontsize=7.5)
    axes.set_xlim(-_GAP, max(place.values()) + _GAP)
    axes.grid(axis="x", visible=False)
    axes.xaxis.labelpad = 20
    for n in nodes:
        if n != nodes[0]:
            axes.axvline(place[n, counts[0]] - _GAP, color="#D0D0D0", linewidth=0.8)
        if bottom:
            middle = (place[n, counts[0]] + place[n, counts[-1]]) / 2
            axes.annotate(
                f"n = {n}", (middle, 0), (0, -30), xycoords=axes.get_xaxis_transform(),
                textcoords="offset points", ha="center", va="top", fontsize=8.5,
            )  # fmt: skip
