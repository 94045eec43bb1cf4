"""The labels in a table, and their codes.

Labels are taken literally: leading and trailing spaces are part of them. If a variable's states are not
declared, they are the labels that occur, in numerical order if all are numbers (integer or decimal), else
in alphabetical order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ctbnlab.data.arrow_file import as_numpy
from ctbnlab.errors import InputError
from ctbnlab.model.variables import MAX_STATES, Variable, require_storable

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)

# Python does not convert longer integers; as floats they are infinite, and sorted as text.
_MAX_DIGITS = 640

Place = Callable[[int], str]  # returns the place of a row in the file: "line 7"


class Labels(NamedTuple):
    """A column of labels: per row an index into the distinct texts; -1 or None if the label is missing."""

    indices: NDArray[np.int32]
    texts: list[str | None]

    def used(self) -> list[int]:
        """Return the indices of the texts that occur; an Arrow dictionary may hold others."""
        present = np.bincount(self.indices[self.indices >= 0], minlength=len(self.texts))
        result: list[int] = np.flatnonzero(present).tolist()
        return result

    def first_row(self, index: int) -> int:
        """Return the first row with this text."""
        return int(np.argmax(self.indices == index))


class StateCodes:
    """The codes of one variable's states: declared, or assigned in order of occurrence."""

    def __init__(self, name: str, declared: Sequence[str] | None = None):
        require_storable(name, "the variable")
        self.name = name
        self._declared = declared
        self._codes = {label: code for code, label in enumerate(declared or ())}

    def code(self, label: str | None, place: Callable[[], str]) -> int:
        """Return the code of a label; `place` is called if the label is invalid."""
        code = self._codes.get(label) if label else None
        if code is not None:
            return code
        if not label:
            raise InputError(f"the state of variable {self.name!r} is missing", place=place())
        if self._declared is not None:
            known = ", ".join(map(repr, self._declared[:8])) + (", …" if len(self._declared) > 8 else "")
            raise InputError(
                f"{label!r} is not a declared state of variable {self.name!r} ({known})", place=place()
            )
        if len(self._codes) == MAX_STATES:
            raise InputError(
                f"{label!r} is state number {MAX_STATES + 1} of variable {self.name!r}; "
                f"at most {MAX_STATES} are supported",
                place=place(),
            )
        if not label.isprintable():
            require_storable(label, f"variable {self.name!r}: the state", place())
        return self._codes.setdefault(label, len(self._codes))

    def codes(self, labels: Labels, place: Place) -> NDArray[np.uint8]:
        """Return the code of every row; `place` takes the row's index in this column."""

        def first_place(index: int) -> str:
            return place(labels.first_row(index))

        if len(labels.indices) and labels.indices.min() < 0:
            self.code(None, partial(first_place, -1))
        table = np.zeros(max(1, len(labels.texts)), np.uint8)
        for index in labels.used():
            table[index] = self.code(labels.texts[index], partial(first_place, index))
        return table[labels.indices]

    def ordered(self) -> tuple[Variable, NDArray[np.uint8]]:
        """Return the variable with its states in order, and the final code of each code assigned so far."""
        labels = list(self._codes)
        states = labels if self._declared is not None else sorted_labels(labels)
        rank = {label: code for code, label in enumerate(states)}
        return Variable(self.name, tuple(states)), np.array([rank[label] for label in labels], np.uint8)


class TrajectoryIds:
    """The labels of trajectories in row order; the rows of each must be contiguous."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._seen: set[str] = set()

    def numbers(self, labels: Labels | None, n_rows: int, place: Place) -> NDArray[np.int64]:
        """Return the index of each row's trajectory, counted from 0 over all chunks."""
        if labels is None:
            self.ids[:] = ["0"]
            return np.zeros(n_rows, np.int64)
        starts = np.flatnonzero(labels.indices[1:] != labels.indices[:-1]) + 1
        numbers = np.zeros(n_rows, np.int64)
        for row in [0, *starts.tolist()] if n_rows else []:
            index = int(labels.indices[row])
            label = labels.texts[index] if index >= 0 else None
            if not label:
                raise InputError("the trajectory label is missing", place=place(row))
            if not self.ids or label != self.ids[-1]:
                if label in self._seen:
                    raise InputError(
                        f"rows of trajectory {label!r} are not contiguous; sort by trajectory",
                        place=place(row),
                    )
                if not label.isprintable():
                    require_storable(label, "the trajectory label", place(row))
                self._seen.add(label)
                self.ids.append(label)
                numbers[row] = 1
        base = len(self.ids) - int(numbers.sum()) - 1
        return base + np.cumsum(numbers)


def sorted_labels(labels: Iterable[str]) -> list[str]:
    """Return labels in numerical order if all are numbers, else in alphabetical order."""
    labels = list(labels)
    if all(_INTEGER.fullmatch(label) and len(label) <= _MAX_DIGITS for label in labels):
        return sorted(labels, key=lambda label: (int(label), label))
    if all(_DECIMAL.fullmatch(label) for label in labels):
        return sorted(labels, key=lambda label: (float(label), label))
    return sorted(labels)


def is_number(text: str) -> bool:
    """Return whether a text is a number, including nan and inf."""
    return bool(_DECIMAL.fullmatch(text)) or text.lower().lstrip("+-") in ("nan", "inf", "infinity")


def arrow_labels(column: Any, name: str) -> Labels:
    """Return an Arrow column of text, numbers or booleans as labels; NaN is a missing label."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not any(accepts(kind) for accepts in _LABEL_TYPES):
        raise InputError(f"column {name!r} holds {kind}; labels must be text, numbers or booleans")
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    try:
        values = column.dictionary.to_pylist()
    except UnicodeDecodeError:
        raise InputError(f"column {name!r} is not UTF-8 text") from None
    indices = as_numpy(column.indices.cast(pa.int32()), missing=-1)
    # NaN is the only value that differs from itself.
    return Labels(indices, [None if value is None or value != value else str(value) for value in values])


_LABEL_TYPES = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_boolean,
    pa.types.is_null,
)
