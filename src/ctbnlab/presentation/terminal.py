"""Tables for a terminal: aligned columns, short numbers, and labels of any alphabet."""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Sequence

WIDTH = 100  # of a line that goes to a file or a pipe, the same everywhere
_MIN_WIDTH = 40


def line_width() -> int:
    """Return the width of the terminal, or that of other outputs."""
    if sys.stdout is None or not sys.stdout.isatty():
        return WIDTH
    return max(_MIN_WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)


def shown(text: str) -> str:
    """Return a label with control characters escaped, so that it cannot break its line."""
    return text if text.isprintable() else repr(text)[1:-1]


def cells(text: str) -> int:
    """Return the width of a text in character cells: wide letters take two, combining marks none."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def clipped(text: str, width: int | None = None) -> str:
    """Return a text cut to `width` cells, by default those of a line, with … at the end if it was longer."""
    width = line_width() if width is None else width
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[:-1]
    return text.rstrip(", ") + "…"


def number(value: float | None) -> str:
    """Return a number with four significant digits, or as an integer from 10,000 to 10^15; – for None."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if 9999.5 <= abs(value) < 1e15 else f"{value + 0.0:,.4g}"


def three_digits(value: float) -> str:
    """Return a number with three significant digits, in plain notation up to a million."""
    short = f"{value:.3g}"
    return f"{float(short):,.0f}" if 1000 <= value < 1e6 else short


def significant(value: float, digits: int) -> str:
    """Return a number with some significant digits; 0 has no sign."""
    return f"{value + 0.0:.{digits}g}"


def below(symbol: str, value: float) -> str:
    """Return a bound such as `p ≤ 0.01`; one that is too small for a float is still not 0."""
    return f"{symbol} ≤ {value:.2g}" if value > 0 else f"{symbol} < 1e-300"


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = (), indent: str = "") -> list[str]:
    """Return rows as lines with aligned columns; the columns in `right` are aligned to the right."""
    widths = [max(cells(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = []
    for row in rows:
        padded = []
        for k, (text, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - cells(text))
            padded.append(space + text if k in right else text + space)
        lines.append((indent + "  ".join(padded)).rstrip())
    return lines
