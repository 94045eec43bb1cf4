"""Small networks for tests of the simulator, put together by hand or drawn with every odd corner in."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from ctbnlab.model.cims import LAWS, DrawnCims, Law, TabledCims, n_configurations
from ctbnlab.model.network import InitialDistribution, Network
from ctbnlab.model.variables import Variable


def uniform_initial(cards) -> InitialDistribution:
    n = len(cards)
    return InitialDistribution(((),) * n, tuple(np.full((1, c), 1 / c) for c in cards), tuple(range(n)))


def plain_variables(cards) -> tuple[Variable, ...]:
    return tuple(Variable(f"X{i}", tuple(map(str, range(c)))) for i, c in enumerate(cards))


def with_diagonal(rates) -> TabledCims:
    """Make intensity matrices of off-diagonal rates [configuration, x, x'] (the diagonal is ignored)."""
    q = np.array(rates, float)
    x = np.arange(q.shape[1])
    q[:, x, x] = 0
    with np.errstate(over="ignore", invalid="ignore"):
        q[:, x, x] = -q.sum(axis=2)
    return TabledCims(q)


def network_of(cards, parents, rates, initial=None) -> Network:
    cims = tuple(r if isinstance(r, DrawnCims) else with_diagonal(r) for r in rates)
    return Network(plain_variables(cards), tuple(parents), cims, initial or uniform_initial(cards))


def eating() -> Network:
    """The paper's example; the prose gives two of Eating's rates, the other two are .1 here."""
    no_yes = ("no", "yes")
    variables = tuple(Variable(name, no_yes) for name in ("Eating", "Full stomach", "Hungry"))
    eating = [[[0, 0.1], [10, 0]], [[0, 2], [0.1, 0]]]  # by Hungry
    full = [[[0, 0.01], [0.4, 0]], [[0, 2], [0.01, 0]]]  # by Eating
    hungry = [[[0, 10], [0.01, 0]], [[0, 0.01], [5, 0]]]  # by Full stomach
    cims = tuple(map(with_diagonal, (eating, full, hungry)))
    return Network(variables, ((2,), (0,), (1,)), cims, uniform_initial((2, 2, 2)))


def mixed() -> Network:
    """Cardinalities 3, 2, 4, 1; where X1 is 1 and X0 is 2, X2's state 3 absorbs the whole network."""
    rng = np.random.default_rng(7)
    first = rng.uniform(1, 5, (2, 3, 3))  # X0, by X1
    first[1, 2] = 0  # X0 stays in 2 while X1 is 1
    second = rng.uniform(0.5, 2, (4, 2, 2))  # X1, by X2
    second[3, 1] = 0  # X1 stays in 1 while X2 is 3
    third = rng.uniform(1, 5, (6, 4, 4))  # X2, by X0 and X1
    third[5, 3] = 0  # X2 stays in 3 while X0 is 2 and X1 is 1
    third[0, 1, 2] = 0  # a transition that never comes
    return network_of((3, 2, 4, 1), [(1,), (2,), (0, 1), ()], [first, second, third, np.zeros((1, 1, 1))])


def random_network(n, card, density, seed=1) -> Network:
    """Draw exactly round(density·n·(n − 1)) arcs; every off-diagonal rate is uniform in [1, 5]."""
    rng = np.random.default_rng(seed)
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    arcs = [pairs[k] for k in np.sort(rng.choice(len(pairs), round(density * len(pairs)), replace=False))]
    parents = [tuple(i for i, j in arcs if j == k) for k in range(n)]
    rates = [DrawnCims(Law(), int(rng.integers(2**63)), (card,) * len(p), card) for p in parents]
    return network_of((card,) * n, parents, rates)


def joint_intensity(network) -> np.ndarray:
    """Build the amalgamated intensity matrix entry by entry; joint states in C order."""
    cards = network.cardinalities.tolist()
    states = list(np.ndindex(*cards))
    q = np.zeros((len(states), len(states)))
    for a, state in enumerate(states):
        for i in range(len(cards)):
            parents = network.parents[i]
            u = (
                int(np.ravel_multi_index([state[p] for p in parents], [cards[p] for p in parents]))
                if parents
                else 0
            )
            for new in range(cards[i]):
                if new != state[i]:
                    b = states.index((*state[:i], new, *state[i + 1 :]))
                    q[a, b] = network.cims[i].matrices([u])[0, state[i], new]
        q[a, a] = -q[a].sum()
    return q


@st.composite
def networks(draw, max_variables=10, max_states=4):
    """Draw a network of mixed cardinalities: given rates (some 0) or laws, and an initial distribution."""
    n = draw(st.integers(1, max_variables))
    cards = draw(st.lists(st.integers(1, max_states), min_size=n, max_size=n))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    zeros = draw(st.sampled_from([0.0, 0.3, 0.9]))
    parents, rates = [], []
    for i in range(n):
        others = [j for j in range(n) if j != i]
        chosen = rng.permutation(others)[: rng.integers(0, min(3, len(others)) + 1)].tolist()
        parents.append(tuple(chosen))
        parent_cards = tuple(cards[p] for p in chosen)
        if rng.random() < 0.5:
            kind = str(rng.choice(list(LAWS)))
            law = Law(kind, 0.5, 4.0, 0.7 if kind == "additive" else 0.0)
            rates.append(DrawnCims(law, int(rng.integers(2**64, dtype=np.uint64)), parent_cards, cards[i]))
        else:
            shape = (n_configurations(parent_cards), cards[i], cards[i])
            rates.append(rng.uniform(0.1, 5, shape) * (rng.random(shape) >= zeros))
    return network_of(cards, parents, rates, _random_initial(rng, cards))


def _random_initial(rng, cards) -> InitialDistribution:
    order = rng.permutation(len(cards)).tolist()
    parents = [()] * len(cards)
    tables = [None] * len(cards)
    for k, i in enumerate(order):
        parents[i] = tuple(rng.permutation(order[:k])[: rng.integers(0, 3)].tolist())
        rows = n_configurations([cards[p] for p in parents[i]])
        tables[i] = rng.dirichlet(np.ones(cards[i]), rows)
        if cards[i] > 1:
            tables[i][0] = np.eye(cards[i])[0]
    return InitialDistribution(tuple(parents), tuple(tables), tuple(order))
