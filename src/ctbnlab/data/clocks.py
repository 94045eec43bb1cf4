"""Clocks: variables of periods that change by themselves, added to trajectories.

A clock is reset at some moments, at which it is in its first period, and moves on to the next period at each
cut after the reset. A clock of time since entry is reset once, at the start of observation; one of calendar
time long before; the own clock of a variable at each of its changes. Cuts are quantiles of the times at which
events happen, so that every period has a similar number of them.

Within a period rates are taken to be constant. If they are not, variables still look dependent, by an effect
that falls with the square of a period's length, and its evidence with the fourth power: the number of periods
must grow with the fourth root of the number of events (benchmarks/real_data.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.trajectories import Trajectories, index_type
from ctbnlab.errors import InputError
from ctbnlab.model.network_roles import period_labels
from ctbnlab.model.roles import Roles
from ctbnlab.model.variables import Variable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Found by measuring (benchmarks/real_data.py): with 8 periods, Weibull times of shape 3 give 0.06 false arcs
# per node for 8,000 events and 3 for 80,000; with these, 0 and 0.1.
PERIODS_PER_ROOT = 1.4
MIN_PERIODS, MAX_DEFAULT_PERIODS = 4, 60

BEFORE = "before"  # the state of a clock that has not been started


class Resets(NamedTuple):
    """The moments at which a clock is set to its first period, in order: trajectory, time, and until when."""

    trajectory: Ints
    time: Floats
    until: Floats


class Changes(NamedTuple):
    """The changes of one variable, in order of trajectory and time."""

    trajectory: Ints
    time: Floats
    new: NDArray[np.uint8]


def default_periods(n_events: int) -> int:
    """Return the number of periods for a number of events: 7 for 700, 12 for 6,000, 23 for 70,000."""
    wanted = round(PERIODS_PER_ROOT * math.sqrt(math.sqrt(n_events)))
    return min(max(MIN_PERIODS, wanted), MAX_DEFAULT_PERIODS)


def quantile_cuts(times: Floats, periods: int | None, what: str, lowest: float = 0.0) -> tuple[float, ...]:
    """Return cuts above `lowest` that divide times into periods of similar numbers.

    There are fewer periods if many times are equal; without a number, `default_periods` gives it.
    """
    periods = periods or default_periods(len(times))
    if not len(times):
        raise InputError(f"there are no events to cut {what} into periods by")
    cuts = np.unique(np.quantile(times, np.arange(1, periods) / periods))
    cuts = cuts[(cuts > lowest) & (cuts < times.max())]
    if not len(cuts):
        raise InputError(f"all events happen at the same moment of {what}: it cannot be cut into periods")
    return tuple(cuts.tolist())


def running_clock(
    origin: Floats, data: Trajectories, cuts: Sequence[float]
) -> tuple[NDArray[np.uint8], Changes]:
    """Return the initial periods, and the changes, of a clock reset at `origin` in each trajectory."""
    moments = origin[:, None] + np.asarray(cuts)[None, :]
    initial = (moments <= data.start[:, None]).sum(axis=1).astype(np.uint8)
    inside = (moments > data.start[:, None]) & (moments < data.end[:, None])
    # Cuts that are too close to be told apart at this origin are one change.
    inside[:, :-1] &= moments[:, :-1] < moments[:, 1:]
    trajectory, cut = np.nonzero(inside)
    return initial, Changes(trajectory, moments[trajectory, cut], (cut + 1).astype(np.uint8))


def resetting_clock(resets: Resets, cuts: Sequence[float], first: int) -> Changes:
    """Return the changes of a clock that goes through its periods, from code `first` on, after each reset.

    The code at the start of a trajectory is `first` if a reset comes at its start; a reset at a later moment
    is a change to `first` if the clock is in another period.
    """
    moments = resets.time[:, None] + np.asarray(cuts)[None, :]
    inside = (moments > resets.time[:, None]) & (moments < resets.until[:, None])
    inside[:, :-1] &= moments[:, :-1] < moments[:, 1:]
    which, cut = np.nonzero(inside)
    trajectory = np.concatenate([resets.trajectory, resets.trajectory[which]])
    time = np.concatenate([resets.time, moments[which, cut]])
    new = np.concatenate([np.full(len(resets.time), first), first + cut + 1]).astype(np.uint8)
    order = np.lexsort((time, trajectory))
    return Changes(trajectory[order], time[order], new[order])


def with_clock(
    data: Trajectories, variable: Variable, initial: NDArray[np.uint8], changes: Changes, roles: Roles
) -> Trajectories:
    """Return the trajectories with one more variable, in its initial states and with its changes.

    Changes to the state that the variable is in, and those at the start, are left out.
    """
    data = data.compact()
    n = data.n_variables
    previous = np.empty_like(changes.new)
    previous[1:] = changes.new[:-1]
    first = np.diff(changes.trajectory, prepend=-1) != 0
    previous[first] = initial[changes.trajectory[first]]
    real = (changes.new != previous) & (changes.time > data.start[changes.trajectory])
    added = int(real.sum())
    counts = data.stop - data.begin
    trajectory = np.concatenate([np.repeat(np.arange(len(data)), counts), changes.trajectory[real]])
    columns = {
        "time": np.concatenate([data.time, changes.time[real]]),
        "variable": np.concatenate([data.variable, np.full(added, n)]).astype(index_type(n + 1)),
        "old": np.concatenate([data.old, previous[real]]),
        "new": np.concatenate([data.new, changes.new[real]]),
    }
    # The new variable is the last, and so comes last among those that change at one instant.
    order = np.lexsort((columns["time"], trajectory))
    columns = {name: values[order] for name, values in columns.items()}
    offsets = np.concatenate([[0], np.cumsum(np.bincount(trajectory, minlength=len(data)))]).astype(np.int64)
    return Trajectories.from_columns(
        (*data.variables, variable),
        data.ids,
        ties=True,
        gaps=(*data.gaps, False) if any(data.gaps) else (),
        roles=roles,
        begin=offsets[:-1],
        stop=offsets[1:],
        start=data.start,
        end=data.end,
        initial=np.ascontiguousarray(np.column_stack([data.initial, initial])),
        **columns,
    )


# ---- The clocks that follow a variable ----


def changes_of(data: Trajectories, variable: int) -> tuple[Ints, Ints]:
    """Return the events of one variable of compact data, and the trajectory of each."""
    events = np.flatnonzero(data.variable == variable)
    return events, np.searchsorted(data.stop, events, side="right")


def _until(data: Trajectories, trajectory: Ints, time: Floats) -> Floats:
    """Return for each moment the next one in its trajectory, or the trajectory's end."""
    until = data.end[trajectory].copy()
    same = trajectory[1:] == trajectory[:-1]
    until[:-1][same] = time[1:][same]
    return until


