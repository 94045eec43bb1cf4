"""Precision–recall and ROC curves of the arcs ranked by a learner's evidence, averaged over networks.

Each facet shows its largest networks, or one given network. A network's curve is known at its corners;
between two of them, within a group of tied arcs, true and false ones are taken to come evenly mixed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from ctbnlab.evaluation import summary
from ctbnlab.presentation import style
from ctbnlab.presentation.figures import facets, given_networks

Array = NDArray[np.float64]
GRID: Array = np.linspace(0, 1, 201)
_COLUMNS = 4  # of given networks


def precision_at(recall: Array, true: Array, false: Array) -> Array:
    """Return the precision at which each recall is reached, from the corners of one network's curve."""
    total = true[-1]
    wanted = np.maximum(np.ceil(recall * total - 1e-9), 1)  # arcs come whole
    corner = np.searchsorted(true, wanted)
    before_true, before_false = (np.concatenate([[0.0], counts])[corner] for counts in (true, false))
    share = (wanted - before_true) / (true[corner] - before_true)
    invented = before_false + share * (false[corner] - before_false)
    return np.asarray(wanted / (wanted + invented))


def recall_at(false_share: Array, true: Array, false: Array) -> Array:
    """Return the share of true arcs found once this share of the false ones has been met."""
    met = false_share * false[-1]
    corner = np.searchsorted(false, met, side="right")
    before_true, before_false = (np.concatenate([[0.0], counts])[corner] for counts in (true, false))
    last = len(false) - 1
    steps = np.maximum(false[np.minimum(corner, last)] - before_false, 1)
    ahead = true[np.minimum(corner, last)] - before_true
    return np.asarray((before_true + (met - before_false) / steps * ahead) / true[-1])


@style.styled
def precision_recall_curves(metrics: pd.DataFrame) -> Figure:
    """Return the mean precision–recall curve of each learner, and the point where it stops."""
    title = "Precision–recall curves of the arcs ranked by their evidence"
    return _figure(metrics, precision_at, ("recall", "precision"), ("Recall", "Precision"), title)


@style.styled
def roc_curves(metrics: pd.DataFrame) -> Figure:
    """Return the mean ROC curve of each learner, and the point where it stops."""
    title = "ROC curves of the arcs ranked by their evidence"
    labels = ("Share of false arcs", "Share of true arcs")
    figure = _figure(metrics, recall_at, ("false_share", "recall"), labels, title)
    for axes in figure.axes:
        axes.plot([0, 1], [0, 1], color="#B0B0B0", linewidth=0.8, linestyle=":", zorder=1)
    return figure


def _figure(
    metrics: pd.DataFrame,
    curve: Callable[[Array, Array, Array], Array],
    point: tuple[str, str],
    labels: tuple[str, str],
    title: str,
) -> Figure:
    x_label, y_label = labels
    drawn = _with_curves(metrics)
    grid = _facets(drawn, y_label)
    pairs = facets.labels_of(drawn)
    looks = style.looks(pairs)
    for key, axes in grid.axes.items():
        here = facets.at(drawn, "facet", key)
        for label, _ in pairs:
            rows = here[here["learner"] == label]
            if rows.empty:
                continue
            curves = [curve(GRID, *counts) for counts in zip(rows["true"], rows["false"], strict=True)]
            axes.plot(GRID, np.mean(curves, axis=0), color=looks[label].colour, linewidth=1.2)
            axes.plot(
                [rows[point[0]].mean()], [rows[point[1]].mean()], color=looks[label].colour,
                marker=looks[label].marker, markersize=5, markeredgecolor="white", markeredgewidth=0.6,
                zorder=4, clip_on=False,
            )  # fmt: skip
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.05))
        axes.set_xticks((0, 0.5, 1), ("0", "0.5", "1"))
        axes.set_yticks((0, 0.5, 1), ("0", "0.5", "1"))
    grid.handles.extend(
        Line2D([], [], color=look.colour, marker=look.marker, markersize=5, label=summary.display_name(label))
        for label, look in looks.items()
    )
    grid.notes.append(
        f"Means over {facets.replicates(drawn)}. Markers: mean of the learner's own graphs, where it stops; "
        "a mean of points need not lie on the mean curve."
    )
    if point[0] == "false_share":
        grid.notes.append("Dotted: arcs in random order.")
    grid.notes.extend(facets.abbreviations(drawn["algorithm"]))
    return grid.finish(title, x_label)


def _with_curves(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that have a curve, of the largest networks of each facet, with their facet."""
    known = metrics[metrics["curve_true_positives"].notna() & metrics["roc_auc"].notna()]
    if known.empty:
        raise style.AbsentData("no learner's arcs are ranked")
    known, _ = facets.only_most_data(known)
    if facets.has_given_networks(known):
        networks = given_networks.in_order(known)
        places = known["network"].map(networks.index)
        keys: list[Any] = [divmod(place, _COLUMNS) for place in places]
    else:
        largest = known.groupby(["states", "density"])["nodes"].transform("max")
        known = known[known["nodes"] == largest]
        keys = list(zip(known["states"].map(summary.states_key), known["density"], strict=True))
    return known.assign(
        facet=keys,
        true=known["curve_true_positives"].map(lambda counts: np.asarray(counts, float)),
        false=known["curve_false_positives"].map(lambda counts: np.asarray(counts, float)),
        false_share=known["false_positives"] / (known["false_positives"] + known["true_negatives"]),
    )


def _facets(drawn: pd.DataFrame, y_label: str) -> facets.Grid:
    grid = facets.grid(drawn["facet"], (facets.SIZE[0], facets.SIZE[0] * 0.95))
    if facets.has_given_networks(drawn):
        for key, axes in grid.axes.items():
            name = facets.at(drawn, "facet", key)["network"].iloc[0]
            axes.set_title(str(name), parse_math=False)
            if key[1] == 0:
                axes.set_ylabel(y_label)
        return grid
    facets.name_states_and_densities(grid, drawn, y_label)
    for key, axes in grid.axes.items():
        nodes = facets.at(drawn, "facet", key)["nodes"].iloc[0]
        axes.text(
            0.5, 0.06, f"{nodes} nodes", transform=axes.transAxes, ha="center", fontsize=8, color="#555555"
        )
    return grid
