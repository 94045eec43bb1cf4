"""Give roles to trajectories that were read: check static variables, end at terminal events, add clocks."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.clocks import (
    BEFORE,
    changes_of,
    quantile_cuts,
    resetting_clock,
    running_clock,
    since_changes,
    with_clock,
)
from ctbnlab.data.constant_rates import MIN_GAIN, gains_of_periods
from ctbnlab.data.role_request import ClockRequest, RoleRequest, parse_clock, parse_tiers
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.model.network_roles import period_labels
from ctbnlab.model.roles import Clock, Roles
from ctbnlab.model.variables import Variable

NAMES = {"entry": "time since entry", "calendar": "calendar time", "age": "age"}


def prepare(data: Trajectories, request: RoleRequest) -> tuple[Trajectories, list[str]]:
    """Return the trajectories with the roles asked for, beside those they have; and notes for the user."""
    notes: list[str] = []
    if not request:
        return data, notes
    asked = [parse_clock(text, data.names) for text in request.clocks]
    columns = tuple(Clock(clock.column, "column") for clock in asked if clock.column is not None)
    before = data.roles
    roles = replace(
        before,
        static=_joined(before.static, request.static),
        terminal=_joined(before.terminal, request.terminal),
        clocks=before.clocks + tuple(clock for clock in columns if clock.name not in before.clock_names),
        tiers=parse_tiers(request.tiers) or before.tiers,
    ).checked(data.names)
    _require_static(data, roles.static)
    data = data.with_roles(roles)
    if request.terminal:
        data = _ended(data, notes)
    for clock in asked:
        data = _with_clock(data, clock, request, notes)
    return data, notes


def with_roles_of(data: Trajectories, roles: Roles) -> Trajectories:
    """Return the trajectories with roles that others have, clocks included; those present are kept."""
    missing = [clock for clock in roles.clocks if clock.name not in data.names]
    columns = [clock.name for clock in roles.clocks if clock.kind == "column" and clock.name in data.names]
    request = RoleRequest(
        static=tuple(name for name in roles.static if name in data.names),
        terminal=tuple(name for name in roles.terminal if name in data.names),
        clocks=tuple(columns),
    )
    data, _ = prepare(data, request)
    for clock in missing:
        data = _with_clock(data, ClockRequest(clock.kind, clock.cuts, clock.since), request, [])
    return data


def _joined(before: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*before, *more)))


def _require_static(data: Trajectories, names: tuple[str, ...]) -> None:
    """Refuse a static variable that changes, except into a gap and back to the same state."""
    if not names:
        return
    data = data.compact()
    for name in names:
        variable = data.index(name)
        states = data.variables[variable].states
        events, trajectory = changes_of(data, variable)
        first, last = np.full(len(data), len(states)), np.full(len(data), -1)
        every = np.concatenate([np.arange(len(data)), trajectory])
        code = np.concatenate([data.initial[:, variable], data.new[events]]).astype(np.int64)
        known = code < len(states)
        np.minimum.at(first, every[known], code[known])
        np.maximum.at(last, every[known], code[known])
        if (last > first).any():
            t = int(np.argmax(last > first))
            raise InputError(
                f"the variable {name!r} is static, but is {states[first[t]]!r} and {states[last[t]]!r}",
                place=f"trajectory {data.ids[t]!r}",
            )


def _ended(data: Trajectories, notes: list[str]) -> Trajectories:
    """Return the trajectories up to the first change of a terminal variable, and all of that instant."""
    data = data.compact()
    end, stop = data.end.copy(), data.stop.copy()
    ended = 0
    for name in data.roles.terminal:
        variable = data.index(name)
        states = len(data.variables[variable].states)
        events, trajectory = changes_of(data, variable)
        changing = (data.old[events] < states) & (data.new[events] < states)
        first, where = np.unique(trajectory[changing], return_index=True)
        moment = data.time[events[changing][where]]
        sooner = moment < end[first]
        end[first[sooner]] = moment[sooner]
        ended += int(sooner.sum())
    for t in np.flatnonzero(end < data.end).tolist():
        stop[t] = data.begin[t] + np.searchsorted(
            data.time[data.begin[t] : data.stop[t]], end[t], side="right"
        )
    if ended:
        trajectories = "1 trajectory" if ended == 1 else f"{ended} trajectories"
        notes.append(f"{trajectories} cut off at a terminal event before the end of observation")
    return data.with_events(
        begin=data.begin, stop=stop, start=data.start, end=end, initial=data.initial,
        time=data.time, variable=data.variable, old=data.old, new=data.new,
    ).compact()  # fmt: skip


# ---- Clocks ----


def _with_clock(
    data: Trajectories, asked: ClockRequest, request: RoleRequest, notes: list[str]
) -> Trajectories:
    """Add one clock to the data, unless they have it already."""
    if asked.kind == "column":
        return data
    if asked.kind == "own":
        return data.with_roles(replace(data.roles, own_clock=request.periods or 0))
    if asked.kind == "auto":
        return _with_clock_if_needed(data, request, notes)
    name = NAMES[asked.kind] if asked.since is None else f"time since {_shown(asked.since)}"
    if name in data.names:
        raise InputError(f"there is a variable called {name!r} already; rename it, or name it with --clock")
    if asked.since is not None:
        return _with_since(data, asked, name, request.periods, notes)
    origin = _origin(data, asked.kind, request.births)
    lowest = -math.inf if asked.kind == "calendar" else 0.0
    cuts = asked.cuts or quantile_cuts(_moments(data, origin), request.periods, name, lowest)
    initial, changes = running_clock(origin, data, cuts)
    roles = replace(data.roles, clocks=(*data.roles.clocks, Clock(name, asked.kind, cuts)))
    notes.append(f"clock {name!r} with {len(cuts) + 1} periods, cut at {_listed(cuts)}")
    return with_clock(data, Variable(name, period_labels(cuts)), initial, changes, roles)


def _origin(data: Trajectories, kind: str, births: NDArray[np.float64] | None) -> NDArray[np.float64]:
    if kind == "entry":
        return data.start
    if kind == "calendar":
        return np.zeros(len(data))
    if births is None:
        raise InputError("the clock 'age' needs a column with the time of birth; name it with --birth")
    unknown = ~np.isfinite(births)
    if unknown.any():
        place = f"trajectory {data.ids[int(np.argmax(unknown))]!r}"
        raise InputError("the time of birth is missing, which the clock 'age' needs", place=place)
    return births


def _moments(data: Trajectories, origin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the times of all transitions of variables that are no clocks, measured from the origin."""
    data = data.compact()
    trajectory = np.repeat(np.arange(len(data)), data.stop - data.begin)
    return (data.time - origin[trajectory])[data.is_transition()]


