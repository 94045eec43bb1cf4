"""What is shown of objects: numbers of things in words, and a DataFrame as a short table in a notebook."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

_ROWS, _COLUMNS = 10, 12


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return "1 learner" or "2 learners"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def short_table(make: Callable[[], Any], caption: str) -> str | None:
    """Return the first rows of the DataFrame that `make` returns as HTML; None without pandas."""
    try:
        frame = make()
    except ImportError:
        return None
    table = frame.iloc[:_ROWS, :_COLUMNS].to_html(float_format="{:.4g}".format, na_rep="", border=0)
    more = f"<div>and {len(frame) - _ROWS:,} more rows</div>" if len(frame) > _ROWS else ""
    return f"<div><div>{escape(caption)}</div>{table}{more}</div>"
