"""What is left to do when nodes have been learned separately: join them, and decide what depends on all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ctbnlab.errors import InputError
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.probabilities import with_probabilities
from ctbnlab.learning.q_values import with_q_values


def completed(graph: LearnedGraph) -> LearnedGraph:
    """Return a graph with what depends on all nodes; one that lacks some is returned as it is."""
    return with_q_values(with_probabilities(graph)) if graph.is_whole else graph


def merge(parts: Sequence[LearnedGraph]) -> LearnedGraph:
    """Join parts of one graph; refuse parts from different data or learners, and repeated nodes.

    Of a part that failed as a whole, the learner's parameters may be unknown: only its name is compared.
    """
    if not parts:
        raise InputError("no parts to merge")
    first = next((part for part in parts if part.nodes), parts[0])
    for part in parts:
        learner = first.learner if not part.nodes and _same_name(part, first) else part.learner
        if (part.variables, learner, part.data, part.roles) != (
            first.variables,
            first.learner,
            first.data,
            first.roles,
        ):
            raise InputError("the parts come from different data or learners")
    nodes = sorted((node for part in parts for node in part.nodes), key=lambda node: node.target)
    failures = sorted((node for part in parts for node in part.failures), key=lambda node: node.target)
    targets = sorted([node.target for node in nodes] + [failure.target for failure in failures])
    for target, following in pairwise(targets):
        if target == following:
            raise InputError(f"the node {first.names[target]} is in two parts")
    return completed(
        LearnedGraph(first.variables, tuple(nodes), first.learner, first.data, tuple(failures), first.roles)
    )


def _same_name(first: LearnedGraph, second: LearnedGraph) -> bool:
    return first.learner.get("name") == second.learner.get("name")
