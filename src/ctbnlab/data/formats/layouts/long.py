"""The long layout: `trajectory,time,variable,state`, one row per event.

At a trajectory's first time, one row per variable gives the initial state; each later row gives the variable
that changes and its new state. The end of observation is a closing row with empty variable and state, or a
last row that repeats a variable's state. A trajectory without an end is refused, unless a terminal variable
changes last: the duration of its last state would be unknown. A row with a variable and no state begins a gap
of that variable; a variable without initial state is unobserved until its first row. The id column may be
missing if there is one trajectory only.

The variables are those in the first trajectory's initial state, in that order, then others by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ctbnlab.data.arrow_file import as_arrow, text_array
from ctbnlab.data.formats.assemble import Marks
from ctbnlab.data.formats.births import Births
from ctbnlab.data.formats.columns import recognise, require_repeated_ids, require_time, same_kind
from ctbnlab.data.formats.cutting import parsed, quantile_cuts, state_codes
from ctbnlab.data.formats.labels import (
    Labels,
    Place,
    StateCodes,
    TrajectoryIds,
    codes_by_variable,
)
from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import (
    Chunk,
    Declared,
    MoreVariables,
    Reading,
    Source,
    blocks,
    distinct_texts,
    id_column,
    repeated,
    require_distinct_ids,
)
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError

VARIABLE, STATE = "variable", "state"
COLUMNS = ("trajectory", "time", VARIABLE, STATE)


class Roles(NamedTuple):
    """The columns of a table with one row per event."""

    trajectory: str | None
    time: str
    variable: str
    state: str


def read(source: Source, declared: Declared, options: Options) -> Reading:
    """Read a table of the long layout."""
    births = Births(options)
    columns = recognise(source, options, ("id", "time", *births.wanted))
    for name in (VARIABLE, STATE):
        if name not in source.columns:
            raise InputError(f"no {name!r} column; found: {', '.join(source.columns)}")
    time = require_time(columns, source)
    require_repeated_ids(columns, options, source)
    births.column = columns.birth
    reading = read_columns(source, declared, options, Roles(columns.id, time, VARIABLE, STATE), births)
    notes = [*columns.notes(len(reading.states)), *same_kind(source, [time, *births.columns], options.values)]
    return reading._replace(notes=notes, births=lambda: births.times)


def read_columns(
    source: Source, declared: Declared, options: Options, roles: Roles, births: Births | None = None
) -> Reading:
    """Read a table with one row per event and the given columns."""
    births = births or Births(options)
    labelled = [] if roles.trajectory is None else [roles.trajectory]
    chunks = source.chunks(
        [roles.time, *births.columns], [*labelled, roles.variable, roles.state], options.values
    )
    early, names = _initial_names(chunks, roles)
    if options.variables is not None:
        names = list(options.variables)
    elif early and not names:
        fault = "has no variable; start with the initial state"
        if not np.isfinite(early[0].numbers[roles.time][0]):
            fault = "has no finite time"
        raise InputError(f"the first row {fault}", place=early[0].place(source)(0))
    quantiles = _quantiles(source, roles, names, options)
    states = [
        state_codes(name, declared, options, roles.state in source.labelled, quantiles) for name in names
    ]
    ids = TrajectoryIds(options.missing_values)
    table = _Table(source, roles, states, ids, options)

    def marks() -> Iterator[Marks]:
        for chunk in chain(early, chunks):
            if len(chunk.rows):
                trajectory = table.trajectories(chunk)
                births.take(trajectory, chunk)
                yield table.marks(chunk, trajectory)

    return Reading(states, ids, marks(), closing=True, order=(roles.trajectory, roles.time))


def _quantiles(
    source: Source, roles: Roles, names: list[str], options: Options
) -> dict[str, tuple[float, ...]]:
    """Return the boundaries of the variables that are to be cut at quantiles, from a pass over the table."""
    groups = {name: cut for name in names if isinstance(cut := options.cut.get(name), int)}
    values: dict[str, list[float]] = {name: [] for name in groups}
    for chunk in source.chunks([], [roles.variable, roles.state], options.values) if groups else ():
        variable, state = chunk.labels[roles.variable], chunk.labels[roles.state]
        numbers = np.array([_number(text, options) for text in [*state.texts, None]])
        for name in set(variable.texts) & set(groups):
            rows = variable.indices == variable.texts.index(name)
            values[str(name)].extend(numbers[state.indices[rows]].tolist())
    return {name: quantile_cuts(name, np.array(values[name]), count) for name, count in groups.items()}


def _number(text: str | None, options: Options) -> float:
    number = None if not text or text in options.missing_values else parsed(text, options.decimal)
    return np.nan if number is None else number


def _initial_names(chunks: Iterator[Chunk], roles: Roles) -> tuple[list[Chunk], list[str]]:
    """Return the chunks that contain the first instant, and the variables named at that instant."""
    early: list[Chunk] = []
    names: dict[str, None] = {}
    first: tuple[Any, float] | None = None
    for chunk in chunks:
        if not len(chunk.rows):
            continue
        early.append(chunk)
        ids, times = chunk.labels.get(roles.trajectory or ""), chunk.numbers[roles.time]
        label = _first_text(ids)
        if first is None:
            first = label, float(times[0])
        same = times == first[1]
        if ids is not None:
            same &= (ids.indices == ids.indices[0]) & (label == first[0])
        count = len(same) if same.all() else int(np.argmin(same))
        labels = chunk.labels[roles.variable]
        for index in dict.fromkeys(labels.indices[:count].tolist()):
            if index >= 0 and labels.texts[index]:
                names[str(labels.texts[index])] = None
        if count < len(same):
            break
    return early, list(names)


def _first_text(labels: Labels | None) -> str | None:
    return None if labels is None or labels.indices[0] < 0 else labels.texts[labels.indices[0]]


class _Table:
    """Turns chunks of rows into marks."""

    def __init__(
        self, source: Source, roles: Roles, states: list[StateCodes], ids: TrajectoryIds, options: Options
    ):
        self._source = source
        self._roles = roles
        self._states = states
        self._ids = ids
        self._options = options
        self._known = {codes.name: j for j, codes in enumerate(states)}

    def trajectories(self, chunk: Chunk) -> NDArray[np.int64]:
        """Return the index of each row's trajectory."""
        labels = chunk.labels.get(self._roles.trajectory or "")
        return self._ids.numbers(labels, len(chunk.rows), chunk.place(self._source))

    def marks(self, chunk: Chunk, trajectory: NDArray[np.int64]) -> Marks:
        """Return the marks of a chunk."""
        place = chunk.place(self._source)
        state = chunk.labels[self._roles.state]
        which = self._variables(chunk.labels[self._roles.variable], place)
        missing = [not text or text in self._options.missing_values for text in state.texts]
        if (odd := (which == -1) & ~np.array([*missing, True])[state.indices]).any():
            raise InputError("the row has a state but no variable", place=place(int(np.argmax(odd))))
        new = codes_by_variable(which, state, self._states, place)
        return Marks(trajectory, chunk.rows, chunk.numbers[self._roles.time], np.maximum(which, -1), new)

    def _variables(self, labels: Labels, place: Place) -> NDArray[np.int32]:
        """Return the index of each row's variable; -1 if the row names none, -2 if it is to be left out."""
        table = np.full(len(labels.texts) + 1, -1, np.int32)
        for index in labels.used():
            name = labels.texts[index]
            if name and name not in self._known:
                if self._options.variables is None:
                    self._refuse_or_restart(name, place(labels.first_row(index)))
                table[index] = -2
            elif name:
                table[index] = self._known[name]
        return table[labels.indices]

    def _refuse_or_restart(self, name: str, place: str) -> None:
        if self._options.missing == "error":
            raise InputError(
                f"variable {name!r} has no initial state; add a row at the first time of every trajectory",
                place=place,
            )
        names = distinct_texts(self._source, self._roles.variable, self._options.values)
        raise MoreVariables([*self._known, *(name for name in names if name not in self._known)])


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
    """Return the columns of variables and of states; both are null in rows of variable -1.

    The state is null where the variable is unobserved.
    """
    labels = {label: k for k, label in enumerate(dict.fromkeys(s for v in data.variables for s in v.states))}
    table = np.zeros((data.n_variables, 256), np.int32)
    for j, (_, states) in enumerate(data.variables):
        table[j, : len(states)] = [labels[label] for label in states]
    none = variable < 0
    missing = none | (code == np.array([len(states) for _, states in data.variables])[variable])
    return (
        pa.DictionaryArray.from_arrays(as_arrow(variable, none), text_array(data.names)),
        pa.DictionaryArray.from_arrays(as_arrow(table[variable, code], missing), text_array(labels)),
    )
