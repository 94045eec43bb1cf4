"""The options of a reader as users give them: names as lists or as `A,B`, cuts as texts or numbers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from ctbnlab.data.formats.request import Options
from ctbnlab.data.role_request import RoleRequest
from ctbnlab.errors import InputError
from ctbnlab.model.names import parse_list

Names = str | Sequence[str]


class Asked(TypedDict, total=False):
    """Keywords of `ctbnlab.read`, which are also options of the commands and keys of a config."""

    layout: str | None
    id: str | None
    time: str | None
    variables: Names | None
    start: str | float | None
    end: str | float | None
    event: str | None
    birth: str | None
    ties: str
    unchanged: str
    seed: int
    missing: str
    na: Names | None
    unit: str
    decimal: str
    cut: Mapping[str, Any] | Names | None
    labels: Names | None
    rules: str | os.PathLike[str] | None
    people: str | os.PathLike[str] | None
    static: Names | None
    terminal: Names | None
    clock: Names | None
    periods: int | None
    tiers: str | None


# What only a table can be asked: a store has no columns.
_OF_TABLES = (
    *("layout", "id", "time", "variables", "start", "end", "event", "birth"),
    *("na", "unit", "decimal", "cut", "labels", "rules", "people"),
)


def options_of(asked: Asked) -> Options:
    """Return the options that keywords ask for; refuse unknown ones."""
    for name in asked:
        if name not in Asked.__annotations__:
            raise InputError(f"unknown option {name!r}; known are {', '.join(Asked.__annotations__)}")
    given: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    clock = given.pop("clock", ())
    roles = RoleRequest(
        static=_names(given.pop("static", ())),
        terminal=_names(given.pop("terminal", ())),
        clocks=(clock,) if isinstance(clock, str) else tuple(clock),
        periods=given.pop("periods", None),
        tiers=given.pop("tiers", None),
    )
    for key in ("variables", "labels"):
        if key in given:
            given[key] = _names(given[key])
    if "na" in given:
        given["missing_values"] = _missing(given.pop("na"))
    if "cut" in given:
        given["cut"] = _cuts(given["cut"])
    for key in ("rules", "people"):
        if key in given:
            given[key] = os.fspath(given[key])
    for key in ("start", "end"):
        if isinstance(given.get(key), int | float):
            given[key] = f"{given[key]:g}"
    return Options(**given, roles=roles)


def require_table(asked: Asked) -> None:
    """Refuse options about the columns of a table, for a file of events."""
    for name in _OF_TABLES:
        if asked.get(name) is not None:
            raise InputError(f"holds events, not a table with columns: --{name} does not apply")


def _names(given: Any) -> tuple[str, ...]:
    return tuple(parse_list(given)) if isinstance(given, str) else tuple(map(str, given))


def _missing(given: Any) -> tuple[str, ...]:
    """Return the texts that stand for missing values; the empty text always does."""
    return ("", *(text for text in _names(given) if text))


def _cuts(given: Any) -> dict[str, Any]:
    from ctbnlab.data.formats.cutting import checked_cuts, parse_cut

    if isinstance(given, Mapping):
        return checked_cuts(given)
    texts: Iterable[str] = [given] if isinstance(given, str) else given
    pairs = [parse_cut(text) for text in texts]
    for k, (name, _) in enumerate(pairs):
        if name in [other for other, _ in pairs[:k]]:
            raise InputError(f"--cut names {name!r} twice")
    return checked_cuts(dict(pairs))
