"""Parquet files: for archiving, and for exchange with other programs.

By default they hold the columns of the Arrow file (see `arrow_file`), compressed: one row per trajectory,
with its events as lists, about 7 bytes per event. The wide and long layouts are plain columns that any
program can read; the schema's metadata records the states of each variable, so that these are kept, too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ctbnlab.data import arrow_file
from ctbnlab.data.formats.arrow_table import STATES, TableSource
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError, reason_of
from ctbnlab.io.files import replacing
from ctbnlab.model.variables import Variable

_ROWS = 1 << 16


def source(path: Path) -> TableSource:
    """Return a Parquet file of plain columns as a table to read."""
    file = _open(path)
    return TableSource(
        file.schema_arrow,
        lambda columns: file.iter_batches(_ROWS, columns=list(columns)),
        path,
        "a Parquet file",
    )


def holds_events(path: Path) -> bool:
    """Return whether a Parquet file holds events (the columns of the Arrow file)."""
    return b"ctbnlab" in (_open(path).schema_arrow.metadata or {})


def read_events(path: Path) -> Trajectories:
    """Read a Parquet file of events."""
    try:
        table = _open(path).read()
        # Before anything is copied: codes outside a dictionary make Arrow's own copying crash.
        table.validate(full=True)
        table = table.combine_chunks()
        batches = table.to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]
        if len(batches) > 1:
            raise InputError("is too large to be read in one piece; split it")
        return arrow_file.from_batch(batches[0])
    except InputError as error:
        raise error.within(path) from None
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, error) from None


def read_variables(path: Path) -> tuple[Variable, ...]:
    """Return the variables of a Parquet file of events without reading the events."""
    return arrow_file.described_variables(_open(path).schema_arrow)


def write_events(data: Trajectories, path: str | os.PathLike[str]) -> None:
    """Write events, compressed."""
    batch = arrow_file.to_batch(data)
    with replacing(path) as temporary:
        pq.write_table(
            pa.Table.from_batches([batch]),
            temporary,
            compression="zstd",
            compression_level=6,
            # Dictionary encoding packs small numbers into the bits they need.
            use_dictionary=[f"{name}.list.element" for name in ("variable", "old", "new")],
            use_byte_stream_split=["time.list.element"],
        )


def write_rows(batches: Iterable[Any], data: Trajectories, path: str | os.PathLike[str]) -> None:
    """Write record batches of the wide or long layout."""
    states = json.dumps({name: list(labels) for name, labels in data.variables}, ensure_ascii=False)
    writer = None
    with replacing(path) as temporary:
        try:
            for batch in batches:
                schema = batch.schema.with_metadata({STATES: states.encode()})
                if writer is None:
                    writer = pq.ParquetWriter(temporary, schema, compression="zstd")
                writer.write_batch(batch.replace_schema_metadata(schema.metadata))
        finally:
            if writer is not None:
                writer.close()


def _open(path: Path) -> Any:
    try:
        if not path.stat().st_size:
            raise InputError("the file is empty", path=path)
        return pq.ParquetFile(path)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # a column's name may be no text
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise _damaged(path, error) from None


def _damaged(path: Path, error: Exception) -> InputError:
    return InputError(f"is truncated or not a Parquet file ({reason_of(error)})", path=path)
