"""Numbers and lists in the sentences of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from ctbnlab.presentation.report.markup import Html, joined, text

T = TypeVar("T", int, float)
_MOST_LISTED = 4


def listed(items: Iterable[object], last: str = "and") -> Html:
    """Return "a, b and c"; items may be markup."""
    parts = [text(item) for item in items]
    if len(parts) < 2:
        return joined(parts)
    return joined([joined(parts[:-1], ", "), Html(f" {text(last)} "), parts[-1]])


def levels(values: Iterable[T]) -> str:
    """Return the levels of a factor: "5 or 10", or "5 to 100" if there are many."""
    found: Sequence[T] = sorted(set(values))
    shown = [f"{value:,g}" if value < 1e6 else f"{value:,.0f}" for value in found]
    if len(shown) > _MOST_LISTED:
        return f"{shown[0]} to {shown[-1]}"
    return str(listed(shown, "or"))
