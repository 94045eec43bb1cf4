"""Which format a file has: by the name asked for, by its ending, and where these do not tell, its content.

A format is a layout in a container. Containers are told by endings or first bytes: Arrow, Parquet, CSV,
JSON (the last two may be gzipped). What the rows of a CSV or Parquet file mean is told by its columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ctbnlab.errors import InputError

_ENDINGS = {".arrow": "arrow", ".parquet": "parquet", ".csv": "csv", ".tsv": "csv", ".json": "json"}
# The containers that can hold each layout; the first where the ending does not tell.
_CONTAINERS = {
    "events": ("arrow", "parquet"),
    "wide": ("csv", "parquet"),
    "long": ("csv", "parquet"),
    "pyagrum": ("csv",),
    "pyctbn": ("json",),
}
_DEFAULT_LAYOUT = {"arrow": "events", "parquet": "events", "csv": "wide", "json": "pyctbn"}
LONG = {"time", "variable", "state"}  # the columns by which the long layout is known
# What a user can ask for; arrow and parquet are events in that container.
FORMATS = ("arrow", "parquet", "wide", "long", "pyagrum", "pyctbn")


class Kind(NamedTuple):
    """A file's container and the layout in it; the layout is None where only the content can tell."""

    container: str
    layout: str | None


def asked(format: str | None) -> Kind | None:
    """Return what a format's name says; the container is empty where an ending should tell."""
    if format is None:
        return None
    if format not in FORMATS:
        raise InputError(f"there is no format {format!r}; there are {', '.join(FORMATS)}")
    return Kind(format, "events") if format in ("arrow", "parquet") else Kind("", format)


def by_ending(path: Path) -> str | None:
    """Return the container that the ending names."""
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    container = _ENDINGS.get(plain.suffix.lower())
    if plain is not path and container in ("arrow", "parquet"):
        raise InputError(f"{container} files are not gzipped; unpack it first", path=path)
    return container


def to_write(path: Path, format: str | None) -> Kind:
    """Return the format to write, or say why it cannot be told."""
    kind, container = asked(format), by_ending(path)
    if kind is None:
        if container is None:
            endings = ", ".join(_ENDINGS)
            raise InputError(f"the ending tells no format; use one of {endings}, or --to", path=path)
        return Kind(container, _DEFAULT_LAYOUT[container])
    return _fitting(path, kind, container)


def to_read(path: Path, format: str | None) -> Kind:
    """Return the format to read; the layout may be left to the content."""
    kind, container = asked(format), by_ending(path)
    if kind is not None:
        return _fitting(path, kind, container)
    if container is None:
        container = _by_content(path)
    return Kind(container, {"arrow": "events", "json": "pyctbn"}.get(container))


def _fitting(path: Path, kind: Kind, container: str | None) -> Kind:
    layout = kind.layout or ""
    container = kind.container or container or _CONTAINERS[layout][0]
    ending = by_ending(path)
    if container not in _CONTAINERS[layout] or (ending is not None and ending != container):
        raise InputError(f"a {path.suffix} file cannot hold the format {kind.container or layout}", path=path)
    return Kind(container, layout)


def _by_content(path: Path) -> str:
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
            "neither the ending nor the content tells the format; name it with --from", path=path
        ) from None
    return "csv"


def layout_of(columns: Iterable[str]) -> str:
    """Return the layout that a table's columns show."""
    names = set(columns)
    if names == {"IdSample", "time", "var", "state"}:
        return "pyagrum"
    if not names >= LONG:
        return "wide"
    if names - {"trajectory"} == LONG:
        return "long"
    other = min(names - LONG - {"trajectory"})
    raise InputError(
        f"with columns 'variable', 'state' and {other!r} it may be long or wide; say so with --from"
    )
