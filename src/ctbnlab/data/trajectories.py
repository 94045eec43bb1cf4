"""Trajectories: an immutable columnar table of which variable changed state, when, from what to what.

A structure of arrays, sorted by trajectory and then by time. The events of trajectory t are at
`begin[t]:stop[t]` of `time`, `variable`, `old` and `new`; before the first of them all variables are in
`initial[t]`, and observation runs from `start[t]` to `end[t]`. A subset shares the event arrays of the
whole: only the small per-trajectory arrays are new.

Several variables may change at one instant. Their events then have the same time, in increasing order of the
variables, and each is counted under the state just before the instant (ties are counted together).

A variable may be unobserved for a while (a gap): its code is then the number of its states. Going into a gap
and coming back are events here, but no transitions. While a variable is unobserved, neither time nor
transitions count in a table that it belongs to.

There are no unchecked trajectories: the arrays are those of a `CheckedEvents`, which only the check can make.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data._check import CheckedEvents, Fault
from ctbnlab.data.trajectory_methods import TrajectoryMethods
from ctbnlab.errors import InputError
from ctbnlab.io.limits import MAX_TOTAL_TIME, MIN_DURATION
from ctbnlab.model.roles import NO_ROLES, Roles
from ctbnlab.model.variables import Variable, checked_variables

FAULTS = {
    "trajectory columns": "the trajectory columns differ in length",
    "event columns": "the event columns differ in length",
    "initial": "there is not one initial state per variable",
    "bounds": "its events lie outside the data",
    "observation": "its start and end are not finite times in order",
    "duration": f"the observed time is too short, below {MIN_DURATION:g}; use a smaller unit of time",
    "total": f"the observed time is too long, above {MAX_TOTAL_TIME:g} in all; use a larger unit of time",
    "initial state": "the initial state has an unknown code",
    "variable": "the variable has an unknown code",
    "new state": "the new state has an unknown code",
    "old state": "the old state is not the state the variable is in",
    "no change": "the event changes nothing",
    "order": "the time is not later than that of the event before",
    "end": "the time is after the end of observation, or not a number",
}


def index_type(n_variables: int) -> type[np.uint8] | type[np.uint16]:
    """Return the type of the `variable` column: one byte for up to 256 variables, else two."""
    return np.uint8 if n_variables <= 256 else np.uint16


@dataclass(frozen=True, eq=False, repr=False)
class Trajectories(TrajectoryMethods):
    """Trajectories of discrete variables (the module's docstring describes the arrays).

    `data[0]` is the first one, `data["7"]` the one with that id; `data[:10]` and `data[mask]` are several.
    """

    variables: tuple[Variable, ...]
    ids: Sequence[str]  # one label per trajectory; may be a lazy sequence
    events: CheckedEvents
    roles: Roles = NO_ROLES

    def __post_init__(self) -> None:
        if len(self.events.cardinalities) != len(self.variables) or not set(self._spare_codes) <= {0, 1}:
            raise InputError("the events are those of other variables")
        self.roles.checked(self.names)
        if len(self.ids) != len(self.events.begin):
            raise InputError(f"there are {len(self.ids)} labels for {len(self.events.begin)} trajectories")

    @classmethod
    def from_columns(
        cls,
        variables: tuple[Variable, ...],
        ids: Sequence[str],
        *,
        ties: bool = False,
        gaps: Sequence[bool] = (),
        roles: Roles = NO_ROLES,
        **columns: NDArray[Any],
    ) -> Trajectories:
        """Check arrays of the right types and return them as trajectories; they are not copied.

        `ties` accepts several changes at one instant; `gaps` marks the variables that may be unobserved.
        """
        codes = np.array([len(variable.states) for variable in variables], np.int32)
        if len(gaps):
            codes += np.asarray(gaps, np.int32)
        try:
            return cls(variables, ids, CheckedEvents(**columns, cardinalities=codes, ties=ties), roles)
        except Fault as fault:
            raise _input_error(fault, ids, columns["begin"]) from None

    @classmethod
    def from_arrays(
        cls,
        variables: Iterable[tuple[str, Iterable[str]]],
        *,
        offsets: Any,
        start: Any,
        end: Any,
        initial: Any,
        time: Any,
        variable: Any,
        new: Any,
        old: Any = None,
        ids: Iterable[str] | None = None,
        ties: bool = False,
        gaps: Sequence[bool] = (),
        roles: Roles = NO_ROLES,
    ) -> Trajectories:
        """Build and check trajectories; by default `old` is derived and `ids` are 0, 1, …

        `ties`, `gaps` and `roles` are those of `from_columns`. Arrays that can be written to are copied, so
        that nothing can change after the check.
        """
        variables = checked_variables(variables)
        offsets = _owned(offsets, np.int64)
        if offsets.ndim != 1 or not len(offsets):
            raise InputError("`offsets` must be a list with one more entry than there are trajectories")
        count = len(offsets) - 1
        columns = {
            "begin": offsets[:-1],
            "stop": offsets[1:],
            "start": _owned(start, np.float64),
            "end": _owned(end, np.float64),
            "initial": _owned(initial, np.uint8),
            "time": _owned(time, np.float64),
            "variable": _owned(variable, index_type(len(variables))),
            "new": _owned(new, np.uint8),
        }
        if columns["initial"].size != count * len(variables):
            raise InputError(FAULTS["initial"])
        columns["initial"] = columns["initial"].reshape(count, len(variables))
        for name, values in columns.items():
            if name != "initial" and values.ndim != 1:
                raise InputError(f"`{name}` must have one dimension, not {values.ndim}")
        columns["old"] = _previous_states(columns) if old is None else _owned(old, np.uint8)
        labels = [str(i) for i in range(count)] if ids is None else list(ids)
        if len(gaps) not in (0, len(variables)):
            raise InputError("`gaps` must have one entry per variable")
        return cls.from_columns(variables, labels, ties=ties, gaps=gaps, roles=roles, **columns)

    @property
    def begin(self) -> NDArray[np.int64]:
        """Where the events of each trajectory begin."""
        return self.events.begin

    @property
    def stop(self) -> NDArray[np.int64]:
        """Where the events of each trajectory stop."""
        return self.events.stop

    @property
    def start(self) -> NDArray[np.float64]:
        """When the observation of each trajectory starts."""
        return self.events.start

    @property
    def end(self) -> NDArray[np.float64]:
        """When the observation of each trajectory ends."""
        return self.events.end

    @property
    def initial(self) -> NDArray[np.uint8]:
        """The initial states: [trajectory, variable]."""
        return self.events.initial

    @property
    def time(self) -> NDArray[np.float64]:
        """The times of all events."""
        return self.events.time

    @property
    def variable(self) -> NDArray[Any]:
        """The variables that change: uint8, or uint16 above 256 variables."""
        return self.events.variable

    @property
    def old(self) -> NDArray[np.uint8]:
        """The states that the events leave."""
        return self.events.old

    @property
    def new(self) -> NDArray[np.uint8]:
        """The states that the events enter."""
        return self.events.new

    @property
    def names(self) -> tuple[str, ...]:
        """The variables' names."""
        return tuple(variable.name for variable in self.variables)

    @property
    def cardinalities(self) -> NDArray[np.int32]:
        """The number of states of each variable."""
        if not any(self.gaps):
            return self.events.cardinalities
        return self.events.cardinalities - np.array(self.gaps, np.int32)

    @property
    def _spare_codes(self) -> list[int]:
        states = [len(variable.states) for variable in self.variables]
        spare: list[int] = (self.events.cardinalities - np.array(states, np.int32)).tolist()
        return spare

    @cached_property
    def gaps(self) -> tuple[bool, ...]:
        """Which variables may be unobserved for a while."""
        return tuple(map(bool, self._spare_codes))

    @property
    def tied(self) -> bool:
        """Whether several variables change at one instant."""
        return self.events.tied

    @property
    def is_plain(self) -> bool:
        """Whether there are neither ties nor gaps nor roles."""
        return not (self.tied or any(self.gaps) or self.roles)

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.variables)

    @property
    def n_trajectories(self) -> int:
        """The number of trajectories."""
        return len(self.begin)

    def __len__(self) -> int:
        return self.n_trajectories

    @cached_property
    def n_events(self) -> int:
        """The number of transitions in all trajectories together (the paper's ψ): no gaps, no clocks."""
        if not any(self.gaps) and not self.roles.clocks:
            return self.n_changes
        counted = self.is_transition()
        before = np.concatenate([[0], np.cumsum(counted)])
        return int((before[self.stop] - before[self.begin]).sum())

    @cached_property
    def n_changes(self) -> int:
        """The number of events, those of gaps and clocks included."""
        return int((self.stop - self.begin).sum())

    def tied_instants(self) -> tuple[int, int]:
        """Return how many instants have transitions, and how many of them several."""
        data = self.compact()
        counted = data.is_transition()
        trajectory = np.repeat(np.arange(len(data)), data.stop - data.begin)[counted]
        time = data.time[counted]
        first = np.ones(len(time), bool)
        first[1:] = (time[1:] != time[:-1]) | (trajectory[1:] != trajectory[:-1])
        begins = np.flatnonzero(first)
        return len(begins), int((np.diff(begins, append=len(time)) > 1).sum())

    def is_transition(self) -> NDArray[np.bool_]:
        """Return for each event whether it is a transition between states of a variable that is no clock."""
        if not any(self.gaps) and not self.roles.clocks:
            return np.ones(len(self.time), bool)
        states = np.array([len(variable.states) for variable in self.variables])[self.variable]
        clocks = np.array([name in self.roles.clock_names for name in self.names])
        result: NDArray[np.bool_] = (self.old < states) & (self.new < states) & ~clocks[self.variable]
        return result

    @property
    def total_time(self) -> float:
        """The time observed in all trajectories together."""
        return float((self.end - self.start).sum())

    def index(self, name: str) -> int:
        """Return the column of a variable by its name."""
        for i, variable in enumerate(self.variables):
            if variable.name == name:
                return i
        raise InputError(f"unknown variable {name!r}; the variables are {', '.join(self.names)}")

    def subset(self, which: slice | Sequence[int] | NDArray[Any]) -> Trajectories:
        """Return some of the trajectories, by slice, indices (repeats allowed) or mask; events are shared."""
        if not isinstance(which, slice):
            which = np.asarray(which)
            if which.dtype != bool:
                which = which.astype(np.int64)
        ids = self.ids[which] if isinstance(which, slice) else np.asarray(self.ids, object)[which].tolist()
        try:
            return Trajectories(self.variables, ids, self.events.subset(which), self.roles)
        except Fault as fault:
            raise InputError(FAULTS[fault.args[0]]) from None

    def compact(self) -> Trajectories:
        """Return the trajectories with their events contiguous from index 0; `self` if they already are."""
        offsets = np.concatenate([[0], np.cumsum(self.stop - self.begin)]).astype(np.int64)
        if (
            np.array_equal(self.begin, offsets[:-1])
            and np.array_equal(self.stop, offsets[1:])
            and len(self.time) == offsets[-1]
        ):
            return self
        rows = np.concatenate(
            [np.arange(a, b) for a, b in zip(self.begin, self.stop, strict=True)] or [np.empty(0, np.int64)]
        )
        return self.with_events(
            begin=offsets[:-1],
            stop=offsets[1:],
            start=self.start,
            end=self.end,
            initial=self.initial,
            time=self.time[rows],
            variable=self.variable[rows],
            old=self.old[rows],
            new=self.new[rows],
        )

    def with_events(self, **columns: NDArray[Any]) -> Trajectories:
        """Return the same trajectories with other events: all nine columns, checked."""
        return Trajectories.from_columns(
            self.variables, self.ids, ties=self.tied, gaps=self.gaps, roles=self.roles, **columns
        )

    def with_roles(self, roles: Roles) -> Trajectories:
        """Return the same trajectories with other roles."""
        return Trajectories(self.variables, self.ids, self.events, roles)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each trajectory's events begin, and the end of the last; for compact trajectories only."""
        return np.append(self.begin, self.stop[-1:] if len(self.stop) else 0).astype(np.int64)

    def equals(self, other: Trajectories) -> bool:
        """Return whether `other` has the same variables, trajectories and events, bit for bit."""
        a, b = self.compact(), other.compact()
        return (
            a.variables == b.variables
            and (a.gaps, a.roles) == (b.gaps, b.roles)
            and list(a.ids) == list(b.ids)
            and all(
                np.array_equal(getattr(a, column), getattr(b, column))
                for column in ("stop", "start", "end", "initial", "time", "variable", "old", "new")
            )
        )


