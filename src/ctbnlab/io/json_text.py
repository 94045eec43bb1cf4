"""JSON for people: faults are said with their place in the file, and matrices are written row by row.

A list of plain values or a record of such stands on one line, everything else one entry a line. Numbers
are written with the digits that read back as the same number; NaN and infinity are refused both ways.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from ctbnlab.errors import InputError
from ctbnlab.io.files import replacing

_GZIP = b"\x1f\x8b"


class _Object(dict[str, Any]):
    """A JSON object that remembers a key it had twice; the place is known only later, on the way down."""

    repeated: str | None = None


@dataclass(frozen=True)
class _Constant:
    """NaN, Infinity or -Infinity, which are no JSON; again, the place is known only later."""

    word: str


@dataclass(frozen=True)
class Node:
    """A value and its place in the file, as in `variables[2].cims`; faults raised here name both."""

    value: Any
    place: str = ""

    def fail(self, message: str) -> NoReturn:
        """Raise an error about this value."""
        raise InputError(message, place=self.place or None)

    def members(self, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Node]:
        """Return an object's members by their keys; a missing or an unknown key is an error."""
        found = dict(self.entries())
        for key in required:
            if key not in found:
                self.fail(f"lacks the key {key!r}")
        for key, node in found.items():
            if key not in required and key not in optional:
                node.fail(f"is an unknown key; known here are {', '.join((*required, *optional))}")
        return found

    def entries(self) -> Iterator[tuple[str, Node]]:
        """Return an object's keys and members, whatever they are."""
        if not isinstance(self.value, _Object):
            self.fail(f"must be an object {{…}}, not {_kind(self.value)}")
        if self.value.repeated is not None:
            self.fail(f"has the key {self.value.repeated!r} twice")
        for key, value in self.value.items():
            yield key, Node(value, f"{self.place}.{key}" if self.place else key)

    def items(self) -> list[Node]:
        """Return a list's items."""
        if not isinstance(self.value, list):
            self.fail(f"must be a list […], not {_kind(self.value)}")
        return [Node(value, f"{self.place}[{i}]") for i, value in enumerate(self.value)]

    def text(self) -> str:
        """Return a text."""
        if not isinstance(self.value, str):
            self.fail(f"must be a text, not {_kind(self.value)}")
        if not _encodable(self.value):
            self.fail("holds half of a Unicode surrogate pair")
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
            self.fail("is too large a number")
        return number

    def plain(self, levels: int = 50) -> Any:
        """Return the value as plain Python, whatever it is made of, down to some levels."""
        if not levels:
            self.fail("is nested too deeply")
        if isinstance(self.value, _Object):
            return {key: node.plain(levels - 1) for key, node in self.entries()}
        if isinstance(self.value, list):
            return [node.plain(levels - 1) for node in self.items()]
        if isinstance(self.value, str):
            return self.text()
        if isinstance(self.value, float) and not math.isfinite(self.value):
            self.fail("is too large a number")
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
        keys = [key for key, _ in pairs]
        result.repeated = next(key for key in keys if keys.count(key) > 1)
    return result


def parse(content: bytes) -> Node:
    """Return the JSON value in a file's content, gzipped or not."""
    if content.startswith(_GZIP):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error):
            raise InputError("is truncated or damaged gzip") from None
    if not content.strip():
        raise InputError("the file is empty")
    try:
        text = content.decode("utf-8-sig")
        return Node(json.loads(text, object_pairs_hook=_object, parse_constant=_Constant))
    except UnicodeDecodeError as error:
        raise InputError(f"is not text: byte {error.start + 1} is not UTF-8") from None
    except json.JSONDecodeError as error:
        truncated = " (is the file truncated?)" if error.pos >= len(text.rstrip()) else ""
        raise InputError(
            f"is not JSON: {error.msg}{truncated}", place=f"line {error.lineno}, column {error.colno}"
        ) from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"is not JSON this program reads: {error}") from None


def read_tree(path: str | os.PathLike[str]) -> Node:
    """Read a JSON file, gzipped or not, as a tree whose nodes know their place."""
    return parse(Path(path).read_bytes())


def read(path: str | os.PathLike[str]) -> Any:
    """Read a JSON file, gzipped or not, as plain Python values."""
    try:
        return read_tree(path).plain()
    except InputError as error:
        raise error.within(path) from None


def dumps(value: Any) -> str:
    """Return `value` as JSON text with a line break at the end."""
    return f"{_render(value, '')}\n"


def write(value: Any, path: str | os.PathLike[str]) -> None:
    """Write `value` as JSON; gzipped, without a date in it, if the name ends in .gz."""
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
    """Tell whether a value needs several lines: a list of lists or objects, an object that goes deeper."""
    if isinstance(value, dict):
        return any(_holds_containers(item) for item in value.values())
    return _holds_containers(value)


def _holds_containers(value: Any) -> bool:
    if isinstance(value, dict):
        return any(isinstance(item, dict | list | tuple) for item in value.values())
    return isinstance(value, list | tuple) and any(isinstance(item, dict | list | tuple) for item in value)
