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
    result = tuple(Variable(name, tuple(states)) for name, states in variables)
    if not result:
        raise InputError("there are no variables")
    if len(result) > MAX_VARIABLES:
        raise InputError(f"{len(result)} variables; at most {MAX_VARIABLES} are supported")
    seen: set[str] = set()
    for name, states in result:
        if not isinstance(name, str) or not name:
            raise InputError(f"a variable name must be a non-empty string, not {name!r}")
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
        if len(set(states)) < len(states):
            twice = next(state for state in states if states.count(state) > 1)
            raise InputError(f"the state {twice!r} appears twice", place=place)
    return result
