"""The labels in a table, and their codes.

Labels are taken literally: leading and trailing spaces are part of them. If a variable's states are not
declared, they are the labels that occur, in numerical order if all are numbers (integer or decimal), else
in alphabetical order. A missing label is no state: the variable is unobserved there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ctbnlab.data.arrow_file import as_numpy
from ctbnlab.data.arrow_writer import GAP
from ctbnlab.errors import InputError
from ctbnlab.model.variables import MAX_STATES, Variable, require_storable

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)

# Python does not convert longer integers; as floats they are infinite, and sorted as text.
_MAX_DIGITS = 640
MAX_NUMBERS = 50  # a variable with more distinct numbers looks measured

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

    def as_texts(self) -> list[str | None]:
        """Return the text of every row; None if it is missing."""
        return [self.texts[index] if index >= 0 else None for index in self.indices.tolist()]

    def first(self, rows: int) -> Labels:
        """Return the first rows."""
        return Labels(self.indices[:rows], self.texts)

    def first_row(self, index: int) -> int:
        """Return the first row with this text."""
        return int(np.argmax(self.indices == index))

    def mapped(self, number: Callable[[str | None], int]) -> NDArray[np.int32]:
        """Return the number of each row's text; `number` is asked once for each text that occurs."""
        table = np.zeros(len(self.texts) + 1, np.int32)  # the last entry is that of index -1
        if len(self.indices) and self.indices.min() < 0:
            table[-1] = number(None)
        for index in self.used():
            table[index] = number(self.texts[index])
        return table[self.indices]


def labels_of(texts: Iterable[str | None]) -> Labels:
    """Return a column of texts as labels."""
    texts = list(texts)
    distinct = {text: index for index, text in enumerate(dict.fromkeys(texts))}
    return Labels(np.array([distinct[text] for text in texts], np.int32), list(distinct))


class StateCodes:
    """The codes of one variable's states: declared, or assigned in order of occurrence.

    Missing labels have the code `GAP` if `gaps`, else they are refused; a declared state is never missing.
    With `measured`, numbers that look like measurements are refused: they would make a state each.
    """

    def __init__(
        self,
        name: str,
        declared: Sequence[str] | None = None,
        *,
        missing: Iterable[str] = (),
        gaps: bool = False,
        measured: bool = False,
    ):
        require_storable(name, "the variable")
        self.name = name
        self._declared = declared
        self._codes = {label: code for code, label in enumerate(declared or ())}
        self._missing = frozenset(missing)
        self._gaps = gaps
        self._measured = measured and declared is None

    def is_missing(self, label: str | None) -> bool:
        """Return whether a label stands for a missing value."""
        return not label or (label.strip() in self._missing and label not in self._codes)

    def code(self, label: str | None, place: Callable[[], str]) -> int:
        """Return the code of a label; `place` is called if the label is invalid."""
        code = self._codes.get(label) if label else None
        if code is not None:
            return code
        if self.is_missing(label):
            if self._gaps:
                return GAP
            raise InputError(f"the state of variable {self.name!r} is missing", place=place())
        return self._new_code(str(label), place)

    def _new_code(self, label: str, place: Callable[[], str]) -> int:
        if self._declared is not None:
            known = ", ".join(map(repr, self._declared[:8])) + (", …" if len(self._declared) > 8 else "")
            raise InputError(
                f"{label!r} is not a declared state of variable {self.name!r} ({known})", place=place()
            )
        if self._measured:
            self._refuse_measurements(label)
        if len(self._codes) == MAX_STATES:
            raise InputError(
                f"{label!r} is state number {MAX_STATES + 1} of variable {self.name!r}; "
                f"at most {MAX_STATES} are supported",
                place=place(),
            )
        if not label.isprintable():
            require_storable(label, f"variable {self.name!r}: the state", place())
        return self._codes.setdefault(label, len(self._codes))

    def _refuse_measurements(self, label: str) -> None:
        labels = [*self._codes, label]
        numbers = len(labels) > MAX_NUMBERS and all(_DECIMAL.fullmatch(text) for text in labels)
        if numbers or _is_fraction(label):
            shown = ", ".join([label, *labels[:2]][: len(labels)])
            raise InputError(
                f"column {self.name!r} looks measured ({shown}, …): cut it with --cut '{self.name}:…', "
                f"or keep its values as states with --labels {self.name}"
            )

    def codes(self, labels: Labels, place: Place) -> NDArray[np.uint8]:
        """Return the code of every row; `place` takes the row's index in this column."""

        def first_place(index: int) -> str:
            return place(labels.first_row(index))

        table = np.zeros(len(labels.texts) + 1, np.uint8)  # the last entry is that of index -1
        if len(labels.indices) and labels.indices.min() < 0:
            table[-1] = self.code(None, partial(first_place, -1))
        for index in labels.used():
            table[index] = self.code(labels.texts[index], partial(first_place, index))
        return table[labels.indices]

    def label(self, code: int) -> str:
        """Return the label of a code assigned so far, for messages."""
        return "(missing)" if code == GAP else list(self._codes)[code]

    def ordered(self) -> tuple[Variable, NDArray[np.uint8]]:
        """Return the variable with its states in order, and the final code of each code assigned so far."""
        labels = list(self._codes)
        if not labels:
            raise InputError(f"variable {self.name!r} has no value in any row; leave it out with --variables")
        states = labels if self._declared is not None else sorted_labels(labels)
        rank = {label: code for code, label in enumerate(states)}
        return Variable(self.name, tuple(states)), np.array([rank[label] for label in labels], np.uint8)


def codes_by_variable(
    variable: NDArray[np.int32], labels: Labels, states: Sequence[StateCodes], place: Place
) -> NDArray[np.uint8]:
    """Return the code of each row's label among the states of its variable; 0 in rows of no variable."""
    rows = np.flatnonzero(variable >= 0)
    # The text after the last stands for missing ones, whose index is -1.
    texts = [*labels.texts, None]
    pairs, firsts, inverse = np.unique(
        variable[rows].astype(np.int64) * len(texts) + labels.indices[rows] % len(texts),
        return_index=True,
        return_inverse=True,
    )
    codes = np.zeros(len(pairs), np.uint8)
    for k in np.argsort(firsts).tolist():
        j, index = divmod(int(pairs[k]), len(texts))
        codes[k] = states[j].code(texts[index], partial(place, int(rows[firsts[k]])))
    result = np.zeros(len(variable), np.uint8)
    result[rows] = codes[inverse]
    return result


class Unsorted(Exception):
    """Raised while reading rows that are not in the order of trajectories and times, to have them sorted."""


class TrajectoryIds:
    """The labels of trajectories in row order; rows that are not contiguous raise `Unsorted`."""

    def __init__(self, missing: Iterable[str] = ()) -> None:
        self.ids: list[str] = []
        self._seen: set[str] = set()
        self._missing = frozenset(missing)

    def add(self, label: str) -> bool:
        """Add a trajectory without rows, unless it is there; return whether it was added."""
        if label in self._seen:
            return False
        require_storable(label, "the trajectory label")
        self._seen.add(label)
        self.ids.append(label)
        return True

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
            if not label or label in self._missing:
                raise InputError("the trajectory label is missing", place=place(row))
            if not self.ids or label != self.ids[-1]:
                if label in self._seen:
                    raise Unsorted
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


def _is_fraction(label: str) -> bool:
    """Return whether a label is a number with a fraction, such as 0.37."""
    if not _DECIMAL.fullmatch(label):
        return False
    number = float(label)
    return math.isfinite(number) and not number.is_integer()


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
