"""What the caller asks of a reader (declared states, ties, unchanged rows), and what it reports back.

States are declared by a mapping, by a JSON file of one, or by a network's JSON file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ctbnlab.errors import InputError
from ctbnlab.model.variables import Variable, checked_variables

TIES = ("error", "order", "jitter")
UNCHANGED = ("drop", "error")

States = Mapping[str, Iterable[Any]] | str | os.PathLike[str] | None


@dataclass(frozen=True)
class Options:
    """How to treat simultaneous changes and rows that change nothing."""

    ties: str = "error"
    unchanged: str = "drop"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.ties not in TIES:
            raise InputError(f"ties must be one of {', '.join(TIES)}, not {self.ties!r}")
        if self.unchanged not in UNCHANGED:
            raise InputError(f"unchanged must be one of {', '.join(UNCHANGED)}, not {self.unchanged!r}")


@dataclass
class Report:
    """What a reader or writer changed, for the user to know."""

    notes: list[str] = field(default_factory=list)

    def dropped(self, count: int) -> None:
        """Note the number of rows dropped because they change nothing."""
        if count:
            rows = "1 row that changes nothing" if count == 1 else f"{count} rows that change nothing"
            self.notes.append(f"dropped {rows}")


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
    """Return name → labels from the JSON of such a mapping or of a network."""
    entries = content.get("variables") if isinstance(content, dict) else None
    if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
        try:
            return {entry["name"]: entry["states"] for entry in entries}
        except KeyError as error:
            raise InputError(f"a variable has no {error}") from None
    return content


def _checked(states: Any) -> dict[str, tuple[str, ...]]:
    valid = isinstance(states, Mapping) and all(
        isinstance(labels, Iterable) and not isinstance(labels, str | Mapping) for labels in states.values()
    )
    if not valid:
        raise InputError('declare states as {"variable": ["label", "label", …], …}')
    if not states:
        return {}
    return dict(
        checked_variables((name, [str(label) for label in labels]) for name, labels in states.items())
    )


def require_known(declared: Mapping[str, object], names: Sequence[str]) -> None:
    """Refuse a declared variable that is not in the data: its name is probably misspelt."""
    for name in declared:
        if name not in names:
            raise InputError(f"states are declared for {name!r}, but the data have no such variable")


def require_same(declared: Mapping[str, tuple[str, ...]], variables: Sequence[Variable]) -> None:
    """Refuse declared states that differ from those recorded in the file."""
    require_known(declared, [variable.name for variable in variables])
    for name, states in variables:
        if declared.get(name, states) != states:
            raise InputError(
                f"the declared states of variable {name!r} differ from those in the file: {', '.join(states)}"
            )
