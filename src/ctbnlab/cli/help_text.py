"""Help texts that fit the terminal: sentences are wrapped, and so are lists and examples in two columns."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

_COLUMNS = re.compile(r"( +)(\S.*?)( {2,})(\S.*)")
_MAX_HANGING = 24  # the widest first column beside which the second one is wrapped


def fitted(text: str, width: int) -> list[str]:
    """Return the lines of a description: paragraphs, and indented blocks."""
    lines: list[str] = []
    for is_prose, group in groupby(text.splitlines(), lambda line: line[:1].strip() != ""):
        if is_prose:
            lines += _wrapped(" ".join(group), width)
        else:
            lines += _fitted_block(list(group), width)
    return lines


def _fitted_block(lines: Sequence[str], width: int) -> Iterator[str]:
    """Yield indented lines; if one is too long, second columns are wrapped, or go below the first."""
    if max(map(len, lines)) <= width:
        yield from lines
        return
    for indent, first, gap, second in _rows(lines):
        start = len(indent) + len(first) + len(gap)
        if not second:
            yield f"{indent}{first}"
        elif start <= _MAX_HANGING:
            yield from _wrapped(second, width, f"{indent}{first}{gap}", " " * start)
        else:
            yield f"{indent}{first}"
            yield from _wrapped(second, width, f"{indent}    ", f"{indent}    ")


def _rows(lines: Sequence[str]) -> list[list[str]]:
    """Return lines as indent, first column, gap and second column, which may go on in the next lines."""
    rows: list[list[str]] = []
    for line in lines:
        found = _COLUMNS.fullmatch(line)
        text = line.lstrip()
        indent = line[: len(line) - len(text)]
        if rows and rows[-1][3] and text and len(indent) == sum(map(len, rows[-1][:3])):
            rows[-1][3] += f" {text}"
        else:
            rows.append(list(found.groups()) if found else [indent, text, "", ""])
    return rows


def _wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
