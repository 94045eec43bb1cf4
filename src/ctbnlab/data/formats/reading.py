"""Read a trajectory file of any format.

Modules of single formats are imported when needed: reading an Arrow file loads neither the CSV nor the
Parquet reader.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctbnlab.data.formats.detect import Kind, kind_to_read, layout_of
from ctbnlab.data.formats.request import Options, Report, States, declared_states, require_same
from ctbnlab.errors import InputError
from ctbnlab.io.files import naming_file
from ctbnlab.io.inputs import as_file

if TYPE_CHECKING:
    from ctbnlab.data.trajectories import Trajectories
    from ctbnlab.model.variables import Variable

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

    `states` declares the states of some or all variables: a dict, a JSON file of one, or a network file.
    `ties` says what to do with simultaneous changes: "error" refuses them, "order" keeps the order of the
    rows, "jitter" spreads them at random (drawn from `seed`). Rows that change nothing are left out if
    `unchanged` is "drop" and refused if it is "error".
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
    """Read like `read`, and report what was dropped; `progress` receives the bytes of a CSV read so far."""
    options = Options(ties, unchanged, seed)
    with as_file(path) as file:
        return _load(file, format, states, options, progress)


def _load(
    path: AnyPath,
    format: str | None,
    states: States,
    options: Options,
    progress: Callable[[int], None] | None,
) -> tuple[Trajectories, Report]:
    path, kind = locate(path, format)
    declared = declared_states(states)
    with naming_file(path):
        if kind.layout == "events":
            data = _read_events(path, kind)
            require_same(declared, data.variables)
            return data, Report()
        from ctbnlab.data.formats.assemble import InMemory

        sink = InMemory()
        report = read_rows(path, kind, sink, declared, options, progress)
        return sink.result, report


def variable_names(path: AnyPath, *, format: str | None = None) -> list[str]:
    """Return the names of a file's variables, reading no more of the file than needed."""
    path, kind = locate(path, format)
    with naming_file(path):
        if kind.layout == "events":
            return [name for name, _ in _variables_of_events(path, kind)]
        source, layout = _opened(path, kind)
        return [states.name for states in layout(source, {}).states]


def locate(path: AnyPath, format: str | None) -> tuple[Path, Kind]:
    """Return the path of an existing file and its format."""
    path = Path(path)
    if path.is_dir():
        raise InputError("is a folder; name a file to read", path=path)
    path.stat()
    kind = kind_to_read(path, format)
    if kind == ("parquet", None):
        from ctbnlab.data.formats.parquet import holds_events

        kind = Kind("parquet", "events" if holds_events(path) else None)
    return path, kind


def read_rows(
    path: Path, kind: Kind, sink: Any, declared: Any, options: Options, progress: Callable[[int], None] | None
) -> Report:
    """Read a file of rows (any layout but events) into a sink, in chunks."""
    from ctbnlab.data.formats.source import read_table

    source, layout = _opened(path, kind, progress)
    if kind.container != "csv":
        declared = declared_states({**source.declared(), **declared})
    return read_table(source, layout, sink, declared, options)


def _read_events(path: Path, kind: Kind) -> Trajectories:
    if kind.container == "arrow":
        from ctbnlab.data import arrow_file

        return arrow_file.read(path)
    from ctbnlab.data.formats.parquet import read_events

    return read_events(path)


def _variables_of_events(path: Path, kind: Kind) -> Sequence[Variable]:
    if kind.container == "arrow":
        from ctbnlab.data import arrow_file

        return arrow_file.read_variables(path)
    from ctbnlab.data.formats.parquet import read_variables

    return read_variables(path)


def _opened(path: Path, kind: Kind, progress: Callable[[int], None] | None = None) -> tuple[Any, Any]:
    """Return the source of a file's rows and the function that reads their layout."""
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
