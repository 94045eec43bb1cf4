"""Terminal events in data: how many have happened by each time since entry, after Aalen and Johansen.

Trajectories that are observed for a shorter time count until they end; other terminal events compete.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.trajectories import Trajectories

Floats = NDArray[np.float64]


class Reached(NamedTuple):
    """For each terminal variable the estimated probability of having reached each state, [moment, state].

    `at_risk` are the trajectories under observation at each moment.
    """

    probability: dict[str, Floats]
    at_risk: NDArray[np.int64]


def reached_by(data: Trajectories, moments: Floats) -> Reached:
    """Return which terminal events have happened by some moments since entry."""
    data = data.compact()
    lengths = data.end - data.start
    variable, state = _events(data)
    ends, place = np.unique(lengths, return_inverse=True)
    leaving = np.bincount(place, minlength=len(ends))
    at_risk = len(data) - np.concatenate([[0], np.cumsum(leaving)[:-1]])
    ended = np.bincount(place[variable >= 0], minlength=len(ends))
    before = np.concatenate([[1.0], np.cumprod(1 - ended / at_risk)[:-1]])
    until = np.searchsorted(ends, moments, side="right")
    result = {}
    for name in data.roles.terminal:
        i = data.index(name)
        table = np.zeros((len(moments), len(data.variables[i].states)))
        for code in range(table.shape[1]):
            these = np.bincount(place[(variable == i) & (state == code)], minlength=len(ends))
            total = np.concatenate([[0.0], np.cumsum(before * these / at_risk)])
            table[:, code] = total[until]
        result[name] = table
    watched = len(data) - np.searchsorted(np.sort(lengths), moments, side="left")
    return Reached(result, watched.astype(np.int64))


def _events(data: Trajectories) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each trajectory the terminal variable that ended it, −1 if none, and the state reached."""
    variable, state = np.full(len(data), -1), np.zeros(len(data), np.int64)
    terminal = [data.index(name) for name in data.roles.terminal]
    chosen = data.is_transition() & np.isin(data.variable, terminal)
    which = np.repeat(np.arange(len(data)), data.stop - data.begin)[chosen]
    variable[which], state[which] = data.variable[chosen], data.new[chosen]
    return variable, state
