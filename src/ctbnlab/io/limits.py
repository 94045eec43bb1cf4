"""Limits on what one call may ask for: more is refused at once instead of exhausting the machine."""

from __future__ import annotations

import math

from ctbnlab.errors import InputError

MAX_JOBS = 1024  # threads of one process
MAX_EVENTS = 10**12  # some 11 terabytes of simulated events
# The unit of time is free, but squares of times and of rates must be doubles.
MIN_DURATION = 1e-100
MAX_TOTAL_TIME = 1e100
MAX_MEGABYTES = 10**9  # a petabyte


def require_between(value: float, low: float, high: float, what: str) -> None:
    """Refuse a number outside [low, high], or one that is not a number; `what` begins the message."""
    if not low <= value <= high:
        bounds = f"{low:,} or more" if math.isinf(high) else f"from {low:,} to {high:,}"
        raise InputError(f"{what} must be {bounds}, not {_shown(value)}")


def _shown(value: float) -> str:
    if isinstance(value, int) and abs(value) >= 10**20:
        # Python refuses to write out an integer of thousands of digits.
        return f"about {'-' if value < 0 else ''}10^{round(math.log10(2) * abs(value).bit_length())}"
    return str(value)
