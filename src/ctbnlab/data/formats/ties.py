"""Ties (simultaneous changes), resolved on request: a CTBN has one transition at a time.

`order` keeps the order of the rows and moves each later change to the next representable time. `jitter`
moves the changes to random times, in random order, between their common time and the next time in the
trajectory. Neither moves a change past the next time: if there are too few times in between, the tie is an
error.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab import seeds
from ctbnlab.errors import InputError


class Events(NamedTuple):
    """Events in the order of their rows, with the mark each came from (see `_rows.Follower`)."""

    time: NDArray[np.float64]
    variable: NDArray[np.int32]
    old: NDArray[np.uint8]
    new: NDArray[np.uint8]
    mark: NDArray[np.int64]


class TieBreaker:
    """Spreads simultaneous changes over the time up to the next instant."""

    def __init__(self, method: str, seed: int):
        self._method = method
        self._seed = seed
        self._generator: tuple[str, np.random.Generator] | None = None

    def spread(self, events: Events, group: slice, trajectory: str, at_start: bool, limit: float) -> None:
        """Give the events of `group` increasing times before `limit` (NaN if no later time follows)."""
        count = group.stop - group.start
        time = float(events.time[group.start])
        steps = _next_times(time, count, at_start)
        if not steps[-1] < limit:
            raise InputError(
                f"cannot separate the {count} changes at time {time!r} of trajectory {trajectory!r}: "
                "no time is left before the next row or the end of observation; use --ties together"
            )
        if self._method == "jitter" and math.isfinite(limit - time):
            generator = self._generator_of(trajectory)
            draws = np.sort(generator.random(count))
            order = _shuffled(events.variable[group], generator)
            for column in (events.variable, events.old, events.new, events.mark):
                column[group] = column[group][order]
            spread = time + draws * (limit - time)
            lower = np.concatenate([[time if at_start else -np.inf], spread[:-1]])
            # In a gap of a few representable times draws can coincide; then keep the smallest steps.
            if (spread > lower).all() and spread[-1] < limit:
                steps = spread
        events.time[group] = steps

    def _generator_of(self, trajectory: str) -> np.random.Generator:
        if self._generator is None or self._generator[0] != trajectory:
            self._generator = trajectory, seeds.generator(self._seed, "ties", trajectory)
        return self._generator[1]


def _next_times(time: float, count: int, at_start: bool) -> NDArray[np.float64]:
    times = np.empty(count + at_start)
    times[0] = time
    for k in range(1, len(times)):
        times[k] = np.nextafter(times[k - 1], np.inf)
    return times[int(at_start) :]


def _shuffled(variable: NDArray[np.int32], generator: np.random.Generator) -> NDArray[np.int64]:
    """Return a random order that keeps the relative order of changes of the same variable."""
    order = generator.permutation(len(variable))
    for j in np.unique(variable):
        places = np.flatnonzero(variable[order] == j)
        order[places] = np.sort(order[places])
    return order
