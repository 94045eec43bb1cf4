"""Turn the rows of any table into trajectories: find the events, check them, pass them to a sink.

Every layout is first converted to marks ("from this time on, this variable is in this state"); their
faults are found and reported here, for all formats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.arrow_writer import GAP, recode_in_place
from ctbnlab.data.formats._rows import Fault, Follower
from ctbnlab.data.formats.labels import Place, StateCodes, Unsorted
from ctbnlab.data.formats.request import Options, Report
from ctbnlab.data.formats.ties import Events, TieBreaker
from ctbnlab.data.trajectories import Trajectories, index_type
from ctbnlab.errors import InputError
from ctbnlab.io.limits import MAX_TOTAL_TIME, MIN_DURATION
from ctbnlab.model.roles import NO_ROLES, Roles
from ctbnlab.model.variables import Variable


class Marks(NamedTuple):
    """Marks in the order of the rows: trajectory number, row, time, variable (-1: none), state code."""

    trajectory: NDArray[np.int64]
    row: NDArray[np.int64]
    time: NDArray[np.float64]
    variable: NDArray[np.int32]
    new: NDArray[np.uint8]

    def part(self, which: slice | NDArray[np.bool_]) -> Marks:
        """Return some of the marks."""
        columns: tuple[Any, ...] = self
        return Marks(*(column[which] for column in columns))

    @classmethod
    def joined(cls, parts: Sequence[Marks]) -> Marks:
        """Return the marks of all parts, concatenated."""
        columns: Iterator[Any] = zip(*parts, strict=True)
        return cls(*(np.concatenate(column) for column in columns))


class Sink(Protocol):
    """Receives events and trajectories piece by piece: a `Spool`, or `InMemory`."""

    def append_events(self, time: Any, variable: Any, old: Any, new: Any) -> None:
        """Add events of the current trajectory."""

    def append_trajectories(self, ids: Sequence[str], stop: Any, start: Any, end: Any, initial: Any) -> None:
        """Add finished trajectories."""

    def restart(self) -> None:
        """Forget everything: the rows will come again, in order."""

    def close(
        self,
        variables: Sequence[Variable],
        recode: Sequence[Any] | None = None,
        *,
        ties: bool = False,
        gaps: Sequence[bool] = (),
        roles: Roles = NO_ROLES,
    ) -> None:
        """Finish; `recode[j]` maps the state codes of variable j used so far to the final ones."""


class InMemory:
    """A sink that keeps everything in memory; after `close`, `result` holds the trajectories."""

    result: Trajectories

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Forget everything: the rows will come again, in order."""
        self._events: list[tuple[Any, ...]] = []
        self._trajectories: list[tuple[Any, ...]] = []

    def append_events(self, time: Any, variable: Any, old: Any, new: Any) -> None:
        """Add events of the current trajectory."""
        self._events.append((time, variable, old, new))

    def append_trajectories(self, ids: Sequence[str], stop: Any, start: Any, end: Any, initial: Any) -> None:
        """Add finished trajectories."""
        self._trajectories.append((ids, stop, start, end, initial))

    def close(
        self,
        variables: Sequence[Variable],
        recode: Sequence[Any] | None = None,
        *,
        ties: bool = False,
        gaps: Sequence[bool] = (),
        roles: Roles = NO_ROLES,
    ) -> None:
        """Join the pieces."""
        time, variable, old, new = (np.concatenate(column) for column in zip(*self._events, strict=True))
        ids, stop, start, end, initial = zip(*self._trajectories, strict=True)
        columns: dict[str, Any] = {
            "initial": np.concatenate(initial),
            "time": time,
            "variable": variable,
            "old": old,
            "new": new,
        }
        if recode is not None:
            recode_in_place(columns, recode)
        for values in columns.values():
            values.flags.writeable = False  # spares `from_arrays` a copy
        self.result = Trajectories.from_arrays(
            variables,
            ids=[label for part in ids for label in part],
            offsets=np.concatenate([[0], *stop]),
            start=np.concatenate(start),
            end=np.concatenate(end),
            ties=ties,
            gaps=gaps,
            roles=roles,
            **columns,
        )


class NamesOnly:
    """A sink that keeps nothing but the names of the variables."""

    names: list[str]

    def append_events(self, time: Any, variable: Any, old: Any, new: Any) -> None:
        """Forget events."""

    def append_trajectories(self, ids: Sequence[str], stop: Any, start: Any, end: Any, initial: Any) -> None:
        """Forget trajectories."""

    def restart(self) -> None:
        """Do nothing: there is nothing to forget."""

    def close(
        self,
        variables: Sequence[Variable],
        recode: Sequence[Any] | None = None,  # noqa: ARG002 - part of the protocol
        *,
        ties: bool = False,  # noqa: ARG002
        gaps: Sequence[bool] = (),  # noqa: ARG002
        roles: Roles = NO_ROLES,  # noqa: ARG002
    ) -> None:
        """Keep the names."""
        self.names = [variable.name for variable in variables]


