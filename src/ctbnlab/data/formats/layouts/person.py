"""The layout with one row per person: when observation starts and ends, and when each event happened.

Each event is a variable that changes once: `no` before its time and `yes` after it, and `no` throughout if
the time is missing. A column of times may have another one of what happened at that time (`rel` and `rel.s`,
`rel_status`), as in multi-state data: its values are the states then, and one of them means that nothing did.
Columns of dates are events unless they have another role; `--event` names columns of numbers. A column that
`--terminal` names and that has no dates tells what happened at the end. All other columns are static.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ctbnlab.data.formats.assemble import Marks
from ctbnlab.data.formats.births import Births
from ctbnlab.data.formats.columns import Columns, recognise, require_roles, same_kind
from ctbnlab.data.formats.cutting import column_quantiles, state_codes
from ctbnlab.data.formats.labels import StateCodes, TrajectoryIds
from ctbnlab.data.formats.layouts.happened import EVER, flag_states, made_states
from ctbnlab.data.formats.layouts.one_row import numbered, static_columns
from ctbnlab.data.formats.layouts.window import LONG_AGO, ONLY_END, ONLY_START, marks_of
from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import Declared, Reading, Source, date_columns, distinct_texts
from ctbnlab.errors import InputError
from ctbnlab.model.names import parse_list
from ctbnlab.model.roles import Roles

_STATUS = (".s", "_s", ".status", "_status", ".event", "_event")


class _Event(NamedTuple):
    """A variable that changes once: the column of its time, and that of what happened, if there is one."""

    time: str
    status: str | None
    states: StateCodes


def read(source: Source, declared: Declared, options: Options) -> Reading:
    """Read a table with one row per person."""
    births = Births(options)
    columns = recognise(source, replace(options, event=None), ("id", "start", "end", "birth"))
    (end,) = require_roles(columns, source, "end")
    events = _events(source, columns, declared, options)
    births.column = columns.birth if births.wanted else None
    taken = {name for event in events for name in (event.time, event.status)}
    if options.variables is not None:
        named = {*options.variables, *options.roles.terminal}
        events = [event for event in events if event.states.name in named]
    static = static_columns([name for name in columns.others if name not in taken], source, options)
    times = [
        *([] if columns.start is None else [columns.start]),
        *dict.fromkeys(event.time for event in events),
    ]
    notes = same_kind(source, list(dict.fromkeys([end, *times, *births.columns])), options.values)
    if columns.start is None:
        if notes:
            raise InputError("observation ends at a date, but starts nowhere; name a column with --start")
        notes = ["observation starts at 0"]
    quantiles = column_quantiles(source, static, options)
    states = [
        *(event.states for event in events),
        *(state_codes(name, declared, options, name in source.labelled, quantiles) for name in static),
    ]
    if not events:
        raise InputError("no column tells when something happened; name one or more with --event")
    ids = TrajectoryIds(options.missing_values)
    listed = ", ".join(event.states.name for event in events)
    return Reading(
        states,
        ids,
        _marks(source, columns, events, states[len(events) :], ids, births, options),
        closing=True,
        notes=[*columns.notes(len(states)), f"events: {listed}", *notes],
        births=lambda: births.times,
        outside=[0] * len(events) + [None] * len(static),
        roles=Roles(static=tuple(static)),
    )


def _events(source: Source, columns: Columns, declared: Declared, options: Options) -> list[_Event]:
    """Return the columns of events, with what happened at each."""
    named = parse_list(options.event) if options.event else []
    for name in named:
        if name not in source.columns:
            raise InputError(f"no column {name!r}, which --event names; found: {', '.join(source.columns)}")
    status = status_columns(source.columns)
    dates = date_columns(source, columns.others, options.values)
    result = []
    for name in source.columns:
        if name in options.roles.terminal and name not in {*dates, *named, *status}:
            result.append(_Event(str(columns.end), name, _flags(source, name, name, declared, options)))
        elif (name in columns.others or name == columns.end) and name in status:
            result.append(_Event(name, status[name], _flags(source, name, status[name], declared, options)))
        elif name in named or name in dates:
            result.append(_Event(name, None, made_states(name, EVER, declared)))
    return result


def status_columns(columns: Sequence[str]) -> dict[str, str]:
    """Return for each column of times the one that tells what happened then, if there is one."""
    return {
        name: f"{name}{ending}"
        for ending in reversed(_STATUS)
        for name in columns
        if f"{name}{ending}" in columns
    }


def _flags(source: Source, name: str, column: str, declared: Declared, options: Options) -> StateCodes:
    try:
        return flag_states(name, distinct_texts(source, column, options.values), declared)
    except InputError as error:
        raise InputError(error.message.replace(repr(name), repr(column), 1)) from None


def _marks(
    source: Source,
    columns: Columns,
    events: list[_Event],
    static: list[StateCodes],
    ids: TrajectoryIds,
    births: Births,
    options: Options,
) -> Iterator[Marks]:
    end = str(columns.end)
    numbers = dict.fromkeys([end, *(event.time for event in events), *births.columns])
    if columns.start is not None:
        numbers[columns.start] = None
    labels = [
        *columns.ids,
        *(event.status for event in events if event.status is not None),
        *(codes.name for codes in static),
    ]
    for chunk in source.chunks(list(numbers), labels, options.values):
        place = chunk.place(source)
        trajectory = numbered(chunk, columns.id, ids, place)
        births.take(trajectory, chunk)
        count = len(chunk.rows)
        start = np.zeros(count) if columns.start is None else chunk.numbers[columns.start]
        always = np.full(count, LONG_AGO)
        parts = [
            marks_of(trajectory, chunk.rows, start, -1, ONLY_START),
            marks_of(trajectory, chunk.rows, chunk.numbers[end], -1, ONLY_END),
        ]
        for j, event in enumerate(events):
            time = chunk.numbers[event.time]
            code = np.isfinite(time).astype(np.uint8)
            if event.status is not None:
                code = event.states.codes(chunk.labels[event.status], place)
            unknown = (code > 0) & ~np.isfinite(time)
            if unknown.any():
                what = f"{event.states.name!r} happened, but its time is missing"
                raise InputError(what, place=place(int(np.argmax(unknown))))
            happened = code > 0
            parts.append(
                marks_of(trajectory[happened], chunk.rows[happened], time[happened], j, code[happened])
            )
        for j, codes in enumerate(static, len(events)):
            found = codes.codes(chunk.labels[codes.name], place)
            parts.append(marks_of(trajectory, chunk.rows, always, j, found))
        yield Marks.joined(parts)
