"""JSON for people: errors name their place in the file, and matrices are written row by row.

Lists of plain values, and objects of plain values and such lists, are written on one line; everything else
has one entry per line. Numbers are written with enough digits to read back as the same number. NaN and
infinity are refused on reading and writing.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from ctbnlab.errors import InputError
from ctbnlab.io.bounded import LARGE, read_text
from ctbnlab.io.files import replacing


class _Object(dict[str, Any]):
    """A JSON object that remembers a repeated key; its place is known only later, to `Node`."""

    repeated: str | None = None


@dataclass(frozen=True)
class _Constant:
    """NaN, Infinity or -Infinity, which JSON does not allow; its place, too, is known only later."""

    word: str


@dataclass(frozen=True)
class Node:
    """A value and its place in the file, such as `variables[2].cims`, for use in error messages."""

    value: Any
    place: str = ""

    def fail(self, message: str) -> NoReturn:
        """Raise an error that names this value's place."""
        raise InputError(message, place=self.place or None)

    def members(self, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Node]:
        """Return an object's members by key; missing and unknown keys are errors."""
        found = dict(self.entries())
        for key in required:
            if key not in found:
                self.fail(f"the key {key!r} is missing")
        for key, node in found.items():
            if key not in required and key not in optional:
                node.fail(f"unknown key; allowed here: {', '.join((*required, *optional))}")
        return found

    def entries(self) -> Iterator[tuple[str, Node]]:
        """Yield an object's keys and members."""
        if not isinstance(self.value, _Object):
            self.fail(f"must be an object {{…}}, not {_kind(self.value)}")
        if self.value.repeated is not None:
            self.fail(f"the key {self.value.repeated!r} appears twice")
        for key, value in self.value.items():
            if not _encodable(key):
                self.fail(f"the key {key!r} contains half of a Unicode surrogate pair")
            yield key, Node(value, f"{self.place}.{key}" if self.place else key)

    def items(self) -> list[Node]:
        """Return a list's items."""
        if not isinstance(self.value, list):
            self.fail(f"must be a list […], not {_kind(self.value)}")
        return [Node(value, f"{self.place}[{i}]") for i, value in enumerate(self.value)]

    def text(self) -> str:
        """Return a string."""
        if not isinstance(self.value, str):
            self.fail(f"must be a string, not {_kind(self.value)}")
        if not _encodable(self.value):
            self.fail("contains half of a Unicode surrogate pair")
        text: str = self.value
        return text

    def number(self) -> float:
        """Return a finite number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self.fail(f"must be a number, not {_kind(self.value)}")
        try:
            number = float(self.value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.fail("the number is too large")
        return number

    def plain(self, levels: int = 50) -> Any:
        """Return the value as plain Python objects, nested at most `levels` deep."""
        if not levels:
            self.fail("nested too deeply")
        if isinstance(self.value, _Object):
            return {key: node.plain(levels - 1) for key, node in self.entries()}
        if isinstance(self.value, list):
            return [node.plain(levels - 1) for node in self.items()]
        if isinstance(self.value, str):
            return self.text()
        if isinstance(self.value, float) and not math.isfinite(self.value):
            self.fail("the number is too large")
        if isinstance(self.value, _Constant):
            self.fail(f"must be a JSON value, not {_kind(self.value)}")
        return self.value


def _kind(value: Any) -> str:
    if isinstance(value, _Constant):
        return value.word
    if isinstance(value, dict | list):
        return "an object {…}" if isinstance(value, dict) else "a list […]"
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}…"


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    result = _Object(pairs)
    if len(result) < len(pairs):
        result.repeated = first_repeated(pairs)
    return result


def first_repeated(pairs: list[tuple[str, Any]]) -> str | None:
    """Return the first key that appears a second time."""
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return key
        seen.add(key)
    return None


def parse(text: str) -> Node:
    """Parse JSON text."""
    if not text.strip():
        raise InputError("the file is empty")
    try:
        return Node(json.loads(text, object_pairs_hook=_object, parse_constant=_Constant))
    except json.JSONDecodeError as error:
        truncated = " (is the file truncated?)" if error.pos >= len(text.rstrip()) else ""
        raise InputError(
            f"is not JSON: {error.msg}{truncated}", place=f"line {error.lineno}, column {error.colno}"
        ) from None
    except RecursionError:
        raise InputError("is nested too deeply") from None
    except MemoryError:
        raise InputError("is too large for the memory") from None
    except ValueError:
        # Python refuses to convert longer integers, because that takes quadratic time.
        raise InputError(f"has a whole number of more than {sys.get_int_max_str_digits():,} digits") from None


def read_tree(path: str | os.PathLike[str], limit: int = LARGE) -> Node:
    """Read a JSON file of at most `limit` bytes, gzipped or not, as a `Node`."""
    return parse(read_text(path, limit))


def read(path: str | os.PathLike[str], limit: int = LARGE) -> Any:
    """Read a JSON file of at most `limit` bytes, gzipped or not, as plain Python values."""
    try:
        return read_tree(path, limit).plain()
    except InputError as error:
        raise error.within(path) from None


def dumps(value: Any) -> str:
    """Return `value` as JSON text that ends with a newline."""
    return f"{_render(value, '')}\n"


def write(value: Any, path: str | os.PathLike[str]) -> None:
    """Write `value` as JSON; gzipped, without a timestamp, if the name ends in .gz."""
    content = dumps(value).encode()
    with replacing(path) as temporary:
        temporary.write_bytes(gzip.compress(content, mtime=0) if str(path).endswith(".gz") else content)


def _render(value: Any, indent: str) -> str:
    if not _nested(value):
        return _compact(value)
    inner = indent + "  "
    if isinstance(value, dict):
        parts = [f"{_compact(key)}: {_render(item, inner)}" for key, item in value.items()]
        brackets = "{}"
    else:
        parts = [_render(item, inner) for item in value]
        brackets = "[]"
    lines = ",\n".join(inner + part for part in parts)
    return f"{brackets[0]}\n{lines}\n{indent}{brackets[1]}"


_compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _nested(value: Any) -> bool:
    """Return whether a value needs several lines: a list of containers, or an object with such a member."""
    if isinstance(value, dict):
        return any(_holds_containers(item) for item in value.values())
    return _holds_containers(value)


def _holds_containers(value: Any) -> bool:
    if isinstance(value, dict):
        return any(isinstance(item, dict | list | tuple) for item in value.values())
    return isinstance(value, list | tuple) and any(isinstance(item, dict | list | tuple) for item in value)
