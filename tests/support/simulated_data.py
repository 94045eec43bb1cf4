"""Small data sets for tests of learners: a random graph, and a plain simulator for it."""

from __future__ import annotations

import numpy as np

from ctbnlab.data.trajectories import Trajectories
from tests.support.strategies import plain_variables


def random_parents(rng, n, density):
    """Draw a directed graph, cycles allowed: a tuple of parents for each node."""
    return tuple(tuple(j for j in range(n) if j != i and rng.random() < density) for i in range(n))


def simulated(rng, cardinalities, parents, n_trajectories, n_events, low=1.0, high=5.0):
    """Simulate a network with rates U(low, high) for `n_events` events per trajectory."""
    n = len(cardinalities)
    rates = []
    for i in range(n):
        shape = [cardinalities[j] for j in parents[i]]
        q = rng.uniform(low, high, (*shape, cardinalities[i], cardinalities[i]))
        q[..., np.arange(cardinalities[i]), np.arange(cardinalities[i])] = 0
        rates.append(q)
    time, variable, new, end, initial = [], [], [], [], []
    for _ in range(n_trajectories):
        state = [int(rng.integers(c)) for c in cardinalities]
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
            state[i] = int(rng.choice(cardinalities[i], p=rows[i] / exits[i]))
            time.append(now)
            variable.append(i)
            new.append(state[i])
        end.append(now + rng.exponential(0.1))
    movable = any(c > 1 for c in cardinalities)
    return Trajectories.from_arrays(
        plain_variables(cardinalities),
        offsets=np.arange(n_trajectories + 1) * (n_events if movable else 0),
        start=np.zeros(n_trajectories),
        end=end,
        initial=initial,
        time=time,
        variable=variable,
        new=new,
    )
