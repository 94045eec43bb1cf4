"""Trajectories: an immutable columnar table of which variable changed state, when, from what to what.

A structure of arrays, sorted by trajectory and then by time. The events of trajectory t are at
`begin[t]:stop[t]` of `time`, `variable`, `old` and `new`; before the first of them all variables are in
`initial[t]`, and observation runs from `start[t]` to `end[t]`. A subset shares the event arrays of the
whole: only the small per-trajectory arrays are new.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data._check import first_fault
from ctbnlab.errors import InputError
from ctbnlab.model.variables import Variable, checked_variables

_FAULTS = {
    1: "its events lie outside the data",
    2: "its start and end are not finite times in order",
    3: "the initial state has an unknown code",
    4: "the variable has an unknown code",
    5: "the new state has an unknown code",
    6: "the old state is not the state the variable is in",
    7: "the event changes nothing",
    8: "the time is not later than that of the event before",
    9: "the time is after the end of observation, or not a number",
}


def index_type(n_variables: int) -> type[np.uint8] | type[np.uint16]:
    """Return the type of the `variable` column: one byte for up to 256 variables, else two."""
    return np.uint8 if n_variables <= 256 else np.uint16


@dataclass(frozen=True, eq=False, repr=False)
class Trajectories:
    """Fully observed trajectories of discrete variables (the module's docstring describes the arrays)."""

    variables: tuple[Variable, ...]
    ids: Sequence[str]  # one label per trajectory; may be a lazy sequence
    begin: NDArray[np.int64]
    stop: NDArray[np.int64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    initial: NDArray[np.uint8]  # [trajectory, variable]
    time: NDArray[np.float64]
    variable: NDArray[Any]  # uint8, or uint16 above 256 variables
    old: NDArray[np.uint8]
    new: NDArray[np.uint8]

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
    ) -> Trajectories:
        """Build and check trajectories; by default `old` is derived and `ids` are 0, 1, …"""
        variables = checked_variables(variables)
        offsets = np.ascontiguousarray(offsets, np.int64)
        initial = np.ascontiguousarray(initial, np.uint8).reshape(len(offsets) - 1, len(variables))
        variable = np.ascontiguousarray(variable, index_type(len(variables)))
        new = np.ascontiguousarray(new, np.uint8)
        if old is None:
            old = previous_states(offsets, initial, variable, new)
        result = cls(
            variables=variables,
            ids=[str(i) for i in range(len(offsets) - 1)] if ids is None else list(ids),
            begin=offsets[:-1],
            stop=offsets[1:],
            start=np.ascontiguousarray(start, np.float64),
            end=np.ascontiguousarray(end, np.float64),
            initial=initial,
            time=np.ascontiguousarray(time, np.float64),
            variable=variable,
            old=np.ascontiguousarray(old, np.uint8),
            new=new,
        )
        result.check()
        return result

    @property
    def names(self) -> tuple[str, ...]:
        """The variables' names."""
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def cardinalities(self) -> NDArray[np.int32]:
        """The number of states of each variable."""
        return np.array([len(variable.states) for variable in self.variables], np.int32)

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
        """The number of transitions in all trajectories together (the paper's ψ)."""
        return int((self.stop - self.begin).sum())

    @property
    def total_time(self) -> float:
        """The time observed in all trajectories together."""
        return float((self.end - self.start).sum())

    def __repr__(self) -> str:
        return (
            f"<Trajectories: {self.n_variables} variables, {self.n_trajectories} trajectories, "
            f"{self.n_events} events, time {self.total_time:g}>"
        )

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
        return Trajectories(
            variables=self.variables,
            ids=ids,
            begin=np.ascontiguousarray(self.begin[which]),
            stop=np.ascontiguousarray(self.stop[which]),
            start=np.ascontiguousarray(self.start[which]),
            end=np.ascontiguousarray(self.end[which]),
            initial=np.ascontiguousarray(self.initial[which]),
            time=self.time,
            variable=self.variable,
            old=self.old,
            new=self.new,
        )

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
        return Trajectories(
            variables=self.variables,
            ids=self.ids,
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

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each trajectory's events begin, and the end of the last; for compact trajectories only."""
        return np.append(self.begin, self.stop[-1:] if len(self.stop) else 0).astype(np.int64)

    def check(self) -> None:
        """Refuse inconsistent events; one pass, a few nanoseconds per event."""
        fault = first_fault(
            self.begin,
            self.stop,
            self.start,
            self.end,
            self.initial,
            self.time,
            self.variable,
            self.old,
            self.new,
            self.cardinalities,
        )
        if fault is not None:
            kind, trajectory, event = fault
            place = f"trajectory {self.ids[trajectory]!r}"
            if event >= 0:
                place += f", event {event - int(self.begin[trajectory])}"
            raise InputError(_FAULTS[kind], place=place)

    def equals(self, other: Trajectories) -> bool:
        """Return whether `other` has the same variables, trajectories and events, bit for bit."""
        a, b = self.compact(), other.compact()
        return (
            a.variables == b.variables
            and list(a.ids) == list(b.ids)
            and all(
                np.array_equal(getattr(a, column), getattr(b, column))
                for column in ("stop", "start", "end", "initial", "time", "variable", "old", "new")
            )
        )


def previous_states(
    offsets: NDArray[np.int64], initial: NDArray[np.uint8], variable: NDArray[Any], new: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Return the state each event leaves: the last one that its variable entered, or its initial state."""
    trajectory = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
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
