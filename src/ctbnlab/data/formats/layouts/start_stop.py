"""The layout of survival analysis: `id,start,stop,event,<one column per variable>`.

In each row the variables have their states from its start to its stop; what the event column tells happens at
the stop, and stays. Rows of one trajectory may touch but not overlap; between rows that do not touch, nothing
is observed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.arrow_writer import GAP
from ctbnlab.data.formats.assemble import Marks
from ctbnlab.data.formats.births import Births
from ctbnlab.data.formats.columns import (
    Columns,
    chosen_variables,
    recognise,
    require_roles,
    same_kind,
    with_end_point,
)
from ctbnlab.data.formats.cutting import column_quantiles, state_codes
from ctbnlab.data.formats.labels import StateCodes, TrajectoryIds
from ctbnlab.data.formats.layouts.happened import flag_states
from ctbnlab.data.formats.layouts.window import Spans, marks_of, whole_trajectories
from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import Declared, Reading, Source, distinct_texts


def read(source: Source, declared: Declared, options: Options) -> Reading:
    """Read a table of start/stop rows."""
    births = Births(options)
    # The event is a variable, too: naming it among the variables must not hide it.
    named = replace(options, variables=None)
    columns = recognise(source, named, ("id", "start", "end", "event", *births.wanted))
    columns = with_end_point(columns, options)
    start, end = require_roles(columns, source, "start", "end")
    births.column = columns.birth
    chosen = columns.others
    if options.variables is not None:
        chosen = tuple(name for name in options.variables if name != columns.event)
        options = replace(options, variables=chosen)
    names = chosen_variables(columns, options, source) if chosen or columns.event is None else []
    quantiles = column_quantiles(source, names, options)
    states = [state_codes(name, declared, options, name in source.labelled, quantiles) for name in names]
    if columns.event is not None:
        texts = distinct_texts(source, columns.event, options.values)
        states.append(flag_states(columns.event, texts, declared))
    ids = TrajectoryIds(options.missing_values)
    table = _Rows(source, columns, states, ids, births, options)
    return Reading(
        states,
        ids,
        table.marks(),
        closing=True,
        order=(columns.id, start),
        notes=[
            *columns.notes(len(states)),
            *same_kind(source, [start, end, *births.columns], options.values),
        ],
        births=lambda: births.times,
        outside=[None] * len(states),
        late_notes=table.late_notes,
    )


class _Rows:
    """Turns start/stop rows into marks, a few whole trajectories at a time."""

    def __init__(
        self,
        source: Source,
        columns: Columns,
        states: list[StateCodes],
        ids: TrajectoryIds,
        births: Births,
        options: Options,
    ):
        self._source, self._columns, self._states = source, columns, states
        self._ids, self._births, self._options = ids, births, options
        self._n_repeated = 0

    def late_notes(self) -> list[str]:
        """Return a note on events that changed nothing."""
        what = "1 event repeats" if self._n_repeated == 1 else f"{self._n_repeated} events repeat"
        advice = "to count them, read them as an event log with --rules"
        return [f"{what} an earlier one and change nothing; {advice}"] if self._n_repeated else []

    def marks(self) -> Iterator[Marks]:
        """Yield the marks of whole trajectories."""
        for columns in whole_trajectories(self._encoded()):
            happened = self._columns.event is not None
            # Of rows of no length at one time, those with events come first: others do not deny them.
            idle = columns[4][:, -1] == 0 if happened else np.zeros(len(columns[0]), bool)
            order = np.lexsort((columns[1], idle, columns[3], columns[2], columns[0]))
            trajectory, row, start, stop, codes = (column[order] for column in columns)
            same = np.zeros(len(row), bool)
            same[1:] = trajectory[1:] == trajectory[:-1]
            self._check(Spans(trajectory, row, start, stop), same)
            if happened:
                event = codes[:, -1].copy()
                # Whatever happened last, in this trajectory, is the state at a row's start.
                codes[:, -1] = self._before(trajectory, event, same)
                at_once = (event > 0) & (start == stop)
                codes[at_once, -1] = event[at_once]
            touches = same.copy()
            touches[1:] &= start[1:] == stop[:-1]
            parts = [
                marks_of(trajectory, row, start, -1, 0),
                marks_of(trajectory, row, stop, -1, 0),
            ]
            broken = np.flatnonzero(same & ~touches)
            at_one_time = np.zeros(len(row), bool)  # as another row: what both say may differ
            at_one_time[1:] = touches[1:] & ((start == stop)[1:] | (start == stop)[:-1])
            for j in range(len(self._states)):
                column = codes[:, j]
                changes = ~touches
                changes[1:] |= (column[1:] != column[:-1]) | at_one_time[1:]
                if happened and j == len(self._states) - 1:
                    changes = ~touches  # the change is the event itself, at the stop before
                    at = np.flatnonzero(event > 0)
                    parts.append(marks_of(trajectory[at], row[at], stop[at], j, event[at]))
                left, said = stop[broken - 1], start[broken - 1] == stop[broken - 1]
                if happened and j == len(self._states) - 1:
                    said |= event[broken - 1] > 0
                # A variable has one state at an instant: first what the row says, and then nothing is known.
                left = np.where(said, np.nextafter(left, np.inf), left)
                parts.append(marks_of(trajectory[broken], row[broken], left, j, GAP))
                parts.append(marks_of(trajectory[changes], row[changes], start[changes], j, column[changes]))
            yield Marks.joined(parts)

    def _encoded(self) -> Iterator[tuple[NDArray[Any], ...]]:
        columns = self._columns
        numbers = [str(columns.start), str(columns.end)]
        labels = [*columns.ids, *(codes.name for codes in self._states)]
        for chunk in self._source.chunks([*numbers, *self._births.columns], labels, self._options.values):
            place = chunk.place(self._source)
            trajectory = self._ids.numbers(chunk.labels.get(columns.id or ""), len(chunk.rows), place)
            self._births.take(trajectory, chunk)
            codes = np.empty((len(chunk.rows), len(self._states)), np.uint8)
            for j, of_variable in enumerate(self._states):
                codes[:, j] = of_variable.codes(chunk.labels[of_variable.name], place)
            yield trajectory, chunk.rows, *(chunk.numbers[name] for name in numbers), codes

    def _check(self, rows: Spans, same: NDArray[np.bool_]) -> None:
        unbounded = {
            "has no finite start": ~np.isfinite(rows.start),
            "has no finite end": ~np.isfinite(rows.end),
        }
        overlaps = same.copy()
        overlaps[1:] &= rows.start[1:] < rows.end[:-1]
        for faults in (unbounded, {"overlaps another row": overlaps}):
            rows.refuse("a row", faults, self._ids.ids, self._source.place)

    def _before(
        self, trajectory: NDArray[np.int64], event: NDArray[np.uint8], same: NDArray[np.bool_]
    ) -> NDArray[np.uint8]:
        """Return the state of the event's variable at the start of each row."""
        last = np.where(event > 0, np.arange(len(event)), -1)
        last = np.maximum.accumulate(np.concatenate([[-1], last[:-1]])) if len(last) else last
        found = (last >= 0) & same
        found &= trajectory[np.maximum(last, 0)] == trajectory
        before = np.where(found, event[np.maximum(last, 0)], 0).astype(np.uint8)
        self._n_repeated += int(((event > 0) & (event == before)).sum())
        return before