def _with_since(
    data: Trajectories, asked: ClockRequest, name: str, periods: int | None, notes: list[str]
) -> Trajectories:
    assert asked.since is not None
    followed, state = asked.since
    variable = data.index(followed)
    states = data.variables[variable].states
    if state is not None and state not in states:
        raise InputError(
            f"the clock {name!r}: {followed!r} has no state {state!r}; it has {', '.join(states)}"
        )
    data = data.compact()
    code = None if state is None else states.index(state)
    resets = since_changes(data, variable, code)
    cuts = asked.cuts
    if not cuts:
        cuts = quantile_cuts(_waits(data, resets.trajectory, resets.time), periods, name)
    initial = np.zeros(len(data), np.uint8)
    initial[resets.trajectory[resets.time == data.start[resets.trajectory]]] = 1
    changes = resetting_clock(resets, cuts, 1)
    clock = Clock(name, "since", cuts, asked.since)
    roles = replace(data.roles, clocks=(*data.roles.clocks, clock))
    notes.append(f"clock {name!r} with {len(cuts) + 1} periods, cut at {_listed(cuts)}")
    return with_clock(data, Variable(name, (BEFORE, *period_labels(cuts))), initial, changes, roles)


def _waits(
    data: Trajectories, trajectory: NDArray[np.int64], time: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the time since the last of some moments for each transition that follows one."""
    transition = data.is_transition()
    of_event = np.repeat(np.arange(len(data)), data.stop - data.begin)[transition]
    when = data.time[transition]
    if not len(trajectory):
        return np.empty(0)
    # Position of the last moment before each transition, by trajectory and time.
    every_trajectory = np.concatenate([trajectory, of_event])
    every_time = np.concatenate([time, when])
    is_event = np.concatenate([np.zeros(len(time), np.int8), np.ones(len(when), np.int8)])
    order = np.lexsort((1 - is_event, every_time, every_trajectory))
    position = np.where(is_event[order] == 0, np.arange(len(order)), -1)
    latest = np.maximum.accumulate(position)
    found = (is_event[order] == 1) & (latest >= 0)
    found &= every_trajectory[order] == every_trajectory[order][np.maximum(latest, 0)]
    sorted_times = every_time[order]
    return np.asarray((sorted_times - sorted_times[np.maximum(latest, 0)])[found])


def _with_clock_if_needed(data: Trajectories, request: RoleRequest, notes: list[str]) -> Trajectories:
    """Add a clock of time since entry if the rates of some variable change with it."""
    moments = _moments(data, data.start)
    if not len(moments) or moments.max() <= 0:
        return data
    try:
        cuts = quantile_cuts(moments, request.periods, NAMES["entry"])
    except InputError:
        return data
    varying = [name for name, gain in gains_of_periods(data, cuts).items() if gain > MIN_GAIN]
    if not varying:
        notes.append("no clock: rates do not change with time since entry")
        return data
    shown = ", ".join(varying[:4]) + (", …" if len(varying) > 4 else "")
    notes.append(f"rates change with time since entry ({shown}): taking in a clock")
    return _with_clock(data, ClockRequest("entry", cuts), request, notes)


def _listed(cuts: tuple[float, ...]) -> str:
    return ", ".join(f"{cut:.4g}" for cut in cuts)


def _shown(since: tuple[str, str | None]) -> str:
    return since[0] if since[1] is None else f"{since[0]}={since[1]}"