def _owned(values: Any, dtype: Any) -> NDArray[Any]:
    """Return values as a contiguous array that the caller cannot change; refuse numbers that do not fit."""
    try:
        given = np.asarray(values)
        array = np.ascontiguousarray(given, dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"a column cannot be read as {np.dtype(dtype)}: {error}") from None
    if np.dtype(dtype).kind != "f" and array.size and not np.array_equal(array, given):
        raise InputError(f"a column of {np.dtype(dtype)} has values that do not fit in that type")
    return array.copy() if given.flags.writeable and np.may_share_memory(array, given) else array


def _input_error(fault: Fault, ids: Sequence[str], begin: NDArray[np.int64]) -> InputError:
    kind, trajectory, event = fault.args
    place = None
    if trajectory >= 0:
        place = f"trajectory {ids[trajectory]!r}" if trajectory < len(ids) else f"trajectory {trajectory}"
    if event >= 0:
        place = f"{place}, event {event - int(begin[trajectory])}"
    return InputError(FAULTS[kind], place=place)


def _previous_states(columns: dict[str, NDArray[Any]]) -> NDArray[np.uint8]:
    """Return the state each event leaves: the last one that its variable entered, or its initial state."""
    initial, variable, new = columns["initial"], columns["variable"], columns["new"]
    counts = columns["stop"] - columns["begin"]
    if (counts < 0).any() or counts.sum() != len(variable) or len(new) != len(variable):
        raise InputError(FAULTS["event columns"])
    if len(variable) and variable.max() >= initial.shape[1]:
        raise InputError(FAULTS["variable"])
    trajectory = np.repeat(np.arange(len(counts)), counts)
    column = trajectory * initial.shape[1] + variable
    order = np.argsort(column, kind="stable")
    sorted_column = column[order]
    sorted_new = new[order]
    sorted_old = np.empty_like(sorted_new)
    if len(order):
        first = np.empty(len(order), bool)
        first[0] = True
        np.not_equal(sorted_column[1:], sorted_column[:-1], out=first[1:])
        sorted_old[1:] = sorted_new[:-1]
        sorted_old[first] = initial.reshape(-1)[sorted_column[first]]
    old = np.empty_like(sorted_old)
    old[order] = sorted_old
    return old
