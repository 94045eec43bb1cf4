"""Write trajectories to a file of any format, or convert one file to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ctbnlab.data.formats.asking import Asked, options_of
from ctbnlab.data.formats.detect import Kind, kind_to_write
from ctbnlab.data.formats.reading import AnyPath, load, locate, read_rows
from ctbnlab.data.formats.request import Report, States, declared_states
from ctbnlab.io.files import naming_file, naming_output, require_writable
from ctbnlab.io.inputs import as_file

if TYPE_CHECKING:
    from ctbnlab.data.trajectories import Trajectories


def write(data: Trajectories, path: AnyPath, *, format: str | None = None) -> None:
    """Write trajectories to a file; the extension and `format` determine the format.

    By default `.csv` is wide and `.parquet` holds events; `.csv.gz` and `.json.gz` are compressed.
    """
    path = Path(path)
    require_writable(path)
    _write(data, path, kind_to_write(path, format))


def convert(
    source: AnyPath,
    target: AnyPath,
    *,
    from_format: str | None = None,
    to_format: str | None = None,
    states: States = None,
    progress: Callable[[int], None] | None = None,
    **asked: Unpack[Asked],
) -> Report:
    """Read one file and write another; a table is converted to an Arrow file in chunks.

    The keywords are those of `read`. With roles, the data are held in memory.
    """
    target = Path(target)
    require_writable(target)
    output = kind_to_write(target, to_format)
    options = options_of(asked)
    with as_file(source, folders=True) as file:
        path, kind = locate(file, from_format, options.layout)
        if output.container == "arrow" and kind.layout != "events" and not options.roles:
            from ctbnlab.data.arrow_writer import Spool

            declared = declared_states(states)
            with naming_output(target), naming_file(path), Spool(target) as spool:
                return read_rows(path, kind, spool, declared, options, progress)
        data, report = load(path, format=from_format, states=states, progress=progress, **asked)
        report.notes += _write(data, target, output).notes
        return report


def _write(data: Trajectories, path: Path, kind: Kind) -> Report:
    report = Report()
    if data.roles and kind.layout != "events":
        report.notes.append("the roles of variables are not written: only .arrow and .parquet hold them")
    with naming_output(path), naming_file(path):
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
    from ctbnlab.data.formats.layouts import long, pyagrum, wide

    if layout == "pyagrum":
        return pyagrum.batches(data, report)
    return long.batches(data) if layout == "long" else wide.batches(data)
