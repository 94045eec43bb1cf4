"""Tables of trajectories in any container: sources of rows to read, blocks of rows to write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ctbnlab.data.arrow_file import as_arrow, text_array
from ctbnlab.data.formats._rows import states_by_row
from ctbnlab.data.formats.assemble import Assembler, Marks, Sink
from ctbnlab.data.formats.cell_values import Values, first_value, is_date
from ctbnlab.data.formats.labels import (
    Labels,
    Place,
    StateCodes,
    TrajectoryIds,
    Unsorted,
    sorted_labels,
)
from ctbnlab.data.formats.request import Options, Report, require_known
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.model.roles import NO_ROLES, Roles
from ctbnlab.model.variables import Variable

BLOCK_ROWS = 1 << 14
SAMPLE_ROWS = 1000
Declared = Mapping[str, tuple[str, ...]]
_VALUES = Values()


class Chunk(NamedTuple):
    """Some rows of a table: their numbers in the file, and the columns asked for.

    `numbers` has NaN where a value is missing; labels are as in the file: which are missing is decided later.
    """

    rows: NDArray[np.int64]
    numbers: Mapping[str, NDArray[np.float64]]
    labels: Mapping[str, Labels]

    def place(self, source: Source) -> Place:
        """Return the function from an index in this chunk to the row's place in the file."""
        return lambda index: source.place(int(self.rows[index]))


class Source(Protocol):
    """A table to read. `labelled` are the columns whose type declares labels, such as categories."""

    columns: list[str]
    labelled: frozenset[str]

    def chunks(
        self, numbers: Sequence[str], labels: Sequence[str], values: Values = _VALUES
    ) -> Iterator[Chunk]:
        """Yield the rows, with some columns as numbers (dates become numbers) and some as labels."""

    def sample(self, rows: int = SAMPLE_ROWS) -> dict[str, Labels]:
        """Return the first rows of every column as labels, to recognise columns and kinds of values."""

    def declared(self) -> Declared:
        """Return the states recorded in the file."""

    def place(self, row: int) -> str:
        """Return the place of a row for an error message: "line 7"."""


class Reading(NamedTuple):
    """A table as read by one of the layouts."""

    states: list[StateCodes]
    ids: TrajectoryIds
    marks: Iterator[Marks]
    closing: bool  # each trajectory must end with a row that changes nothing
    order: tuple[str | None, str | None] = (None, None)  # the columns to sort by: id and time
    notes: Sequence[str] = ()
    births: Callable[[], Sequence[float]] = (
        list  # a time of birth per trajectory, once the marks are complete
    )
    # If given, the marks are those of whole trajectories in any order; marks of variable -1 are the first and
    # last times of observation, and each variable is in this state until its first mark (None: unknown).
    outside: Sequence[int | None] | None = None
    roles: Roles = NO_ROLES  # that the layout knows, whatever the user asks for
    late_notes: Callable[[], list[str]] = list  # asked once the marks are complete


Layout = Callable[[Source, Declared, Options], Reading]


class MoreVariables(Exception):
    """Raised while reading when a variable turns up late; all variables are known then."""

    def __init__(self, names: Sequence[str]):
        super().__init__()
        self.names = tuple(names)


def distinct_texts(source: Source, column: str, values: Values) -> list[str]:
    """Return the distinct labels of a column, sorted, without missing ones; takes a pass over the table."""
    found: set[str] = set()
    for chunk in source.chunks([], [column], values):
        labels = chunk.labels[column]
        found |= {text for text in (labels.texts[k] for k in labels.used()) if text}
    return sorted_labels(found - set(values.missing))


def date_columns(source: Source, names: Sequence[str], values: Values) -> set[str]:
    """Return the columns whose first value is a date; those without one in the sample are read further."""
    found: set[str] = set()
    undecided = list(names)

    def decide(columns: Mapping[str, Labels]) -> None:
        for name in tuple(undecided):
            first = first_value(columns[name], values)
            if first is not None:
                undecided.remove(name)
                if is_date(first):
                    found.add(name)

    decide(source.sample())
    if undecided:
        for chunk in source.chunks([], undecided, values):
            decide(chunk.labels)
            if not undecided:
                break
    return found


