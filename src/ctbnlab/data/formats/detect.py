"""Detect the format of a file: by the name the user gave, by its extension, else by its content.

A format is a layout in a container. The container (Arrow, Parquet, CSV, JSON or XES, the last three possibly
gzipped) is detected from the extension or the first bytes, the layout of a CSV or Parquet file from its
columns. A folder of Parquet or CSV files is one table in that container.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ctbnlab.errors import InputError

if TYPE_CHECKING:
    from ctbnlab.data.formats.request import Options

_EXTENSIONS = {
    ".arrow": "arrow",
    ".feather": "arrow",
    ".parquet": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".xes": "xes",
}
# The containers that can hold each layout; the first is used if the extension names none.
_CONTAINERS = {
    "events": ("arrow", "parquet"),
    "wide": ("csv", "parquet", "arrow"),
    "long": ("csv", "parquet", "arrow"),
    "intervals": ("csv", "parquet", "arrow"),
    "start_stop": ("csv", "parquet", "arrow"),
    "event_log": ("csv", "parquet", "arrow", "xes"),
    **dict.fromkeys(("person", "period", "sequence", "meds"), ("csv", "parquet", "arrow")),
    "pyagrum": ("csv",),
    "pyctbn": ("json",),
}
_READ_ONLY = {"xes", *_CONTAINERS} - {"events", "wide", "long", "pyagrum", "pyctbn"}
_DEFAULT_LAYOUT = {"arrow": "events", "parquet": "events", "csv": "wide", "json": "pyctbn"}
_LONG_COLUMNS = {"variable", "state"}  # columns that identify the long layout
# Containers that hold one layout only.
_ONLY_LAYOUT = {"json": "pyctbn", "xes": "event_log"}
_WITH_EVENTS = {"lifecycle", "value", "numeric_value"}  # columns that an event log may have beside its events
# What the rows of a table may mean.
TABLE_LAYOUTS = tuple(name for name in _CONTAINERS if name not in ("events", "pyagrum", "pyctbn"))
# The format names a user can give; arrow and parquet mean events in that container, csv means any layout.
FORMATS = ("arrow", "parquet", "csv", "xes", *(name for name in _CONTAINERS if name != "events"))


class Kind(NamedTuple):
    """A file's container and layout; the layout is None if only the content can show it."""

    container: str
    layout: str | None


def requested_kind(format: str | None, container: str | None = None) -> Kind | None:
    """Return the kind that a format's name implies; the container is empty if the extension decides.

    A container may be named beside the layout that `format` then is.
    """
    if format is None:
        return None
    format = format.replace("-", "_")
    if format not in FORMATS:
        known = ", ".join(FORMATS).replace("_", "-")
        raise InputError(f"unknown format {format!r}; known formats: {known}")
    if format == "csv":
        return Kind("csv", None)
    if format in ("arrow", "parquet"):
        return Kind(format, "events")
    if format in _ONLY_LAYOUT:
        return Kind(format, _ONLY_LAYOUT[format])
    return Kind(container or "", format)


def container_by_extension(path: Path) -> str | None:
    """Return the container that the extension names, if any."""
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    container = _EXTENSIONS.get(plain.suffix.lower())
    if plain is not path and container in ("arrow", "parquet"):
        raise InputError(f"is gzipped, which {container} files must not be; unpack it first", path=path)
    return container


def kind_to_write(path: Path, format: str | None) -> Kind:
    """Return the kind of file to write."""
    kind, container = requested_kind(format), container_by_extension(path)
    for name in (container, *(kind or ())):
        if name in _READ_ONLY:
            shown = name.replace("_", "-")
            raise InputError(f"the format {shown} can be read, not written; write another", path=path)
    if kind is None:
        if container is None:
            extensions = ", ".join(name for name, held in _EXTENSIONS.items() if held not in _READ_ONLY)
            what = "unknown" if path.suffix else "no"
            raise InputError(f"{what} file extension; use --to or one of {extensions}", path=path)
        return Kind(container, _DEFAULT_LAYOUT[container])
    if kind.layout is None:
        kind = Kind(kind.container, _DEFAULT_LAYOUT[kind.container])
    kind = _fitting(path, kind, container)
    if kind.container == "arrow" and kind.layout != "events":
        raise InputError(f"a {path.suffix} file cannot have the format {kind.layout}", path=path)
    return kind


