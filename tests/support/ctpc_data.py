"""Small data sets for tests of learners: a plain simulator of a random network."""

from __future__ import annotations

import numpy as np

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.model.variables import Variable


def simulated(rng, cards, parents, n_trajectories, n_events, low=1.0, high=5.0):
    """Simulate a network with rates U(low, high); each trajectory ends after some number of events."""
    n = len(cards)
    rates = []
    for i in range(n):
        shape = [cards[j] for j in parents[i]]
        q = rng.uniform(low, high, (*shape, cards[i], cards[i]))
        q[..., np.arange(cards[i]), np.arange(cards[i])] = 0
        rates.append(q)
    time, variable, new, end, initial = [], [], [], [], []
    for _ in range(n_trajectories):
        state = [int(rng.integers(c)) for c in cards]
        initial.append(list(state))
        now = 0.0
        for _ in range(n_events):
            rows = [rates[i][(*(state[j] for j in parents[i]), state[i])] for i in range(n)]
            exits = np.array([row.sum() for row in rows])
            total = exits.sum()
            if total == 0:
                break
            now += rng.exponential(1 / total) + 1e-12
            i = int(rng.choice(n, p=exits / total))
            state[i] = int(rng.choice(cards[i], p=rows[i] / exits[i]))
            time.append(now)
            variable.append(i)
            new.append(state[i])
        end.append(now + rng.exponential(0.1))
    movable = any(c > 1 for c in cards)
    return Trajectories.from_arrays(
        [Variable(f"X{i}", tuple(map(str, range(c)))) for i, c in enumerate(cards)],
        offsets=np.arange(n_trajectories + 1) * (n_events if movable else 0),
        start=np.zeros(n_trajectories),
        end=end,
        initial=initial,
        time=time,
        variable=variable,
        new=new,
    )


def random_parents(rng, n, density):
    """Draw a directed graph, cycles allowed: a tuple of parents for each node."""
    return tuple(tuple(j for j in range(n) if j != i and rng.random() < density) for i in range(n))


class TabledStatistics(NodeStatistics):
    """Statistics of a target from one joint table over all other variables; no trajectories behind it."""

    def __init__(self, target, cards, joint):
        nothing = Trajectories.from_arrays(
            [Variable(f"X{i}", tuple(map(str, range(c)))) for i, c in enumerate(cards)],
            offsets=[0],
            start=[],
            end=[],
            initial=np.zeros((0, len(cards)), np.uint8),
            time=[],
            variable=[],
            new=[],
        )
        super().__init__(nothing, target)
        c = cards[target]
        others = self.candidates
        other_cards = tuple(cards[j] for j in others)
        self.joint = SufficientStatistics(target, others, other_cards, joint.reshape(-1, c, c + 1))
        self.cache = {}
        self.asked = 0

    def table(self, parents):
        chosen = tuple(sorted(parents))
        if chosen not in self.cache:
            self.asked += 1
            self.cache[chosen] = self.joint.marginal(chosen)
        return self.cache[chosen]

    def extensions(self, parents, candidates=None):
        return {j: self.table((*parents, j)) for j in (self.candidates if candidates is None else candidates)}


def cached(statistics):
    """Make statistics remember their tables: the plain counting is slow."""
    count, cache = statistics.table, {}

    def table(parents):
        chosen = tuple(sorted(parents))
        if chosen not in cache:
            cache[chosen] = count(chosen)
        return cache[chosen]

    statistics.table = table
    return statistics


def drawn(rng, cards, target, parents, time, spread=1.0, empty=0.0):
    """Draw a joint table: times at random, Poisson counts at rates that depend on the parents alone.

    `spread` is how much rates differ between configurations; a share `empty` of the cells never occurs.
    """
    others = [j for j in range(len(cards)) if j != target]
    c = cards[target]
    shape = [cards[j] for j in others]
    t = rng.exponential(time, (*shape, c)) * (rng.random((*shape, c)) >= empty)
    own = [cards[j] if j in parents else 1 for j in others]
    q = 2 * np.exp(spread * rng.uniform(-1, 1, (*own, c, c)))
    m = rng.poisson(q * t[..., None]).astype(float)
    m[..., np.arange(c), np.arange(c)] = 0
    return TabledStatistics(target, cards, np.concatenate([t[..., None], m], axis=-1))
