"""The table of fitted rates as a file: CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

from ctbnlab.errors import InputError
from ctbnlab.io import json_text
from ctbnlab.io.files import is_stream, require_writable
from ctbnlab.learning.parameters import FittedParameters
from ctbnlab.learning.rate_table import FORMAT, VERSION, rate_table

ENDINGS = (".csv", ".json", ".parquet")


def require_known_format(path: str | os.PathLike[str]) -> str:
    """Return the extension that names the format; streams get CSV."""
    ending = Path(path).suffix.lower()
    if ending in ENDINGS:
        return ending
    if is_stream(require_writable(path)):
        return ".csv"
    raise InputError("unknown extension: use .csv, .json or .parquet", path=path)


def write_rates(fitted: FittedParameters, file: Path, name: str | os.PathLike[str]) -> None:
    """Write the table of rates to a temporary file, in the format that the final `name` asks for."""
    table = rate_table(fitted.network, fitted.posteriors, fitted.level)
    ending = require_known_format(name)
    if ending == ".parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, file)
    elif ending == ".json":
        content = {"format": FORMAT, "version": VERSION, "level": fitted.level, "rates": table.to_pylist()}
        file.write_text(json_text.dumps(content), encoding="utf-8")
    else:
        with file.open("w", encoding="utf-8", newline="") as text:
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(table.column_names)
            for batch in table.to_batches(10_000):
                columns = [column.to_pylist() for column in batch.columns]
                writer.writerows(map(_cell, row) for row in zip(*columns, strict=True))


def _cell(value: Any) -> Any:
    """Return what CSV says for a value: nothing for null, true or false as in JSON."""
    return str(value).lower() if isinstance(value, bool) else value
