"""Trajectories on disk: one uncompressed Arrow IPC file, memory-mapped on reading.

One row per trajectory, with its events in list columns: Arrow's list offsets are the offsets of
`Trajectories`, and the values of a column are one contiguous array:

    id string | start, end float64 | initial fixed_size_list<uint8> | time large_list<float64>
    variable large_list<uint8 or uint16> | old, new large_list<uint8>

The schema's metadata holds the format's version and the variables. Version 2 adds what version 1 cannot
express, and is written only where it is needed: whether there are ties, which variables have gaps, and the
roles. There is a single record batch, so
nothing is copied, and processes that open the same file share one copy in memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ctbnlab.data.trajectories import FAULTS, Trajectories, index_type
from ctbnlab.errors import InputError, reason_of
from ctbnlab.io.files import replacing
from ctbnlab.model.roles import NO_ROLES, Roles
from ctbnlab.model.variables import Variable, checked_variables

FORMAT = "ctbnlab.trajectories"
VERSION = 1
EXTENDED_VERSION = 2  # with ties, gaps or roles
# A file of this format holds no events but the options of a simulation; see `simulation.on_demand`.
RECORD_FORMAT = "ctbnlab.simulation"
RECORD_VERSION = 1
EXTENDED_VERSION = 2  # with ties, gaps or roles
ENDING = ".arrow"
_EVENT_COLUMNS = ("time", "variable", "old", "new")


class RecordedSimulation(InputError):
    """Raised on reading a file that records a simulation; whoever can simulate catches it."""

    def __init__(self, description: dict[str, Any], path: str | os.PathLike[str] | None = None):
        super().__init__("records a simulation, not events; `ctbnlab convert` runs it", path=path)
        self.description = description

    def within(self, path: str | os.PathLike[str]) -> RecordedSimulation:
        """Return the same error about a file."""
        return RecordedSimulation(self.description, path)


class _Labels(Sequence[str]):
    """The ids of trajectories as a lazy view of an Arrow array: a million of them cost nothing until used."""

    def __init__(self, array: Any):
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> _Labels: ...
    def __getitem__(self, index: int | slice) -> str | _Labels:
        if isinstance(index, slice):
            return _Labels(self._array[index])
        label: str = self._array[index].as_py()
        return label

    def __iter__(self) -> Iterator[str]:
        return iter(self._array.to_pylist())


class Extras(NamedTuple):
    """What plain trajectories do not have: ties, gaps (one entry per variable, or none) and roles."""

    ties: bool = False
    gaps: tuple[bool, ...] = ()
    roles: Roles = NO_ROLES

    def __bool__(self) -> bool:
        return bool(self.ties or any(self.gaps) or self.roles)


PLAIN = Extras()


def schema(variables: Sequence[Variable], extras: Extras = PLAIN) -> Any:
    """Return the Arrow schema of trajectories of these variables."""
    events = {name: pa.uint8() for name in _EVENT_COLUMNS}
    events["time"] = pa.float64()
    events["variable"] = pa.from_numpy_dtype(index_type(len(variables)))
    description: dict[str, Any] = {
        "format": FORMAT,
        "version": EXTENDED_VERSION if extras else VERSION,
        "variables": [{"name": name, "states": list(states)} for name, states in variables],
    }
    if extras:
        gapped = [name for (name, _), gaps in zip(variables, extras.gaps or (), strict=False) if gaps]
        description |= {"ties": extras.ties, "gaps": gapped, "roles": extras.roles.described()}
    return pa.schema(
        [
            pa.field("id", pa.string(), nullable=False),
            pa.field("start", pa.float64(), nullable=False),
            pa.field("end", pa.float64(), nullable=False),
            pa.field("initial", pa.list_(pa.uint8(), len(variables)), nullable=False),
            *(pa.field(name, pa.large_list(dtype), nullable=False) for name, dtype in events.items()),
        ],
        metadata={"ctbnlab": json.dumps(description, ensure_ascii=False)},
    )


def to_batch(trajectories: Trajectories) -> Any:
    """Return the trajectories as one Arrow record batch; compact events are not copied."""
    data = trajectories.compact()
    offsets = as_arrow(data.offsets)
    columns = [
        text_array(data.ids),
        as_arrow(data.start),
        as_arrow(data.end),
        pa.FixedSizeListArray.from_arrays(as_arrow(data.initial.reshape(-1)), data.n_variables),
        *(pa.LargeListArray.from_arrays(offsets, as_arrow(getattr(data, name))) for name in _EVENT_COLUMNS),
    ]
    extras = Extras(data.tied, data.gaps, data.roles)
    return pa.record_batch(columns, schema=schema(data.variables, extras))


def from_batch(batch: Any) -> Trajectories:
    """Check a record batch of any origin, completely, and return its trajectories as views of its memory."""
    variables, extras = described(batch.schema)
    if not batch.schema.equals(schema(variables)):
        raise InputError("the columns are not those of a trajectory file")
    # Buffers that are too small, offsets that go back, text that is not UTF-8, wrong counts of nulls.
    batch.validate(full=True)
    events = {name: batch.column(name) for name in _EVENT_COLUMNS}
    states = batch.column("initial")
    if any(array.null_count for array in (*batch.columns, states.values, *_values(events))):
        raise InputError("there are missing values")
    offsets = {name: as_numpy(column.offsets) for name, column in events.items()}
    first = offsets["time"]
    if any(not np.array_equal(first, other) for other in offsets.values()):
        raise InputError(FAULTS["event columns"])
    # `flatten` would import all of Arrow's compute functions.
    first_state = states.offset * len(variables)
    initial = as_numpy(states.values)[first_state : first_state + batch.num_rows * len(variables)]
    columns: dict[str, Any] = {
        name: as_numpy(values) for name, values in zip(events, _values(events), strict=True)
    }
    return Trajectories.from_columns(
        variables,
        _Labels(batch.column("id")),
        begin=first[:-1],
        stop=first[1:],
        start=as_numpy(batch.column("start")),
        end=as_numpy(batch.column("end")),
        initial=initial.reshape(batch.num_rows, len(variables)),
        ties=extras.ties,
        gaps=extras.gaps,
        roles=extras.roles,
        **columns,
    )


def _values(events: dict[str, Any]) -> list[Any]:
    return [column.values for column in events.values()]


# Arrow's own conversions from and to numpy import pandas if it is installed, which takes longer than most
# jobs; the following ones do not.


def as_numpy(array: Any, missing: float = 0) -> NDArray[Any]:
    """Return an Arrow array of numbers as a view of its memory, or as a copy if values are missing."""
    kind = np.dtype(str(array.type))
    if not len(array):
        return np.empty(0, kind)
    valid, numbers = array.buffers()
    values = np.frombuffer(numbers, kind, len(array), array.offset * kind.itemsize)
    if not array.null_count:
        return values
    bits = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little")
    return np.where(bits[array.offset : array.offset + len(array)], values, kind.type(missing))


def as_arrow(values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> Any:
    """Return numbers as an Arrow array that shares their memory; `missing` marks those that become null."""
    values = np.ascontiguousarray(values)
    valid = None if missing is None else pa.py_buffer(np.packbits(~missing, bitorder="little").tobytes())
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [valid, pa.py_buffer(values)])


def text_array(texts: Iterable[str]) -> Any:
    """Return strings as an Arrow array."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)


