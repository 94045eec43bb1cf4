"""Durations in the sentences that commands print."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """Return `0.02 s`, `3.4 s`, `1,250 s`."""
    return f"{seconds:.2g} s" if seconds < 9.95 else f"{seconds:,.0f} s"
