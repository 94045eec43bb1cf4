"""Random directed graphs of a given density, optionally connected.

A connected graph with an exact number of arcs starts from a tree drawn uniformly from all trees over the n
labels, with a random direction for each edge; further arcs are drawn uniformly from those not yet present.
It has at least n − 1 arcs. All other graphs are drawn uniformly from those with the required number of arcs,
or arc by arc, and are redrawn until the condition holds.

Only `Generator.random` is used, numpy's simplest stream and the least likely to change, so that a seed gives
the same graph everywhere.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError

COUNTS = ("exact", "probability")
CONNECTIVITIES = ("connected", "no-isolated", "none")
# Graphs are drawn from an n × n table; larger networks are made as unions of smaller ones.
MAX_NODES = 4096
_MAX_TRIES = 10_000
_MAX_DRAWS = 10_000_000


def random_graph(
    n: int, density: float, count: str, connectivity: str, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Draw the adjacency matrix [parent, child] of a graph; `generate` describes the options."""
    require_drawable(n)
    if not 0 <= density <= 1:
        raise InputError(f"the density must be between 0 and 1, not {density}")
    if count not in COUNTS:
        raise InputError(f"count must be {' or '.join(COUNTS)}, not {count!r}")
    if connectivity not in CONNECTIVITIES:
        raise InputError(f"connectivity must be one of {', '.join(CONNECTIVITIES)}, not {connectivity!r}")
    if n == 1:
        return np.zeros((1, 1), bool)
    n_arcs = round(density * n * (n - 1))
    if count == "exact" and connectivity == "connected":
        return _with_more_arcs(_oriented(random_tree(n, rng), n, rng), max(n_arcs, n - 1), rng)
    if count == "exact":
        min_arcs = (n + 1) // 2 if connectivity == "no-isolated" else 0
        empty = np.zeros((n, n), bool)
        return _redrawn(lambda: _with_more_arcs(empty, max(n_arcs, min_arcs), rng), connectivity, n)
    possible = ~np.eye(n, dtype=bool)
    return _redrawn(lambda: possible & (rng.random((n, n)) < density), connectivity, n)


def require_drawable(n: int) -> None:
    """Refuse a number of variables that no random graph has."""
    if n < 1:
        raise InputError(f"a network needs at least 1 variable, not {n}")
    if n > MAX_NODES:
        raise InputError(f"a random graph has at most {MAX_NODES} variables, not {n}; use --scattered")


def _redrawn(draw: Callable[[], NDArray[np.bool_]], connectivity: str, n: int) -> NDArray[np.bool_]:
    tries = max(10, min(_MAX_TRIES, _MAX_DRAWS // n**2))
    for _ in range(tries):
        graph = draw()
        if connectivity == "none" or (
            is_connected(graph) if connectivity == "connected" else not has_isolated(graph)
        ):
            return graph
    wanted = "connected" if connectivity == "connected" else "without an isolated variable"
    raise InputError(
        f"none of {tries} random graphs was {wanted}; raise the density, or draw a connected graph with an "
        "exact number of arcs"
    )


def has_isolated(adjacency: NDArray[np.bool_]) -> bool:
    """Return whether any variable has neither parents nor children."""
    return bool((~(adjacency.any(axis=0) | adjacency.any(axis=1))).any())


def is_connected(adjacency: NDArray[np.bool_]) -> bool:
    """Return whether the graph is weakly connected."""
    neighbours = adjacency | adjacency.T
    reached = np.zeros(len(adjacency), bool)
    frontier = np.zeros(len(adjacency), bool)
    frontier[0] = True
    while frontier.any():
        reached |= frontier
        frontier = neighbours[frontier].any(axis=0) & ~reached
    return bool(reached.all())


def random_tree(n: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Draw a tree uniformly from the n^(n−2) trees over n ≥ 2 labels, by its Prüfer sequence."""
    sequence = (rng.random(n - 2) * n).astype(int).tolist()
    degree = [1] * n
    for node in sequence:
        degree[node] += 1
    edges = []
    # The smallest leaf is the next one from the pointer on, or a smaller node that just became a leaf.
    pointer = leaf = degree.index(1)
    for node in sequence:
        edges.append((leaf, node))
        degree[node] -= 1
        if degree[node] == 1 and node < pointer:
            leaf = node
        else:
            pointer = leaf = degree.index(1, pointer + 1)
    edges.append((leaf, n - 1))
    return edges


def _oriented(edges: list[tuple[int, int]], n: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    graph = np.zeros((n, n), bool)
    for (a, b), forward in zip(edges, rng.random(len(edges)) < 0.5, strict=True):
        graph[(a, b) if forward else (b, a)] = True
    return graph


def _with_more_arcs(graph: NDArray[np.bool_], n_arcs: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Add arcs drawn uniformly from those not present until there are `n_arcs`."""
    free = np.flatnonzero(~graph & ~np.eye(len(graph), dtype=bool))
    order = np.argsort(rng.random(len(free)), kind="stable")
    result = graph.copy()
    result.flat[free[order[: n_arcs - int(graph.sum())]]] = True
    return result
