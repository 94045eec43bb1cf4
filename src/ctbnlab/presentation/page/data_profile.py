"""What data look like over time: events since entry, states since entry, the course of a few trajectories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.trajectories import Trajectories

PERIODS = 20
MOMENTS = 49
MAX_TIMELINES = 5
MAX_EVENTS_SHOWN = 300
_SHARE_SHOWN = 0.95  # of the trajectories end within the time shown


def horizon(data: Trajectories) -> float:
    """Return the time since entry after which few trajectories are still observed; 0 if none lasts."""
    lengths = data.end - data.start
    return float(np.quantile(lengths, _SHARE_SHOWN, method="higher")) if len(lengths) else 0.0


class Activity(NamedTuple):
    """Transitions [variable, period] and the time observed [period], by time since entry cut at `cuts`."""

    cuts: NDArray[np.float64]
    events: NDArray[np.int64]
    exposure: NDArray[np.float64]


def activity(data: Trajectories) -> Activity | None:
    """Count transitions by time since entry; None if nothing lasts."""
    data = data.compact()
    last = horizon(data)
    if last <= 0:
        return None
    cuts = np.linspace(0.0, last, PERIODS + 1)
    counted = data.is_transition()
    elapsed = (data.time - data.start[_trajectories(data)])[counted]
    period = np.searchsorted(cuts, elapsed, side="left") - 1
    inside = (period >= 0) & (period < PERIODS)
    key = data.variable[counted].astype(np.int64)[inside] * PERIODS + period[inside]
    events = np.bincount(key, minlength=data.n_variables * PERIODS).reshape(-1, PERIODS)
    lengths = np.sort(data.end - data.start)
    # The time observed before t is the sum of min(length, t).
    before = np.concatenate([[0.0], np.cumsum(lengths)])
    ended = np.searchsorted(lengths, cuts, side="right")
    until = before[ended] + (len(lengths) - ended) * cuts
    return Activity(cuts, events, np.diff(until))


class States(NamedTuple):
    """Shares of the trajectories under observation in each state at `moments` since entry.

    `shares[i]` is [moment, state] of variable i; `observed` the number of trajectories at each moment.
    """

    moments: NDArray[np.float64]
    shares: list[NDArray[np.float64]]
    observed: NDArray[np.int64]


def states_over_time(data: Trajectories, moments: NDArray[np.float64]) -> States:
    """Return which states variables are in at some moments since entry; a gap is in none."""
    data = data.compact()
    cardinalities = data.events.cardinalities.astype(np.int64)  # with a code for gaps
    first = np.concatenate([[0], np.cumsum(cardinalities)])
    n = len(moments)
    changes = np.zeros((first[-1], n + 1))
    trajectory = _trajectories(data)
    variable = data.variable.astype(np.int64)
    moment = np.searchsorted(moments, data.time - data.start[trajectory], side="left")
    for code, sign in ((data.new, 1.0), (data.old, -1.0)):
        key = (first[variable] + code) * (n + 1) + moment
        changes += sign * np.bincount(key, minlength=changes.size).reshape(changes.shape)
    final = data.initial.copy()
    final[trajectory, variable] = data.new  # with several events of a variable, the last assignment wins
    ends = np.searchsorted(moments, data.end - data.start, side="right")
    for i in range(data.n_variables):
        np.add.at(changes, (first[i] + data.initial[:, i].astype(np.int64), 0), 1.0)
        np.add.at(changes, (first[i] + final[:, i].astype(np.int64), ends), -1.0)
    counts = np.cumsum(changes, axis=1)[:, :n]
    observed = len(data) - np.searchsorted(np.sort(ends), np.arange(n), side="right")
    shares = []
    for i, states in enumerate(data.cardinalities):
        own = counts[first[i] : first[i] + states].T
        total = own.sum(axis=1, keepdims=True)
        shares.append(np.divide(own, total, out=np.full(own.shape, np.nan), where=total > 0))
    return States(moments, shares, observed.astype(np.int64))


@dataclass(frozen=True)
class Timeline:
    """The first events of one trajectory: initial codes, and the time, variable and new code of each event.

    Times are since entry; a code beyond a variable's states is a gap. It is `cut` if there are more events.
    """

    id: str
    end: float
    initial: list[int]
    events: list[tuple[float, int, int]]
    cut: bool


def timelines(data: Trajectories) -> list[Timeline]:
    """Return a few trajectories, from one with few events to one with many."""
    data = data.compact()
    counts = data.stop - data.begin
    order = np.lexsort((np.arange(len(counts)), counts))
    chosen = np.unique(np.linspace(0, len(order) - 1, MAX_TIMELINES + 2).round().astype(int))
    chosen = chosen[1:-1] if len(chosen) > MAX_TIMELINES else chosen
    return [_timeline(data, int(order[place])) for place in chosen]


def _timeline(data: Trajectories, which: int) -> Timeline:
    begin, stop = int(data.begin[which]), int(data.stop[which])
    shown = slice(begin, min(stop, begin + MAX_EVENTS_SHOWN))
    times = (data.time[shown] - data.start[which]).tolist()
    cut = stop - begin > MAX_EVENTS_SHOWN
    return Timeline(
        str(data.ids[which]),
        times[-1] if cut else float(data.end[which] - data.start[which]),
        data.initial[which].tolist(),
        list(zip(times, data.variable[shown].tolist(), data.new[shown].tolist(), strict=True)),
        cut,
    )


def _trajectories(data: Trajectories) -> NDArray[np.int64]:
    """Return the trajectory of each event of compact data."""
    return np.repeat(np.arange(len(data)), data.stop - data.begin)
