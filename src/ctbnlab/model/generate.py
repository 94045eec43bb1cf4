"""Random networks: a random graph, and rates drawn from a law and one key per variable.

Each variable's rates come from a separate counter-based stream, so only the graph and the keys are kept in
memory, however large the matrices are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab import seeds
from ctbnlab._version import __version__
from ctbnlab.errors import InputError
from ctbnlab.model.cims import Cims, DrawnCims, Law
from ctbnlab.model.initial import InitialDistribution
from ctbnlab.model.network import Network
from ctbnlab.model.network_roles import first_period
from ctbnlab.model.random_graph import random_graph, require_drawable
from ctbnlab.model.random_roles import role_counts, terminal_cims, with_role_arcs
from ctbnlab.model.roles import Roles
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
    static: int = 0,
    terminal: int = 0,
    clock_cuts: Sequence[float] = (),
) -> Network:
    """Return a random network of n variables X1 … Xn with states 0, 1, …

    `states` is the number of states, or a sequence of numbers that the variables take in turn. With `count`
    "exact" there are round(density · n · (n − 1)) arcs, or n − 1 if that is more and the graph must be
    connected; with "probability" each arc is present with probability `density`. `connectivity` is
    "connected" (weakly), "no-isolated" (every variable has an arc) or "none" (no constraint).

    `random_graph` describes how the graph is drawn. Rates follow the `law`; by default every off-diagonal
    rate is uniform in [1, 5]. The initial distribution is independent and uniform.

    Further variables are `static` ones S1 … with two states, a clock of time since entry if there are
    `clock_cuts`, and `terminal` ones T1 … that start in "no" and end the trajectory when they change. Their
    arcs, drawn by density too, leave those among X1 … Xn as they are (see `random_roles`).
    """
    law = Law() if law is None else law
    require_drawable(n)
    counts = role_counts(static, terminal, clock_cuts, n)
    _check_seed(seed)
    variables = [
        *zip(node_names(n), map(state_names, _cardinalities(n, states)), strict=True),
        *counts.states,
    ]
    adjacency = random_graph(n, density, count, connectivity, seeds.generator(seed, "graph"))
    if counts.total:
        rng = seeds.generator(seed, "roles")
        adjacency = with_role_arcs(adjacency, counts, density, count, connectivity, rng)
    network = Network.build(
        variables=variables,
        parents={
            name: [variables[j][0] for j in np.flatnonzero(adjacency[:, i]).tolist()]
            for i, (name, _) in enumerate(variables)
        },
        cims=_drawn_cims(variables, adjacency, law, seed, counts.roles),
        roles=counts.roles,
        about={
            "generator": f"ctbnlab {__version__} generate",
            "nodes": int(n),
            "states": int(states) if isinstance(states, int) else [int(c) for c in states],
            "density": float(density),
            "count": count,
            "connectivity": connectivity,
            "rates": law.to_json(),
            "seed": int(seed),
            **counts.about(),
        },
    )
    return _started(network) if counts.total else network


def _drawn_cims(
    variables: Sequence[tuple[str, tuple[str, ...]]],
    adjacency: NDArray[np.bool_],
    law: Law,
    seed: int,
    roles: Roles,
) -> dict[str, Cims]:
    """Draw the rates of all variables but the static ones and the clock."""
    cims: dict[str, Cims] = {}
    for i, (name, states) in enumerate(variables):
        key = seeds.key64(seed, "rates", i)
        cardinalities = tuple(len(variables[j][1]) for j in np.flatnonzero(adjacency[:, i]).tolist())
        if name in roles.terminal:
            cims[name] = terminal_cims(law, key, cardinalities)
        elif name not in roles.never_targets:
            cims[name] = DrawnCims(law, key, cardinalities, len(states))
    return cims


def _started(network: Network) -> Network:
    """Return the network with clocks and terminal variables in their first states to begin with."""
    first = {clock.name: first_period(clock.cuts) for clock in network.roles.clocks}
    first |= dict.fromkeys(network.roles.terminal, 0)
    tables = [
        np.eye(len(states))[[first[name]]] if name in first else np.full((1, len(states)), 1 / len(states))
        for name, states in network.variables
    ]
    return network.with_initial(InitialDistribution.build(network.variables, [()] * len(tables), tables))


def generate_scattered(parts: int, n: int, *args: Any, seed: int = 0, **options: Any) -> Network:
    """Return the union of `parts` random networks of n variables each, with no arcs between them.

    Takes the options of `generate`; each part has a different seed, derived from `seed`, and the variables
    are numbered across all parts.
    """
    if any(options.get(role) for role in ("static", "terminal", "clock_cuts")):
        raise InputError("a scattered network cannot have static or terminal variables or a clock")
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
    if any(network.roles for network in networks):
        raise InputError("a union of networks cannot have static or terminal variables or clocks")
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
