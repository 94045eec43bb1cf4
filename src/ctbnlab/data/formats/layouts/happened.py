"""Columns that tell whether something happened: 0 and 1, no and yes, or what happened.

One of the values means that nothing did; it becomes the first state.
"""

from __future__ import annotations

from collections.abc import Sequence

from ctbnlab.data.formats.labels import StateCodes
from ctbnlab.data.formats.source import Declared
from ctbnlab.errors import InputError

NOTHING = frozenset({"0", "0.0", "no", "n", "none", "false", "f", "censored", "censor", "cens", "alive"})
EVER = ("no", "yes")  # the states of a variable that something happened to, or not yet


def is_nothing(text: str) -> bool:
    """Return whether a value means that nothing happened."""
    return text.strip().lower() in NOTHING


def made_states(name: str, states: Sequence[str], declared: Declared) -> StateCodes:
    """Return the codes of states that the layout itself makes, such as `EVER`; refuse declared other ones."""
    if tuple(declared.get(name, states)) != tuple(states):
        shown = f"are declared as {', '.join(declared[name])}, but this layout makes {', '.join(states)}"
        raise InputError(f"the states of {name!r} {shown}")
    return StateCodes(name, states)


def flag_states(name: str, texts: Sequence[str], declared: Declared) -> StateCodes:
    """Return the codes of a column's values, of which code 0 means that nothing happened."""
    if name in declared:
        if not is_nothing(declared[name][0]):
            raise InputError(
                f"the first declared state of {name!r} must mean that nothing happened, "
                f"such as 0, no, FALSE or censored, not {declared[name][0]!r}"
            )
        return StateCodes(name, declared[name])
    if not texts:
        raise InputError(f"column {name!r} has no value in any row")
    nothing = [text for text in texts if is_nothing(text)]
    if len(nothing) != 1:
        shown = ", ".join(map(repr, texts[:5])) + (", …" if len(texts) > 5 else "")
        raise InputError(
            f"column {name!r} must have one value that means that nothing happened, "
            f"such as 0, no, FALSE or censored; found: {shown}"
        )
    return StateCodes(name, [nothing[0], *(text for text in texts if text != nothing[0])])
