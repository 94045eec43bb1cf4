"""Hypothesis strategies for networks: cyclic graphs, absorbing states, odd names, any initial states."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ctbnlab.model.cims import DrawnCims, Law, n_configurations
from ctbnlab.model.initial import InitialDistribution, fixed_initial
from ctbnlab.model.network import Network
from tests.support.strategies import variables

laws = st.one_of(
    st.builds(
        lambda kind, low, width: Law(kind, low, low + width),
        st.sampled_from(["uniform", "split", "log-uniform"]),
        st.floats(1e-3, 1e3),
        st.floats(0, 1e3),
    ),
    st.builds(
        lambda low, width, effect: Law("additive", low, low + width, effect),
        st.floats(1e-3, 1e3),
        st.floats(0, 1e3),
        st.floats(0, 5),
    ),
)


@st.composite
def networks(draw, drawn_rates=None, **options):
    """Draw a network; `drawn_rates` selects rates drawn from a law (True), tables (False) or a mix (None)."""
    chosen = draw(variables(**options))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = len(chosen)
    names = [variable.name for variable in chosen]
    cardinalities = [len(variable.states) for variable in chosen]
    parents, cims = {}, {}
    for i, name in enumerate(names):
        others = draw(st.permutations([j for j in range(n) if j != i]))
        parents[name] = [names[j] for j in others[: draw(st.integers(0, min(3, n - 1)))]]
        parent_cardinalities = tuple(cardinalities[names.index(parent)] for parent in parents[name])
        if draw(st.booleans()) if drawn_rates is None else drawn_rates:
            cims[name] = DrawnCims(
                draw(laws), draw(st.integers(0, 2**64 - 1)), parent_cardinalities, cardinalities[i]
            )
        else:
            cims[name] = random_table(rng, n_configurations(parent_cardinalities), cardinalities[i])
    return Network.build(chosen, parents, cims, initial=draw(initials(chosen, rng)))


def random_table(rng, n_configurations, n_states):
    """Return matrices with rates of very different sizes; some are zero, some rows are absorbing."""
    q = rng.exponential(size=(n_configurations, n_states, n_states)) * 10.0 ** rng.integers(-3, 4)
    q[rng.random(q.shape) < 0.2] = 0.0
    q[rng.random(q.shape[:2]) < 0.1] = 0.0
    q[:, np.arange(n_states), np.arange(n_states)] = 0.0
    q[:, np.arange(n_states), np.arange(n_states)] = -q.sum(axis=2)
    return q


def initials(chosen, rng):
    """Draw an initial distribution: uniform, fixed, or a Bayesian network."""
    return st.sampled_from(["uniform", "fixed", "network"]).map(lambda kind: _initial(kind, chosen, rng))


def _initial(kind, chosen, rng):
    if kind == "uniform":
        return None
    if kind == "fixed":
        return fixed_initial(chosen, {v.name: v.states[rng.integers(len(v.states))] for v in chosen})
    order = rng.permutation(len(chosen)).tolist()
    parents = [()] * len(chosen)
    for k, i in enumerate(order):
        parents[i] = tuple(j for j in order[:k] if rng.random() < 0.4)
    tables = [
        rng.dirichlet(np.ones(len(v.states)), n_configurations([len(chosen[j].states) for j in row]))
        for v, row in zip(chosen, parents, strict=True)
    ]
    return InitialDistribution.build(chosen, parents, tables)
