"""Read a trajectory file of any format.

Modules of single formats are imported when needed: reading an Arrow file loads neither the CSV nor the
Parquet reader.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ctbnlab.data.formats.asking import Asked, options_of, require_table
from ctbnlab.data.formats.detect import Kind, kind_of_folder, kind_to_read, layout_of
from ctbnlab.data.formats.request import Options, Report, States, declared_states, require_same
from ctbnlab.errors import InputError, shown
from ctbnlab.io.files import naming_file
from ctbnlab.io.inputs import as_file

if TYPE_CHECKING:
    from ctbnlab.data.formats.assemble import Sink
    from ctbnlab.data.formats.source import Declared, Layout, Source
    from ctbnlab.data.trajectories import Trajectories
    from ctbnlab.model.variables import Variable

ROLES = ("static", "terminal", "clock", "periods", "tiers")  # options that need no table
_CONTAINERS = ("csv", "parquet", "arrow", "xes")  # formats that may have several layouts

_log = logging.getLogger(__name__)

AnyPath = str | os.PathLike[str]
Progress = Callable[[int], None]  # receives the number of bytes read so far


def read(
    data: Any,
    *,
    format: str | None = None,
    states: States = None,
    **asked: Unpack[Asked],
) -> Trajectories:
    """Read trajectories from a file of any format, or from a DataFrame (pandas, polars, Arrow).

    A folder of Parquet or CSV files is read as one table.

    `states` declares the states of some or all variables: a dict, a JSON file of one, or a network file.

    Columns: `id`, `time`, `variables`, and `start`, `end`, `event`, `birth` in layouts that have them; usual
    names are recognised. `layout` names the meaning of the rows if the columns do not show it.

    Values: `na` lists texts that are missing; `missing` says what a missing state means: "gap" (the variable
    is unobserved until its next value), "hold" (the last value holds) or "error". Dates become numbers of
    `unit` since 1970-01-01. `cut` makes states of numbers, as in {"age": [40, 60], "bmi": "quartiles"};
    `labels` are variables whose numbers are states. `decimal` is "." or ",".

    `ties` says what to do with simultaneous changes: "together" counts them under the state before, "error"
    refuses them, "order" keeps the order of the rows, "jitter" spreads them at random (drawn from `seed`).
    Rows that change nothing are left out if `unchanged` is "drop" and refused if it is "error".

    Roles: `static`, `terminal`, `clock`, `periods` and `tiers` are those of `ctbnlab convert`.

    Example:
        >>> import ctbnlab
        >>> import pandas as pd
        >>> states = {"pain": ["no", "yes", "no"], "drug": ["off", "off", "on"]}
        >>> frame = pd.DataFrame({"patient": 7, "day": [0.0, 2.5, 9.0], **states})
        >>> ctbnlab.read(frame, id="patient", time="day")
        <Trajectories: 2 variables, 1 trajectory, 3 events, time 9>
    """
    return load(data, format=format, states=states, **asked)[0]


def trajectories_of(data: Any, *, states: States = None, **asked: Unpack[Asked]) -> Trajectories:
    """Return trajectories, a list of them as one, or what `read` makes of a DataFrame or path.

    Trajectories take options about roles alone; how a table is read is settled.
    """
    from ctbnlab.data.trajectories import Trajectories

    if isinstance(data, list | tuple) and data and all(isinstance(part, Trajectories) for part in data):
        from ctbnlab.data.joining import concat

        data = concat(data)
    if not isinstance(data, Trajectories):
        return read(data, states=states, **asked)
    for name in asked:
        if name not in ROLES:
            raise InputError(f"these trajectories have been read; give {name} to ctbnlab.read")
    return with_roles(data, **asked)[0] if asked else data


def load(
    data: Any,
    *,
    format: str | None = None,
    states: States = None,
    progress: Progress | None = None,
    **asked: Unpack[Asked],
) -> tuple[Trajectories, Report]:
    """Read like `read`, and report what users should know; `progress` receives the bytes of a CSV read."""
    options = options_of(asked)
    if not isinstance(data, str | os.PathLike):
        from ctbnlab.data.formats.dataframe import load_frame

        return prepared(*load_frame(data, format, states, options), options)
    began = time.perf_counter()
    with as_file(data, folders=True) as file:
        path, kind = locate(file, format, options.layout)
        with naming_file(path):
            found, report = prepared(*_load(path, kind, states, options, asked, progress), options)
        _log.info(
            "read %s (%s): variables %d, trajectories %d, events %d; %.2f s",
            shown(path),
            kind.container if kind.layout in (None, "events") else f"{kind.container}, {kind.layout}",
            found.n_variables,
            found.n_trajectories,
            found.n_events,
            time.perf_counter() - began,
        )
        return found, report


def _load(
    path: Path, kind: Kind, states: States, options: Options, asked: Asked, progress: Progress | None
) -> tuple[Trajectories, Report]:
    declared = declared_states(states)
    if kind.layout == "events":
        require_table(asked)
        data = _read_events(path, kind)
        require_same(declared, data.variables)
        return data, Report()
    from ctbnlab.data.formats.assemble import InMemory

    sink = InMemory()
    report = read_rows(path, kind, sink, declared, options, progress)
    return sink.result, report


def with_roles(
    data: Trajectories, *, format: str | None = None, states: States = None, **asked: Unpack[Asked]
) -> tuple[Trajectories, Report]:
    """Give the variables of data that come from no file the roles that `read` would give them."""
    if format is not None or states is not None:
        require_same(declared_states(states), data.variables)
    require_table(asked)
    return prepared(data, Report(), options_of(asked))


def prepared(data: Trajectories, report: Report, options: Options) -> tuple[Trajectories, Report]:
    """Give the variables the roles that were asked for."""
    if options.roles:
        from ctbnlab.data.prepare import prepare

        births = np.array(report.births) if len(report.births) else None
        data, notes = prepare(data, replace(options.roles, births=births))
        report.notes += notes
    return data, report


def wanted_format(format: str | None, layout: str | None) -> str | None:
    """Return the one of two names of a format that says more; refuse two that contradict each other."""
    names = [name and name.replace("-", "_") for name in (layout, format)]
    if layout is not None and format not in (None, *_CONTAINERS) and names[0] != names[1]:
        raise InputError(f"the format {format!r} contradicts the layout {layout!r}; give one of them")
    return names[0] or names[1]


def variable_names(data: AnyPath, *, format: str | None = None, **asked: Unpack[Asked]) -> list[str]:
    """Return the names of a file's variables, reading no more of the file than needed."""
    options = options_of(asked)
    path, kind = locate(data, format, options.layout)
    with naming_file(path):
        if kind.layout == "events":
            return [name for name, _ in _variables_of_events(path, kind)]
        from ctbnlab.data.formats import pyctbn
        from ctbnlab.data.formats.assemble import NamesOnly
        from ctbnlab.data.formats.layouts import wide
        from ctbnlab.data.formats.source import read_table

        source, layout = _opened(path, kind, options)
        if layout in (wide.read, pyctbn.read):
            return [states.name for states in layout(source, {}, options).states]
        sink = NamesOnly()
        read_table(source, layout, sink, {}, options)
        return sink.names


