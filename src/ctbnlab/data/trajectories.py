"""Trajectories: an immutable columnar store of who changed state, when, from what to what.

Structure of arrays, sorted by trajectory and then by time. Events of trajectory t stand at
`begin[t]:stop[t]` of `time`, `variable`, `old`, `new`; before the first of them all variables are in
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
from ctbnlab.model.variables import Variable, checked

_FAULTS = {
    1: "its events lie outside the data",
    2: "its start and end are not finite, increasing times",
    3: "its initial state is not one of the variables' states",
    4: "the event is of no known variable",
    5: "the event leads to no known state",
    6: "the event leaves a state that the variable is not in",
    7: "the event changes nothing",
    8: "the event's time is not later than the one before",
    9: "the event's time is after the end of observation, or not a number",
}


def index_type(n_variables: int) -> type[np.uint8] | type[np.uint16]:
    """Return the type of the `variable` column: one byte up to 256 variables, else two."""
    return np.uint8 if n_variables <= 256 else np.uint16


@dataclass(frozen=True, eq=False, repr=False)
class Trajectories:
    """Fully observed trajectories of discrete variables (see the module's text for the layout)."""

    variables: tuple[Variable, ...]
    ids: Sequence[str]  # a label a trajectory; may be any lazy sequence
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
        """Build and check trajectories; `old` is derived and `ids` are counted from 0 where not given."""
        names = checked(variables)
        offsets = np.ascontiguousarray(offsets, np.int64)
        initial = np.ascontiguousarray(initial, np.uint8).reshape(len(offsets) - 1, len(names))
        variable = np.ascontiguousarray(variable, index_type(len(names)))
        new = np.ascontiguousarray(new, np.uint8)
        if old is None:
            old = previous_states(offsets, initial, variable, new)
        result = cls(
            variables=names,
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
        """How many variables there are."""
        return len(self.variables)

    @property
    def n_trajectories(self) -> int:
        """How many trajectories there are."""
        return len(self.begin)

    def __len__(self) -> int:
        return self.n_trajectories

    @cached_property
    def n_events(self) -> int:
        """How many transitions there are in all trajectories together (the paper's ψ)."""
        return int((self.stop - self.begin).sum())

    @property
    def total_time(self) -> float:
        """The time observed, all trajectories together."""
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
        raise InputError(f"there is no variable {name!r}; there are {', '.join(self.names)}")

    def subset(self, which: slice | Sequence[int] | NDArray[Any]) -> Trajectories:
        """Return some trajectories, by slice, indices (repeats allowed) or mask; events are shared."""
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
        """Return trajectories whose events stand side by side from 0 on; itself where they do already."""
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
        """Where each trajectory's events begin, and the end; of compact trajectories only."""
        return np.append(self.begin, self.stop[-1:] if len(self.stop) else 0).astype(np.int64)

    def check(self) -> None:
        """Refuse events that contradict each other; one pass, some nanoseconds an event."""
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
        """Tell whether the other holds the same variables, trajectories and events, to the last bit."""
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
    """Return the state each event leaves: what the same variable last went to, or its initial state."""
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
