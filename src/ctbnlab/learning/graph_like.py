"""What users call a graph: networks, learned graphs, those of networkx, arcs, parents, adjacency tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ctbnlab.errors import InputError
from ctbnlab.learning.estimator import Estimator
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.nodes import Learned
from ctbnlab.model.names import parse_arc
from ctbnlab.model.network import Network

Arc = tuple[str, str]  # from, to


class NamedGraph(NamedTuple):
    """The arcs of a graph as pairs of names, and the names of all variables and clocks, if it has them."""

    names: tuple[str, ...] | None
    arcs: list[Arc]
    clocks: frozenset[str] = frozenset()

    def without(self, left_out: frozenset[str]) -> NamedGraph:
        """Return the graph without some variables and their arcs."""
        names = None if self.names is None else tuple(name for name in self.names if name not in left_out)
        return NamedGraph(names, [arc for arc in self.arcs if not left_out & {*arc}], self.clocks - left_out)


def named_graph(graph: Any) -> NamedGraph:
    """Return the names and arcs of whatever is a graph to users.

    A network, a learned graph, what `learn` returns, a fitted learner, a networkx.DiGraph, a DataFrame with a
    row per parent and a column per child, a mapping from each child to its parents, or arcs as pairs of names
    or as "A->B".
    """
    if isinstance(graph, Estimator):
        graph = graph.graph_
    elif isinstance(graph, Learned):
        graph = graph.graph
    if isinstance(graph, Network | LearnedGraph):
        return NamedGraph(graph.names, list(graph.arcs), frozenset(graph.roles.clock_names))
    if hasattr(graph, "nodes") and hasattr(graph, "edges"):
        return _of_networkx(graph)
    if hasattr(graph, "columns") and hasattr(graph, "index"):
        return _of_table(graph)
    if isinstance(graph, Mapping):
        names = dict.fromkeys(
            [*graph, *(parent for parents in graph.values() for parent in _listed(parents))]
        )
        arcs = [(parent, child) for child, parents in graph.items() for parent in _listed(parents)]
        return NamedGraph(tuple(names), arcs)
    if isinstance(graph, Iterable) and not isinstance(graph, bytes | np.ndarray):
        return NamedGraph(None, [_arc(entry) for entry in _listed(graph)])
    raise InputError(
        f"expected a graph, not {type(graph).__name__}: a network, a LearnedGraph, a networkx.DiGraph or arcs"
    )


def comparable(first: Any, second: Any) -> tuple[NamedGraph, NamedGraph]:
    """Return two graphs without clocks that were added to the data of only one: nothing to compare."""
    a, b = named_graph(first), named_graph(second)
    added = a.clocks ^ b.clocks
    return a.without(added - {*(b.names or ())}), b.without(added - {*(a.names or ())})


def parents_in(graph: Any, names: Sequence[str]) -> Sequence[Sequence[int]]:
    """Return the indices of each variable's parents; a graph may also be given as those."""
    if isinstance(graph, Sequence) and graph and all(_are_indices(entry) for entry in graph):
        return graph
    index = {name: i for i, name in enumerate(names)}
    found = named_graph(graph)
    parents: list[list[int]] = [[] for _ in names]
    for name in (*(found.names or ()), *(end for arc in found.arcs for end in arc)):
        if name not in index:
            raise InputError(f"the graph has the variable {name!r}, which the data lack")
    for parent, child in found.arcs:
        parents[index[child]].append(index[parent])
    return parents


def _are_indices(entry: Any) -> bool:
    return isinstance(entry, Sequence | np.ndarray) and all(isinstance(j, int | np.integer) for j in entry)


def _of_networkx(graph: Any) -> NamedGraph:
    if hasattr(graph, "is_directed") and not graph.is_directed():
        raise InputError("the graph is not directed; use a networkx.DiGraph")
    arcs = [(arc[0], arc[1]) for arc in graph.edges]
    return NamedGraph(tuple(graph.nodes), list(dict.fromkeys(arcs)))


def _of_table(table: Any) -> NamedGraph:
    """Read an adjacency table, whose rows are parents and whose columns are children."""
    names = tuple(table.columns)
    if set(names) != set(table.index) or len(set(names)) < len(names) or len(names) != len(table.index):
        raise InputError("the rows and columns of an adjacency table must be the same variables")
    values = table.loc[list(names)].to_numpy()
    if not np.isin(values, (0, 1)).all():
        raise InputError(
            "an adjacency table has values other than 0 and 1; compare it with a threshold first"
        )
    return NamedGraph(names, [(names[i], names[j]) for i, j in np.argwhere(values.astype(bool))])


def _listed(given: Any) -> Iterable[Any]:
    return [given] if isinstance(given, str) else given


def _arc(entry: Any) -> Arc:
    if isinstance(entry, str):
        source, target = (end if isinstance(end, str) else end.name for end in parse_arc(entry))
        return source, target
    if isinstance(entry, Sequence) and len(entry) == 2 and all(isinstance(end, str) for end in entry):
        return entry[0], entry[1]
    raise InputError(f"write an arc as 'A->B' or ('A', 'B'), not {entry!r}")
