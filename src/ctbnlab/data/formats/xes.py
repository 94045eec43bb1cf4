"""XES files, plain or gzipped, as tables: one row per event, in the order of the file.

Columns are `case` (the name of the trace), `time`, `event` (its name), `lifecycle` (its transition, if any
event has one), then the other attributes of events by their keys, and those of traces as `case:KEY`. An
attribute with the name of another column is `event:KEY`.

The columns are known only after the last event, and readers pass over a table several times. XML is slow to
parse, so it is parsed once: the rows go to a temporary file of Arrow columns, and are read from there.
"""

from __future__ import annotations

import errno
import tempfile
import weakref
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import pyarrow as pa

from ctbnlab.data.formats._xes_columns import Column
from ctbnlab.data.formats.arrow_table import TableSource
from ctbnlab.data.formats.xes_events import LIFECYCLE, NAME, TIME, Attributes, EventReader, Events
from ctbnlab.errors import InputError
from ctbnlab.io.files import no_space

CASE_COLUMN, TIME_COLUMN, EVENT_COLUMN, LIFECYCLE_COLUMN = "case", "time", "event", "lifecycle"
MAX_ATTRIBUTES = 4096  # distinct keys
_MAX_CELLS = 1 << 20  # of a batch; a log may have many keys that are rare
_IN_MEMORY = 16 << 20


class Attribute(NamedTuple):
    """An attribute of events or of traces."""

    of_trace: bool
    key: str


class XesSource(TableSource):
    """An XES file as a table to read."""

    def __init__(self, path: Path, progress: Callable[[int], None] | None = None):
        reader = EventReader(path, progress)
        self._rows = _Rows(path, reader.defaults)
        weakref.finalize(self, self._rows.close)
        for events in reader.events():
            self._rows.add(events)
        self._attributes = named_columns(self._rows.attributes)
        schema = pa.schema([(name, pa.string()) for name in self._attributes])
        super().__init__(schema, self._batches_of, path, "an XES file", dates=(TIME_COLUMN,))

    def place(self, row: int) -> str:
        """Return the line on which an event begins; the file is parsed again up to there."""
        line = EventReader(Path(self.path or "")).line(row)
        return f"event {row + 1}" if line is None else f"line {line}"

    def _batches_of(self, columns: Sequence[str]) -> Iterator[Any]:
        return self._rows.batches({name: self._attributes[name] for name in columns})


def named_columns(attributes: Iterable[Attribute]) -> dict[str, Attribute]:
    """Return the attributes of a log's columns, by the columns' names, in the order of the columns."""
    found = dict.fromkeys(attributes)
    named = {
        CASE_COLUMN: Attribute(True, NAME),
        TIME_COLUMN: Attribute(False, TIME),
        EVENT_COLUMN: Attribute(False, NAME),
    }
    if Attribute(False, LIFECYCLE) in found:
        named[LIFECYCLE_COLUMN] = Attribute(False, LIFECYCLE)
    others = [attribute for attribute in found if attribute not in named.values()]
    of_traces = {f"{CASE_COLUMN}:{other.key}": other for other in others if other.of_trace}
    for other in others:
        if not other.of_trace:
            taken = other.key in (LIFECYCLE_COLUMN, *named, *of_traces)
            named[f"event:{other.key}" if taken or not other.key else other.key] = other
    return {**named, **of_traces}


class _Rows:
    """The rows of a log in a temporary file without a name, which vanishes when it is closed."""

    def __init__(self, path: Path, defaults: dict[str, Attributes]):
        self.attributes: dict[Attribute, None] = {}
        self._path = path
        self._defaults = defaults
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (see `close`)
        self._batches: list[tuple[int, int]] = []  # where each batch begins, and its bytes

    def close(self) -> None:
        """Remove the rows."""
        self._file.close()

    def add(self, events: Events) -> None:
        """Add events to the rows."""
        keys = [Attribute(True, key) for key in _union(events.traces)]
        keys += [Attribute(False, key) for key in events.columns]
        self.attributes.update(dict.fromkeys(keys))
        if len(self.attributes) > MAX_ATTRIBUTES:
            raise InputError(f"has more than {MAX_ATTRIBUTES:,} attributes", path=self._path)
        size = max(1, _MAX_CELLS // len(keys))
        for first in range(0, events.size, size):
            self._write(events, keys, first, min(first + size, events.size))

    def _write(self, events: Events, keys: list[Attribute], first: int, last: int) -> None:
        """Write the events from `first` up to `last`."""
        trace = np.searchsorted(events.starts, np.arange(first, last), side="right") - 1
        traces = events.traces[trace[0] : trace[-1] + 1]
        of_row = pa.array(trace - trace[0])
        columns = []
        for key in keys:
            default = self._default(key)
            if key.of_trace:
                column = pa.array([one.get(key.key, default) for one in traces], pa.string())
                columns.append(column.dictionary_encode().take(of_row))
            else:
                texts = _texts(events.columns[key.key], first, last, default)
                # Few times occur twice: codes would only cost time.
                columns.append(texts if key.key == TIME else texts.dictionary_encode())
        batch = pa.RecordBatch.from_arrays(columns, [_field(key) for key in keys])
        buffer = pa.BufferOutputStream()
        with pa.ipc.new_stream(buffer, batch.schema) as stream:
            stream.write_batch(batch)
        content = buffer.getvalue()
        try:
            begin = self._file.seek(0, 2)
            self._file.write(content)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise no_space(Path(tempfile.gettempdir()), self._path) from None
            raise
        self._batches.append((begin, content.size))

    def batches(self, columns: dict[str, Attribute]) -> Iterator[Any]:
        """Yield the rows, with some of their attributes as columns."""
        for begin, size in self._batches:
            self._file.seek(begin)
            batch = pa.ipc.open_stream(self._file.read(size)).read_next_batch()
            names = batch.schema.names
            arrays = [
                batch.column(_field(key)) if _field(key) in names else self._absent(key, batch.num_rows)
                for key in columns.values()
            ]
            yield pa.RecordBatch.from_arrays(arrays, list(columns))

    def _default(self, key: Attribute) -> str | None:
        return self._defaults["trace" if key.of_trace else "event"].get(key.key)

    def _absent(self, key: Attribute, rows: int) -> Any:
        """Return a column of an attribute that no event of a batch has."""
        default = self._default(key)
        codes = pa.array([None if default is None else 0] * rows, pa.int32())
        return pa.DictionaryArray.from_arrays(codes, pa.array([default or ""]))


def _field(key: Attribute) -> str:
    return f"{'trace' if key.of_trace else 'event'} {key.key}"


def _texts(column: Column, first: int, last: int, default: str | None) -> Any:
    """Return the values of the events from `first` up to `last`; those that have none have the default."""
    if column.rows is None:
        values = column.values[first:last]
        rows = np.arange(len(values))
    else:
        begin, end = bisect_left(column.rows, first), bisect_left(column.rows, last)
        values = column.values[begin:end]
        rows = np.array(column.rows[begin:end], np.int64) - first
    if len(values) == last - first:
        return pa.array(values, pa.string())
    places = np.full(last - first, len(values))
    places[rows] = np.arange(len(values))
    return pa.array([*values, default], pa.string()).take(pa.array(places))


def _union(found: Iterable[Attributes]) -> Attributes:
    """Return one dictionary with all keys, in the order of their first occurrence."""
    union: Attributes = {}
    for attributes in found:
        union.update(attributes)
    return union
