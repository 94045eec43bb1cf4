"""Networks with roles for tests: a strategy of any combination, and small ones with known distributions."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ctbnlab.model.cims import DrawnCims, Law, n_configurations
from ctbnlab.model.network import Network
from ctbnlab.model.roles import Clock, Roles
from tests.support.network_strategies import initials
from tests.support.small_networks import with_diagonal


@st.composite
def role_networks(draw, max_variables=6):
    """Draw a network in which any variable may be static, terminal or a clock; clocks may share cuts."""
    kinds = draw(
        st.lists(st.sampled_from(["plain", "plain", "static", "terminal", "clock"]), min_size=1, max_size=6)
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    moments = np.round(rng.uniform(-0.3, 1.5, 4), 2)
    names = [f"{kind}{i}" for i, kind in enumerate(kinds)]
    clocks, cardinalities = [], []
    for name, kind in zip(names, kinds, strict=True):
        if kind == "clock":
            cuts = np.unique(moments[rng.random(4) < 0.6]).tolist()
            clocks.append(Clock(name, "entry", tuple(cuts)))
            cardinalities.append(len(cuts) + 1)
        else:
            cardinalities.append(int(rng.integers(1, 4)))
    may_be_parents = [i for i, kind in enumerate(kinds) if kind != "terminal"]
    parents, cims = {}, {}
    for i, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        if kind in ("static", "clock"):
            continue
        chosen = rng.permutation([j for j in may_be_parents if j != i])[: rng.integers(0, 4)].astype(int)
        parents[name] = [names[j] for j in chosen]
        given = tuple(cardinalities[j] for j in chosen)
        if rng.random() < 0.5:
            law = Law("uniform", 0.2, 3.0)
            cims[name] = DrawnCims(law, int(rng.integers(2**63)), given, cardinalities[i])
        else:
            shape = (n_configurations(given), cardinalities[i], cardinalities[i])
            cims[name] = with_diagonal(rng.uniform(0.1, 3, shape) * (rng.random(shape) < 0.6))
    variables = [(name, list(map(str, range(c)))) for name, c in zip(names, cardinalities, strict=True)]
    roles = Roles(
        static=tuple(name for name, kind in zip(names, kinds, strict=True) if kind == "static"),
        terminal=tuple(name for name, kind in zip(names, kinds, strict=True) if kind == "terminal"),
        clocks=tuple(clocks),
    )
    plain = Network.build(variables, parents, cims, roles=roles)
    initial = draw(initials(plain.variables, rng))
    return plain if initial is None else plain.with_initial(initial)


def one_way(rate: float) -> list[list[float]]:
    """Return the matrix of an event that happens once."""
    return [[-rate, rate], [0.0, 0.0]]


def cohort() -> Network:
    """Return an event whose rate follows a clock, one that follows a static variable, and a terminal one.

    E: 0.5 until time 1, 2 until 2.5, then 0.1. D: 0.4 if S is a, 1.2 if b. T: 0.3.
    """
    return Network.build(
        [
            ("S", ["a", "b"]),
            ("clock", ["<1", "1-2.5", ">=2.5"]),
            ("E", ["no", "yes"]),
            ("D", ["no", "yes"]),
            ("T", ["no", "yes"]),
        ],
        {"E": ["clock"], "D": ["S"]},
        {
            "E": list(map(one_way, (0.5, 2.0, 0.1))),
            "D": list(map(one_way, (0.4, 1.2))),
            "T": one_way(0.3),
        },
        initial={"S": "a", "clock": "<1", "E": "no", "D": "no", "T": "no"},
        roles=Roles(("S",), ("T",), (Clock("clock", "entry", (1.0, 2.5)),)),
    )
