"""Tables of plain Arrow columns: Feather and Arrow files, Arrow tables, and DataFrames other than pandas'.

polars and other libraries hand over a DataFrame through Arrow's C stream; none of them is imported here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ctbnlab.data.formats.cell_values import BadValue, Values, numbers as as_numbers
from ctbnlab.data.formats.labels import Labels, arrow_labels
from ctbnlab.data.formats.request import checked_states
from ctbnlab.data.formats.source import SAMPLE_ROWS, Chunk, Declared, date_columns, require_distinct_columns
from ctbnlab.errors import InputError, reason_of

STATES = b"ctbnlab.states"  # the key of a schema's metadata that records the states of each variable
_VALUES = Values()


class TableSource:
    """Record batches of plain columns as a table to read; `open_batches` starts from the first row.

    Columns of text are dates if their first value is one; `dates` are dates in any case.
    """

    def __init__(
        self,
        schema: Any,
        open_batches: Callable[[Sequence[str]], Iterable[Any]],
        path: str | os.PathLike[str] | None = None,
        what: str = "an Arrow file",
        *,
        dates: Sequence[str] = (),
    ):
        self.path = path
        self.schema = schema
        self._open_batches = open_batches
        self._what = what
        self._dates = frozenset(dates)
        with self._damage():  # a column's name may be no text
            self.columns: list[str] = list(schema.names)
        self.labelled = frozenset(field.name for field in schema if pa.types.is_dictionary(field.type))
        require_distinct_columns(self.columns)

    def place(self, row: int) -> str:
        """Return the number of a row, counted from 1."""
        return f"row {row + 1}"

    def declared(self) -> Declared:
        """Return the states recorded in the schema's metadata."""
        recorded = (self.schema.metadata or {}).get(STATES, b"{}")
        try:
            return checked_states(json.loads(recorded))
        except (ValueError, RecursionError):
            raise InputError("the recorded states are damaged", path=self.path) from None

    def chunks(
        self, numbers: Sequence[str], labels: Sequence[str], values: Values = _VALUES
    ) -> Iterator[Chunk]:
        """Yield the rows in chunks."""
        texts = [name for name in numbers if _is_text(self.schema.field(name).type)]
        unsure = [name for name in texts if name not in self._dates]
        dates = date_columns(self, unsure, values) | self._dates if unsure else self._dates
        first = 0
        for batch in self._batches([*numbers, *labels]):
            try:
                found = {
                    name: as_numbers(batch.column(name), name, values, name in dates) for name in numbers
                }
            except BadValue as bad:
                raise InputError(bad.fault, place=self.place(first + bad.row)) from None
            columns = {name: arrow_labels(batch.column(name), name) for name in labels}
            yield Chunk(np.arange(first, first + batch.num_rows), found, columns)
            first += batch.num_rows

    def sample(self, rows: int = SAMPLE_ROWS) -> dict[str, Labels]:
        """Return the first rows of every column as labels; columns of other types are left out."""
        first = next(self._batches(self.columns), None)
        if first is None:
            first = pa.RecordBatch.from_pylist([], self.schema)
        return {name: _sampled(first.column(name).slice(0, rows), name) for name in self.columns}

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        with self._damage():
            for batch in self._open_batches(list(dict.fromkeys(columns))):
                batch.validate(full=True)  # codes of labels may lie outside their dictionary
                if batch.num_rows:
                    yield batch

    @contextmanager
    def _damage(self) -> Iterator[None]:
        try:
            yield
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            fault = f"is truncated or not {self._what} ({reason_of(error)})"
            raise InputError(fault, path=self.path) from None


def from_arrow_file(path: Path) -> TableSource:
    """Return an Arrow or Feather file of plain columns as a table to read."""
    reader = pa.ipc.open_file(pa.memory_map(str(path)))

    def batches(columns: Sequence[str]) -> Iterator[Any]:
        for k in range(reader.num_record_batches):
            yield reader.get_batch(k).select(list(columns))

    return TableSource(reader.schema, batches, path)


def from_frame(frame: Any) -> TableSource:
    """Return a DataFrame of any library that speaks Arrow as a table to read."""
    table = frame if isinstance(frame, pa.Table) else pa.table(frame)
    return TableSource(table.schema, lambda columns: table.select(list(columns)).to_batches())


def _is_text(kind: Any) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _sampled(column: Any, name: str) -> Labels:
    kind = column.type
    if pa.types.is_temporal(kind):
        column = column.cast(pa.string())
    elif pa.types.is_nested(kind) or pa.types.is_binary(kind):
        column = pa.array(
            [None if value is None else str(value) for value in column.to_pylist()], pa.string()
        )
    return arrow_labels(column, name)
