"""The wide layout: `trajectory,time,<one column per variable>`; each row holds the states from its time on.

The first row of a trajectory is its initial state, the last the end of observation: it repeats the states of
the row before or has one change at the very end. The rows of a trajectory are contiguous. The `trajectory`
column may be missing if there is one trajectory only.

A variable cannot be called `trajectory` or `time`; nor can one be called `variable` and another `state`,
which identify the long layout. Such data are refused on writing; use the long layout.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from ctbnlab.data.arrow_file import as_arrow
from ctbnlab.data.formats.assemble import Marks
from ctbnlab.data.formats.labels import StateCodes, TrajectoryIds
from ctbnlab.data.formats.source import (
    Chunk,
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

TRAJECTORY, TIME = "trajectory", "time"


def read(source: Source, declared: Declared) -> Reading:
    """Read a table of the wide layout."""
    names = [name for name in source.columns if name not in (TRAJECTORY, TIME)]
    if not names:
        raise InputError("no variable columns besides 'time' and 'trajectory'")
    states = [StateCodes(name, declared.get(name)) for name in names]
    ids = TrajectoryIds()
    return Reading(states, ids, _marks(source, states, ids), closing=False)


def _marks(source: Source, states: list[StateCodes], ids: TrajectoryIds) -> Iterator[Marks]:
    last_states, last_trajectory = np.zeros(len(states), np.uint8), -1
    for chunk in source.chunks(TRAJECTORY):
        if not len(chunk.time):
            continue
        trajectory = ids.numbers(chunk.trajectory, len(chunk.time), _place(source, chunk))
        codes = np.empty((len(chunk.time), len(states)), np.uint8)
        for j, variable_codes in enumerate(states):
            codes[:, j] = variable_codes.codes(chunk.columns[variable_codes.name], _place(source, chunk))
        # The extra last column marks rows in which nothing changes.
        changed = np.empty((len(codes), len(states) + 1), bool)
        np.not_equal(codes[1:], codes[:-1], out=changed[1:, :-1])
        np.not_equal(codes[0], last_states, out=changed[0, :-1])
        changed[np.diff(trajectory, prepend=last_trajectory) != 0, :-1] = True
        np.logical_not(changed[:, :-1].any(axis=1), out=changed[:, -1])
        row, variable = np.divmod(np.flatnonzero(changed), len(states) + 1)
        nothing = variable == len(states)
        variable[nothing] = 0
        new = codes[row, variable]
        variable[nothing] = -1
        yield Marks(trajectory[row], chunk.first_row + row, chunk.time[row], variable.astype(np.int32), new)
        last_states, last_trajectory = codes[-1], int(trajectory[-1])


def _place(source: Source, chunk: Chunk) -> Any:
    return lambda row: source.place(chunk.first_row + row)


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
        yield pa.record_batch(
            [
                id_column(data, block.trajectory),
                as_arrow(block.time),
                *(state_column(variable, block.states[:, j]) for j, variable in enumerate(data.variables)),
            ],
            names=[TRAJECTORY, TIME, *data.names],
        )
