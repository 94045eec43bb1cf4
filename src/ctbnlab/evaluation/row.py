"""The measurements of one learned graph: accuracy against the true network, fit to the data, and cost."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from ctbnlab._version import __version__
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.evaluation.metrics import compare
from ctbnlab.evaluation.ranking import ranking_curve
from ctbnlab.io import json_text
from ctbnlab.io.bounded import SMALL
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.graph_like import Arc
from ctbnlab.learning.parameters import goodness_of_fit
from ctbnlab.learning.truth import TrueGraph

# The environment variable with the revision of the workflow that computes a row.
REVISION = "CTBNLAB_REVISION"
_ACCURACY = (
    "true_positives",
    "false_positives",
    "false_negatives",
    "true_negatives",
    "precision",
    "recall",
    "f1",
    "shd",
)
_RANKING = ("average_precision", "roc_auc", "curve_true_positives", "curve_false_positives")
_FIT = ("log_likelihood", "bic", "n_parameters")
_TIMES = ("cpu_seconds", "wall_seconds", "peak_memory_mb")
_COST = ("tests", "scores", *_TIMES)
_MISSING = dict.fromkeys(("n_learned", *_ACCURACY, *_RANKING, *_FIT, *_COST))


def evaluate(
    network: TrueGraph, graph: LearnedGraph, data: Trajectories, timings: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return counts, accuracy, ranking of arcs, BIC, cost and status; None if the learner failed."""
    _require_matching(network, graph, data)
    row: dict[str, Any] = {
        "algorithm": graph.learner["name"],
        "options": graph.learner["parameters"],
        "status": "done",
        "reason": None,
        "n_true": len(network.arcs),
        "events": data.n_events,
        "version": __version__,
        "revision": os.environ.get(REVISION) or None,
        **_MISSING,
    }
    if graph.failures:
        first = graph.failures[0]
        return row | {"status": first.status, "reason": first.reason}
    whole = compare(network.arcs, graph.arcs, network.names).whole
    row |= {name: getattr(whole, name) for name in _ACCURACY}
    row |= _ranking(network.arcs, graph)
    fit = goodness_of_fit(data, [node.parents for node in graph.nodes])
    row |= {"log_likelihood": fit.log_likelihood, "bic": fit.bic, "n_parameters": fit.n_parameters}
    return row | {"n_learned": len(graph.arcs)} | _effort(graph) | _cost(timings)


def read_timings(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read and check a file written by `ctbnlab learn --timings`; the numbers of a failed job are missing."""
    content = json_text.read(path, SMALL)
    for name in _TIMES:
        value = content.get(name, "") if isinstance(content, dict) else ""
        if isinstance(value, bool) or not (value is None or (isinstance(value, int | float) and value >= 0)):
            raise InputError(f"is not a file of timings: {name!r} must be a number of at least 0", path=path)
    return dict(content)


def _require_matching(network: TrueGraph, graph: LearnedGraph, data: Trajectories) -> None:
    """Refuse a graph of other variables: its parents are numbered in the order of its own."""
    if graph.names != data.names or set(graph.names) != set(network.names):
        raise InputError("does not have the variables of the network and of the data")
    if not graph.is_whole:
        raise InputError("is only a part of a graph; merge the parts with `ctbnlab merge` first")
    name, parameters = graph.learner.get("name"), graph.learner.get("parameters")
    if not isinstance(name, str) or not isinstance(parameters, dict):
        raise InputError("does not record the name and the parameters of its learner")


def _ranking(true_arcs: Iterable[Arc], graph: LearnedGraph) -> dict[str, Any]:
    """Return the areas under the curves of the ranked arcs, and the corners from which they can be drawn."""
    curve = ranking_curve(true_arcs, graph)
    corners = curve.corners()
    return {
        "average_precision": curve.average_precision,
        "roc_auc": curve.roc_auc,
        "curve_true_positives": list(corners.true_positives),
        "curve_false_positives": list(corners.false_positives),
    }


def _effort(graph: LearnedGraph) -> dict[str, int | None]:
    return {
        name: sum(node.counts[name] for node in graph.nodes)
        if all(name in node.counts for node in graph.nodes)
        else None
        for name in ("tests", "scores")
    }


def _cost(timings: Iterable[Mapping[str, Any]]) -> dict[str, float | None]:
    """Return the total seconds of all jobs, and the peak memory of the largest."""
    parts = list(timings)
    return {
        "cpu_seconds": sum(part["cpu_seconds"] or 0.0 for part in parts),
        "wall_seconds": sum(part["wall_seconds"] or 0.0 for part in parts),
        "peak_memory_mb": max((part["peak_memory_mb"] or 0.0 for part in parts), default=None),
    }
