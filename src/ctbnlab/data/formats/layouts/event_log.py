"""The layout of event logs: `id,time,event`, one row per event.

Rules say which event moves which variable to which state (`event_rules`); without rules each event is a
variable that changes from `no` to `yes` when it first happens. A trajectory is observed from its first row to
its last, or as the rules or the table of people say. Events from before the start give the initial states. If
events of one instant lead a variable to different states, the one that the rules list last counts.

A log may have a column `lifecycle` (XES): the full name of an event is then `EVENT+LIFECYCLE`, and the
patterns of rules match the name or the full name. Without rules, only events that are complete count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.formats.assemble import Marks
from ctbnlab.data.formats.columns import Columns, recognise, require_roles, same_kind
from ctbnlab.data.formats.labels import StateCodes, TrajectoryIds, sorted_labels
from ctbnlab.data.formats.layouts.event_rules import Rule, Rules, ever_rule, read_rules
from ctbnlab.data.formats.layouts.moves import MOVES, Rows
from ctbnlab.data.formats.layouts.window import LONG_AGO, marks_of, span, whole_trajectories
from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import Chunk, Declared, Reading, Source
from ctbnlab.errors import InputError
from ctbnlab.model.roles import NO_ROLES, Roles

LIFECYCLE = "lifecycle"
VALUES = ("numeric_value", "value")
MAX_EVENTS = 100  # kinds of events that become variables without being asked for
DEATH = "death"
_COMPLETE = "complete"
_PROCESS = {"id": "case", "time": "time", "event": "event"}


def read(source: Source, declared: Declared, options: Options) -> Reading:
    """Read an event log."""
    if all(name in source.columns for name in _PROCESS.values()):
        # A process log, whose events may have attributes with names such as `patient_id`.
        options = replace(
            options,
            id=options.id or _PROCESS["id"],
            time=options.time or _PROCESS["time"],
            event=options.event or _PROCESS["event"],
        )
    columns = recognise(source, options, ("id", "time", "event"))
    return read_log(source, declared, options, columns)


class Conventions(NamedTuple):
    """What a standard says about its logs."""

    birth: str | None = None  # the event at which a person is born: not observed, but needed for ages
    death: str | None = None  # the event that ends a trajectory: the terminal variable `death`
    timeless: bool = False  # rows without a time hold from the beginning


NO_CONVENTIONS = Conventions()


def read_log(
    source: Source,
    declared: Declared,
    options: Options,
    columns: Columns,
    conventions: Conventions = NO_CONVENTIONS,
) -> Reading:
    """Read an event log with the given columns."""
    time, event = require_roles(columns, source, "time", "event")
    names = _Names(source, event, options)
    if options.rules is None:
        rules = _flags(names, options, event, conventions)
    else:
        rules = _chosen(read_rules(options.rules), options)
    for name in declared.keys() - source.declared().keys():
        raise InputError(f"states are declared for {name!r}, but the rules give the states of an event log")
    value = next((name for name in VALUES if name in source.columns), None)
    measured = [rule.name for rule in rules.variables if rule.kind == "value"]
    if measured and value is None:
        raise InputError(f"no column {VALUES[0]!r} or {VALUES[1]!r}, which the rule of {measured[0]!r} needs")
    ids = TrajectoryIds(options.missing_values)
    log = _Log(source, columns, rules, names, ids, options, value if measured else None, conventions)
    return Reading(
        [StateCodes(rule.name, rule.states) for rule in rules.variables],
        ids,
        log.marks(),
        closing=True,
        order=(columns.id, time),
        notes=[
            *columns.notes(len(rules.variables)),
            *same_kind(source, [time], options.values),
            *names.unmatched(rules),
        ],
        births=log.births,
        outside=[rule.initial for rule in rules.variables],
        roles=_roles(rules, conventions) if options.rules is None else NO_ROLES,
    )


def _roles(rules: Rules, conventions: Conventions) -> Roles:
    ends = [rule.name for rule in rules.variables if conventions.death in rule.patterns[0]]
    return Roles(terminal=tuple(ends))


def _chosen(rules: Rules, options: Options) -> Rules:
    """Return the rules of the variables that the user names, else all."""
    if options.variables is None:
        return rules
    kept = tuple(rule for rule in rules.variables if rule.name in options.variables)
    for name in options.variables:
        if name not in [rule.name for rule in kept]:
            raise InputError(f"--variables names {name!r}, which the rules do not have")
    return replace(rules, variables=kept)


class _Names:
    """The names of all events in a log, with and without their lifecycle."""

    def __init__(self, source: Source, event: str, options: Options):
        self.columns = [event, *([LIFECYCLE] if LIFECYCLE in source.columns else [])]
        self._missing = {None, *options.missing_values}
        self.codes: dict[tuple[str, str], int] = {}
        for chunk in source.chunks([], self.columns, options.values):
            self.of(chunk, source)

    def of(self, chunk: Chunk, source: Source) -> NDArray[np.int64]:
        """Return the code of each row's event."""
        events = chunk.labels[self.columns[0]]
        cycles = chunk.labels[LIFECYCLE] if len(self.columns) > 1 else None
        width = 1 if cycles is None else len(cycles.texts) + 1
        keys = events.indices.astype(np.int64) * width
        if cycles is not None:
            keys += cycles.indices + 1
        found, firsts, inverse = np.unique(keys, return_index=True, return_inverse=True)
        table = np.empty(len(found), np.int64)
        for k, row in enumerate(firsts.tolist()):
            index = int(events.indices[row])
            name = events.texts[index] if index >= 0 else None
            if name is None or name in self._missing:
                raise InputError("the event is missing", place=chunk.place(source)(row))
            cycle = None if cycles is None or cycles.indices[row] < 0 else cycles.texts[cycles.indices[row]]
            full = name if cycle in self._missing else f"{name}+{cycle}"
            table[k] = self.codes.setdefault((name, full), len(self.codes))
        codes: NDArray[np.int64] = table[inverse]
        return codes

    def unmatched(self, rules: Rules) -> list[str]:
        """Return notes on rules that no event of the log follows: a name may be misspelt."""
        return [
            f"no event of the log moves variable {rule.name!r}"
            for rule in rules.variables
            if not any(rule.state_of(*names) is not None for names in self.codes)
        ]


