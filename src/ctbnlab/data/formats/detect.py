"""Detect the format of a file: by the name the user gave, by its extension, else by its content.

A format is a layout in a container. The container (Arrow, Parquet, CSV or JSON, the last two possibly
gzipped) is detected from the extension or the first bytes, the layout of a CSV or Parquet file from its
columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ctbnlab.errors import InputError

_EXTENSIONS = {".arrow": "arrow", ".parquet": "parquet", ".csv": "csv", ".tsv": "csv", ".json": "json"}
# The containers that can hold each layout; the first is used if the extension names none.
_CONTAINERS = {
    "events": ("arrow", "parquet"),
    "wide": ("csv", "parquet"),
    "long": ("csv", "parquet"),
    "pyagrum": ("csv",),
    "pyctbn": ("json",),
}
_DEFAULT_LAYOUT = {"arrow": "events", "parquet": "events", "csv": "wide", "json": "pyctbn"}
_LONG_COLUMNS = {"time", "variable", "state"}  # columns that identify the long layout
# The format names a user can give; arrow and parquet mean events in that container, csv means any layout.
FORMATS = ("arrow", "parquet", "csv", "wide", "long", "pyagrum", "pyctbn")


class Kind(NamedTuple):
    """A file's container and layout; the layout is None if only the content can show it."""

    container: str
    layout: str | None


def requested_kind(format: str | None) -> Kind | None:
    """Return the kind that a format's name implies; the container is empty if the extension decides."""
    if format is None:
        return None
    if format not in FORMATS:
        raise InputError(f"unknown format {format!r}; known formats: {', '.join(FORMATS)}")
    if format == "csv":
        return Kind("csv", None)
    return Kind(format, "events") if format in ("arrow", "parquet") else Kind("", format)


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
    if kind is None:
        if container is None:
            extensions = ", ".join(_EXTENSIONS)
            what = "unknown" if path.suffix else "no"
            raise InputError(f"{what} file extension; use --to or one of {extensions}", path=path)
        return Kind(container, _DEFAULT_LAYOUT[container])
    if kind.layout is None:
        kind = Kind(kind.container, _DEFAULT_LAYOUT[kind.container])
    return _fitting(path, kind, container)


def kind_to_read(path: Path, format: str | None) -> Kind:
    """Return the kind of file to read; the layout is None if the content has to show it."""
    kind, container = requested_kind(format), container_by_extension(path)
    if kind is not None:
        return _fitting(path, kind, container)
    if container is None:
        container = _container_by_content(path)
    return Kind(container, {"arrow": "events", "json": "pyctbn"}.get(container))


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
    if first_line(path).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{"):
        return "json"
    try:
        header(path)
    except InputError:
        raise InputError(
            "cannot detect the format from the extension or the content; name it with --from or --format",
            path=path,
        ) from None
    return "csv"


def layout_of(columns: Iterable[str]) -> str:
    """Return the layout that a table's columns imply."""
    names = set(columns)
    if names == {"IdSample", "time", "var", "state"}:
        return "pyagrum"
    if not names >= _LONG_COLUMNS:
        return "wide"
    if names - {"trajectory"} == _LONG_COLUMNS:
        return "long"
    other = min(names - _LONG_COLUMNS - {"trajectory"})
    raise InputError(
        f"with columns 'variable', 'state' and {other!r} the table could be long or wide; "
        "name the layout with --from or --format"
    )
