"""The layout of sequence data: one row per person, one column per period, each with the state in that period.

`--start` and `--end` name the first and the last of these columns; periods are numbered from 0 and last one
unit each. The variable is called `state`. All other columns are static.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ctbnlab.data.formats.assemble import Marks
from ctbnlab.data.formats.columns import recognise
from ctbnlab.data.formats.cutting import column_quantiles, state_codes
from ctbnlab.data.formats.labels import StateCodes, TrajectoryIds
from ctbnlab.data.formats.layouts.one_row import numbered, static_columns
from ctbnlab.data.formats.layouts.window import LONG_AGO, marks_of
from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import Declared, Reading, Source
from ctbnlab.errors import InputError
from ctbnlab.model.roles import Roles

STATE = "state"


def read(source: Source, declared: Declared, options: Options) -> Reading:
    """Read a table of sequences."""
    columns = recognise(source, options, ("id",))
    if columns.start is None or columns.end is None:
        raise InputError("name the first and the last column of a period with --start and --end")
    first, last = source.columns.index(columns.start), source.columns.index(columns.end)
    periods = source.columns[first : last + 1]
    if len(periods) < 2 or columns.id in periods:
        raise InputError(
            f"--start {columns.start} and --end {columns.end} must name the first and the last column of a "
            "period, in the order of the table"
        )
    static = static_columns([name for name in columns.others if name not in periods], source, options)
    if STATE in static:
        raise InputError(f"a column is called {STATE!r}, as the variable of the sequences; rename it")
    quantiles = column_quantiles(source, static, options)
    states = [
        state_codes(STATE, declared, options),
        *(state_codes(name, declared, options, name in source.labelled, quantiles) for name in static),
    ]
    ids = TrajectoryIds(options.missing_values)
    chosen = "1 static variable" if len(static) == 1 else f"{len(static)} static variables"
    return Reading(
        states,
        ids,
        _marks(source, columns.id, periods, states, ids, options),
        closing=True,
        notes=[f"{len(periods)} periods, {periods[0]!r} to {periods[-1]!r}, {chosen}"],
        outside=[None] * len(states),
        roles=Roles(static=tuple(static)),
    )


def _marks(
    source: Source,
    identity: str | None,
    periods: list[str],
    states: list[StateCodes],
    ids: TrajectoryIds,
    options: Options,
) -> Iterator[Marks]:
    static = [codes.name for codes in states[1:]]
    labels = [*([] if identity is None else [identity]), *periods, *static]
    for chunk in source.chunks([], labels, options.values):
        place = chunk.place(source)
        trajectory = numbered(chunk, identity, ids, place)
        codes = np.column_stack([states[0].codes(chunk.labels[name], place) for name in periods])
        changes = np.ones(codes.shape, bool)
        changes[:, 1:] = codes[:, 1:] != codes[:, :-1]
        person, period = np.nonzero(changes)
        count = len(chunk.rows)
        parts = [
            marks_of(trajectory[person], chunk.rows[person], period.astype(float), 0, codes[changes]),
            marks_of(trajectory, chunk.rows, np.zeros(count), -1, 0),
            marks_of(trajectory, chunk.rows, np.full(count, float(len(periods))), -1, 0),
        ]
        for j, name in enumerate(static, 1):
            found = states[j].codes(chunk.labels[name], place)
            parts.append(marks_of(trajectory, chunk.rows, np.full(count, LONG_AGO), j, found))
        yield Marks.joined(parts)
