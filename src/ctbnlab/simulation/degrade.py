"""Make complete data look like real ones: hide variables for a while, and round times to coarse dates.

Both work on the changes of each variable in each trajectory, called a column here: a list of moments with the
code that the variable takes. The list is changed, and trajectories are made of it again: of several moments
at one instant the last counts, and a moment that changes nothing is left out.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab import seeds
from ctbnlab.data.trajectories import Trajectories, index_type
from ctbnlab.errors import InputError
from ctbnlab.model.network_roles import first_period

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MAX_SPELLS = 10**8  # some gigabytes


class Spells(NamedTuple):
    """When variables are hidden: `variable` in `trajectory`, from `begin` until `end`."""

    trajectory: Ints
    variable: Ints
    begin: Floats
    end: Floats


class _Moments(NamedTuple):
    """The codes that variables take, in order of time within a column."""

    trajectory: Ints
    variable: Ints
    time: Floats
    code: Ints


# ---- Hidden variables ----


def hide(data: Trajectories, share: float, mean: float, seed: int) -> Trajectories:
    """Return the trajectories with each variable unobserved for a `share` of the time on average, in spells.

    The spells of a variable are drawn independently of everything else; their lengths are exponential with
    the given mean. Static variables and clocks stay observed. The spells of a trajectory depend only on the
    seed and on its label.
    """
    return hide_spells(data, draw_spells(data, share, mean, seed))


def draw_spells(data: Trajectories, share: float, mean: float, seed: int) -> Spells:
    """Draw when each variable is hidden; `hide` describes how."""
    if not 0 < share < 1:
        raise InputError(f"the hidden share must be between 0 and 1, not {share}")
    if not 0 < mean < math.inf:
        raise InputError(f"the mean length of hidden spells must be a positive number, not {mean}")
    if seed < 0:
        raise InputError(f"the seed must be 0 or more, not {seed}")
    variables = np.array(_hideable(data), np.int64)
    if len(variables) * data.total_time * share / mean > MAX_SPELLS:
        raise InputError(f"hidden spells with a mean length of {mean} are too many; use a longer one")
    none = np.empty(0, np.int64)
    parts = [Spells(none, none, np.empty(0), np.empty(0))]
    for t, label in enumerate(data.ids if len(variables) else ()):
        bounds, starts_hidden = _alternating(
            seeds.generator(seed, "hidden", label), len(variables), share, mean, data.end[t] - data.start[t]
        )
        for shift in (0, 1):
            # Spell k is hidden if k is even and the first spell is, or if it is odd and the first is not.
            rows = np.flatnonzero(starts_hidden == (shift == 0))
            begins, ends = bounds[rows, shift:-1:2], bounds[rows, shift + 1 :: 2]
            row, spell = np.nonzero(begins < data.end[t] - data.start[t])
            parts.append(
                Spells(
                    np.full(len(row), t),
                    variables[rows[row]],
                    data.start[t] + begins[row, spell],
                    data.start[t] + ends[row, spell],
                )
            )
    return Spells(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _hideable(data: Trajectories) -> list[int]:
    return [j for j, name in enumerate(data.names) if name not in data.roles.never_targets]


def _alternating(
    rng: np.random.Generator, rows: int, share: float, mean: float, duration: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """Draw alternating spells: their bounds [row, spell] beyond the duration, and which rows start hidden."""
    hidden = rng.random(rows) < share
    means = np.array([mean * (1 - share) / share, mean])
    bounds = np.zeros((rows, 1))
    while bounds[:, -1].min() < duration:
        lengths = -np.log1p(-rng.random((rows, 8)))
        kinds = (np.arange(8) + hidden[:, None]) % 2
        steps = np.cumsum(lengths * means[kinds], axis=1)
        bounds = np.concatenate([bounds, bounds[:, -1:] + steps], axis=1)
    return bounds, hidden


def hide_spells(data: Trajectories, spells: Spells) -> Trajectories:
    """Return the trajectories with variables unobserved in the given spells.

    A spell from the start on leaves no initial state, and one until the end no state after it. Variables that
    are static or clocks cannot be hidden.
    """
    data = data.compact()
    may_hide = np.isin(np.arange(data.n_variables), _hideable(data))
    if not may_hide[spells.variable].all():
        name = data.names[int(spells.variable[~may_hide[spells.variable]][0])]
        raise InputError(f"the variable {name!r} is static or a clock, and cannot be hidden")
    count, earliest = len(spells.begin), data.start[spells.trajectory]
    moments = _moments(data)
    trajectory = np.concatenate([moments.trajectory, spells.trajectory, spells.trajectory])
    variable = np.concatenate([moments.variable, spells.variable, spells.variable])
    bounds = [np.maximum(spells.begin, earliest), np.maximum(spells.end, earliest)]
    time = np.concatenate([moments.time, *bounds])
    code = np.concatenate([moments.code, np.full(2 * count, -1)])
    step = np.concatenate([np.zeros(len(moments.time)), np.ones(count), -np.ones(count)])
    order = np.lexsort((time, variable, trajectory))
    trajectory, variable, time = trajectory[order], variable[order], time[order]
    first = _is_first(trajectory, variable)
    # The state beneath, and the number of spells under way, after each moment.
    state = code[order][_last_index(code[order] >= 0)]
    depth = np.cumsum(step[order])
    before = np.concatenate([[0.0], depth])[:-1]
    depth -= before[np.maximum.accumulate(np.where(first, np.arange(len(first)), 0))]
    gap = np.array([len(states) for _, states in data.variables])[variable]
    seen = _Moments(trajectory, variable, time, np.where(depth > 0, gap, state))
    gaps = tuple((may_hide | np.array(data.gaps)).tolist())
    return _rebuilt(data, seen, data.end, gaps)


# ---- Coarse dates ----


def coarsen(data: Trajectories, step: float) -> Trajectories:
    """Return the trajectories with all times rounded up to multiples of a step, as if read at visits.

    Changes within a step then come together. Several changes of a variable are one, or none if it returns.
    Ends of observation are rounded up too. Starts are not, nor are clocks, whose cuts are known.
    """
    if not 0 < step < math.inf:
        raise InputError(f"the step must be a positive number, not {step}")
    data = data.compact()
    end = np.where(data.end > data.start, rounded_up(data.end, step), data.end)
    if not np.isfinite(end).all():
        raise InputError(f"the step {step} is too small for the times of the data")
    moments = _moments(data)
    clocks = np.isin(moments.variable, [data.index(name) for name in data.roles.clock_names])
    begun = moments.time > data.start[moments.trajectory]
    time = np.where(begun & ~clocks, rounded_up(moments.time, step), moments.time)
    moments = _with_later_periods(data, moments._replace(time=time), end)
    return _rebuilt(data, moments, end, data.gaps)


def rounded_up(time: Floats, step: float) -> Floats:
    """Return the smallest multiples of a step that are not less than the times; multiples do not change."""
    with np.errstate(over="ignore", invalid="ignore"):
        count = np.ceil(time / step)
        count -= (count - 1) * step >= time  # the quotient was rounded up
        count += count * step < time
        result: Floats = count * step
    return result


def _with_later_periods(data: Trajectories, moments: _Moments, end: Floats) -> _Moments:
    """Add the changes of clocks of time since entry between the old ends and the new ones."""
    parts = [moments]
    for clock in data.roles.clocks:
        for period in range(first_period(clock.cuts), len(clock.cuts) if clock.kind == "entry" else 0):
            moment = data.start + clock.cuts[period]
            late = np.flatnonzero((data.end <= moment) & (moment < end))
            variable = np.full(len(late), data.index(clock.name))
            parts.append(_Moments(late, variable, moment[late], np.full(len(late), period + 1)))
    return _Moments(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


# ---- From trajectories to moments, and back ----


def _moments(data: Trajectories) -> _Moments:
    """Return the initial states of compact data as moments at the start, and all changes."""
    count, n = data.initial.shape
    return _Moments(
        np.concatenate([np.repeat(np.arange(count), n), np.repeat(np.arange(count), data.stop - data.begin)]),
        np.concatenate([np.tile(np.arange(n), count), data.variable]).astype(np.int64),
        np.concatenate([np.repeat(data.start, n), data.time]),
        np.concatenate([data.initial.reshape(-1), data.new]).astype(np.int64),
    )


def _rebuilt(data: Trajectories, moments: _Moments, end: Floats, gaps: tuple[bool, ...]) -> Trajectories:
    """Return the trajectories made of moments; those at the start give the initial states."""
    order = np.lexsort((moments.time, moments.variable, moments.trajectory))
    trajectory, variable, time, code = (column[order] for column in moments)
    # Of several moments at one instant keep the last, then those that change the state.
    last = np.append(
        (trajectory[1:] != trajectory[:-1]) | (variable[1:] != variable[:-1]) | (time[1:] != time[:-1]), True
    )
    last &= time <= end[trajectory]
    trajectory, variable, time, code = (column[last] for column in (trajectory, variable, time, code))
    first = _is_first(trajectory, variable)
    changing = ~first
    changing[1:] &= code[1:] != code[:-1]
    order = np.lexsort((variable[changing], time[changing], trajectory[changing]))
    rows = np.flatnonzero(changing)[order]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(trajectory[rows], minlength=len(data)))])
    return Trajectories.from_columns(
        data.variables,
        data.ids,
        ties=True,
        gaps=gaps,
        roles=data.roles,
        begin=offsets[:-1].astype(np.int64),
        stop=offsets[1:].astype(np.int64),
        start=data.start,
        end=end,
        initial=code[first].astype(np.uint8).reshape(data.initial.shape),
        time=time[rows],
        variable=variable[rows].astype(index_type(data.n_variables)),
        old=code[rows - 1].astype(np.uint8),
        new=code[rows].astype(np.uint8),
    )


def _is_first(trajectory: Ints, variable: Ints) -> NDArray[np.bool_]:
    """Return which of the moments, sorted by column, are the first of their column."""
    first = np.ones(len(trajectory), bool)
    first[1:] = (trajectory[1:] != trajectory[:-1]) | (variable[1:] != variable[:-1])
    return first


def _last_index(marked: NDArray[np.bool_]) -> Ints:
    """Return for each place the last marked one up to there; the first is always marked."""
    result: Ints = np.maximum.accumulate(np.where(marked, np.arange(len(marked)), 0))
    return result