def locate(path: AnyPath, format: str | None = None, layout: str | None = None) -> tuple[Path, Kind]:
    """Return the path of an existing file, or folder of files, and its format."""
    path = Path(path)
    wanted = wanted_format(format, layout)
    container = format if layout is not None and format in _CONTAINERS else None
    if path.is_dir():
        return path, kind_of_folder(path, wanted, container)
    path.stat()
    kind = kind_to_read(path, wanted, container)
    if kind == ("parquet", None):
        from ctbnlab.data.formats.parquet import holds_events

        kind = Kind("parquet", "events" if holds_events(path) else None)
    elif kind == ("arrow", None):
        from ctbnlab.data import arrow_file

        kind = Kind("arrow", "events" if arrow_file.holds_events(path) else None)
    return path, kind


def parts_of(path: AnyPath) -> list[str]:
    """Return the files of a folder that are one table, relative to it; for a file, the empty text."""
    path = Path(path)
    if not path.is_dir():
        return [""]
    from ctbnlab.data.formats.shards import container_of, shards_of

    return shards_of(path, container_of(path))


def size_of(path: AnyPath) -> int:
    """Return the bytes of a file, or of the files of a folder."""
    return sum(Path(path, name).stat().st_size for name in parts_of(path))


def read_rows(
    path: Path, kind: Kind, sink: Sink, declared: Declared, options: Options, progress: Progress | None
) -> Report:
    """Read a file of rows (any layout but events) into a sink, in chunks."""
    from ctbnlab.data.formats.source import read_table

    source, layout = _opened(path, kind, options, progress)
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


def _opened(
    path: Path, kind: Kind, options: Options, progress: Progress | None = None
) -> tuple[Source, Layout]:
    """Return the source of a file's rows and the function that reads their layout."""
    source = _source(path, kind, progress)
    return source, layout_reader(kind.layout or layout_of(source.columns, options))


def open_table(path: Path) -> Source:
    """Return the source of the rows of a file that holds a table."""
    path, kind = locate(path)
    if kind.layout == "events":
        raise InputError("holds events, not a table with columns", path=path)
    return _source(path, kind)


def _source(path: Path, kind: Kind, progress: Progress | None = None) -> Source:
    if path.is_dir():
        from ctbnlab.data.formats.shards import ShardedSource

        return ShardedSource(path, kind.container, progress)
    if kind.container == "csv":
        from ctbnlab.data.formats.csv import CsvSource

        return CsvSource(path, progress)
    if kind.container == "arrow":
        from ctbnlab.data.formats.arrow_table import from_arrow_file

        return from_arrow_file(path)
    if kind.container == "json":
        from ctbnlab.data.formats.pyctbn import PyctbnSource

        return PyctbnSource(path)
    if kind.container == "xes":
        from ctbnlab.data.formats.xes import XesSource

        return XesSource(path, progress)
    from ctbnlab.data.formats import parquet

    return parquet.source(path)


def layout_reader(name: str) -> Layout:
    """Return the function that reads the rows of a layout."""
    from importlib import import_module

    module = "ctbnlab.data.formats.pyctbn" if name == "pyctbn" else f"ctbnlab.data.formats.layouts.{name}"
    reader: Layout = import_module(module).read
    return reader
