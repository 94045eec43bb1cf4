"""The layout of intervals: `id,variable,state,start,end`; a variable is in a state from its start to its end.

Between the intervals of a variable it is unobserved. Without a column of states, an interval is an episode:
the variable is `yes` during its intervals and `no` at other times. A trajectory is observed from its first
start to its last start or end, or as the table of people says; a missing end is the end of observation, but
one end must be known. Intervals of one variable may touch but not overlap, unless they have the same state.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.arrow_writer import GAP
from ctbnlab.data.formats.assemble import Marks
from ctbnlab.data.formats.columns import Columns, recognise, require_roles, same_kind
from ctbnlab.data.formats.cutting import state_codes
from ctbnlab.data.formats.labels import StateCodes, TrajectoryIds, codes_by_variable
from ctbnlab.data.formats.layouts.happened import made_states
from ctbnlab.data.formats.layouts.window import ONLY_START, Floats, Spans, marks_of, whole_trajectories
from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import Declared, Reading, Source, distinct_texts
from ctbnlab.errors import InputError

VARIABLE, STATE = "variable", "state"
EPISODES = ("no", "yes")


def read(source: Source, declared: Declared, options: Options) -> Reading:
    """Read a table of intervals."""
    columns = recognise(source, options, ("id", "start", "end"))
    if VARIABLE not in source.columns:
        raise InputError(f"no {VARIABLE!r} column; found: {', '.join(source.columns)}")
    start, end = require_roles(columns, source, "start", "end")
    found = distinct_texts(source, VARIABLE, options.values)
    names = list(options.variables or found)
    for name in names:
        if name not in found:
            raise InputError(f"no interval of variable {name!r}, which --variables names")
    with_states = STATE in source.columns
    states = [
        state_codes(name, declared, options, STATE in source.labelled)
        if with_states
        else made_states(name, EPISODES, declared)
        for name in names
    ]
    ids = TrajectoryIds(options.missing_values)
    table = _Intervals(source, columns, states, ids, options, with_states)
    return Reading(
        states,
        ids,
        table.marks(),
        closing=True,
        order=(columns.id, start),
        notes=[*columns.notes(len(names)), *same_kind(source, [start, end], options.values)],
        outside=[None if with_states else 0] * len(names),
        late_notes=table.late_notes,
    )


class _Intervals:
    """Turns rows of intervals into marks, a few whole trajectories at a time."""

    def __init__(
        self,
        source: Source,
        columns: Columns,
        states: list[StateCodes],
        ids: TrajectoryIds,
        options: Options,
        with_states: bool,
    ):
        self._source, self._columns, self._states = source, columns, states
        self._ids, self._options, self._with_states = ids, options, with_states
        self._n_empty = 0

    def late_notes(self) -> list[str]:
        """Return what was left out, once all marks are made."""
        what = "1 interval of no length" if self._n_empty == 1 else f"{self._n_empty} intervals of no length"
        return [f"left out {what}"] if self._n_empty else []

    def marks(self) -> Iterator[Marks]:
        """Yield the marks of whole trajectories."""
        for trajectory, row, start, end, variable, code in whole_trajectories(self._encoded()):
            # An interval without an end lasts until observation ends, or beyond: it has no mark there.
            Spans(trajectory, row, start, end).refuse(
                "the interval",
                {"has no finite start": ~np.isfinite(start), "has no finite end": np.isinf(end)},
                self._ids.ids,
                self._source.place,
            )
            end = np.where(np.isnan(end), np.inf, end)
            some = (start < end) & (variable >= 0)
            self._n_empty += int(((start == end) & (variable >= 0)).sum())
            columns = (trajectory, row, start, end, code)
            parts = [
                self._of_variable(j, *(column[some & (variable == j)] for column in columns))
                for j in range(len(self._states))
            ]
            finite = np.isfinite(end)
            ends_never = ~np.isin(trajectory, trajectory[finite])
            yield Marks.joined(
                [
                    *parts,
                    marks_of(trajectory, row, start, -1, np.where(ends_never, ONLY_START, 0)),
                    marks_of(trajectory[finite], row[finite], end[finite], -1, 0),
                ]
            )

    def _encoded(self) -> Iterator[tuple[NDArray[np.int64], ...]]:
        columns = self._columns
        numbers = [str(columns.start), str(columns.end)]
        labels = [*columns.ids, VARIABLE, *([STATE] * self._with_states)]
        known = {codes.name: j for j, codes in enumerate(self._states)}
        for chunk in self._source.chunks(numbers, labels, self._options.values):
            place = chunk.place(self._source)
            trajectory = self._ids.numbers(chunk.labels.get(columns.id or ""), len(chunk.rows), place)
            variable = chunk.labels[VARIABLE].mapped(lambda name: known.get(name or "", -1))
            missing = ~chunk.labels[VARIABLE].mapped(lambda name: self._is_present(name)).astype(bool)
            if missing.any():
                raise InputError("the variable is missing", place=place(int(np.argmax(missing))))
            code = np.ones(len(variable), np.uint8)
            if self._with_states:
                code = codes_by_variable(variable, chunk.labels[STATE], self._states, place)
            start, end = (chunk.numbers[name] for name in numbers)
            yield trajectory, chunk.rows, start, end, variable, code  # type: ignore[misc]

    def _is_present(self, name: str | None) -> bool:
        return bool(name) and name not in self._options.missing_values

    def _of_variable(
        self,
        variable: int,
        trajectory: NDArray[np.int64],
        row: NDArray[np.int64],
        start: Floats,
        end: Floats,
        code: NDArray[np.uint8],
    ) -> Marks:
        """Return the marks of one variable: where its intervals begin, and where none follows."""
        order = np.lexsort((row, start, trajectory))
        trajectory, row, code = trajectory[order], row[order], code[order]
        start, end = start[order], end[order]
        same = np.zeros(len(order), bool)
        same[1:] = trajectory[1:] == trajectory[:-1]
        # The latest end so far, in this trajectory: an interval may lie within an earlier one.
        by_end = np.argsort(end, kind="stable")
        rank = np.empty(len(end), np.int64)
        rank[by_end] = np.arange(len(end))
        reached = end[by_end[np.maximum.accumulate(trajectory * len(end) + rank) % max(len(end), 1)]]
        overlaps = np.zeros(len(order), bool)
        overlaps[1:] = same[1:] & (start[1:] < reached[:-1])
        clash = np.flatnonzero(overlaps[1:] & (code[1:] != code[:-1])) + 1
        if len(clash):
            k = int(clash[0])
            codes = self._states[variable]
            first, second = (codes.label(int(c)) for c in (code[k - 1], code[k]))
            raise InputError(
                f"variable {codes.name!r} of trajectory {self._ids.ids[int(trajectory[k])]!r} is "
                f"{first!r} and {second!r} at the same time",
                place=self._source.place(int(row[k])),
            )
        # An end is one unless an interval follows at once, or goes on.
        last = np.ones(len(order), bool)
        last[:-1] = ~(same[1:] & (start[1:] <= reached[:-1]))
        last &= np.isfinite(reached)
        outside = GAP if self._with_states else 0
        return Marks.joined(
            [
                marks_of(trajectory[last], row[last], reached[last], variable, outside),
                marks_of(trajectory, row, start, variable, code),
            ]
        )
