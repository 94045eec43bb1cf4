"""Variables with named states, shared by networks and trajectories."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ctbnlab.errors import InputError

MAX_STATES = 255
MAX_VARIABLES = 65_535


class Variable(NamedTuple):
    """A name and the labels of its states, in the order of their codes 0, 1, …"""

    name: str
    states: tuple[str, ...]


def checked_variables(variables: Iterable[tuple[str, Iterable[str]]]) -> tuple[Variable, ...]:
    """Return the variables as a tuple; refuse invalid names and states."""
    result = tuple(Variable(name, _listed(name, states)) for name, states in variables)
    if not result:
        raise InputError("there are no variables")
    if len(result) > MAX_VARIABLES:
        raise InputError(f"{len(result)} variables; at most {MAX_VARIABLES} are supported")
    seen: set[str] = set()
    for name, states in result:
        if not isinstance(name, str) or not name:
            raise InputError(f"a variable name must be a non-empty string, not {name!r}")
        require_storable(name, "the name")
        if name in seen:
            raise InputError(f"the variable {name!r} appears twice")
        seen.add(name)
        place = f"variable {name!r}"
        if not states:
            raise InputError("has no states", place=place)
        if len(states) > MAX_STATES:
            raise InputError(f"has {len(states)} states; at most {MAX_STATES} are supported", place=place)
        for state in states:
            if not isinstance(state, str) or not state:
                raise InputError(f"a state label must be a non-empty string, not {state!r}", place=place)
            require_storable(state, "the state", place)
        if len(set(states)) < len(states):
            twice = next(state for state in states if states.count(state) > 1)
            raise InputError(f"the state {twice!r} appears twice", place=place)
    return result


def _listed(name: object, states: Iterable[str]) -> tuple[str, ...]:
    if not isinstance(states, Iterable):
        raise InputError(f"its states must be a list of labels, not {states!r}", place=f"variable {name!r}")
    return tuple(states)


def require_storable(text: str, what: str, place: str | None = None) -> None:
    """Refuse a name or label with characters that files cannot hold: NUL, and halves of surrogate pairs."""
    if "\0" in text:
        raise InputError(f"{what} {text!r} contains a NUL character", place=place)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what} {text!r} contains half of a Unicode surrogate pair", place=place) from None
