"""State sets that the user declares: a dict, a JSON file of one, or a network whose variables count."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ctbnlab.errors import InputError
from ctbnlab.model.variables import Variable, checked

States = Mapping[str, Iterable[Any]] | str | os.PathLike[str] | None


def declared_states(states: States) -> dict[str, tuple[str, ...]]:
    """Return the declared labels of each variable; a path is read as JSON."""
    if states is None:
        return {}
    if isinstance(states, Mapping):
        return _checked(states)
    path = Path(states)
    try:
        return _checked(_entries(json.loads(path.read_text(encoding="utf-8"))))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise InputError("is not a JSON file of states", path=path) from None
    except InputError as error:
        raise error.within(path) from None


def _entries(content: Any) -> Any:
    """Return name → labels from the JSON of such a dict, or from that of a network."""
    entries = content.get("variables") if isinstance(content, dict) else None
    if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
        try:
            return {entry["name"]: entry["states"] for entry in entries}
        except KeyError as error:
            raise InputError(f"a variable has no {error}") from None
    return content


def _checked(states: Any) -> dict[str, tuple[str, ...]]:
    good = isinstance(states, Mapping) and all(
        isinstance(labels, Iterable) and not isinstance(labels, str | Mapping) for labels in states.values()
    )
    if not good:
        raise InputError('states are declared as {"variable": ["label", "label", …], …}')
    if not states:
        return {}
    return dict(checked((name, [str(label) for label in labels]) for name, labels in states.items()))


def require_known(declared: Mapping[str, object], names: Sequence[str]) -> None:
    """Refuse a declared variable that the data do not have: most likely its name is misspelt."""
    for name in declared:
        if name not in names:
            raise InputError(f"states are declared for {name!r}, but the data have no such variable")


def require_same(declared: Mapping[str, tuple[str, ...]], variables: Sequence[Variable]) -> None:
    """Refuse declared states that differ from those that a file records."""
    require_known(declared, [variable.name for variable in variables])
    for name, states in variables:
        if declared.get(name, states) != states:
            raise InputError(
                f"the file records other states of variable {name!r} than are declared: {', '.join(states)}"
            )
