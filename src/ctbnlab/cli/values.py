"""Types of option values: numbers with bounds, and parts such as 3/20.

Used where no function of the library checks a value. Only ASCII digits are read: `int` also takes the digits
of other scripts, and underscores.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable

from ctbnlab.errors import InputError

_WHOLE = re.compile(r"[+-]?[0-9]{1,4000}", re.ASCII)


def whole(low: int, high: int) -> Callable[[str], int]:
    """Return a type for whole numbers in [low, high]."""

    def read(text: str) -> int:
        if not _WHOLE.fullmatch(text) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(
                f"must be a whole number from {low:,} to {high:,}, not {_short(text)}"
            )
        return int(text)

    return read


def seed(text: str) -> int:
    """Read a random seed."""
    if not _WHOLE.fullmatch(text) or not 0 <= int(text) < 2**63:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to 2^63 − 1, not {_short(text)}")
    return int(text)


def positive(text: str) -> float:
    """Read a finite number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number above 0, not {_short(text)}")
    return value


def share(text: str) -> float:
    """Read a number strictly between 0 and 1."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"must be a number between 0 and 1, not {_short(text)}")
    return value


def part(text: str, option: str = "--part") -> tuple[int, int]:
    """Read the value of --part or --batch, K/N with 1 ≤ K ≤ N."""
    k, slash, n = text.partition("/")
    if not slash or not all(_WHOLE.fullmatch(number) for number in (k, n)) or not 1 <= int(k) <= int(n):
        raise InputError(f"{option} must be K/N with 1 ≤ K ≤ N, not {_short(text)}")
    return int(k), int(n)


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}…")