def read_table(source: Source, layout: Layout, sink: Sink, declared: Declared, options: Options) -> Report:
    """Read a table into a sink and close the sink.

    Sorted rows are read once. Others are sorted when the first fault in their order is met, and read again.
    """
    people = None
    if options.people is not None:
        from ctbnlab.data.formats.layouts.people import read_people

        people = read_people(options.people, declared, options)
        if options.people == str(getattr(source, "path", None)):
            people.notes.clear()  # its other columns are used, of course
        options = people.rest(options, source.columns)
    with ExitStack() as stack:
        notes: list[str] = []
        in_order = False
        while True:
            reading = layout(source, {**source.declared(), **declared}, options)
            if people is not None or reading.outside is not None:
                from ctbnlab.data.formats.layouts.join import joined

                reading = joined(reading, people, source, options, in_order=in_order)
            try:
                report = _read(reading, source, sink, declared, options)
            except Unsorted:
                from ctbnlab.data.formats.sorting import SortedSource

                identity, time = reading.order
                if identity is None or time is None or in_order:
                    raise InputError("the rows are not in order; sort them") from None
                source = stack.enter_context(SortedSource(source, identity, time, options))
                in_order = True
                notes.append(f"rows were not sorted; sorted by {identity!r} and {time!r}")
            except MoreVariables as more:
                options = replace(options, variables=more.names)
            else:
                report.notes[:0] = notes
                return report
            sink.restart()


def _read(reading: Reading, source: Source, sink: Sink, declared: Declared, options: Options) -> Report:
    names = [states.name for states in reading.states]
    require_known(declared, names)
    _require_variables(names, options)
    assembler = Assembler(
        reading.states,
        reading.ids.ids,
        sink,
        options,
        source.place,
        closing=reading.closing,
        sortable=reading.order[0] is not None,
    )
    report = Report(list(reading.notes))
    assembler.run(reading.marks, report)
    report.births = list(reading.births())
    report.notes += reading.late_notes()
    ordered = [states.ordered() for states in reading.states]
    gaps = (assembler.gaps > 0).tolist()
    sink.close(
        [variable for variable, _ in ordered],
        [codes for _, codes in ordered],
        ties=assembler.ties,
        gaps=gaps if any(gaps) else (),
        roles=reading.roles.checked(names),
    )
    return report


def _require_variables(names: Sequence[str], options: Options) -> None:
    """Refuse options about variables that the data do not have."""
    for flag, given in (("--cut", options.cut), ("--labels", options.labels)):
        for name in given:
            if name not in names:
                raise InputError(f"{flag} names {name!r}, but the data have no such variable")


def require_distinct_columns(columns: Sequence[str], place: str | None = None) -> None:
    """Refuse columns without a name, or with the name of another."""
    seen: set[str] = set()
    for k, name in enumerate(columns):
        if name in seen:
            raise InputError(f"column {name!r} appears twice", place=place)
        if not name:
            raise InputError(f"column {k + 1} has no name", place=place)
        seen.add(name)


class Block(NamedTuple):
    """Rows to write: per trajectory one for its start, one for each event and one for its end.

    `variable` is -2 at the start and -1 at the end; `states` holds the states of all variables at each row.
    An event that is followed by another one at the same time is not the `last` of its instant.
    """

    trajectory: NDArray[np.int64]
    time: NDArray[np.float64]
    variable: NDArray[np.int32]
    old: NDArray[np.uint8]
    new: NDArray[np.uint8]
    states: NDArray[np.uint8]
    last: NDArray[np.bool_]


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
        last = np.ones(len(row), bool)
        if data.tied:
            follows = np.minimum(event + 1, len(data.time) - 1)
            within = (variable >= 0) & (event + 1 < data.stop[trajectory])
            last = ~(within & (data.time[follows] == time))
        yield Block(trajectory, time, variable, old, new, states, last)


def id_column(data: Trajectories, trajectory: NDArray[np.int64]) -> Any:
    """Return the column of trajectory labels for rows of the given trajectories."""
    first, last = int(trajectory[0]), int(trajectory[-1])
    return pa.DictionaryArray.from_arrays(
        as_arrow((trajectory - first).astype(np.int32)),
        text_array(data.ids[first : last + 1]),
    ).cast(pa.string())


def state_column(variable: Variable, codes: NDArray[np.uint8]) -> Any:
    """Return a column of one variable's states, as an Arrow dictionary; null where it is unobserved."""
    missing = codes == len(variable.states)
    indices = as_arrow(codes.astype(np.int16), missing if missing.any() else None)
    return pa.DictionaryArray.from_arrays(indices, text_array(variable.states))


def require_plain(data: Trajectories, program: str) -> None:
    """Refuse data that the files of another program cannot hold."""
    if any(data.gaps):
        name = data.names[data.gaps.index(True)]
        raise InputError(f"variable {name!r} is unobserved for a while, which {program}'s files cannot hold")
    if data.tied:
        raise InputError(
            f"several variables change at one time, which {program}'s files cannot hold; "
            "read the data with --ties jitter"
        )


def require_distinct_ids(data: Trajectories) -> None:
    """Refuse trajectory labels that are empty or not unique."""
    ids = list(data.ids)
    if "" in ids:
        raise InputError("a trajectory has an empty label, which a table cannot hold; label it")
    if len(set(ids)) < len(ids):
        twice = next(label for k, label in enumerate(ids) if label in set(ids[:k]))
        raise InputError(f"two trajectories have the label {twice!r}; labels must be unique in a table")
