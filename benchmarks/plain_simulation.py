"""Two simulators in pure Python, for comparison with the compiled one.

`plain_loop` is the obvious implementation: it keeps exit rates, looks up only those that changed, and draws
with the standard library. `tuned_loop` shows what can be gained without compiling: flat lists, positions
moved by strides, cumulated rows, bisection.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from math import log
from random import Random

import numpy as np


def rows_by_configuration(network):
    """Return the rates of each variable to all states, by the states of its parents and its own."""
    cards = network.cardinalities.tolist()
    rows = []
    for parents, cims in zip(network.parents, network.cims, strict=True):
        table = cims.table() * ~np.eye(cims.n_states, dtype=bool)
        configurations = np.ndindex(*(cards[p] for p in parents))
        rows.append(dict(zip(configurations, table.tolist(), strict=True)))
    return rows


def plain_loop(network, rows, duration, seed):
    """Simulate one trajectory; return its events."""
    random = Random(seed)
    cards = network.cardinalities.tolist()
    parents = network.parents
    n = len(cards)
    affected = [[i, *(k for k in range(n) if i in parents[k])] for i in range(n)]
    state = [random.randrange(c) for c in cards]

    def row(i):
        return rows[i][tuple([state[p] for p in parents[i]])][state[i]]

    exit_rates = [sum(row(i)) for i in range(n)]
    nodes = range(n)
    now, events = 0.0, []
    while True:
        now += random.expovariate(sum(exit_rates))
        if now > duration:
            return events
        i = random.choices(nodes, exit_rates)[0]
        old = state[i]
        state[i] = random.choices(range(cards[i]), row(i))[0]
        events.append((now, i, old, state[i]))
        for k in affected[i]:
            exit_rates[k] = sum(row(k))


def flat_rows(network):
    """Return the cumulated rates of each variable to its other states, by configuration and own state."""
    return [
        np.cumsum(c.table()[:, ~np.eye(c.n_states, dtype=bool)].reshape(-1, c.n_states - 1), axis=1).tolist()
        for c in network.cims
    ]


def tuned_loop(network, rows, duration, seed):
    """Simulate one trajectory; return its events."""
    random = Random(seed)
    uniform = random.random
    cards = network.cardinalities.tolist()
    n = len(cards)
    steps = [[(i, 1)] for i in range(n)]
    for i, parents in enumerate(network.parents):
        stride = cards[i]
        for parent in reversed(parents):
            steps[parent].append((i, stride))
            stride *= cards[parent]
    state = [random.randrange(c) for c in cards]
    position = [0] * n
    for j in range(n):
        for i, step in steps[j]:
            position[i] += step * state[j]
    exit_rates = [rows[i][position[i]][-1] for i in range(n)]
    now, events = 0.0, []
    while True:
        cumulated = list(accumulate(exit_rates))
        now -= log(1.0 - uniform()) / cumulated[-1]
        if now > duration:
            return events
        target = uniform() * cumulated[-1]
        i = bisect_right(cumulated, target)
        if i:
            target -= cumulated[i - 1]
        old = state[i]
        new = bisect_right(rows[i][position[i]], target)
        new += new >= old
        state[i] = new
        events.append((now, i, old, new))
        for k, step in steps[i]:
            place = position[k] = position[k] + step * (new - old)
            exit_rates[k] = rows[k][place][-1]