def sojourns(data: Trajectories, variable: int) -> tuple[Resets, NDArray[np.bool_]]:
    """Return when each stay of a variable in a state begins and ends, and whether it ends in a transition."""
    events, trajectory = changes_of(data, variable)
    every = np.concatenate([np.arange(len(data)), trajectory])
    time = np.concatenate([data.start, data.time[events]])
    order = np.lexsort((time, every))
    every, time = every[order], time[order]
    until = _until(data, every, time)
    states = len(data.variables[variable].states)
    observed = np.concatenate(
        [np.zeros(len(data), bool), (data.old[events] < states) & (data.new[events] < states)]
    )
    followed = np.zeros(len(every), bool)
    followed[:-1] = observed[order][1:] & (every[1:] == every[:-1])
    return Resets(every, time, until), followed


def with_own_clock(data: Trajectories, target: int, periods: int, name: str) -> Trajectories | None:
    """Return the trajectories with a clock of the time since the target's last change, as last variable.

    If `periods` is 0, `default_periods` gives their number. None if the target has too few transitions to cut
    that time into periods.
    """
    data = data.compact()
    resets, followed = sojourns(data, target)
    waits = (resets.until - resets.time)[followed]
    try:
        cuts = quantile_cuts(waits, periods, "the time since the last change")
    except InputError:
        return None
    changes = resetting_clock(resets, cuts, 0)
    variable = Variable(name, period_labels(cuts))
    return with_clock(data, variable, np.zeros(len(data), np.uint8), changes, data.roles)


def since_changes(data: Trajectories, variable: int, state: int | None) -> Resets:
    """Return when a variable enters a state, or changes at all; at the start if it is in that state then."""
    events, trajectory = changes_of(data, variable)
    if state is not None:
        entering = data.new[events] == state
        events, trajectory = events[entering], trajectory[entering]
    time = data.time[events]
    if state is not None:
        begun = np.flatnonzero(data.initial[:, variable] == state)
        trajectory = np.concatenate([begun, trajectory])
        time = np.concatenate([data.start[begun], time])
        order = np.lexsort((time, trajectory))
        trajectory, time = trajectory[order], time[order]
    return Resets(trajectory, time, _until(data, trajectory, time))