class Assembler:
    """Follows marks, chunk by chunk, and passes events and finished trajectories to a sink.

    Rows that are out of order raise `Unsorted` if there is an id to sort them by.
    """

    def __init__(
        self,
        states: Sequence[StateCodes],
        ids: Sequence[str],
        sink: Sink,
        options: Options,
        place: Place,
        *,
        closing: bool,
        sortable: bool = True,
    ):
        self._states = states
        self._ids = ids
        self._sink = sink
        self._place = place
        self._sortable = sortable
        self._type = index_type(len(states))
        breaking = options.ties in ("order", "jitter")
        self._breaker = TieBreaker(options.ties, options.seed) if breaking else None
        self._together = options.ties == "together"
        terminal = options.roles.terminal
        self._follower = Follower(
            len(states),
            closing=closing,
            ties=options.ties != "error",
            unchanged=options.unchanged == "drop",
            together=self._together,
            gaps=options.missing != "error",
            hold=options.missing == "hold",
            terminal=[j for j, codes in enumerate(states) if codes.name in terminal],
        )
        self._closing = closing
        self._held: Marks | None = None
        self._n_finished = 0
        self._total_time = 0.0
        self._last_trajectory = -1
        self.n_instants = self.n_tied = 0  # instants with changes, and with several
        self.ties = False

    @property
    def gaps(self) -> NDArray[np.int64]:
        """The number of gaps of each variable."""
        return self._follower.n_gaps

    def run(self, marks: Iterator[Marks], report: Report) -> None:
        """Process all marks; report what users should know about them."""
        for part in marks:
            if self._held is not None:
                part = Marks.joined([self._held, part])
            # The last instant may continue in the next chunk, and the time after it bounds its ties.
            self._held = part.part(slice(_last_instant(part), None))
            self._take(part, len(part.time) - len(self._held.time))
        if self._held is None:
            raise InputError("the table has no rows")
        self._take(self._held, len(self._held.time))
        try:
            self._follower.finish()
        except Fault as fault:
            raise self._input_error(fault) from None
        self._pass_on_trajectories()
        single = self._follower.single
        if single and len(single) == self._n_finished:
            raise self._input_error(Fault("end", single[0][1], single[0][0], -1, -1, 0.0, 0.0))
        report.dropped(self._follower.n_unchanged)
        report.single_rows(len(single))
        report.gaps(self._follower.n_gaps)
        report.ties(self.n_tied, self.n_instants)

    def _take(self, marks: Marks, count: int) -> None:
        part = marks.part(slice(count))
        if self._together:
            part = _without_stated_gaps(part)
        try:
            events = Events(*self._follower.feed(*part))
        except Fault as fault:
            raise self._input_error(fault) from None
        if self._breaker is not None and count:
            self._break_ties(self._breaker, events, marks)
            self._last_trajectory = int(marks.trajectory[count - 1])
        elif self._together and len(events.time):
            events = self._side_by_side(events, part)
        self._sink.append_events(events.time, events.variable.astype(self._type), events.old, events.new)
        self._pass_on_trajectories()

    def _side_by_side(self, events: Events, marks: Marks) -> Events:
        """Sort the events of each instant by variable, and count the instants with several changes."""
        trajectory = marks.trajectory[events.mark]
        starts = np.ones(len(trajectory), bool)
        starts[1:] = (events.time[1:] != events.time[:-1]) | (trajectory[1:] != trajectory[:-1])
        if starts.all() and not self.gaps.any():
            self.n_instants += len(starts)
            return events
        instant = np.cumsum(starts) - 1
        counts = np.bincount(instant[(events.old != GAP) & (events.new != GAP)])
        self.n_instants += int((counts > 0).sum())
        self.n_tied += int((counts > 1).sum())
        self.ties |= not starts.all()
        order = np.lexsort((events.variable, instant))
        columns: tuple[Any, ...] = events
        return Events(*(column[order] for column in columns))

    def _break_ties(self, breaker: TieBreaker, events: Events, marks: Marks) -> None:
        """Spread simultaneous events; an event at the start of observation counts as simultaneous with it."""
        first = np.flatnonzero(_starts_instant(marks))
        before = np.where(first > 0, marks.trajectory[first - 1], self._last_trajectory)
        at_start = before != marks.trajectory[first]
        limit = np.full(len(first), np.nan)
        limit[:-1] = np.where(at_start[1:], np.nan, marks.time[first[1:]])
        instant = np.searchsorted(first, events.mark, "right") - 1
        instants, begins, counts = np.unique(instant, return_index=True, return_counts=True)
        for k in np.flatnonzero((counts > 1) | at_start[instants]).tolist():
            mark = events.mark[begins[k]]
            group = slice(int(begins[k]), int(begins[k] + counts[k]))
            trajectory = self._ids[int(marks.trajectory[mark])]
            here = instants[k]
            try:
                breaker.spread(events, group, trajectory, bool(at_start[here]), float(limit[here]))
            except InputError as error:
                raise InputError(error.message, place=self._place(int(marks.row[mark]))) from None

    def _pass_on_trajectories(self) -> None:
        finished = self._follower.finished
        if not finished:
            return
        stop, start, end, initial = zip(*finished, strict=True)
        ids = self._ids[self._n_finished : self._n_finished + len(finished)]
        self._add_up(ids, start, end)
        self._sink.append_trajectories(
            ids, np.array(stop), np.array(start), np.array(end), np.frombuffer(b"".join(initial), np.uint8)
        )
        self._n_finished += len(finished)
        finished.clear()

    def _add_up(self, ids: Sequence[str], starts: Sequence[float], ends: Sequence[float]) -> None:
        """Refuse durations, single or added up, that are too short or long to compute with."""
        for label, start, end in zip(ids, starts, ends, strict=True):
            self._total_time += end - start
            if 0 < end - start < MIN_DURATION:
                message = f"its duration, {end - start!r}, is too short; use a smaller unit of time"
            elif not end - start <= MAX_TOTAL_TIME:
                message = f"its duration, from {start!r} to {end!r}, is too long; use a larger unit of time"
            elif not self._total_time <= MAX_TOTAL_TIME:
                message = "the durations up to here add up to too long a time; use a larger unit of time"
            else:
                continue
            raise InputError(message, place=f"trajectory {label!r}")

    def _input_error(self, fault: Fault) -> Exception:
        kind, row, trajectory, variable, other, time, now = fault.args
        name, another = (self._states[j].name if j >= 0 else "" for j in (variable, other))
        which = f"trajectory {self._ids[trajectory]!r}"
        if kind == "time":
            message = "the time is missing" if np.isnan(time) else f"the time {time} is not finite"
        elif kind == "back" and self._sortable:
            return Unsorted()
        elif kind == "back":
            message = (
                f"the time decreases from {now!r} to {time!r}, and no column identifies trajectories; "
                "name it with --id, or sort the rows by time"
            )
        elif kind == "initial":
            message = f"{which} has no initial state of variable {name!r}; add a row at its first time"
        elif kind == "unchanged":
            message = f"the row changes nothing in {which}; remove it or use --unchanged drop"
        elif kind == "end" and self._closing:
            message = f"{which} has no end; add a row with the end time and empty variable and state"
        elif kind == "end":
            message = f"{which} has only one row; add a row at the time when observation ends"
        elif kind == "twice":
            first, second = (self._states[variable].label(code) for code in (time, now))
            message = f"variable {name!r} of {which} has two states at one time, {first!r} and {second!r}"
        else:
            message = f"{_tie(name, another, other)} in {which}, time {time!r}; use --ties together"
        return InputError(message, place=self._place(row))


