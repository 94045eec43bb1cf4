"""Tables of trajectories in any container: sources of rows to read, blocks of rows to write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ctbnlab.data.arrow_file import as_arrow, as_numpy, text_array
from ctbnlab.data.formats._rows import states_by_row
from ctbnlab.data.formats.assemble import Assembler, Marks, Sink
from ctbnlab.data.formats.labels import Labels, StateCodes, TrajectoryIds
from ctbnlab.data.formats.request import Options, Report, require_known
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.model.variables import Variable

BLOCK_ROWS = 1 << 14
Declared = Mapping[str, tuple[str, ...]]


class Chunk(NamedTuple):
    """Some rows of a table: number of the first row, trajectory labels, times, other columns."""

    first_row: int
    trajectory: Labels | None
    time: NDArray[np.float64]
    columns: Mapping[str, Labels]


class Source(Protocol):
    """A table to read."""

    columns: list[str]

    def chunks(self, trajectory: str) -> Iterator[Chunk]:
        """Yield the rows; `trajectory` is the name of the trajectory column, which may be missing."""

    def place(self, row: int) -> str:
        """Return the place of a row for an error message: "line 7"."""


class Reading(NamedTuple):
    """A table as read by one of the layouts."""

    states: list[StateCodes]
    ids: TrajectoryIds
    marks: Iterator[Marks]
    closing: bool  # each trajectory must end with a row that changes nothing


Layout = Callable[[Source, Declared], Reading]


def read_table(source: Source, layout: Layout, sink: Sink, declared: Declared, options: Options) -> Report:
    """Read a table into a sink and close the sink."""
    reading = layout(source, declared)
    names = [states.name for states in reading.states]
    require_known(declared, names)
    assembler = Assembler(names, reading.ids.ids, sink, options, source.place, closing=reading.closing)
    report = Report()
    report.dropped(assembler.run(reading.marks))
    ordered = [states.ordered() for states in reading.states]
    sink.close([variable for variable, _ in ordered], [codes for _, codes in ordered])
    return report


def require_distinct_columns(columns: Sequence[str], place: str | None = None) -> None:
    """Refuse columns without a name, or with the name of another."""
    seen: set[str] = set()
    for k, name in enumerate(columns):
        if name in seen:
            raise InputError(f"column {name!r} appears twice", place=place)
        if not name:
            raise InputError(f"column {k + 1} has no name", place=place)
        seen.add(name)


def times(column: Any) -> NDArray[np.float64]:
    """Return an Arrow column of times as float64; missing values become NaN."""
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise InputError(f"the 'time' column holds {column.type}, not numbers")
    return as_numpy(column.cast(pa.float64(), safe=False), missing=np.nan)


class Block(NamedTuple):
    """Rows to write: per trajectory one for its start, one for each event and one for its end.

    `variable` is -2 at the start and -1 at the end; `states` holds the states of all variables at each row.
    """

    trajectory: NDArray[np.int64]
    time: NDArray[np.float64]
    variable: NDArray[np.int32]
    old: NDArray[np.uint8]
    new: NDArray[np.uint8]
    states: NDArray[np.uint8]


def repeated(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each row's index `counts[row]` times, and the number of each copy, counted from 0."""
    row = np.repeat(np.arange(len(counts)), counts)
    return row, np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)


def blocks(data: Trajectories, size: int = BLOCK_ROWS) -> Iterator[Block]:
    """Yield the rows of all trajectories in blocks of `size`, to bound memory."""
    counts = data.stop - data.begin
    first = np.concatenate([[0], np.cumsum(counts + 2)])
    initial = np.ascontiguousarray(data.initial)
    state = np.zeros(data.n_variables, np.uint8)
    for begin in range(0, int(first[-1]), size):
        row = np.arange(begin, min(begin + size, int(first[-1])))
        trajectory = np.searchsorted(first, row, "right") - 1
        step = row - first[trajectory]
        starts, ends = step == 0, step == counts[trajectory] + 1
        event = np.where(starts | ends, 0, data.begin[trajectory] + step - 1)
        if not len(data.time):
            old = new = np.zeros(len(row), np.uint8)
            variable = np.zeros(len(row), np.int32)
            time = np.zeros(len(row))
        else:
            time, variable = data.time[event], data.variable[event].astype(np.int32)
            old, new = data.old[event], data.new[event]
        time = np.where(starts, data.start[trajectory], np.where(ends, data.end[trajectory], time))
        variable = np.where(starts, np.int32(-2), np.where(ends, np.int32(-1), variable))
        states = states_by_row(trajectory, variable, new, initial, state)
        yield Block(trajectory, time, variable, old, new, states)


def id_column(data: Trajectories, trajectory: NDArray[np.int64]) -> Any:
    """Return the column of trajectory labels for rows of the given trajectories."""
    first, last = int(trajectory[0]), int(trajectory[-1])
    return pa.DictionaryArray.from_arrays(
        as_arrow((trajectory - first).astype(np.int32)),
        text_array(data.ids[first : last + 1]),
    ).cast(pa.string())


def state_column(variable: Variable, codes: NDArray[np.uint8]) -> Any:
    """Return a column of one variable's states, as an Arrow dictionary."""
    return pa.DictionaryArray.from_arrays(as_arrow(codes.astype(np.int16)), text_array(variable.states))


def require_distinct_ids(data: Trajectories) -> None:
    """Refuse trajectory labels that are empty or not unique."""
    ids = list(data.ids)
    if "" in ids:
        raise InputError("a trajectory has an empty label, which a table cannot hold; label it")
    if len(set(ids)) < len(ids):
        twice = next(label for k, label in enumerate(ids) if label in set(ids[:k]))
        raise InputError(f"two trajectories have the label {twice!r}; labels must be unique in a table")
