"""Rules for event logs: which event moves which variable to which state.

A file of rules is TOML, or the same as JSON, with a table per variable:

    [variables.ventilation]          # events that lead to each state; the first is the initial one
    states = { off = ["extubation"], on = ["intubation"] }

    [variables.diabetes]             # from no to yes at the first of these events
    ever = ["E10*", "E11*"]

    [variables.falls]                # 0, 1, 2, 3+
    count = ["fall"]
    max = 3

    [variables.infection]            # yes for 30 units of time after each of these events
    within = 30
    events = ["infection*"]

    [variables.glucose]              # the value that comes with the event, cut into states
    value = ["LAB//glucose"]
    cut = [70, 180]

    [observation]                    # without it, from the first to the last row
    start = ["admission"]
    end = ["discharge", "death"]

`*` and `?` in the name of an event match any text and any character.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ctbnlab.data.formats.cutting import cut_labels
from ctbnlab.data.formats.layouts.happened import EVER
from ctbnlab.errors import InputError
from ctbnlab.io import json_text
from ctbnlab.io.files import naming_file
from ctbnlab.model.variables import MAX_STATES, checked_variables

KINDS = ("states", "ever", "count", "within", "value")
_KEYS = {
    "states": {"states", "initial"},
    "ever": {"ever"},
    "count": {"count", "max"},
    "within": {"within", "events"},
    "value": {"value", "cut"},
}
_DEFAULT_MAX = 3
_MAX_BYTES = 1 << 24


@dataclass(frozen=True)
class Rule:
    """How events move one variable.

    `patterns` lead to the state of the same place, in the kind "states"; in the others, all patterns are one
    kind of event. `initial` is the state before any event, or None if it is unknown. A `literal` rule has the
    full names of events in the place of patterns.
    """

    name: str
    kind: str
    states: tuple[str, ...]
    patterns: tuple[tuple[str, ...], ...]
    initial: int | None = 0
    window: float = 0.0
    cuts: tuple[float, ...] = ()
    literal: bool = False

    def state_of(self, event: str, also: str) -> int | None:
        """Return the state that an event leads to, or 0 in the other kinds; `also` is its full name.

        If the patterns of several states match, an exact one comes first, then the one listed last.
        """
        if self.literal:
            return 0 if also in self.patterns[0] else None
        for match in (str.__eq__, _fits):
            for state in reversed(range(len(self.patterns))):
                if any(match(text, pattern) for pattern in self.patterns[state] for text in {event, also}):
                    return state
        return None


def _fits(text: str, pattern: str) -> bool:
    return fnmatchcase(text, pattern.replace("[", "[[]"))  # brackets are common in names of events


@dataclass(frozen=True)
class Rules:
    """The rules of all variables, and the events between which trajectories are observed."""

    variables: tuple[Rule, ...]
    start: tuple[str, ...] = ()
    end: tuple[str, ...] = ()


def ever_rule(name: str, events: tuple[str, ...]) -> Rule:
    """Return the rule of a variable that is yes once any of some events, by full name, has happened."""
    return Rule(name, "ever", EVER, (events,), literal=True)


def read_rules(path: str) -> Rules:
    """Read a file of rules."""
    with naming_file(path):
        content = _content(Path(path))
        _require_keys(content, {"variables", "observation"}, None)
        variables = content.get("variables")
        if not isinstance(variables, Mapping) or not variables:
            raise InputError("no variables; write a table [variables.NAME] for each")
        rules = tuple(_rule(name, entry) for name, entry in variables.items())
        checked_variables((rule.name, rule.states) for rule in rules)
        observation = content.get("observation", {})
        _require_keys(observation, {"start", "end"}, "observation")
        found = {key: _patterns(observation[key], f"observation.{key}") for key in observation}
        return Rules(rules, **found)


def _content(path: Path) -> Any:
    if path.stat().st_size > _MAX_BYTES:
        raise InputError("is too large for a file of rules")
    if path.name.endswith(".json"):
        return json_text.read(path)
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text") from None
    except RecursionError:
        raise InputError("is nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not TOML: {error}") from None


def _require_keys(entry: Any, known: set[str], place: str | None) -> None:
    if not isinstance(entry, Mapping):
        raise InputError("must be a table of keys and values", place=place)
    for key in entry:
        if key not in known:
            raise InputError(f"unknown key {key!r}; known: {', '.join(sorted(known))}", place=place)


def _rule(name: str, entry: Any) -> Rule:
    place = f"variables.{name}"
    _require_keys(entry, set().union(*_KEYS.values()), place)
    kinds = [kind for kind in KINDS if kind in entry]
    if len(kinds) != 1:
        raise InputError(f"must have exactly one of the keys {', '.join(KINDS)}", place=place)
    kind = kinds[0]
    _require_keys(entry, _KEYS[kind], place)
    if kind == "states":
        return _states_rule(name, entry, place)
    patterns = (_patterns(entry.get("events" if kind == "within" else kind), place, at_least=1),)
    if kind == "ever":
        return Rule(name, kind, EVER, patterns)
    if kind == "count":
        return Rule(name, kind, _counts(entry.get("max", _DEFAULT_MAX), place), patterns)
    if kind == "within":
        return Rule(name, kind, EVER, patterns, window=_positive(entry["within"], place))
    cuts = _cuts(entry.get("cut"), place)
    return Rule(name, kind, cut_labels(cuts), patterns, initial=None, cuts=cuts)


def _states_rule(name: str, entry: Mapping[str, Any], place: str) -> Rule:
    states = entry["states"]
    if not isinstance(states, Mapping) or not states:
        raise InputError("states must be a table of states and their events", place=place)
    labels = list(states)
    initial = entry.get("initial", labels[0])
    if not isinstance(initial, str):
        raise InputError("initial must be a text", place=place)
    unknown = initial in ("", "NA", "unknown") and initial not in labels
    if not unknown and initial not in labels:
        labels.insert(0, initial)
    patterns = tuple(
        _patterns(states[label], f"{place}.states") if label in states else () for label in labels
    )
    return Rule(name, "states", tuple(labels), patterns, None if unknown else labels.index(initial))


def _patterns(value: Any, place: str, at_least: int = 0) -> tuple[str, ...]:
    value = [value] if isinstance(value, str) else value
    valid = isinstance(value, Sequence) and all(isinstance(text, str) and text for text in value)
    if not valid or len(value) < at_least:
        raise InputError('events must be a list of texts, as in ["fall", "E11*"]', place=place)
    return tuple(value)


def _counts(limit: Any, place: str) -> tuple[str, ...]:
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit < MAX_STATES:
        raise InputError(f"max must be a whole number from 1 to {MAX_STATES - 1}", place=place)
    return (*map(str, range(limit)), f"{limit}+")


def _positive(value: Any, place: str) -> float:
    number = _finite(value)
    if number is None or number <= 0:
        raise InputError("within must be a positive number, in the unit of time", place=place)
    return number


def _cuts(value: Any, place: str) -> tuple[float, ...]:
    numbers = [_finite(cut) for cut in value] if isinstance(value, list) else []
    found = [number for number in numbers if number is not None]
    if not 0 < len(numbers) < MAX_STATES or len(found) < len(numbers) or found != sorted(set(found)):
        raise InputError("cut must be a list of increasing numbers", place=place)
    return tuple(found)


def _finite(value: Any) -> float | None:
    """Return a finite number as a float; None if it is none, or too large to be one."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= sys.float_info.max:
        return None
    return float(value)
