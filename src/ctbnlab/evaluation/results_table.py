"""The table of results, metrics.parquet: one row per network and learner, and the schema of its columns.

The workflow writes it; tables, figures and users' notebooks read it. Writing needs only pyarrow; reading
returns a pandas DataFrame.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from ctbnlab.errors import InputError, reason_of
from ctbnlab.io.files import replacing

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "ctbnlab.metrics"
VERSION = 2

# The columns that identify a row; rows are sorted by them in this order.
KEY = (
    "experiment", "network", "nodes", "states", "density", "trajectories", "duration",
    "scattered", "replicate", "learner", "threads",
)  # fmt: skip
STATUSES = ("done", "failed", "timed out", "skipped")
# Of the learning threads alone, or of the whole process of an external command, its start-up included.
TIMED = ("thread", "process")

_TEXT, _WHOLE, _NUMBER, _COUNTED = pa.string(), pa.int64(), pa.float64(), pa.list_(pa.int64())
_REQUIRED = {
    "experiment": _TEXT,
    "nodes": _WHOLE,
    "states": _TEXT,  # "2", or "2,3,4" if variables differ
    "density": _NUMBER,
    "trajectories": _WHOLE,
    "duration": _NUMBER,
    "replicate": _WHOLE,
    "scattered": _WHOLE,  # disjoint parts of the network, usually 1
    "extension": pa.bool_(),  # whether the paper does not have this cell
    "learner": _TEXT,
    "algorithm": _TEXT,
    "options": _TEXT,  # the learner's parameters as JSON
    "threads": _WHOLE,
    "timed": _TEXT,  # what the seconds count: see TIMED
    "status": _TEXT,
    "n_true": _WHOLE,
    "events": _WHOLE,
    "version": _TEXT,
}
_COUNTS = ("n_learned", "true_positives", "false_positives", "false_negatives", "true_negatives")
_OPTIONAL = {
    "network": _TEXT,  # the label of a given network or data set; null if drawn at random
    "reason": _TEXT,
    "revision": _TEXT,  # of the workflow that computed the row, if it is known
    **dict.fromkeys(_COUNTS, _WHOLE),
    "precision": _NUMBER,
    "recall": _NUMBER,
    "f1": _NUMBER,
    "shd": _WHOLE,
    "average_precision": _NUMBER,
    "roc_auc": _NUMBER,
    # Numbers of true and false arcs among the strongest, where the curve of the ranked arcs has corners.
    "curve_true_positives": _COUNTED,
    "curve_false_positives": _COUNTED,
    "log_likelihood": _NUMBER,
    "bic": _NUMBER,
    "delta_bic_percent": _NUMBER,  # 100 (BIC of CTSS − BIC) / BIC of CTSS
    "n_parameters": _WHOLE,
    "tests": _WHOLE,
    "scores": _WHOLE,
    "cpu_seconds": _NUMBER,
    "wall_seconds": _NUMBER,
    "peak_memory_mb": _NUMBER,
}
SCHEMA = pa.schema(
    [
        *(pa.field(name, kind, nullable=False) for name, kind in _REQUIRED.items()),
        *(pa.field(name, kind) for name, kind in _OPTIONAL.items()),
    ],
    metadata={"ctbnlab": json.dumps({"format": FORMAT, "version": VERSION})},
)
COLUMNS: tuple[str, ...] = tuple(SCHEMA.names)
_FACTORS = ("nodes", "density", "trajectories", "duration", "scattered", "replicate", "threads")
_PYTHON_TYPES: dict[Any, Any] = {
    _TEXT: str,
    _WHOLE: int,
    _NUMBER: (int, float),
    _COUNTED: list,
    pa.bool_(): bool,
}
_CURVE = ("curve_true_positives", "curve_false_positives")
# Version 1 did not have these columns: its files are read with them empty, and its times are of threads.
_ABSENT_IN_VERSION_1: dict[str, Any] = {
    **dict.fromkeys(("network", "revision", "average_precision", "roc_auc", *_CURVE)),
    "timed": TIMED[0],
}


def write_metrics(rows: Iterable[Mapping[str, Any]], path: str | os.PathLike[str]) -> None:
    """Check the rows, sort them by their key, and write them as Parquet."""
    listed = list(rows)
    for number, row in enumerate(listed):
        if fault := row_fault(row):
            raise InputError(f"the row {fault}", path=path, place=f"row {number}")
    try:
        table = pa.Table.from_pylist([dict(row) for row in listed], SCHEMA)
    except (pa.ArrowException, OverflowError) as error:
        raise InputError(f"a value does not have its column's type ({error})", path=path) from None
    table = table.sort_by([(name, "ascending") for name in KEY])
    _check(table, path)
    with replacing(path) as temporary:
        pq.write_table(table, temporary)


def row_fault(row: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the columns of a row or their types, as the end of a sentence."""
    unknown = sorted(set(row) - set(COLUMNS))
    absent = sorted(set(_REQUIRED) - set(row))
    if unknown or absent:
        return f"has no {absent[0]!r}" if absent else f"has an unknown column {unknown[0]!r}"
    for name, value in row.items():
        kind = SCHEMA.field(name).type
        if value is not None and not (
            isinstance(value, _PYTHON_TYPES[kind]) and isinstance(value, bool) == (kind == pa.bool_())
        ):
            return f"has the value {value!r} in the column {name!r}, which is not of the type {kind}"
        for number in value if isinstance(value, list) else [value]:
            if isinstance(value, list) and type(number) is not int:
                return f"has {number!r} in the column {name!r}, which has whole numbers only"
            if isinstance(number, int) and abs(number) >= 2**63:
                return f"has a number in the column {name!r} that is too large"
    return None