def kind_to_read(path: Path, format: str | None, container: str | None = None) -> Kind:
    """Return the kind of file to read; the layout is None if the content has to show it."""
    kind, container = requested_kind(format, container), container_by_extension(path)
    if kind is not None:
        return _fitting(path, kind, container)
    if container is None:
        container = _container_by_content(path)
    return Kind(container, _ONLY_LAYOUT.get(container))


def kind_of_folder(folder: Path, format: str | None, container: str | None = None) -> Kind:
    """Return the kind of the files in a folder, which are one table."""
    from ctbnlab.data.formats.shards import container_of

    kind, container = requested_kind(format, container), container_of(folder)
    if kind is None or (kind.container == container and kind.layout in (None, "events")):
        return Kind(container, None)
    if kind.container not in ("", container) or container not in _CONTAINERS[kind.layout or ""]:
        raise InputError(f"a folder of .{container} files cannot have the format {format}", path=folder)
    return Kind(container, kind.layout)


def _fitting(path: Path, kind: Kind, container: str | None) -> Kind:
    """Complete the requested kind; refuse an extension that contradicts it."""
    extension = container
    layout = kind.layout
    possible = (kind.container,) if layout is None else _CONTAINERS[layout]
    container = kind.container or container or possible[0]
    if container not in possible or (extension is not None and extension != container):
        raise InputError(f"a {path.suffix} file cannot have the format {kind.container or layout}", path=path)
    return Kind(container, layout)


def _container_by_content(path: Path) -> str:
    from ctbnlab.data.formats.csv import first_line, header

    with path.open("rb") as file:
        start = file.read(6)
    if start == b"ARROW1":
        return "arrow"
    if start[:4] == b"PAR1":
        return "parquet"
    text = first_line(path).removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] in (b"[", b"{"):
        return "json"
    if text.startswith((b"<?xml", b"<log")):
        return "xes"
    try:
        header(path)
    except InputError:
        raise InputError(
            "cannot detect the format from the extension or the content; name it with --layout",
            path=path,
        ) from None
    return "csv"


def layout_of(columns: Sequence[str], options: Options) -> str:
    """Return the layout that a table's columns imply; doubt is an error."""
    from ctbnlab.data.formats.columns import has_role, usual_names

    names = set(columns)
    if names == {"IdSample", "time", "var", "state"}:
        return "pyagrum"
    if names >= {"subject_id", "time", "code"}:
        return "meds"
    has_ends = has_role(columns, options, "start") and has_role(columns, options, "end")
    if "variable" in names and has_ends and not has_role(columns, options, "time"):
        return "intervals"
    if names >= _LONG_COLUMNS:
        others = names - _LONG_COLUMNS - usual_names(columns, options)
        if not others:
            return "long"
        raise InputError(
            f"with columns 'variable', 'state' and {min(others)!r} the table could be long or wide; "
            "name the layout with --layout"
        )
    if has_ends and options.time is None:
        if has_role(columns, options, "event"):
            return "start_stop"
        raise InputError(
            "the table has columns of starts and ends; name its layout: --layout start-stop (rows of "
            "survival analysis), person (one row per person), sequence (one column per period) or wide"
        )
    if has_role(columns, options, "time"):
        if options.rules is not None or options.event is not None:
            return "event_log"
        others = names - usual_names(columns, options) - options.elsewhere - _WITH_EVENTS
        # What ctbnlab writes is wide, and a status is a state that lasts rather than an event.
        own = {"trajectory", "time"} <= names
        is_log = len(others) == 1 and has_role(others, options, "event") and "status" not in others
        return "event_log" if is_log and not own else "wide"
    return "wide"
