"""False discovery rates of tested arcs: the q-values of Benjamini and Hochberg (1995), over a whole graph.

The q-value of an arc is the smallest false discovery rate at which it would be kept if arcs were chosen by
their p-values: q_i = min over j with p_j ≥ p_i of m p_j / (rank of p_j), for m tested arcs.
"""

from __future__ import annotations

from dataclasses import fields, replace
from operator import attrgetter

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ctbnlab.learning.contract import Evidence
from ctbnlab.learning.graph import LearnedGraph

# As `replace`, in a third of the time: a large graph has millions of entries.
_VALUES = attrgetter(*(each.name for each in fields(Evidence)))
_Q_VALUE = [each.name for each in fields(Evidence)].index("q_value")


def q_values(p_values: ArrayLike) -> NDArray[np.float64]:
    """Return the q-value of each p-value."""
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    result = np.empty(len(p))
    result[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return result


def with_q_values(graph: LearnedGraph) -> LearnedGraph:
    """Return a graph whose evidence has a q-value for every p-value from 0 to 1; of whole graphs only.

    A part of a graph does not know the p-values of the others. `merge` adds them, with the same result.
    """
    if not graph.is_whole:
        return graph
    tested = [_p_value(entry) for node in graph.nodes for entry in node.evidence]
    found = iter(q_values([p for p in tested if p is not None]).tolist())
    nodes = []
    for node in graph.nodes:
        entries = (
            entry if _p_value(entry) is None else _with_q_value(entry, next(found)) for entry in node.evidence
        )
        nodes.append(replace(node, evidence=tuple(entries)))
    return replace(graph, nodes=tuple(nodes))


def _with_q_value(entry: Evidence, q_value: float) -> Evidence:
    values = list(_VALUES(entry))
    values[_Q_VALUE] = q_value
    return Evidence(*values)


def _p_value(entry: Evidence) -> float | None:
    """Return the p-value if it is one: a user's learner may have put any number there."""
    return entry.p_value if entry.p_value is not None and 0 <= entry.p_value <= 1 else None
