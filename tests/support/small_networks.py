"""Small networks for tests of the simulator: fixed ones, and a strategy that covers every edge case."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ctbnlab.model.cims import LAWS, DrawnCims, Law, TabledCims, n_configurations
from ctbnlab.model.network import InitialDistribution, Network
from ctbnlab.model.variables import Variable
from tests.support.strategies import plain_variables


def uniform_initial(cardinalities) -> InitialDistribution:
    n = len(cardinalities)
    return InitialDistribution(
        ((),) * n, tuple(np.full((1, c), 1 / c) for c in cardinalities), tuple(range(n))
    )


def with_diagonal(rates) -> TabledCims:
    """Return intensity matrices with off-diagonal rates [configuration, x, x']; the diagonal is ignored."""
    q = np.array(rates, float)
    x = np.arange(q.shape[1])
    q[:, x, x] = 0
    with np.errstate(over="ignore", invalid="ignore"):
        q[:, x, x] = -q.sum(axis=2)
    return TabledCims(q)


def network_of(cardinalities, parents, rates, initial=None) -> Network:
    cims = tuple(r if isinstance(r, DrawnCims) else with_diagonal(r) for r in rates)
    return Network(
        plain_variables(cardinalities), tuple(parents), cims, initial or uniform_initial(cardinalities)
    )


def eating() -> Network:
    """Return the paper's example; the text gives two of Eating's rates, the other two are 0.1 here."""
    no_yes = ("no", "yes")
    variables = tuple(Variable(name, no_yes) for name in ("Eating", "Full stomach", "Hungry"))
    eating = [[[0, 0.1], [10, 0]], [[0, 2], [0.1, 0]]]  # by Hungry
    full = [[[0, 0.01], [0.4, 0]], [[0, 2], [0.01, 0]]]  # by Eating
    hungry = [[[0, 10], [0.01, 0]], [[0, 0.01], [5, 0]]]  # by Full stomach
    cims = tuple(map(with_diagonal, (eating, full, hungry)))
    return Network(variables, ((2,), (0,), (1,)), cims, uniform_initial((2, 2, 2)))


def mixed() -> Network:
    """Return a network with cardinalities 3, 2, 4, 1 and the absorbing joint state X0=2, X1=1, X2=3."""
    rng = np.random.default_rng(7)
    first = rng.uniform(1, 5, (2, 3, 3))  # X0, by X1
    first[1, 2] = 0  # X0 stays in 2 while X1 is 1
    second = rng.uniform(0.5, 2, (4, 2, 2))  # X1, by X2
    second[3, 1] = 0  # X1 stays in 1 while X2 is 3
    third = rng.uniform(1, 5, (6, 4, 4))  # X2, by X0 and X1
    third[5, 3] = 0  # X2 stays in 3 while X0 is 2 and X1 is 1
    third[0, 1, 2] = 0  # a transition that never happens
    return network_of((3, 2, 4, 1), [(1,), (2,), (0, 1), ()], [first, second, third, np.zeros((1, 1, 1))])


def random_network(n, n_states, density, seed=1) -> Network:
    """Return a network with round(density·n·(n − 1)) arcs and off-diagonal rates uniform in [1, 5]."""
    rng = np.random.default_rng(seed)
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    arcs = [pairs[k] for k in np.sort(rng.choice(len(pairs), round(density * len(pairs)), replace=False))]
    parents = [tuple(i for i, j in arcs if j == k) for k in range(n)]
    rates = [DrawnCims(Law(), int(rng.integers(2**63)), (n_states,) * len(p), n_states) for p in parents]
    return network_of((n_states,) * n, parents, rates)


def joint_intensity(network) -> np.ndarray:
    """Return the amalgamated intensity matrix, built entry by entry; joint states are in C order."""
    cardinalities = network.cardinalities.tolist()
    states = list(np.ndindex(*cardinalities))
    q = np.zeros((len(states), len(states)))
    for a, state in enumerate(states):
        for i in range(len(cardinalities)):
            parents = network.parents[i]
            u = (
                int(np.ravel_multi_index([state[p] for p in parents], [cardinalities[p] for p in parents]))
                if parents
                else 0
            )
            for new in range(cardinalities[i]):
                if new != state[i]:
                    b = states.index((*state[:i], new, *state[i + 1 :]))
                    q[a, b] = network.cims[i].matrices([u])[0, state[i], new]
        q[a, a] = -q[a].sum()
    return q


@st.composite
def networks(draw, max_variables=10, max_states=4):
    """Draw a network of mixed cardinalities with tables (some rates 0) or laws, and initial distribution."""
    n = draw(st.integers(1, max_variables))
    cardinalities = draw(st.lists(st.integers(1, max_states), min_size=n, max_size=n))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    zeros = draw(st.sampled_from([0.0, 0.3, 0.9]))
    parents, rates = [], []
    for i in range(n):
        others = [j for j in range(n) if j != i]
        chosen = rng.permutation(others)[: rng.integers(0, min(3, len(others)) + 1)].tolist()
        parents.append(tuple(chosen))
        parent_cardinalities = tuple(cardinalities[p] for p in chosen)
        if rng.random() < 0.5:
            kind = str(rng.choice(list(LAWS)))
            law = Law(kind, 0.5, 4.0, 0.7 if kind == "additive" else 0.0)
            rates.append(
                DrawnCims(
                    law, int(rng.integers(2**64, dtype=np.uint64)), parent_cardinalities, cardinalities[i]
                )
            )
        else:
            shape = (n_configurations(parent_cardinalities), cardinalities[i], cardinalities[i])
            rates.append(rng.uniform(0.1, 5, shape) * (rng.random(shape) >= zeros))
    return network_of(cardinalities, parents, rates, _random_initial(rng, cardinalities))


def _random_initial(rng, cardinalities) -> InitialDistribution:
    order = rng.permutation(len(cardinalities)).tolist()
    parents = [()] * len(cardinalities)
    tables = [None] * len(cardinalities)
    for k, i in enumerate(order):
        parents[i] = tuple(rng.permutation(order[:k])[: rng.integers(0, 3)].tolist())
        rows = n_configurations([cardinalities[p] for p in parents[i]])
        tables[i] = rng.dirichlet(np.ones(cardinalities[i]), rows)
        if cardinalities[i] > 1:
            tables[i][0] = np.eye(cardinalities[i])[0]
    return InitialDistribution(tuple(parents), tuple(tables), tuple(order))
