"""Roles as users ask for them: on the command line, in a config, in a call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.model.names import parse_groups
from ctbnlab.model.roles import MAX_PERIODS


@dataclass(frozen=True, eq=False)
class RoleRequest:
    """Roles to give to data that were read: names, and clocks as texts (see `parse_clock`).

    `births` has a time of birth per trajectory, for the clock `age`.
    """

    static: tuple[str, ...] = ()
    terminal: tuple[str, ...] = ()
    clocks: tuple[str, ...] = ()
    periods: int | None = None  # of a clock without given cuts; by default the number of events decides
    tiers: str | None = None
    births: NDArray[np.float64] | None = field(default=None)

    def __post_init__(self) -> None:
        if self.periods is not None and not 2 <= self.periods <= MAX_PERIODS:
            raise InputError(f"a clock has 2 to {MAX_PERIODS} periods, not {self.periods}")

    def __bool__(self) -> bool:
        return bool(self.static or self.terminal or self.clocks or self.tiers)


@dataclass(frozen=True)
class ClockRequest:
    """A clock as asked for: its kind ("own" and "auto" too), what it follows, and its cuts if given."""

    kind: str
    cuts: tuple[float, ...] = ()
    since: tuple[str, str | None] | None = None
    column: str | None = None


def parse_clock(text: str, names: Sequence[str]) -> ClockRequest:
    """Read `entry`, `calendar`, `age`, `since:VARIABLE`, `since:VARIABLE=STATE`, `own`, `auto` or a variable.

    All but the last three may end in `:` and the cuts between periods, as in `entry:30,90,365`. The name of a
    variable means that this variable is a clock; it comes before the words, as the data are more specific.
    """
    if text in names:
        return ClockRequest("column", column=text)
    if text in ("own", "auto"):
        return ClockRequest(text)
    kind, _, rest = text.partition(":")
    if kind in ("entry", "calendar", "age"):
        return ClockRequest(kind, _cuts(rest, text) if rest else ())
    if kind == "since" and rest:
        name, cuts = _name_and_cuts(rest, names, text)
        variable, equals, state = name.partition("=")
        if name in names or not equals:
            return ClockRequest("since", cuts, (name, None))
        return ClockRequest("since", cuts, (variable, state))
    raise InputError(
        f"unknown clock {text!r}; use entry, calendar, age, since:VARIABLE, own, auto or a variable's name"
    )


def _name_and_cuts(text: str, names: Sequence[str], whole: str) -> tuple[str, tuple[float, ...]]:
    """Split `VARIABLE=STATE:30,90`; names may hold colons."""
    head, colon, tail = text.rpartition(":")
    if not colon or text in names or (text.partition("=")[0] in names and not _are_numbers(tail)):
        return text, ()
    return head, _cuts(tail, whole)


def _are_numbers(text: str) -> bool:
    try:
        return bool([float(part) for part in text.split(",")])
    except ValueError:
        return False


def _cuts(text: str, whole: str) -> tuple[float, ...]:
    if not _are_numbers(text):
        raise InputError(f"the clock {whole!r} must end in numbers, as in entry:30,90,365")
    cuts = tuple(float(part) for part in text.split(","))
    if not all(math.isfinite(cut) for cut in cuts) or list(cuts) != sorted(set(cuts)):
        raise InputError(f"the periods of the clock {whole!r} must be increasing numbers")
    if len(cuts) >= MAX_PERIODS:
        raise InputError(f"the clock {whole!r} has more than {MAX_PERIODS} periods")
    return cuts


def parse_tiers(text: str | None) -> tuple[tuple[str, ...], ...]:
    """Read `sex,arm > disease > death`; names that contain a comma or > are in double quotes."""
    if not text or not text.strip():
        return ()
    tiers = tuple(map(tuple, parse_groups(text, ">")))
    if len(tiers) < 2 or not all(tiers):
        raise InputError(f"write tiers as groups of names, as in 'sex,arm > disease > death', not {text!r}")
    return tiers
