"""CSV files, plain or gzipped: the header, the rows in chunks, and the line of a fault.

The separator is a comma, a semicolon or a tab, whichever the header uses; a byte order mark and both kinds
of line ending are accepted. A label may contain separators and quotes but no line break: a row is a line.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.csv

from ctbnlab.data.formats.labels import arrow_labels, is_number
from ctbnlab.data.formats.source import Chunk, require_distinct_columns, times
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError, reason_of
from ctbnlab.io.bounded import BAD_GZIP, GZIP, GZIP_ERRORS
from ctbnlab.io.files import replacing

_SEPARATORS = (",", ";", "\t")
_BLOCK_BYTES = 1 << 20  # Arrow reads some thirty blocks ahead
_MAX_LINE = 1 << 24

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
    """Return the column names and the separator."""
    try:
        line = first_line(path).decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", path=path, place="line 1") from None
    for separator in _SEPARATORS:
        with suppress(csv.Error):
            columns = next(csv.reader([line], delimiter=separator), [])
            if "time" in columns:
                return columns, separator
    shown = line if len(line) < 60 else f"{line[:60]}…"
    raise InputError(f"no 'time' column; found: {shown!r}", path=path, place="line 1")


class CsvSource:
    """A CSV file as a table to read."""

    def __init__(self, path: Path, progress: Progress | None = None):
        self.path = path
        self.columns, self._separator = header(path)
        self._progress = progress
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

    def chunks(self, trajectory: str) -> Iterator[Chunk]:
        """Yield the rows in chunks of a few megabytes."""
        others = [name for name in self.columns if name not in (trajectory, "time")]
        row = 0
        with ExitStack() as stack:
            file = stack.enter_context(pa.OSFile(str(self.path)))
            stream = pa.CompressedInputStream(file, "gzip") if is_gzip(self.path) else file
            batches = self._batches(stream)
            while (batch := self._next(batches, row)) is not None:
                labelled = trajectory in self.columns
                yield Chunk(
                    row,
                    arrow_labels(batch.column(trajectory), trajectory) if labelled else None,
                    times(batch.column("time")),
                    {name: arrow_labels(batch.column(name), name) for name in others},
                )
                row += batch.num_rows
                if self._progress is not None:
                    self._progress(file.tell())

    def _batches(self, stream: Any) -> Iterator[Any]:
        label = pa.dictionary(pa.int32(), pa.string())
        names_bytes = sum(len(name) for name in self.columns)
        yield from pa.csv.open_csv(
            stream,
            pa.csv.ReadOptions(
                skip_rows=1, column_names=self.columns, block_size=max(_BLOCK_BYTES, 16 * names_bytes)
            ),
            pa.csv.ParseOptions(delimiter=self._separator),
            pa.csv.ConvertOptions(
                null_values=[],
                strings_can_be_null=False,
                column_types={name: pa.float64() if name == "time" else label for name in self.columns},
            ),
        )

    def _next(self, batches: Iterator[Any], row: int) -> Any:
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
                if fault := self._fault(line):
                    raise InputError(fault, path=self.path, place=f"line {number}")
        except GZIP_ERRORS:
            raise InputError(BAD_GZIP, path=self.path) from None
        raise InputError(f"cannot be read as CSV ({reason})", path=self.path)

    def _fault(self, line: bytes) -> str | None:
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
        time = fields[self.columns.index("time")].strip()
        if not time:
            return "the time is missing"
        return None if is_number(time) else f"the time {time!r} is not a number"


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
