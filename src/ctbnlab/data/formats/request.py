"""What the caller asks of a reader (declared states, ties, unchanged rows), and what it reports back.

States are declared by a mapping, by a JSON file of one, or by a network's JSON file.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ctbnlab.errors import InputError
from ctbnlab.io import json_text
from ctbnlab.io.files import naming_file
from ctbnlab.io.limits import require_between
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
        require_between(self.seed, 0, math.inf, "the seed")


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
        return checked_states(states)
    path = Path(states)
    with naming_file(path):
        return checked_states(_entries(json_text.read(path)))


def _entries(content: Any) -> Any:
    """Return name → labels from the JSON of such a mapping or of a network."""
    entries = content.get("variables") if isinstance(content, dict) else None
    if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
        found: dict[Any, Any] = {}
        for entry in entries:
            for key in ("name", "states"):
                if key not in entry:
                    raise InputError(f"a variable has no {key!r}")
            if not isinstance(entry["name"], str) or entry["name"] in found:
                raise InputError(f"the variable {entry['name']!r} is not a text or appears twice")
            found[entry["name"]] = entry["states"]
        return found
    return content


def checked_states(states: Any) -> dict[str, tuple[str, ...]]:
    """Return declared states, checked; labels may be text, numbers or booleans."""
    valid = isinstance(states, Mapping) and all(
        isinstance(labels, Iterable) and not isinstance(labels, str | bytes | Mapping)
        for labels in states.values()
    )
    if not valid:
        raise InputError('declare states as {"variable": ["label", "label", …], …}')
    if not states:
        return {}
    return dict(
        checked_variables(
            (name, [_label(label, name) for label in labels]) for name, labels in states.items()
        )
    )


def _label(value: Any, name: Any) -> str:
    missing = value is None or (isinstance(value, float) and math.isnan(value))
    # pandas' own markers of missing values, without importing it
    missing = missing or type(value).__name__ in ("NAType", "NaTType")
    if missing or (isinstance(value, Iterable) and not isinstance(value, str)):
        raise InputError(
            f"a label must be text, a number or a boolean, not {value!r}", place=f"variable {name!r}"
        )
    return str(value)


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
