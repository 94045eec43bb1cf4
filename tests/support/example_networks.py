"""Networks and learned graphs to draw: the paper's example, and random graphs of any size."""

from __future__ import annotations

import numpy as np

from ctbnlab.learning.contract import Evidence, NodeResult
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.model.cims import TabledCims
from ctbnlab.model.network import InitialDistribution, Network
from ctbnlab.model.variables import Variable


def eating() -> Network:
    """Return the paper's example: three variables with one parent each."""
    states = ("no", "yes")
    rates = [
        [[[-0.1, 0.1], [10, -10]], [[-2, 2], [0.1, -0.1]]],
        [[[-0.01, 0.01], [0.40, -0.40]], [[-2, 2], [0.01, -0.01]]],
        [[[-10, 10], [0.01, -0.01]], [[-0.01, 0.01], [5, -5]]],
    ]
    half = np.full((1, 2), 0.5)
    return Network(
        variables=tuple(Variable(name, states) for name in ("Eating?", "Full Stomach?", "Hungry?")),
        parents=((2,), (0,), (1,)),
        cims=tuple(TabledCims(np.array(table, float)) for table in rates),
        initial=InitialDistribution(((), (), ()), (half,) * 3, (0, 1, 2)),
    )


def random_graph(n, density, seed, parts=1, name="X{}", gain=True) -> LearnedGraph:
    """Return a random learned graph in disjoint parts of equal size, with random evidence."""
    rng = np.random.default_rng(seed)
    adjacency = rng.random((n, n)) < density
    block = np.arange(n) // (n // parts)
    adjacency &= (block[:, None] == block) & ~np.eye(n, dtype=bool)
    return graph_of(adjacency, name, rng if gain else None)


def graph_of(adjacency, name="X{}", rng=None) -> LearnedGraph:
    """Return a learned graph with the arcs of an adjacency matrix, and random gains if `rng` is given."""
    n = len(adjacency)
    nodes = tuple(
        NodeResult(
            target=i,
            parents=tuple(map(int, np.flatnonzero(adjacency[:, i]))),
            evidence=tuple(
                Evidence(
                    j, bool(adjacency[j, i]), "scored", gain=None if rng is None else float(rng.gamma(1, 100))
                )
                for j in range(n)
                if j != i
            ),
        )
        for i in range(n)
    )
    return LearnedGraph(tuple(Variable(name.format(i + 1), ("0", "1")) for i in range(n)), nodes)


def disturbed(graph: LearnedGraph, seed: int, share=0.15) -> LearnedGraph:
    """Return a copy of a graph with some arcs removed and the same number added."""
    rng = np.random.default_rng(seed)
    adjacency = graph.adjacency.copy()
    arcs, gaps = np.argwhere(adjacency), np.argwhere(~adjacency & ~np.eye(len(adjacency), dtype=bool))
    count = max(1, int(share * len(arcs)))
    for parent, child in rng.permutation(arcs)[:count]:
        adjacency[parent, child] = False
    for parent, child in rng.permutation(gaps)[:count]:
        adjacency[parent, child] = True
    return graph_of(adjacency, "".join(c for c in graph.names[0] if not c.isdigit()) + "{}", rng)
