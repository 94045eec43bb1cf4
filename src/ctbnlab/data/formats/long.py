"""The long layout: `trajectory,time,variable,state`, one row per event.

At a trajectory's first time, one row per variable gives the initial state; each later row gives the variable
that changes and its new state. The end of observation is a closing row with empty variable and state, or a
last row that repeats a variable's state. A trajectory without an end is refused: the duration of its last
state would be unknown. The rows of a trajectory are contiguous. The `trajectory` column may be missing if
there is one trajectory only.

The variables are those in the first trajectory's initial state, in that order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ctbnlab.data.arrow_file import as_arrow, text_array
from ctbnlab.data.formats.assemble import Marks
from ctbnlab.data.formats.labels import Labels, StateCodes, TrajectoryIds
from ctbnlab.data.formats.source import (
    Chunk,
    Declared,
    Reading,
    Source,
    blocks,
    id_column,
    repeated,
    require_distinct_ids,
)
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError

TRAJECTORY, TIME, VARIABLE, STATE = COLUMNS = ("trajectory", "time", "variable", "state")


def read(source: Source, declared: Declared) -> Reading:
    """Read a table of the long layout."""
    return read_columns(source, declared, TRAJECTORY, VARIABLE, STATE)


def read_columns(source: Source, declared: Declared, trajectory: str, variable: str, state: str) -> Reading:
    """Read a table with one row per event and the given column names."""
    for name in (variable, state):
        if name not in source.columns:
            raise InputError(f"no {name!r} column; found: {', '.join(source.columns)}")
    chunks = source.chunks(trajectory)
    early, names = _initial_names(chunks, variable)
    if early and not names:
        fault = "has no variable; start with the initial state"
        if not np.isfinite(early[0].time[0]):
            fault = "has no finite time"
        raise InputError(f"the first row {fault}", place=source.place(0))
    states = [StateCodes(name, declared.get(name)) for name in names]
    ids = TrajectoryIds()

    def marks() -> Iterator[Marks]:
        for chunk in chain(early, chunks):
            if len(chunk.time):
                yield _marks(chunk, chunk.columns[variable], chunk.columns[state], states, ids, source)

    return Reading(states, ids, marks(), closing=True)


def _initial_names(chunks: Iterator[Chunk], variable: str) -> tuple[list[Chunk], list[str]]:
    """Return the chunks that contain the first instant, and the variables named at that instant."""
    early: list[Chunk] = []
    names: dict[str, None] = {}
    first: tuple[Any, float] | None = None
    for chunk in chunks:
        if not len(chunk.time):
            continue
        early.append(chunk)
        label = _first_text(chunk.trajectory)
        if first is None:
            first = label, float(chunk.time[0])
        same = chunk.time == first[1]
        if chunk.trajectory is not None:
            same &= (chunk.trajectory.indices == chunk.trajectory.indices[0]) & (label == first[0])
        count = len(same) if same.all() else int(np.argmin(same))
        labels = chunk.columns[variable]
        for index in dict.fromkeys(labels.indices[:count].tolist()):
            if index >= 0 and labels.texts[index]:
                names[str(labels.texts[index])] = None
        if count < len(same):
            break
    return early, list(names)


def _first_text(labels: Labels | None) -> str | None:
    return None if labels is None or labels.indices[0] < 0 else labels.texts[labels.indices[0]]


def _marks(
    chunk: Chunk,
    variable: Labels,
    state: Labels,
    states: list[StateCodes],
    ids: TrajectoryIds,
    source: Source,
) -> Marks:
    def place(row: int) -> str:
        return source.place(chunk.first_row + row)

    trajectory = ids.numbers(chunk.trajectory, len(chunk.time), place)
    which = _variables(variable, [codes.name for codes in states], place)
    has_state = np.array([bool(text) for text in state.texts] + [False])[state.indices]
    if (odd := (which < 0) & has_state).any():
        row = int(np.argmax(odd))
        raise InputError("the row has a state but no variable", place=place(row))
    if (odd := (which >= 0) & ~has_state).any():
        row = int(np.argmax(odd))
        states[which[row]].code(None, partial(place, row))
    rows = np.flatnonzero(which >= 0)
    pairs, firsts, inverse = np.unique(
        which[rows].astype(np.int64) * len(state.texts) + state.indices[rows],
        return_index=True,
        return_inverse=True,
    )
    codes = np.zeros(len(pairs), np.uint8)
    for k in np.argsort(firsts).tolist():
        j, index = divmod(int(pairs[k]), len(state.texts))
        codes[k] = states[j].code(state.texts[index], partial(place, int(rows[firsts[k]])))
    new = np.zeros(len(which), np.uint8)
    new[rows] = codes[inverse]
    row_numbers = np.arange(chunk.first_row, chunk.first_row + len(which))
    return Marks(trajectory, row_numbers, chunk.time, which, new)


def _variables(labels: Labels, names: list[str], place: Any) -> NDArray[np.int32]:
    """Return the index of each row's variable, or -1 if the row names none."""
    known = {name: j for j, name in enumerate(names)}
    table = np.full(len(labels.texts) + 1, -1, np.int32)
    for index in labels.used():
        name = labels.texts[index]
        if not name:
            continue
        if name not in known:
            raise InputError(
                f"variable {name!r} has no initial state; add a row at the first time of every trajectory",
                place=place(labels.first_row(index)),
            )
        table[index] = known[name]
    return table[labels.indices]


def batches(data: Trajectories) -> Iterator[Any]:
    """Yield the trajectories as Arrow record batches of the long layout."""
    require_distinct_ids(data)
    for block in blocks(data):
        starts = block.variable == -2
        row, copy = repeated(np.where(starts, data.n_variables, 1))
        variable = np.where(starts[row], copy, block.variable[row]).astype(np.int32)
        yield pa.record_batch(
            [
                id_column(data, block.trajectory[row]),
                as_arrow(block.time[row]),
                *event_columns(data, variable, block.states[row, variable]),
            ],
            names=list(COLUMNS),
        )


def event_columns(
    data: Trajectories, variable: NDArray[np.int32], code: NDArray[np.uint8]
) -> tuple[Any, Any]:
    """Return the columns of variables and of states; both are null in rows of variable -1."""
    labels = {label: k for k, label in enumerate(dict.fromkeys(s for v in data.variables for s in v.states))}
    table = np.zeros((data.n_variables, 256), np.int32)
    for j, (_, states) in enumerate(data.variables):
        table[j, : len(states)] = [labels[label] for label in states]
    none = variable < 0
    return (
        pa.DictionaryArray.from_arrays(as_arrow(variable, none), text_array(data.names)),
        pa.DictionaryArray.from_arrays(as_arrow(table[variable, code], none), text_array(labels)),
    )
