"""The values in a table: which texts are missing, and how numbers, dates and date-times become times.

Dates become numbers of a unit since 1970-01-01 (UTC if they have a zone); a month is a twelfth of a year and
a year 365.2425 days.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ctbnlab.data.arrow_file import as_numpy
from ctbnlab.errors import InputError

if TYPE_CHECKING:
    from ctbnlab.data.formats.labels import Labels

# "none" and "None" are not in the list: they are common names of states.
MISSING_VALUES = ("", "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "NULL", "null", ".")
_DAY = 86_400
_YEAR = 365.2425 * _DAY
SECONDS = {
    "second": 1,
    "minute": 60,
    "hour": 3_600,
    "day": _DAY,
    "week": 7 * _DAY,
    "month": _YEAR / 12,
    "year": _YEAR,
}
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}($|[T ])", re.ASCII)
_ZONE = re.compile(r"(Z|[+-][0-9]{2}(:?[0-9]{2})?)$", re.ASCII)
_OTHER_DATE = re.compile(r"[0-9]{1,4}[/.-][0-9]{1,2}[/.-][0-9]{1,4}\b", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?", re.ASCII)
_PARTS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


@dataclass(frozen=True)
class Values:
    """How the texts of a table are to be understood."""

    unit: str = "day"
    decimal: str = "."
    missing: tuple[str, ...] = MISSING_VALUES


class BadValue(Exception):
    """A value that is no number or date: the index of its row, and the fault."""

    def __init__(self, row: int, fault: str):
        super().__init__(fault)
        self.row, self.fault = row, fault


def is_date(text: str) -> bool:
    """Return whether a text begins like an ISO date or date-time."""
    return _DATE.match(text.strip()) is not None


def first_value(labels: Labels, values: Values) -> str | None:
    """Return the first value of a column that is not missing, if there is one."""
    present = (labels.texts[index] for index in labels.indices.tolist() if index >= 0)
    return next((text for text in present if text is not None and text.strip() not in values.missing), None)


def not_a_number(name: str, text: str) -> str:
    """Return the fault of a text that is not a number, with advice if one can guess what it is."""
    advice = ""
    if _DECIMAL_COMMA.fullmatch(text):
        advice = "; use --decimal , for decimal commas"
    elif _OTHER_DATE.match(text) and not is_date(text):
        advice = "; write dates as 2024-12-31"
    return f"{_quoted(name, text)} is not a number{advice}"


def _quoted(name: str, text: str) -> str:
    return f"the time {text!r}" if name == "time" else f"{text!r} in column {name!r}"


def numbers(column: Any, name: str, values: Values, date: bool) -> NDArray[np.float64]:
    """Return an Arrow column of numbers or dates as float64; missing values become NaN."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return as_numpy(column.cast(pa.float64(), safe=False), missing=np.nan)
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    if pa.types.is_date(kind):
        column, kind = column.cast(pa.timestamp("ms")), pa.timestamp("ms")
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        return _in_units(column, values.unit)
    if any(accepts(kind) for accepts in _TEXT_TYPES):
        texts = _without_missing(column, values)
        return _in_units(_dates(texts, name), values.unit) if date else _parsed(texts, name, values)
    raise InputError(f"the {name!r} column holds {kind}, not numbers or dates")


_TEXT_TYPES = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)


def _without_missing(column: Any, values: Values) -> Any:
    """Return texts stripped of spaces around them, with null for missing ones."""
    stripped = [None if text is None else text.strip() for text in column.to_pylist()]
    missing = set(values.missing)
    return pa.array([None if text in missing else text for text in stripped], pa.string())


def _parsed(texts: Any, name: str, values: Values) -> NDArray[np.float64]:
    if values.decimal != ".":
        texts = pa.array(
            [text and text.replace(values.decimal, ".", 1) for text in texts.to_pylist()], pa.string()
        )
    try:
        return as_numpy(texts.cast(pa.float64()), missing=np.nan)
    except pa.ArrowInvalid:
        # Asked of Arrow again, not of Python, which also takes 1_000 and digits of other scripts for numbers.
        for row, text in enumerate(texts.to_pylist()):
            if text is not None and not _can_be(text, pa.float64()):
                raise BadValue(row, not_a_number(name, text)) from None
        raise


def _dates(texts: Any, name: str) -> Any:
    """Return ISO dates as timestamps; they must all have a zone, or none."""
    for kind in (
        pa.timestamp("us"),
        pa.timestamp("us", "UTC"),
        pa.timestamp("ns"),
        pa.timestamp("ns", "UTC"),
    ):
        try:
            return texts.cast(kind)
        except pa.ArrowInvalid:
            continue
    first: tuple[str, bool] | None = None
    for row, text in enumerate(texts.to_pylist()):
        if text is None:
            continue
        zoned = _ZONE.search(text[10:]) is not None
        if not is_date(text) or not _can_be(text, pa.timestamp("ns", "UTC" if zoned else None)):
            raise BadValue(row, f"{_quoted(name, text)} is not a date; write dates as 2024-12-31")
        first = first or (text, zoned)
        if first[1] != zoned:
            fault = f"{_quoted(name, text)} has {'a' if zoned else 'no'} zone, unlike {first[0]!r}"
            raise BadValue(row, f"{fault}; give all of them a zone, or none")
    raise InputError(f"the dates of column {name!r} cannot be read")


def _can_be(text: str, kind: Any) -> bool:
    """Return whether Arrow takes a text for a value of a type."""
    try:
        pa.array([text], pa.string()).cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


def _in_units(column: Any, unit: str) -> NDArray[np.float64]:
    per_second = _PARTS[column.type.unit]
    counts = as_numpy(column.cast(pa.int64()))
    result = counts / (SECONDS[unit] * per_second)
    if column.null_count:
        result[as_numpy(column.is_null().cast(pa.uint8())) > 0] = np.nan
    return result
