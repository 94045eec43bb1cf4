"""The check of trajectories as plain Python, to compare the compiled one with."""

from __future__ import annotations

import math

from ctbnlab.io.limits import MAX_TOTAL_TIME, MIN_DURATION


def first_fault(columns: dict, cardinalities: list[int]) -> tuple[str, int, int] | None:
    """Return the kind, trajectory and event of the first fault of columns of equal lengths, or None."""
    total = 0.0
    for t, (begin, stop, start, end) in enumerate(
        zip(columns["begin"], columns["stop"], columns["start"], columns["end"], strict=True)
    ):
        if not 0 <= begin <= stop <= len(columns["time"]):
            return "bounds", t, -1
        if not (math.isfinite(start) and math.isfinite(end) and start <= end):
            return "observation", t, -1
        if 0 < float(end) - float(start) < MIN_DURATION:
            return "duration", t, -1
        total += float(end) - float(start)
        if not total <= MAX_TOTAL_TIME:
            return "total", t, -1
        state = [int(code) for code in columns["initial"][t]]
        if any(code >= c for code, c in zip(state, cardinalities, strict=True)):
            return "initial state", t, -1
        now = float(start)
        for e in range(begin, stop):
            kind = _fault_of_event(columns, e, state, cardinalities, now, float(end))
            if kind is not None:
                return kind, t, e
            state[columns["variable"][e]] = int(columns["new"][e])
            now = float(columns["time"][e])
    return None


def _fault_of_event(columns, e, state, cardinalities, now, end) -> str | None:
    variable, old, new, time = (columns[name][e] for name in ("variable", "old", "new", "time"))
    if variable >= len(state):
        return "variable"
    if new >= cardinalities[variable]:
        return "new state"
    if old != state[variable]:
        return "old state"
    if new == old:
        return "no change"
    if not now < time:
        return "order"
    if not time <= end:
        return "end"
    return None
