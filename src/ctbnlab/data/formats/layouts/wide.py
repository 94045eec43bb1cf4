"""The wide layout: `trajectory,time,<one column per variable>`; each row holds the states from its time on.

The first row of a trajectory is its initial state, the last the end of observation: it repeats the states of
the row before, or has changes at the very end. A missing value begins a gap of its variable, which its next
value ends; rows of one trajectory and time are taken together. The id column may be missing if there is one
trajectory only.

A variable cannot be called `trajectory` or `time`; nor can one be called `variable` and another `state`,
which identify the long layout. Such data are refused on writing; use the long layout.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ctbnlab.data.arrow_file import as_arrow
from ctbnlab.data.arrow_writer import GAP
from ctbnlab.data.formats.assemble import Marks
from ctbnlab.data.formats.births import Births
from ctbnlab.data.formats.columns import (
    TIME,
    TRAJECTORY,
    Columns,
    chosen_variables,
    recognise,
    require_repeated_ids,
    require_time,
    same_kind,
)
from ctbnlab.data.formats.cutting import column_quantiles, state_codes
from ctbnlab.data.formats.labels import StateCodes, TrajectoryIds
from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import (
    Declared,
    Reading,
    Source,
    blocks,
    id_column,
    require_distinct_ids,
    state_column,
)
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError


def read(source: Source, declared: Declared, options: Options) -> Reading:
    """Read a table of the wide layout."""
    births = Births(options)
    columns = recognise(source, options, ("id", "time", *births.wanted))
    time = require_time(columns, source)
    names = chosen_variables(columns, options, source)
    require_repeated_ids(columns, options, source)
    births.column = columns.birth
    if options.ties == "order":
        raise InputError(
            "--ties order needs one row per change; the columns of a wide table have no order in time; "
            "use --ties together or --ties jitter"
        )
    quantiles = column_quantiles(source, names, options)
    states = [state_codes(name, declared, options, name in source.labelled, quantiles) for name in names]
    ids = TrajectoryIds(options.missing_values)
    return Reading(
        states,
        ids,
        _marks(_instants(source, columns, states, ids, births, options), options),
        closing=False,
        order=(columns.id, time),
        notes=[*columns.notes(len(names)), *same_kind(source, [time, *births.columns], options.values)],
        births=lambda: births.times,
    )


class _Rows:
    """Rows of whole instants: trajectory, row number, time, and the codes of all variables."""

    def __init__(self, *columns: NDArray[Any]):
        self.columns = columns
        self.trajectory, self.row, self.time, self.codes = columns

    def part(self, which: slice) -> _Rows:
        return _Rows(*(column[which] for column in self.columns))

    def after(self, rows: _Rows) -> _Rows:
        return _Rows(*map(np.concatenate, zip(rows.columns, self.columns, strict=True)))

    def repeats(self) -> NDArray[np.bool_]:
        """Return for each row but the first whether it has the trajectory and time of the row before."""
        same: NDArray[np.bool_] = (self.time[1:] == self.time[:-1]) & (
            self.trajectory[1:] == self.trajectory[:-1]
        )
        return same


def _instants(
    source: Source,
    columns: Columns,
    states: list[StateCodes],
    ids: TrajectoryIds,
    births: Births,
    options: Options,
) -> Iterator[_Rows]:
    """Yield the rows in blocks that do not cut an instant."""
    names = [codes.name for codes in states]
    time = str(columns.time)
    labelled = columns.ids
    held: _Rows | None = None
    for chunk in source.chunks([time, *births.columns], [*labelled, *names], options.values):
        if not len(chunk.rows):
            continue
        place = chunk.place(source)
        trajectory = ids.numbers(chunk.labels.get(columns.id or ""), len(chunk.rows), place)
        births.take(trajectory, chunk)
        codes = np.empty((len(chunk.rows), len(states)), np.uint8)
        for j, variable_codes in enumerate(states):
            codes[:, j] = variable_codes.codes(chunk.labels[variable_codes.name], place)
        rows = _Rows(trajectory, chunk.rows, chunk.numbers[time], codes)
        if held is not None:
            rows = rows.after(held)
        different = np.flatnonzero(~rows.repeats())
        last = int(different[-1]) + 1 if len(different) else 0
        held = rows.part(slice(last, None))
        if last:
            yield rows.part(slice(last))
    if held is not None:
        yield held


def _marks(instants: Iterator[_Rows], options: Options) -> Iterator[Marks]:
    last_states, last_trajectory = np.zeros(0, np.uint8), -1
    for rows in instants:
        codes = rows.codes
        n = codes.shape[1]
        if options.ties == "together":
            _fill(codes, rows.repeats())
        # The extra last column marks rows in which nothing changes.
        changed = np.empty((len(codes), n + 1), bool)
        np.not_equal(codes[1:], codes[:-1], out=changed[1:, :-1])
        np.not_equal(codes[0], last_states if last_trajectory >= 0 else 0, out=changed[0, :-1])
        changed[np.diff(rows.trajectory, prepend=last_trajectory) != 0, :-1] = True
        np.logical_not(changed[:, :-1].any(axis=1), out=changed[:, -1])
        row, variable = np.divmod(np.flatnonzero(changed), n + 1)
        nothing = variable == n
        variable[nothing] = 0
        new = codes[row, variable]
        variable[nothing] = -1
        yield Marks(rows.trajectory[row], rows.row[row], rows.time[row], variable.astype(np.int32), new)
        last_states, last_trajectory = codes[-1], int(rows.trajectory[-1])


def _fill(codes: NDArray[np.uint8], repeats: NDArray[np.bool_]) -> None:
    """Give missing values the value of another row at the same instant, if there is one."""
    places = np.flatnonzero(repeats & ((codes[1:] == GAP) | (codes[:-1] == GAP)).any(axis=1)).tolist()
    for first, second in ((0, 1), (1, 0)):
        for k in places if first == 0 else reversed(places):
            missing = codes[k + second] == GAP
            codes[k + second][missing] = codes[k + first][missing]


def batches(data: Trajectories) -> Iterator[Any]:
    """Yield the trajectories as Arrow record batches of the wide layout."""
    names = set(data.names)
    for name in (TRAJECTORY, TIME):
        if name in names:
            raise InputError(
                f"a variable is called {name!r}, which the wide layout reserves; use the long layout"
            )
    if names >= {"variable", "state"}:
        raise InputError(
            "with variables called 'variable' and 'state' a wide table would be read as long; "
            "use the long layout"
        )
    require_distinct_ids(data)
    for block in blocks(data):
        # All changes at one instant are one row: rows of the same time may contradict each other.
        rows = block.last if data.tied else slice(None)
        if not block.last.any():
            continue
        states = block.states[rows]
        yield pa.record_batch(
            [
                id_column(data, block.trajectory[rows]),
                as_arrow(block.time[rows]),
                *(state_column(variable, states[:, j]) for j, variable in enumerate(data.variables)),
            ],
            names=[TRAJECTORY, TIME, *data.names],
        )
