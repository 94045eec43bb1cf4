"""What variables are, beyond their states: static, terminal, clocks, tiers.

- A **static** variable (sex, treatment arm) never changes. It may be a parent, and is never a target.
- The first change of a **terminal** variable (death, end point) ends its trajectory. It is never a parent.
- A **clock** changes by itself: the period since entry, of calendar time, of age, since an event. It may be a
  parent, and is never a target. Rates that change over time then depend on the clock, where they would
  otherwise make independent variables look dependent.
- The **own clock** of a target is the period since its last change. It is no variable of the data.
- **Tiers** are groups of variables in order: no arc points to an earlier tier.

Roles are stored with data and with networks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ctbnlab.errors import InputError
from ctbnlab.model.names import quoted

KINDS = ("entry", "calendar", "age", "since", "column")
MAX_PERIODS = 200


@dataclass(frozen=True)
class Clock:
    """A variable that changes by itself, at `cuts` of time since entry, calendar time, age or since an event.

    A clock of the kind "since" follows a variable and, if given, the state that starts it. One of the kind
    "column" came with the data, and has no cuts.
    """

    name: str
    kind: str
    cuts: tuple[float, ...] = ()
    since: tuple[str, str | None] | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"unknown kind of clock {self.kind!r}; known: {', '.join(KINDS)}")
        if not all(math.isfinite(cut) for cut in self.cuts) or list(self.cuts) != sorted(set(self.cuts)):
            raise InputError(f"the periods of the clock {self.name!r} must be increasing numbers")


@dataclass(frozen=True)
class Roles:
    """The roles of variables, by name; see the module's text.

    `own_clock` is the number of periods of targets' own clocks, 0 if the number of their events decides, or
    None if there are no such clocks.
    """

    static: tuple[str, ...] = ()
    terminal: tuple[str, ...] = ()
    clocks: tuple[Clock, ...] = ()
    own_clock: int | None = None
    tiers: tuple[tuple[str, ...], ...] = ()

    def __bool__(self) -> bool:
        has_own = self.own_clock is not None
        return bool(self.static or self.terminal or self.clocks or has_own or self.tiers)

    @property
    def clock_names(self) -> tuple[str, ...]:
        """The names of the clocks."""
        return tuple(clock.name for clock in self.clocks)

    @property
    def never_targets(self) -> frozenset[str]:
        """The variables whose parents are not asked for."""
        return frozenset((*self.static, *self.clock_names))

    def role_of(self, name: str) -> str | None:
        """Return the role of a variable in one word, if it has one."""
        for role, names in (
            ("static", self.static),
            ("terminal", self.terminal),
            ("clock", self.clock_names),
        ):
            if name in names:
                return role
        return None

    def forbidden(self, names: Sequence[str]) -> frozenset[tuple[str, str]]:
        """Return the arcs that the roles rule out among these variables."""
        fixed, terminal = self.never_targets, set(self.terminal)
        tier = {name: k for k, group in enumerate(self.tiers) for name in group}
        return frozenset(
            (a, b)
            for a in names
            for b in names
            if a != b and (b in fixed or a in terminal or (a in tier and b in tier and tier[a] > tier[b]))
        )

    def reason(self, source: str, target: str) -> str:
        """Return why the roles rule out an arc."""
        if target in self.static:
            return f"{quoted(target)} is static"
        if target in self.clock_names:
            return f"{quoted(target)} is a clock"
        return f"{quoted(source)} is terminal" if source in self.terminal else "it points to an earlier tier"

    def checked(self, names: Sequence[str]) -> Roles:
        """Return these roles if they fit the variables; refuse unknown names and contradictions."""
        known = set(names)
        groups = (self.static, self.terminal, self.clock_names)
        for role, group in zip(("static", "terminal", "clock"), groups, strict=True):
            _require_known(role, group, known)
        twice = [name for name in names if sum(name in group for group in groups) > 1]
        if twice:
            raise InputError(f"the variable {twice[0]!r} cannot have two roles")
        for group in self.tiers:
            _require_known("tier", group, known)
        tiered = [name for group in self.tiers for name in group]
        if len(set(tiered)) < len(tiered):
            raise InputError(f"the variable {_repeated(tiered)!r} is in two tiers")
        for clock in self.clocks:
            if clock.since is not None:
                _require_known("clock", (clock.since[0],), known)
        if self.own_clock and not 2 <= self.own_clock <= MAX_PERIODS:
            raise InputError(f"an own clock has 2 to {MAX_PERIODS} periods, not {self.own_clock}")
        return self

    def described(self) -> dict[str, Any]:
        """Return the roles as JSON; those that are empty are left out."""
        clocks = [
            {
                "name": clock.name,
                "kind": clock.kind,
                **({"cuts": list(clock.cuts)} if clock.cuts else {}),
                **({"since": list(clock.since)} if clock.since else {}),
            }
            for clock in self.clocks
        ]
        entries = {
            "static": list(self.static),
            "terminal": list(self.terminal),
            "clocks": clocks,
            "own_clock": self.own_clock,
            "tiers": [list(group) for group in self.tiers],
        }
        return {key: value for key, value in entries.items() if value or (key == "own_clock" and value == 0)}

    @classmethod
    def from_description(cls, entry: Any) -> Roles:
        """Return the roles that `described` wrote; refuse anything else."""
        damaged = InputError("the description of the roles is damaged")
        if not isinstance(entry, dict) or not set(entry) <= {*cls.__dataclass_fields__}:
            raise damaged
        own = entry.get("own_clock")
        if not (own is None or (isinstance(own, int) and not isinstance(own, bool))):
            raise damaged
        try:
            clocks = tuple(
                Clock(
                    _text(clock["name"]),
                    _text(clock["kind"]),
                    tuple(float(cut) for cut in clock.get("cuts", ())),
                    None if "since" not in clock else _since(clock["since"]),
                )
                for clock in entry.get("clocks", ())
            )
            return cls(
                tuple(map(_text, entry.get("static", ()))),
                tuple(map(_text, entry.get("terminal", ()))),
                clocks,
                own,
                tuple(tuple(map(_text, group)) for group in entry.get("tiers", ())),
            )
        except InputError:
            raise
        except (TypeError, KeyError, ValueError, AttributeError, OverflowError):
            raise damaged from None


NO_ROLES = Roles()


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _since(value: Any) -> tuple[str, str | None]:
    variable, state = value
    return _text(variable), None if state is None else _text(state)


def _require_known(role: str, names: Iterable[str], known: set[str]) -> None:
    for name in names:
        if name not in known:
            listed = ", ".join(map(quoted, sorted(known)[:8])) + (", …" if len(known) > 8 else "")
            raise InputError(f"{role}: no variable {name!r}; the data have {listed}")


def _repeated(names: Sequence[str]) -> str:
    return next(name for k, name in enumerate(names) if name in names[:k])
