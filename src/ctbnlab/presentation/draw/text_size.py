"""The size of text in inches, without drawing it, and long names folded into lines."""

from __future__ import annotations

import textwrap
from functools import lru_cache

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath


@lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> float:
    """Return the width of the widest line of a text at a font size in points."""
    lines = [line for line in text.split("\n") if line.strip()]
    return max((_line_width(line, size) for line in lines), default=0.0)


def _line_width(line: str, size: float) -> float:
    # A dollar sign would start a formula; S is about as wide.
    path = TextPath((0, 0), line.replace("$", "S"), size=size, prop=FontProperties(family="DejaVu Sans"))
    return float(path.get_extents().x1) / 72


def text_height(text: str, size: float) -> float:
    """Return the height of a text of one or more lines."""
    return (text.count("\n") + 1) * 1.25 * size / 72


def folded(text: str, width: int = 12) -> str:
    """Return a long name broken between words into lines of at most `width` characters."""
    return "\n".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)) or text
