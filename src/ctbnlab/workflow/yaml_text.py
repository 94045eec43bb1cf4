"""YAML for configs: bounded in size and depth, with duplicate keys refused; an error names line and column.

YAML's aliases let a few lines stand for billions of values. They are allowed, but what they stand for is
counted, here for merged mappings and in `require_plain` for everything else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import yaml

from ctbnlab.errors import InputError
from ctbnlab.io.bounded import SMALL, read_text

MAX_DEPTH = 64
MAX_VALUES = 1_000_000
_MAX_MERGED = 10_000


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Reads plain values; refuses a key that appears twice, which YAML forbids but PyYAML accepts."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        self.depth = getattr(self, "depth", 0) + 1
        if self.depth > MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem="nested too deeply", problem_mark=self.peek_event().start_mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def compose_mapping_node(self, anchor: Any) -> Any:
        node = super().compose_mapping_node(anchor)
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {key.value!r} appears twice", problem_mark=key.start_mark
                )
            seen.add(str(key.value))
        return node

    def flatten_mapping(self, node: Any) -> None:
        super().flatten_mapping(node)
        if len(node.value) > _MAX_MERGED:
            raise yaml.MarkedYAMLError(problem="too many merged keys", problem_mark=node.start_mark)


def read(path: str) -> Any:
    """Return the content of a YAML or JSON file."""
    return parse(read_text(path, SMALL), path)


def parse(text: str, source: str) -> Any:
    """Return the value that a YAML or JSON text describes; `source` names it in messages."""
    try:
        return yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = None if mark is None else f"line {mark.line + 1}, column {mark.column + 1}"
        raise InputError(f"is not valid YAML: {error.problem}", path=source, place=place) from None
    except (yaml.YAMLError, ValueError, TypeError, RecursionError, OverflowError) as error:
        # PyYAML lets Python's own errors through, such as that of the date 2026-99-99.
        raise InputError(f"is not valid YAML: {error}", path=source) from None


def require_plain(content: Any, source: str) -> None:
    """Refuse values that no config has: numbers that are not finite, odd keys, and endless nesting."""
    left = [MAX_VALUES]
    _require_plain(content, (), source, left)


def _require_plain(value: Any, place: tuple[str, ...], source: str, left: list[int]) -> None:
    def fail(message: str) -> None:
        raise InputError(message, path=source, place=".".join(place) or None)

    left[0] -= 1
    if left[0] < 0:
        raise InputError(f"describes more than {MAX_VALUES:,} values", path=source)
    if len(place) > MAX_DEPTH:
        raise InputError("is nested too deeply", path=source)
    if isinstance(value, float) and not math.isfinite(value):
        fail(f"must be a finite number, not {value}")
    elif isinstance(value, int) and abs(value) >= 2**63:
        fail("is too large a number")
    elif isinstance(value, str) and "\0" in value:
        fail("contains a NUL character")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                fail(f"the key {key!r} is not text; put it in quotes")
            _require_plain(item, (*place, key), source, left)
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            _require_plain(item, (*place, str(number)), source, left)
