"""Do rates change with time since entry? A comparison of constant rates with rates per period."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.clocks import changes_of, sojourns
from ctbnlab.data.trajectories import Trajectories

# Nats by which periods must explain a variable's events better, after paying for their rates (BIC).
MIN_GAIN = 3.0


def gains_of_periods(data: Trajectories, cuts: tuple[float, ...]) -> dict[str, float]:
    """Return for each variable how much better rates per period since entry explain its events, in nats.

    The difference of log-likelihoods of constant rates per period and of constant rates, less half the
    logarithm of the number of transitions for each rate more (BIC).
    """
    data = data.compact()
    result = {}
    for variable, (name, states) in enumerate(data.variables):
        if name in data.roles.never_targets:
            continue
        stays, followed = sojourns(data, variable)
        state = _states_of_stays(data, variable)
        since = stays.time - data.start[stays.trajectory]
        until = stays.until - data.start[stays.trajectory]
        edges = np.concatenate([[-math.inf], cuts, [math.inf]])
        gain = 0.0
        next_state = np.append(state[1:], 0)
        for x in range(len(states)):
            mine = state == x
            spent = np.array([
                (np.clip(until[mine], low, high) - np.clip(since[mine], low, high)).sum()
                for low, high in pairwise(edges)
            ])  # fmt: skip
            for y in range(len(states)):
                moves = np.bincount(
                    np.searchsorted(cuts, until[mine & followed & (next_state == y)], side="left"),
                    minlength=len(cuts) + 1,
                )
                gain += _gain(moves, spent)
        result[name] = gain
    return result


def _states_of_stays(data: Trajectories, variable: int) -> NDArray[np.int64]:
    events, trajectory = changes_of(data, variable)
    every = np.concatenate([np.arange(len(data)), trajectory])
    time = np.concatenate([data.start, data.time[events]])
    state = np.concatenate([data.initial[:, variable], data.new[events]]).astype(np.int64)
    return np.asarray(state[np.lexsort((time, every))])


def _gain(moves: NDArray[np.int64], spent: NDArray[np.float64]) -> float:
    total = moves.sum()
    visited = spent > 0
    if total < 1 or visited.sum() < 2:
        return 0.0
    expected = total * spent / spent.sum()
    some = moves > 0
    ratio = float((moves[some] * np.log(moves[some] / expected[some])).sum())
    return ratio - (int(visited.sum()) - 1) * math.log(total) / 2
