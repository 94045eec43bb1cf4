"""Lists of arcs as CSV, `from,to[,score][,kept]`: what an external command reports, or a known truth.

A column without a name is ignored: R's `write.csv` puts the numbers of the rows there.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ctbnlab.errors import InputError
from ctbnlab.io.bounded import read_text
from ctbnlab.io.files import naming_file
from ctbnlab.model.names import arc_text

COLUMNS = ("from", "to", "score", "kept")
_TRUTH = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


class ListedArc(NamedTuple):
    """One line: the arc by the numbers of its variables, its score if any, and whether it is in the graph."""

    source: int
    target: int
    score: float | None
    kept: bool


def read_arc_list(path: str | os.PathLike[str], names: Sequence[str]) -> list[ListedArc]:
    """Read the arcs between the variables `names`; an error names the line."""
    with naming_file(path):
        lines = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
        try:
            return list(_arcs(lines, {name: i for i, name in enumerate(names)}))
        except csv.Error as error:
            raise InputError(f"is not valid CSV ({error})", place=f"line {lines.line_num}") from None


def _arcs(lines: Any, index: Mapping[str, int]) -> Iterator[ListedArc]:
    columns = _columns(next(lines, []))
    seen: dict[tuple[int, int], int] = {}
    for cells in lines:
        if not cells:
            continue
        number = lines.line_num
        try:
            if len(cells) != len(columns):
                raise InputError(f"has {len(cells)} values; the header has {len(columns)} columns")
            arc = _arc(dict(zip(columns, cells, strict=True)), index)
            if (first := seen.setdefault(arc[:2], number)) != number:
                raise InputError(f"the arc of line {first} appears again")
        except InputError as error:
            raise InputError(error.message, place=f"line {number}") from None
        yield arc


def _columns(header: list[str]) -> list[str]:
    columns = [name.strip() for name in header]
    for name in COLUMNS[:2]:
        if name not in columns:
            raise InputError(f"no column {name!r}; the header must be from,to[,score][,kept]", place="line 1")
    for name in filter(None, columns):
        if name not in COLUMNS:
            raise InputError(f"unknown column {name!r}; known: {', '.join(COLUMNS)}", place="line 1")
        if columns.count(name) > 1:
            raise InputError(f"the column {name!r} appears twice", place="line 1")
    return columns


def _arc(values: Mapping[str, str], index: Mapping[str, int]) -> ListedArc:
    source, target = values["from"], values["to"]
    for name in (source, target):
        if name not in index:
            raise InputError(f"unknown variable {name!r}")
    if source == target:
        raise InputError(f"the arc {arc_text(source, target)} leads from a variable to itself")
    kept = values.get("kept", "true").strip().lower()
    if kept not in _TRUTH:
        raise InputError(f"kept must be true or false, not {values['kept']!r}")
    return ListedArc(index[source], index[target], _score(values.get("score", "")), _TRUTH[kept])


def _score(text: str) -> float | None:
    if text.strip() in ("", "NA"):
        return None
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if math.isnan(score):
        raise InputError(f"the score must be a number, not {text!r}")
    return score
