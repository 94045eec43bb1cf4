"""CSV files, plain or gzipped: the header, the rows in chunks, and the line of a fault.

The separator is a comma, a semicolon or a tab, whichever the header uses; a byte order mark and both kinds
of line ending are accepted. A label may contain separators and quotes but no line break: a row is a line.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from ctbnlab.data.formats.cell_values import (
    BadValue,
    Values,
    not_a_number,
    numbers as as_numbers,
)
from ctbnlab.data.formats.labels import Labels, arrow_labels, is_number, labels_of
from ctbnlab.data.formats.source import SAMPLE_ROWS, Chunk, Declared, date_columns, require_distinct_columns
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError, reason_of
from ctbnlab.io.bounded import BAD_GZIP, GZIP, GZIP_ERRORS
from ctbnlab.io.files import replacing

_SEPARATORS = (",", ";", "\t")
_BLOCK_BYTES = 1 << 20  # Arrow reads some thirty blocks ahead
_MAX_LINE = 1 << 24
_VALUES = Values()

Progress = Callable[[int], None]  # receives the number of bytes read so far


def is_gzip(path: Path) -> bool:
    """Return whether a file starts with the magic bytes of gzip."""
    with path.open("rb") as file:
        return file.read(2) == GZIP


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressing it if gzipped."""
    return gzip.open(path) if is_gzip(path) else path.open("rb")  # type: ignore[return-value]


def first_line(path: Path) -> bytes:
    """Return the first line of a text file; refuse empty and binary files."""
    try:
        with open_bytes(path) as file:
            line = file.readline(_MAX_LINE)
    except GZIP_ERRORS:
        raise InputError(BAD_GZIP, path=path) from None
    if not line:
        raise InputError("the file is empty", path=path)
    if b"\0" in line[:4096]:
        raise InputError("is a binary file, not text", path=path)
    return line


def header(path: Path) -> tuple[list[str], str]:
    """Return the column names and the separator; a column without a name gets the one pandas gives it."""
    try:
        line = first_line(path).decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", path=path, place="line 1") from None
    columns: list[str] = []
    chosen = ","
    for separator in _SEPARATORS:
        with suppress(csv.Error):
            found = next(csv.reader([line], delimiter=separator), [])
            if len(found) > len(columns):
                columns, chosen = found, separator
    if len(columns) < 2:
        shown = line if len(line) < 60 else f"{line[:60]}…"
        fault = "the header has only one column; separate columns by commas, semicolons or tabs; found"
        raise InputError(f"{fault}: {shown!r}", path=path, place="line 1")
    return [name or f"Unnamed: {k}" for k, name in enumerate(columns)], chosen


