"""Precision, recall and F1 against the significance level of the tests."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ctbnlab.evaluation import summary
from ctbnlab.presentation import style
from ctbnlab.presentation.figures import facets

PAPER_LEVEL = 0.1
_KINDS = {"precision": ((0, (3, 1.5)), "^"), "recall": ((0, (1, 1.2)), "v"), "f1": ("-", "o")}
_NAMES = {"precision": "precision", "recall": "recall", "f1": "F1"}


@style.styled
def significance(cells: pd.DataFrame) -> Figure:
    """Return the figure: a facet for each density (columns), number of states and of nodes (rows)."""
    chosen = cells[cells["metric"].isin(_KINDS)].copy()
    chosen["alpha"] = [summary.option(text, "alpha") for text in chosen["options"]]
    chosen = chosen[chosen["alpha"].map(_is_level)]
    chosen["alpha"] = chosen["alpha"].astype(float)
    chosen["series"] = _series(chosen)
    if chosen.empty or (chosen.groupby("series")["alpha"].nunique() < 2).all():
        raise style.AbsentData("no learner's option alpha takes several values")
    chosen, selection = facets.only_most_data(chosen)
    chosen["row"] = list(zip(chosen["states"].map(summary.states_key), chosen["nodes"], strict=True))
    grid = facets.grid(zip(chosen["row"], chosen["density"], strict=True), (3.4, 2.5))
    pairs = facets.labels_of(chosen.assign(learner=chosen["series"]))
    looks = style.looks(pairs)
    step = np.diff(np.log10(sorted(set(chosen["alpha"])))).min()
    lines = [
        facets.Line(name, f"{name}, {_NAMES[metric]}", looks[name], metric, dashes=dashes, marker=marker)
        for name, _ in pairs
        for metric, (dashes, marker) in _KINDS.items()
    ]
    for (row, density), axes in grid.axes.items():
        here = chosen[(chosen["row"] == row) & (chosen["density"] == density)]
        axes.axvline(PAPER_LEVEL, color="#B0B0B0", linewidth=0.9, linestyle=":")
        axes.set_xscale("log")
        for number, line in enumerate(lines):
            points = here[(here["series"] == line.learner) & (here["metric"] == line.metric)]
            points = points.sort_values("alpha")
            shift = 10 ** facets.dodge(number, len(lines), step)
            line.draw(axes, points["alpha"].to_numpy(float) * shift, points)
    _name(grid, chosen)
    facets.explain(grid, chosen, lines)
    grid.notes[0] += " Dotted vertical line: the paper's level, 0.1."
    title = "Effect of the significance level" + selection
    return grid.finish(title, "Nominal significance level α")


def _is_level(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1


def _series(cells: pd.DataFrame) -> list[str]:
    """Return each cell's learner without alpha: its algorithm, and the other options that vary."""
    learners = []
    for algorithm, text in zip(cells["algorithm"], cells["options"], strict=True):
        options = {key: value for key, value in json.loads(text).items() if key != "alpha"}
        learners.append((algorithm, options))
    names = []
    for algorithm, options in learners:
        others = [o for a, o in learners if a == algorithm]
        varying = [key for key in options if any(other.get(key) != options[key] for other in others)]
        details = ", ".join(f"{key} = {options[key]}" for key in varying)
        names.append(summary.display_name(algorithm) + (f" ({details})" if details else ""))
    return names


def _name(grid: facets.Grid, cells: pd.DataFrame) -> None:
    several = cells["nodes"].nunique() > 1
    names = {}
    for row, text, nodes in zip(cells["row"], cells["states"], cells["nodes"], strict=True):
        names[row] = summary.states_name(text) + (f", {nodes} nodes" if several else "")
    densities = {density: f"Density {density:g}" for density in set(cells["density"])}
    facets.name_facets(grid, "Precision, recall, F1", names, densities)
