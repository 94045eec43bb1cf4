"""Folders of Parquet or CSV files that are one table, cut into files (shards), as MEDS and Spark write them.

All files below the folder are read one after another in natural order: 2.parquet before 10.parquet. Files
and folders whose names begin with a dot or an underscore are left out. The files must have the same columns,
and the same types in Parquet: the number 1 would be the label 1 in one file and 1.0 in another.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ctbnlab.data.formats.cell_values import Values
from ctbnlab.data.formats.labels import Labels
from ctbnlab.data.formats.source import SAMPLE_ROWS, Chunk, Declared, Source
from ctbnlab.errors import InputError

_VALUES = Values()
_EXTENSIONS = {"parquet": (".parquet",), "csv": (".csv", ".csv.gz")}

Progress = Callable[[int], None]  # receives the number of bytes read so far


def container_of(folder: Path) -> str:
    """Return the container of a folder's files, "parquet" or "csv"."""
    found = [container for container in _EXTENSIONS if shards_of(folder, container)]
    if not found:
        raise InputError("is a folder without .parquet or .csv files; name a file to read", path=folder)
    if len(found) > 1:
        raise InputError("holds .parquet and .csv files; name a folder of one kind", path=folder)
    return found[0]


def shards_of(folder: Path, container: str) -> list[str]:
    """Return the files of a folder and the folders in it, relative to it, in natural order."""
    found = []
    for parent, folders, files in os.walk(folder, onerror=_raise):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in files:
            if name.lower().endswith(_EXTENSIONS[container]) and not name.startswith((".", "_")):
                found.append(str(Path(parent, name).relative_to(folder)))
    return sorted(found, key=_natural)


def _raise(error: OSError) -> None:
    raise error


def _natural(name: str) -> list[Any]:
    """Return a key by which numbers in names are compared as numbers; equal ones by their text."""
    parts = re.split(r"([0-9]+)", name)
    return [*((part if k % 2 == 0 else int(part)) for k, part in enumerate(parts)), name]


class ShardedSource:
    """A folder of files as one table to read; each file is opened when its rows are asked for."""

    def __init__(self, folder: Path, container: str, progress: Progress | None = None):
        self.path = folder
        self._container = container
        self._progress = progress
        self._names = shards_of(folder, container)
        if not self._names:
            raise InputError(f"is a folder without .{container} files", path=folder)
        self._starts: list[int] = [0]  # the first row of each file that has been reached
        with self._naming(0):
            first = self._open(0)
            self._declared = first.declared()
        self.columns = first.columns
        labelled = set(first.labelled)
        types = _types(first)
        for k in range(1, len(self._names)):
            with self._naming(k):
                shard = self._open(k)
                self._require_same(types, _types(shard))
                if shard.declared() != self._declared:
                    raise InputError(f"records other states than {self._names[0]}")
                labelled |= shard.labelled
        self.labelled = frozenset(labelled)

    def _open(self, k: int, progress: Progress | None = None) -> Source:
        path = self.path / self._names[k]
        if self._container == "csv":
            from ctbnlab.data.formats.csv import CsvSource

            return CsvSource(path, progress)
        from ctbnlab.data.formats import parquet

        if parquet.holds_events(path):
            raise InputError("holds trajectories, not a part of a table; read this file alone")
        return parquet.source(path)

    def _require_same(self, first: dict[str, str], other: dict[str, str]) -> None:
        """Refuse another file with other columns; one without any value has no type."""
        before = self._names[0]
        if differing := first.keys() ^ other.keys():
            name = min(differing)
            has = "no" if name in first else "a"
            raise InputError(f"has {has} column {name!r}, unlike {before}; name a folder of one table")
        for name, kind in first.items():
            if kind == "null":
                first[name] = other[name]
            elif other[name] not in (kind, "null"):
                raise InputError(f"column {name!r} holds {other[name]}, and {kind} in {before}")

    @contextmanager
    def _naming(self, k: int) -> Iterator[None]:
        """Name the file in input errors, as a place in the folder."""
        try:
            yield
        except InputError as error:
            place = ": ".join(part for part in (self._names[k], error.place) if part)
            raise InputError(error.message, path=self.path, place=place) from None

    def place(self, row: int) -> str:
        """Return the file of a row and its place there."""
        k = bisect_right(self._starts, row) - 1
        return f"{self._names[k]}: {self._open(k).place(row - self._starts[k])}"

    def declared(self) -> Declared:
        """Return the states recorded in the files."""
        return self._declared

    def sample(self, rows: int = SAMPLE_ROWS) -> dict[str, Labels]:
        """Return the first rows of the first file that has any."""
        for k in range(len(self._names)):
            with self._naming(k):
                found = self._open(k).sample(rows)
            if any(len(labels.indices) for labels in found.values()):
                break
        return {name: found[name] for name in self.columns}

    def chunks(
        self, numbers: Sequence[str], labels: Sequence[str], values: Values = _VALUES
    ) -> Iterator[Chunk]:
        """Yield the rows of one file after another."""
        rows, before = 0, 0
        for k, name in enumerate(self._names):
            self._starts[k:] = [rows]
            with self._naming(k):
                for chunk in self._open(k, self._after(before)).chunks(numbers, labels, values):
                    yield chunk._replace(rows=chunk.rows + self._starts[k])
                    rows += len(chunk.rows)
            before += (self.path / name).stat().st_size

    def _after(self, before: int) -> Progress | None:
        progress = self._progress
        return None if progress is None else lambda position: progress(before + position)


def _types(shard: Source) -> dict[str, str]:
    """Return the types of a table's columns; those that give the same labels and numbers are alike."""
    schema = getattr(shard, "schema", None)
    if schema is None:
        return dict.fromkeys(shard.columns, "text")
    return {field.name: _type(field.type) for field in schema}


def _type(kind: Any) -> str:
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return "string"
    return str(kind)