class CsvSource:
    """A CSV file as a table to read."""

    def __init__(self, path: Path, progress: Progress | None = None):
        self.path = path
        self.columns, self._separator = header(path)
        self._progress = progress
        self.labelled: frozenset[str] = frozenset()
        require_distinct_columns(self.columns, "line 1")

    def place(self, row: int) -> str:
        """Return the line of a row; empty lines are not rows, but they count as lines."""
        return next((f"line {number}" for number, _ in self._lines(row)), f"row {row + 1}")

    def _lines(self, first_row: int) -> Iterator[tuple[int, bytes]]:
        """Yield line numbers and lines, starting at a row."""
        with open_bytes(self.path) as file:
            file.readline(_MAX_LINE)
            row = 0
            # A line is read up to a bound: a gzip file of a few kilobytes can hold one of gigabytes.
            for number, line in enumerate(iter(lambda: file.readline(_MAX_LINE), b""), 2):
                if line.strip(b"\r\n"):
                    if row >= first_row:
                        yield number, line
                    row += 1

    def declared(self) -> Declared:
        """Return no states: a CSV file records none."""
        return {}

    def sample(self, rows: int = SAMPLE_ROWS) -> dict[str, Labels]:
        """Return the first rows of every column; faulty lines are left to `chunks`."""
        fields: list[list[str]] = []
        with suppress(*GZIP_ERRORS, UnicodeDecodeError, csv.Error):
            for _, line in islice(self._lines(0), rows):
                found = next(csv.reader([line.decode().rstrip("\r\n")], delimiter=self._separator))
                if len(found) == len(self.columns):
                    fields.append(found)
        return {name: labels_of([row[k] for row in fields]) for k, name in enumerate(self.columns)}

    def chunks(
        self, numbers: Sequence[str], labels: Sequence[str], values: Values = _VALUES
    ) -> Iterator[Chunk]:
        """Yield the rows in chunks of a few megabytes."""
        dates = date_columns(self, numbers, values)
        plain = [name for name in numbers if name not in dates]
        row = 0
        with ExitStack() as stack:
            file = stack.enter_context(pa.OSFile(str(self.path)))
            stream = pa.CompressedInputStream(file, "gzip") if is_gzip(self.path) else file
            batches = self._batches(stream, plain, [*dates, *labels], values)
            while (batch := self._next(batches, row, plain, values)) is not None:
                yield Chunk(
                    np.arange(row, row + batch.num_rows),
                    {name: self._numbers(batch, name, values, row, name in dates) for name in numbers},
                    {name: arrow_labels(batch.column(name), name) for name in labels},
                )
                row += batch.num_rows
                if self._progress is not None:
                    self._progress(file.tell())

    def _numbers(self, batch: Any, name: str, values: Values, row: int, date: bool) -> NDArray[np.float64]:
        try:
            return as_numbers(batch.column(name), name, values, date)
        except BadValue as bad:
            raise InputError(bad.fault, path=self.path, place=self.place(row + bad.row)) from None

    def _batches(
        self, stream: Any, plain: Sequence[str], texts: Sequence[str], values: Values
    ) -> Iterator[Any]:
        label = pa.dictionary(pa.int32(), pa.string())
        names_bytes = sum(len(name) for name in self.columns)
        yield from pa.csv.open_csv(
            stream,
            pa.csv.ReadOptions(
                skip_rows=1, column_names=self.columns, block_size=max(_BLOCK_BYTES, 16 * names_bytes)
            ),
            pa.csv.ParseOptions(delimiter=self._separator),
            pa.csv.ConvertOptions(
                null_values=list(values.missing),
                strings_can_be_null=False,
                decimal_point=values.decimal,
                include_columns=list(dict.fromkeys([*plain, *texts])),
                column_types={**dict.fromkeys(texts, label), **dict.fromkeys(plain, pa.float64())},
            ),
        )

    def _next(self, batches: Iterator[Any], row: int, plain: Sequence[str], values: Values) -> Any:
        """Return the next batch; on Arrow's error, find the line and the fault and raise an input error."""
        try:
            return next(batches, None)
        except pa.ArrowInvalid as error:
            reason = reason_of(error)
        except OSError:
            if not is_gzip(self.path):
                raise
            raise InputError(BAD_GZIP, path=self.path) from None
        try:
            for number, line in self._lines(row):
                if fault := self._fault(line, plain, values):
                    raise InputError(fault, path=self.path, place=f"line {number}")
        except GZIP_ERRORS:
            raise InputError(BAD_GZIP, path=self.path) from None
        raise InputError(f"cannot be read as CSV ({reason})", path=self.path)

    def _fault(self, line: bytes, plain: Sequence[str], values: Values) -> str | None:
        if len(line) == _MAX_LINE:
            return f"is longer than {_MAX_LINE:,} bytes"
        try:
            text = line.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            return "is not UTF-8 text"
        if "\r" in text:
            return "contains a carriage return"
        try:
            fields = next(csv.reader([text], delimiter=self._separator, strict=True))
        except csv.Error:
            return "a quoted field is not closed on the same line"
        if len(fields) != len(self.columns):
            return f"has {len(fields)} fields instead of {len(self.columns)}"
        for name in plain:
            text = fields[self.columns.index(name)].strip()
            point = text.replace(values.decimal, ".", 1) if values.decimal != "." else text
            if text not in values.missing and not is_number(point):
                return not_a_number(name, text)
        return None


@contextmanager
def output_stream(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Yield a byte stream that becomes the file at `path`, gzipped if the name ends in .gz."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        if Path(path).suffix == ".gz":
            # Neither name nor timestamp in the header: the same data give the same bytes.
            with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as stream:
                yield stream
        else:
            yield file


def write(batches: Iterable[Any], data: Trajectories, path: str | os.PathLike[str]) -> None:
    """Write record batches of `data` as CSV; separated by tabs if the extension is .tsv."""
    separator = "\t" if ".tsv" in Path(path).suffixes[-2:] else ","
    quoting = _quoting(data, separator)
    with output_stream(path) as stream, ExitStack() as stack:
        writer = None
        for batch in batches:
            if writer is None:
                names = io.StringIO()
                csv.writer(names, delimiter=separator, lineterminator="\n").writerow(batch.schema.names)
                stream.write(names.getvalue().encode())
                options = pa.csv.WriteOptions(
                    include_header=False, delimiter=separator, quoting_style=quoting
                )
                writer = stack.enter_context(pa.csv.CSVWriter(stream, batch.schema, write_options=options))
            writer.write(batch)


def _quoting(data: Trajectories, separator: str) -> str:
    """Return Arrow's quoting style: "needed" if a label needs quotes, else "none"; refuse line breaks."""
    style = "none"
    for text in chain(data.names, data.ids, *(variable.states for variable in data.variables)):
        if "\n" in text or "\r" in text:
            raise InputError(f"the label {text!r} contains a line break, which a CSV file cannot hold")
        if separator in text or '"' in text:
            style = "needed"
    return style
