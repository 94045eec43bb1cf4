"""Evidence and changed rates as CSV files.

Evidence has the columns `variable,state,start` and optionally `end` and `likelihood`: a row without `end` is
a point, and rows of one variable and time with likelihoods are soft evidence. Changed rates have
`variable,parents,from,to,rate`, as in the table of `ctbnlab fit --rates`, of which other columns are ignored.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterator, Sequence
from typing import Any

from ctbnlab.errors import InputError
from ctbnlab.inference.scenario import Item, RateChange
from ctbnlab.io.bounded import SMALL, read_text
from ctbnlab.io.files import naming_file
from ctbnlab.model.names import parse_assignments

Path = str | os.PathLike[str]


def read_evidence(path: Path) -> list[Item]:
    """Read the evidence in a file."""
    items: list[Item] = []
    soft: dict[tuple[float, str], dict[str, float]] = {}
    with naming_file(path):
        for line, row in _rows(path, ("variable", "state", "start"), ("end", "likelihood")):
            try:
                start, name = _number(row["start"], "start"), row["variable"]
                if row.get("likelihood"):
                    if row.get("end"):
                        raise InputError("a likelihood needs one time, not an interval")
                    likelihoods = soft.setdefault((start, name), {})
                    likelihoods[row["state"]] = _number(row["likelihood"], "likelihood")
                else:
                    end = row.get("end")
                    items.append(((start, _number(end, "end")) if end else start, name, row["state"]))
            except InputError as error:
                raise InputError(error.message, place=f"line {line}") from None
    items += [(time, name, likelihoods) for (time, name), likelihoods in soft.items()]
    if not items:
        raise InputError("has no evidence", path=path)
    return items


def read_rate_changes(path: Path) -> list[RateChange]:
    """Read the rates in a file."""
    changes: list[RateChange] = []
    with naming_file(path):
        for line, row in _rows(path, ("variable", "parents", "from", "to", "rate"), None):
            try:
                given = parse_assignments(row["parents"]) if row["parents"] else {}
                changes.append((row["variable"], given, row["from"], row["to"], _number(row["rate"], "rate")))
            except InputError as error:
                raise InputError(error.message, place=f"line {line}") from None
    if not changes:
        raise InputError("has no rates", path=path)
    return changes


def _rows(
    path: Path, required: Sequence[str], optional: Sequence[str] | None
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a CSV file by their lines; other columns are refused unless `optional` is None."""
    lines = csv.reader(io.StringIO(read_text(path, SMALL), newline=""), strict=True)
    try:
        head = next(lines, [])
        _check_columns(head, required, optional)
        for cells in lines:
            if not cells:
                continue
            if len(cells) != len(head):
                message = f"has {len(cells)} values; the header has {len(head)} columns"
                raise InputError(message, place=f"line {lines.line_num}")
            yield lines.line_num, dict(zip(head, cells, strict=True))
    except csv.Error as error:
        raise InputError(f"is not valid CSV ({error})", place=f"line {lines.line_num}") from None


def _check_columns(head: Sequence[str], required: Sequence[str], optional: Sequence[str] | None) -> None:
    for name in required:
        if name not in head:
            raise InputError(f"has no column {name!r}; needed: {','.join(required)}", place="line 1")
    for name in head:
        if optional is not None and name not in (*required, *optional):
            raise InputError(
                f"unknown column {name!r}; known: {','.join((*required, *optional))}", place="line 1"
            )
        if head.count(name) > 1:
            raise InputError(f"the column {name!r} appears twice", place="line 1")


def _number(text: Any, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise InputError(f"the {what} must be a number, not {text!r}")
    return value
