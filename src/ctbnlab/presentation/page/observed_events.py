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

    `errors` are its standard errors; `at_risk` the trajectories under observation at each moment.
    """

    probability: dict[str, Floats]
    errors: dict[str, Floats]
    at_risk: NDArray[np.int64]


class _Ends(NamedTuple):
    """Of each time at which trajectories end: those at risk, the events, the share that went on so far."""

    at_risk: NDArray[np.int64]
    events: NDArray[np.int64]
    going_on: Floats


def reached_by(data: Trajectories, moments: Floats) -> Reached:
    """Return which terminal events have happened by some moments since entry."""
    data = data.compact()
    lengths = data.end - data.start
    variable, state = _events(data)
    times, place = np.unique(lengths, return_inverse=True)
    leaving = np.bincount(place, minlength=len(times))
    at_risk = len(data) - np.concatenate([[0], np.cumsum(leaving)[:-1]])
    events = np.bincount(place[variable >= 0], minlength=len(times))
    ends = _Ends(at_risk, events, np.concatenate([[1.0], np.cumprod(1 - events / at_risk)[:-1]]))
    until = np.searchsorted(times, moments, side="right")
    probability, errors = {}, {}
    for name in data.roles.terminal:
        i = data.index(name)
        found = [
            _incidence(ends, np.bincount(place[(variable == i) & (state == code)], minlength=len(times)))
            for code in range(len(data.variables[i].states))
        ]
        probability[name] = np.stack([reached[until] for reached, _ in found], axis=1)
        errors[name] = np.stack([np.sqrt(spread[until]) for _, spread in found], axis=1)
    watched = len(data) - np.searchsorted(np.sort(lengths), moments, side="left")
    return Reached(probability, errors, watched.astype(np.int64))


def _incidence(ends: _Ends, these: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return the probability of some events after 0, 1, … of the ends, and its variance.

    The variance is the sum over ends j of (F − Fⱼ)² aⱼ + Sⱼ² (nⱼ − dⱼ) dⱼ / nⱼ³ − 2 (F − Fⱼ) Sⱼ dⱼ / nⱼ²,
    where dⱼ are these events, eⱼ all and aⱼ = eⱼ / (nⱼ (nⱼ − eⱼ)). It is added up for each power of F.
    """
    n, e = ends.at_risk.astype(np.float64), ends.events
    steps = ends.going_on * these / n
    reached = np.cumsum(steps)
    a = np.divide(e, n * (n - e), out=np.zeros(len(n)), where=n > e)  # after the last one F stays
    constant = a * reached**2 + ends.going_on * steps * (n - these) / n**2 + 2 * reached * steps / n
    linear = a * reached + steps / n
    variance = np.cumsum(constant) - 2 * reached * np.cumsum(linear) + reached**2 * np.cumsum(a)
    start = np.zeros(1)
    return np.concatenate([start, reached]), np.concatenate([start, np.maximum(variance, 0.0)])


def _events(data: Trajectories) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each trajectory the terminal variable that ended it, −1 if none, and the state reached."""
    variable, state = np.full(len(data), -1), np.zeros(len(data), np.int64)
    terminal = [data.index(name) for name in data.roles.terminal]
    chosen = data.is_transition() & np.isin(data.variable, terminal)
    which = np.repeat(np.arange(len(data)), data.stop - data.begin)[chosen]
    variable[which], state[which] = data.variable[chosen], data.new[chosen]
    return variable, state