def described_variables(arrow_schema: Any) -> tuple[Variable, ...]:
    """Return the variables described in a schema's metadata; refuse a schema without a valid description."""
    return described(arrow_schema)[0]


def described(arrow_schema: Any) -> tuple[tuple[Variable, ...], Extras]:
    """Return the variables described in a schema's metadata, and ties, gaps and roles."""
    try:
        description = json.loads((arrow_schema.metadata or {})[b"ctbnlab"])
        name, version = description["format"], description["version"]
    except (TypeError, KeyError, ValueError, RecursionError):
        raise InputError("is an Arrow file, but not one of ctbnlab trajectories") from None
    if (name, version) == (RECORD_FORMAT, RECORD_VERSION):
        raise RecordedSimulation(description)
    if name != FORMAT:
        raise InputError(f"holds {name!r}, not trajectories")
    if version not in (VERSION, EXTENDED_VERSION) or isinstance(version, bool):
        raise InputError(
            f"has format version {version!r}; this program reads versions {VERSION} and {EXTENDED_VERSION}"
        )
    try:
        entries = [(entry["name"], entry["states"]) for entry in description["variables"]]
    except (TypeError, KeyError):
        entries = []
    if not entries or not all(isinstance(states, list) for _, states in entries):
        raise InputError("the description of the variables is damaged")
    variables = checked_variables(entries)
    return variables, _extras(description, variables) if version == EXTENDED_VERSION else PLAIN


def _extras(description: dict[str, Any], variables: Sequence[Variable]) -> Extras:
    ties, gapped = description.get("ties"), description.get("gaps")
    names = [variable.name for variable in variables]
    if (
        not isinstance(ties, bool)
        or not isinstance(gapped, list)
        or not all(name in names for name in gapped)
    ):
        raise InputError("the description of ties and gaps is damaged")
    roles = Roles.from_description(description.get("roles"))
    gaps = tuple(name in gapped for name in names) if gapped else ()
    return Extras(ties, gaps, roles.checked(names))


def write(trajectories: Trajectories, path: str | os.PathLike[str]) -> None:
    """Write trajectories as an Arrow IPC file."""
    write_batch(to_batch(trajectories), path)


def write_batch(batch: Any, path: str | os.PathLike[str]) -> None:
    """Write one record batch as an uncompressed Arrow IPC file."""
    with (
        replacing(path) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, batch.schema) as writer,
    ):
        writer.write_batch(batch)


def read(path: str | os.PathLike[str]) -> Trajectories:
    """Open an Arrow IPC file of trajectories, mapped into memory, and check all of it."""
    with _opened(path) as reader:
        if reader.num_record_batches != 1:
            described_variables(reader.schema)
            raise InputError(f"has {reader.num_record_batches} record batches instead of one")
        return from_batch(reader.get_batch(0))


def read_variables(path: str | os.PathLike[str]) -> tuple[Variable, ...]:
    """Return the variables of an Arrow IPC file of trajectories without looking at the events."""
    with _opened(path) as reader:
        return described_variables(reader.schema)


def holds_events(path: str | os.PathLike[str]) -> bool:
    """Return whether an Arrow file is a store, perhaps a damaged one, and not a table of plain columns."""
    with _opened(path) as reader:
        lists = any(pa.types.is_large_list(field.type) for field in reader.schema)
        return lists or b"ctbnlab" in (reader.schema.metadata or {})


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Yield a reader of an Arrow IPC file; report damage with the file's name."""
    path = Path(path)
    if not path.stat().st_size:
        raise InputError("the file is empty", path=path)
    try:
        reader = pa.ipc.open_file(pa.memory_map(str(path)))
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"is truncated or not an Arrow file ({reason_of(error)})", path=path) from None
    try:
        yield reader
    except InputError as error:
        raise error.within(path) from None
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"is damaged ({reason_of(error)})", path=path) from None