def _tie(name: str, another: str, other: int) -> str:
    if other < 0:
        return f"variable {name!r} changes at the start of observation"
    if another == name:
        return f"variable {name!r} changes twice at the same time"
    return f"variables {another!r} and {name!r} change at the same time"


def _starts_instant(marks: Marks) -> NDArray[np.bool_]:
    """Return for each mark whether it is the first of its trajectory and time."""
    starts = np.ones(len(marks.time), bool)
    starts[1:] = (marks.time[1:] != marks.time[:-1]) | (marks.trajectory[1:] != marks.trajectory[:-1])
    return starts


def _without_stated_gaps(marks: Marks) -> Marks:
    """Return the marks without missing states that are given by another mark of the same instant."""
    gaps = (marks.new == GAP) & (marks.variable >= 0)
    if not gaps.any():
        return marks
    instant = np.cumsum(_starts_instant(marks))
    key = instant * (int(marks.variable.max()) + 2) + marks.variable
    kept = ~(gaps & np.isin(key, key[~gaps]))
    columns: tuple[Any, ...] = marks
    return Marks(*(column[kept] for column in columns))


def _last_instant(marks: Marks) -> int:
    """Return the index of the first mark of the last instant."""
    starts = np.flatnonzero(_starts_instant(marks))
    return int(starts[-1]) if len(starts) else 0
