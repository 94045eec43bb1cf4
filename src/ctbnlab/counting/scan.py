"""Trajectories as the compiled scans take them, and time in ticks."""

from __future__ import annotations

from math import frexp, ldexp

from ctbnlab.counting._scan import EventScan
from ctbnlab.data.trajectories import Trajectories


def scan_of(data: Trajectories, first: int = 0, last: int | None = None) -> EventScan:
    """Return what scans the trajectories, or some in a row; ticks are the same for all."""
    some = slice(first, last)
    return EventScan(
        data.begin[some],
        data.stop[some],
        data.start[some],
        data.end[some],
        data.initial[some],
        data.time,
        data.variable,
        data.old,
        data.new,
        data.cardinalities,
        ticks_per_time(data.total_time),
    )


def ticks_per_time(total_time: float) -> float:
    """Return the power of two that makes all the time observed at least 2^60 and less than 2^61 ticks."""
    # No float has a larger exponent: of less than 1e-288 time in all, ticks are longer than they might be.
    return ldexp(1.0, min(61 - frexp(total_time)[1], 1020)) if total_time else 1.0
