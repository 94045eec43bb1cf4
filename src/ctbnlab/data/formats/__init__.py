"""Readers and writers of trajectories: one file a format.

    data = ctbnlab.read("data.csv")          # any format, told by its ending or content
    ctbnlab.write(data, "data.parquet")
    formats.convert("big.csv", "big.arrow")  # chunk by chunk: the file may be larger than memory

Formats: `arrow` (the store itself, mapped into memory), `parquet` (the same, compressed), `wide` and
`long` (CSV or Parquet), `pyagrum` (CSV), `pyctbn` (JSON); pandas is in `formats.dataframe`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctbnlab.data.formats.declared import States, declared_states, require_same
from ctbnlab.data.formats.detect import FORMATS, Kind, layout_of, to_read, to_write
from ctbnlab.data.formats.options import Options, Report
from ctbnlab.errors import InputError
from ctbnlab.io.files import require_folder_of

if TYPE_CHECKING:
    from ctbnlab.data.trajectories import Trajectories

__all__ = ["FORMATS", "convert", "load", "read", "variable_names", "write"]

AnyPath = str | os.PathLike[str]


def read(
    path: AnyPath,
    *,
    format: str | None = None,
    states: States = None,
    ties: str = "error",
    unchanged: str = "drop",
    seed: int = 0,
) -> Trajectories:
    """Read trajectories from a file of any format.

    `states` declares the states of some or all variables: a dict, or a JSON file of one or of a network.
    `ties`: two changes at one instant are an "error", or told apart by "order" or "jitter" (drawn from
    `seed`). `unchanged`: rows that change nothing are left out ("drop") or refused ("error").
    """
    return load(path, format=format, states=states, ties=ties, unchanged=unchanged, seed=seed)[0]


def load(
    path: AnyPath,
    *,
    format: str | None = None,
    states: States = None,
    ties: str = "error",
    unchanged: str = "drop",
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> tuple[Trajectories, Report]:
    """Read as `read` does, and report what was left out; `progress` is told the bytes read of a CSV."""
    options = Options(ties, unchanged, seed)
    path, kind = _input(path, format)
    declared = declared_states(states)
    with _within(path):
        if kind.layout == "events":
            data = _read_events(path, kind)
            require_same(declared, data.variables)
            return data, Report()
        from ctbnlab.data.formats.assemble import InMemory

        sink = InMemory()
        report = _read_rows(path, kind, sink, declared, options, progress)
        return sink.result, report


def write(data: Trajectories, path: AnyPath, *, format: str | None = None) -> None:
    """Write trajectories to a file; the ending tells the format, or its container where one is named.

    `.csv` is wide and `.parquet` holds events unless `format` says otherwise; `.gz` after `.csv` or
    `.json` compresses.
    """
    _write(data, Path(path), to_write(Path(path), format))


def convert(
    source: AnyPath,
    target: AnyPath,
    *,
    from_format: str | None = None,
    to_format: str | None = None,
    states: States = None,
    ties: str = "error",
    unchanged: str = "drop",
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Read one file and write another; a table becomes an Arrow file chunk by chunk."""
    target = require_folder_of(target)
    output = to_write(target, to_format)
    path, kind = _input(source, from_format)
    if output.container == "arrow" and kind.layout != "events":
        from ctbnlab.data.arrow_writer import Spool

        options, declared = Options(ties, unchanged, seed), declared_states(states)
        with _naming(target), _within(path), Spool(target) as spool:
            return _read_rows(path, kind, spool, declared, options, progress)
    data, report = load(
        path,
        format=from_format,
        states=states,
        ties=ties,
        unchanged=unchanged,
        seed=seed,
        progress=progress,
    )
    with _within(path):
        # Opening the store does not look at every event; writing another file does.
        data.check()
    report.notes += _write(data, target, output).notes
    return report


def variable_names(path: AnyPath, *, format: str | None = None) -> list[str]:
    """Return the names of a file's variables, reading no more of it than tells them."""
    path, kind = _input(path, format)
    with _within(path):
        if kind.layout == "events":
            return list(_read_events(path, kind).names)
        source, layout = _opened(path, kind)
        return [states.name for states in layout(source, {}).states]


def _input(path: AnyPath, format: str | None) -> tuple[Path, Kind]:
    path = Path(path)
    if path.is_dir():
        raise InputError("is a folder; name a file to read", path=path)
    path.stat()
    kind = to_read(path, format)
    if kind == ("parquet", None):
        from ctbnlab.data.formats.parquet import holds_events

        kind = Kind("parquet", "events" if holds_events(path) else None)
    return path, kind


def _read_events(path: Path, kind: Kind) -> Trajectories:
    if kind.container == "arrow":
        from ctbnlab.data import arrow_file

        return arrow_file.read(path)
    from ctbnlab.data.formats.parquet import read_events

    return read_events(path)


def _read_rows(
    path: Path, kind: Kind, sink: Any, declared: Any, options: Any, progress: Callable[[int], None] | None
) -> Report:
    from ctbnlab.data.formats.source import read_table

    source, layout = _opened(path, kind, progress)
    if kind.container != "csv":
        declared = declared_states({**source.declared(), **declared})
    return read_table(source, layout, sink, declared, options)


def _opened(path: Path, kind: Kind, progress: Callable[[int], None] | None = None) -> tuple[Any, Any]:
    """Return a table's rows and the layout that understands them."""
    from ctbnlab.data.formats import long, pyagrum, wide

    source: Any
    if kind.container == "csv":
        from ctbnlab.data.formats.csv import CsvSource

        source = CsvSource(path, progress)
    elif kind.container == "json":
        from ctbnlab.data.formats.pyctbn import PyctbnSource

        source = PyctbnSource(path)
    else:
        from ctbnlab.data.formats.parquet import ParquetSource

        source = ParquetSource(path)
    layouts = {"wide": wide.read, "long": long.read, "pyagrum": pyagrum.read, "pyctbn": wide.read}
    return source, layouts[kind.layout or layout_of(source.columns)]


def _write(data: Trajectories, path: Path, kind: Kind) -> Report:
    report = Report()
    with _naming(path), _within(path):
        if kind == ("arrow", "events"):
            from ctbnlab.data import arrow_file

            arrow_file.write(data, path)
        elif kind == ("parquet", "events"):
            from ctbnlab.data.formats import parquet

            parquet.write_events(data, path)
        elif kind.container == "json":
            from ctbnlab.data.formats import pyctbn

            pyctbn.write(data, path)
        elif kind.container == "csv":
            from ctbnlab.data.formats import csv

            csv.write(_batches(data, kind.layout, report), data, path)
        else:
            from ctbnlab.data.formats import parquet

            parquet.write_rows(_batches(data, kind.layout, report), data, path)
    return report


def _batches(data: Trajectories, layout: str | None, report: Report) -> Iterator[Any]:
    from ctbnlab.data.formats import long, pyagrum, wide

    if layout == "pyagrum":
        return pyagrum.batches(data, report)
    return long.batches(data) if layout == "long" else wide.batches(data)


@contextmanager
def _within(path: Path) -> Iterator[None]:
    """Say of which file an error is."""
    try:
        yield
    except InputError as error:
        raise error.within(path) from None


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name the output in an error of the system that names no file, as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(
            error.errno, os.strerror(error.errno) if error.errno else str(error), str(path)
        ) from None
