"""Random networks: a random graph, and rates drawn from a law and one key per variable.

Each variable's rates come from a separate counter-based stream, so only the graph and the keys are kept in
memory, however large the matrices are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ctbnlab import seeds
from ctbnlab._version import __version__
from ctbnlab.errors import InputError
from ctbnlab.model.cims import DrawnCims, Law
from ctbnlab.model.initial import InitialDistribution
from ctbnlab.model.network import Network
from ctbnlab.model.random_graph import random_graph, require_drawable
from ctbnlab.model.variables import MAX_STATES, MAX_VARIABLES


def node_names(n: int) -> list[str]:
    """Return X1 … Xn, padded with zeros so that the names sort in order."""
    return [f"X{i:0{len(str(n))}d}" for i in range(1, n + 1)]


def state_names(n_states: int) -> tuple[str, ...]:
    """Return the labels 0, 1, … of a variable's states."""
    return tuple(str(x) for x in range(n_states))


def generate(
    n: int,
    states: int | Sequence[int] = 3,
    density: float = 0.1,
    *,
    count: str = "exact",
    connectivity: str = "connected",
    law: Law | None = None,
    seed: int = 0,
) -> Network:
    """Return a random network of n variables X1 … Xn with states 0, 1, …

    `states` is the number of states, or a sequence of numbers that the variables take in turn. With `count`
    "exact" there are round(density · n · (n − 1)) arcs, or n − 1 if that is more and the graph must be
    connected; with "probability" each arc is present with probability `density`. `connectivity` is
    "connected" (weakly), "no-isolated" (every variable has an arc) or "none" (no constraint).

    `random_graph` describes how the graph is drawn. Rates follow the `law`; by default every off-diagonal
    rate is uniform in [1, 5]. The initial distribution is independent and uniform.
    """
    law = Law() if law is None else law
    require_drawable(n)
    cardinalities = _cardinalities(n, states)
    _check_seed(seed)
    adjacency = random_graph(n, density, count, connectivity, seeds.generator(seed, "graph"))
    names = node_names(n)
    parents = [tuple(np.flatnonzero(adjacency[:, i]).tolist()) for i in range(n)]
    return Network.build(
        variables=[(name, state_names(c)) for name, c in zip(names, cardinalities, strict=True)],
        parents={names[i]: [names[j] for j in parents[i]] for i in range(n)},
        cims={
            names[i]: DrawnCims(
                law=law,
                key=seeds.key64(seed, "rates", i),
                parent_cardinalities=tuple(cardinalities[j] for j in parents[i]),
                n_states=cardinalities[i],
            )
            for i in range(n)
        },
        about={
            "generator": f"ctbnlab {__version__} generate",
            "nodes": int(n),
            "states": int(states) if isinstance(states, int) else [int(c) for c in states],
            "density": float(density),
            "count": count,
            "connectivity": connectivity,
            "rates": law.to_json(),
            "seed": int(seed),
        },
    )


def generate_scattered(parts: int, n: int, *args: Any, seed: int = 0, **options: Any) -> Network:
    """Return the union of `parts` random networks of n variables each, with no arcs between them.

    Takes the options of `generate`; each part has a different seed, derived from `seed`, and the variables
    are numbered across all parts.
    """
    if parts < 1:
        raise InputError(f"a scattered network needs at least 1 part, not {parts}")
    if parts * n > MAX_VARIABLES:
        raise InputError(f"a network has at most {MAX_VARIABLES:,} variables, not {parts * n:,}")
    _check_seed(seed)
    networks = [generate(n, *args, seed=seeds.derive(seed, "part", part), **options) for part in range(parts)]
    about = {**networks[0].about, "scattered": parts, "seed": seed}
    return _union(networks, node_names(parts * n), about)


def scattered(networks: Sequence[Network]) -> Network:
    """Return the union of networks; if names clash, each is prefixed with its network's number: 2.X1."""
    if not networks:
        raise InputError("a union of networks needs at least one")
    names = [name for network in networks for name in network.names]
    if len(set(names)) < len(names):
        width = len(str(len(networks)))
        names = [
            f"{part:0{width}d}.{name}"
            for part, network in enumerate(networks, start=1)
            for name in network.names
        ]
    return _union(networks, names, {"scattered": [dict(network.about) for network in networks]})


def _union(networks: Sequence[Network], names: Sequence[str], about: dict[str, Any]) -> Network:
    firsts = np.cumsum([0] + [len(network.variables) for network in networks]).tolist()
    shifted = list(zip(firsts, networks, strict=False))
    parents = [[first + j for j in row] for first, network in shifted for row in network.parents]
    variables = [variable for network in networks for variable in network.variables]
    renamed = [(name, states) for name, (_, states) in zip(names, variables, strict=True)]
    united = Network.build(
        variables=renamed,
        parents={names[i]: [names[j] for j in row] for i, row in enumerate(parents)},
        cims=dict(zip(names, [cims for network in networks for cims in network.cims], strict=True)),
        about=about,
    )
    return united.with_initial(
        InitialDistribution.build(
            united.variables,
            [[first + j for j in row] for first, network in shifted for row in network.initial.parents],
            [table for network in networks for table in network.initial.tables],
        )
    )


def _check_seed(seed: int) -> None:
    if seed < 0:
        raise InputError(f"the seed must be 0 or more, not {seed}")


def _cardinalities(n: int, states: int | Sequence[int]) -> list[int]:
    choices = [states] if isinstance(states, int) else [int(c) for c in states]
    if not choices or not all(2 <= c <= MAX_STATES for c in choices):
        raise InputError(f"a variable must have 2 to {MAX_STATES} states, not {states}")
    return [choices[i % len(choices)] for i in range(max(n, 0))]
