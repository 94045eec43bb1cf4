"""Numbers in the sentences that commands print."""

from __future__ import annotations


def count(number: int, singular: str, plural: str | None = None) -> str:
    """Return `1 arc`, `2 arcs`, `1,000 trajectories`."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def duration(seconds: float) -> str:
    """Return `0.02 s`, `3.4 s`, `1,250 s`."""
    return f"{seconds:.2g} s" if seconds < 9.95 else f"{seconds:,.0f} s"
