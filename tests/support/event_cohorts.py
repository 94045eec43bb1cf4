"""A network with two terminal events whose variables go together at the start, for the page's queries."""

from __future__ import annotations

import numpy as np

from ctbnlab.model.initial import InitialDistribution
from ctbnlab.model.network import Network
from ctbnlab.model.roles import Roles

_ENDS = {"Relapse": (0.02, 0.2), "Death": (0.05, 0.8)}  # bounds of rates


def event_cohort(n: int = 5, seed: int = 1) -> Network:
    """Return n variables that go back and forth, a static one, and the terminal events Death and Relapse.

    The first two start in the same state, which depends on Sex.
    """
    rng = np.random.default_rng(seed)
    plain = [f"V{i}" for i in range(1, n + 1)]
    names = ["Sex", *plain, "Relapse", "Death"]
    parents, cims = {}, {}
    for name in names[1:]:
        ends = name in ("Relapse", "Death")
        pool = [other for other in ("Sex", *plain) if other != name]
        parents[name] = rng.permutation(pool)[: 3 if ends else 2].tolist()
        there = rng.uniform(*_ENDS.get(name, (0.3, 3)), 2 ** len(parents[name]))
        back = np.zeros(len(there)) if ends else rng.uniform(0.3, 3, len(there))
        cims[name] = np.stack([np.stack([-there, there], 1), np.stack([back, -back], 1)], 1)
    states = [(name, ["f", "m"] if name == "Sex" else ["no", "yes"]) for name in names]
    roles = Roles(static=("Sex",), terminal=("Relapse", "Death"))
    network = Network.build(states, parents, cims, roles=roles)
    half, never = np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])
    tables = [half, np.array([[0.8, 0.2], [0.2, 0.8]]), np.eye(2), *[half] * (n - 2), never, never]
    before = [(), (0,), (1,), *[()] * n]
    return network.with_initial(InitialDistribution.build(network.variables, before, tables))