def read_metrics(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read and check the table; integer columns that can be missing become floats with NaN."""
    path = Path(path)
    if path.is_dir():
        raise InputError("is a folder; name a file to read", path=path)
    if not path.stat().st_size:
        raise InputError("the file is empty", path=path)
    try:
        file = pq.ParquetFile(path)
        _check_header(file.schema_arrow, path)
        table = _completed(file.read()).select(list(COLUMNS))
        table.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise InputError(f"is truncated or not a Parquet file ({reason_of(error)})", path=path) from None
    _check(table, path)
    frame: pd.DataFrame = table.to_pandas()
    return frame


def _completed(table: Any) -> Any:
    """Return a table with the columns that its version did not have."""
    for name, value in _ABSENT_IN_VERSION_1.items():
        if name not in table.column_names:
            table = table.append_column(
                SCHEMA.field(name), pa.array([value] * table.num_rows, SCHEMA.field(name).type)
            )
    return table


def _check_header(schema: Any, path: str | os.PathLike[str]) -> None:
    """Refuse a file of another format or version, or with other columns."""
    try:
        header = json.loads((schema.metadata or {}).get(b"ctbnlab", b"{}"))
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise InputError("is a Parquet file, but not a table of metrics", path=path)
    version = header.get("version")
    if version not in (1, VERSION) or isinstance(version, bool):
        raise InputError(
            f"has version {version!r} of the table, but version {VERSION} is needed; "
            "write it again with `ctbnlab collect`",
            path=path,
        )
    for field in SCHEMA:
        found = schema.get_all_field_indices(field.name)
        if not found and version == 1 and field.name in _ABSENT_IN_VERSION_1:
            continue
        if len(found) > 1:
            raise InputError(f"has the column {field.name!r} twice", path=path)
        if not found or schema.field(found[0]).type != field.type:
            raise InputError(f"has no column {field.name!r} of type {field.type}", path=path)


def _check(table: Any, path: str | os.PathLike[str]) -> None:
    """Refuse missing values in required columns, invalid values, and duplicate rows."""
    if not table.num_rows:
        raise InputError("the table has no rows", path=path)
    for name in _REQUIRED:
        if table[name].null_count:
            row = table[name].is_null().to_pylist().index(True)
            raise InputError(f"the row has no {name}", path=path, place=f"row {row}")
    seen: dict[tuple[Any, ...], int] = {}
    names = dict.fromkeys((*KEY, "status", "timed", *_COUNTS, "options", "states", *_CURVE))
    for number, row in enumerate(table.select(list(names)).to_pylist()):
        place = f"row {number} ({row['learner']})"
        if row["status"] not in STATUSES:
            known = ", ".join(STATUSES)
            raise InputError(f"unknown status {row['status']!r}; known: {known}", path=path, place=place)
        if row["timed"] not in TIMED:
            raise InputError(
                f"timed must be {' or '.join(TIMED)}, not {row['timed']!r}", path=path, place=place
            )
        if row["status"] == "done" and any(row[name] is None for name in _COUNTS):
            raise InputError("the row is done, but has no counts of arcs", path=path, place=place)
        for name in (*_FACTORS, *_COUNTS):
            if row[name] is not None and not 0 <= row[name] < math.inf:
                fault = f"{name} must be a finite number of at least 0, not {row[name]}"
                raise InputError(fault, path=path, place=place)
        if not all(part.isdecimal() and part.isascii() for part in row["states"].split(",")):
            raise InputError(
                f"states must be written as 2 or 2,3,4, not {row['states']!r}", path=path, place=place
            )
        _check_options(row["options"], path, place)
        if not _is_curve(*(row[name] for name in _CURVE)):
            raise InputError(
                "the curve of the ranked arcs must be two lists of rising counts", path=path, place=place
            )
        key = tuple(row[name] for name in KEY)
        if key in seen:
            raise InputError(f"has the same network and learner as row {seen[key]}", path=path, place=place)
        seen[key] = number
    _check_finite(table, path)


def _is_curve(true: list[int] | None, false: list[int] | None) -> bool:
    """Return whether two columns are the corners of a curve, or both are missing."""
    if true is None or false is None:
        return true is false
    if len(true) != len(false) or None in true or None in false:
        return False
    return all(0 <= a <= b for counts in (true, false) for a, b in pairwise([0, *counts]))


def _check_finite(table: Any, path: str | os.PathLike[str]) -> None:
    """Refuse infinite measurements; those that are missing are null or NaN."""
    for name in (field.name for field in SCHEMA if field.type == pa.float64()):
        for number, value in enumerate(table[name].to_pylist()):
            if value is not None and math.isinf(value):
                raise InputError(f"{name} must be a finite number", path=path, place=f"row {number}")


def _check_options(text: str, path: str | os.PathLike[str], place: str) -> None:
    try:
        options = json.loads(text)
    except (ValueError, RecursionError):
        options = None
    if not isinstance(options, dict):
        raise InputError(f"the options are not a JSON object: {text!r}", path=path, place=place)