def _flags(names: _Names, options: Options, column: str, conventions: Conventions) -> Rules:
    """Return a rule per event; refuse more of them than anybody wants as variables."""
    complete = [pair for pair in names.codes if pair[1] in (pair[0], f"{pair[0]}+{_COMPLETE}")]
    patterns: dict[str, tuple[str, ...]] = {}
    for event, full in complete or names.codes:
        if event != conventions.birth:
            name = DEATH if event == conventions.death else event
            patterns[name] = (*patterns.get(name, ()), full)
    events = sorted_labels(patterns)
    if options.variables is not None:
        for name in options.variables:
            if name not in events:
                raise InputError(f"no event {name!r} in column {column!r}, which --variables names")
        events = list(options.variables)
    if not events:
        raise InputError(f"column {column!r} has births only" if names.codes else "the table has no rows")
    if len(events) > MAX_EVENTS:
        raise InputError(
            f"column {column!r} has {len(events)} kinds of events; choose some with --variables, "
            "or write a file of rules and name it with --rules"
        )
    return Rules(tuple(ever_rule(name, patterns[name]) for name in events))


class _Log:
    """Turns the rows of a log into marks, a few whole trajectories at a time."""

    def __init__(
        self,
        source: Source,
        columns: Columns,
        rules: Rules,
        names: _Names,
        ids: TrajectoryIds,
        options: Options,
        value: str | None,
        conventions: Conventions,
    ):
        self._source, self._columns, self._rules = source, columns, rules
        self._names, self._ids, self._options = names, ids, options
        self._value, self._timeless = value, conventions.timeless
        self._birth = _table(0 if event == conventions.birth else None for event, _ in names.codes)
        self._births: dict[int, float] = {}
        self._tables = [_table(rule.state_of(*pair) for pair in names.codes) for rule in rules.variables]
        self._bounds = [_table(_matching(patterns, names)) for patterns in (rules.start, rules.end)]

    def marks(self) -> Iterator[Marks]:
        """Yield the marks of whole trajectories."""
        for trajectory, row, time, event, value in whole_trajectories(self._encoded()):
            rows = Rows(trajectory, row, time, event, value)
            parts = [
                MOVES[rule.kind](rule, j, rows.chosen(table[event]), table)
                for j, (rule, table) in enumerate(zip(self._rules.variables, self._tables, strict=True))
            ]
            parts += self._observation(rows)
            yield Marks.joined(parts)

    def births(self) -> list[float]:
        """Return the time of birth of each trajectory, NaN if it is unknown; nothing if no log has any."""
        if not self._births:
            return []
        return [self._births.get(number, np.nan) for number in range(len(self._ids.ids))]

    def _encoded(self) -> Iterator[tuple[NDArray[Any], ...]]:
        columns = self._columns
        time = str(columns.time)
        numbers = [time, *([] if self._value is None else [self._value])]
        labels = [*columns.ids, *self._names.columns]
        for chunk in self._source.chunks(numbers, labels, self._options.values):
            place = chunk.place(self._source)
            trajectory = self._ids.numbers(chunk.labels.get(columns.id or ""), len(chunk.rows), place)
            times = chunk.numbers[time]
            odd = np.isinf(times) if self._timeless else ~np.isfinite(times)
            if odd.any():
                row = int(np.argmax(odd))
                fault = "the time is missing" if np.isnan(times[row]) else "the time is not finite"
                raise InputError(fault, place=place(row))
            times = np.where(np.isnan(times), LONG_AGO, times)
            value = np.full(len(times), np.nan) if self._value is None else chunk.numbers[self._value]
            yield trajectory, chunk.rows, times, self._names.of(chunk, self._source), value

    def _observation(self, rows: Rows) -> list[Marks]:
        """Return marks of no variable at the start and the end of each trajectory."""
        born = rows.chosen(self._birth[rows.event])
        born = born.part(np.isfinite(born.time)).in_order()
        born = born.part(~born.same_trajectory())
        self._births.update(zip(born.trajectory.tolist(), born.time.tolist(), strict=True))
        whole = span(rows.trajectory, np.where(self._birth[rows.event] < 0, rows.time, np.nan))
        # Somebody who is only born, or of whom only static facts are known, is observed for no time.
        nothing = np.flatnonzero(np.isnan(whole.start))
        whole.start[nothing] = [self._births.get(whole.first + k, 0.0) for k in nothing.tolist()]
        start, end = whole.start.copy(), np.where(np.isnan(whole.end), whole.start, whole.end)
        index = rows.trajectory - whole.first
        for times, table, first in ((start, self._bounds[0], True), (end, self._bounds[1], False)):
            chosen = rows.chosen(table[rows.event])
            chosen = chosen.part(np.isfinite(chosen.time))
            at = chosen.trajectory - whole.first
            if not first:
                chosen, at = chosen.part(chosen.time >= start[at]), at[chosen.time >= start[at]]
            found = np.full(len(times), np.inf)
            np.minimum.at(found, at, chosen.time)
            np.copyto(times, found, where=np.isfinite(found))
        firsts = np.searchsorted(index, np.arange(len(start)))
        row = rows.row[firsts]
        return [marks_of(whole.numbers, row, times, -1, 0) for times in (start, end)]


def _table(states: Any) -> NDArray[np.int16]:
    """Return a state for each event of the log; -1 if it moves nothing."""
    return np.array([-1 if state is None else state for state in states], np.int16)


def _matching(patterns: Sequence[str], names: _Names) -> Iterator[int | None]:
    rule = Rule("", "ever", (), (tuple(patterns),))
    return (rule.state_of(*pair) for pair in names.codes)
