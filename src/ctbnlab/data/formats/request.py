"""What the caller asks of a reader (columns, values, states, ties, roles), and what it reports back.

States are declared by a mapping, by a JSON file of one, or by a network's JSON file.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ctbnlab.data.formats.cell_values import MISSING_VALUES, SECONDS, Values
from ctbnlab.data.role_request import RoleRequest
from ctbnlab.errors import InputError
from ctbnlab.io import json_text
from ctbnlab.io.files import naming_file
from ctbnlab.io.limits import require_between
from ctbnlab.model.variables import Variable, checked_variables

TIES = ("together", "order", "jitter", "error")
UNCHANGED = ("drop", "error")
MISSING = ("gap", "hold", "error")

States = Mapping[str, Iterable[Any]] | str | os.PathLike[str] | None


@dataclass(frozen=True)
class Options:
    """Everything a reader may be asked; `values` is how texts become numbers.

    `id` to `birth` name columns; None means: recognise them by their usual names. `cut` maps a variable to
    the boundaries of its states, or to a number of quantile groups; `labels` are variables whose numbers
    are states as they stand.
    """

    layout: str | None = None
    id: str | None = None
    time: str | None = None
    variables: tuple[str, ...] | None = None
    start: str | None = None
    end: str | None = None
    event: str | None = None
    birth: str | None = None
    ties: str = "together"
    unchanged: str = "drop"
    seed: int = 0
    missing: str = "gap"
    missing_values: tuple[str, ...] = MISSING_VALUES
    unit: str = "day"
    decimal: str = "."
    cut: Mapping[str, tuple[float, ...] | int] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    rules: str | None = None
    people: str | None = None
    roles: RoleRequest = field(default_factory=RoleRequest)
    elsewhere: frozenset[str] = frozenset()  # columns that the table of people gives

    def __post_init__(self) -> None:
        _require_choice(self.ties, TIES, "ties")
        _require_choice(self.unchanged, UNCHANGED, "unchanged")
        _require_choice(self.missing, MISSING, "missing")
        _require_choice(self.unit, tuple(SECONDS), "unit")
        _require_choice(self.decimal, (".", ","), "decimal")
        require_between(self.seed, 0, math.inf, "the seed")

    @property
    def values(self) -> Values:
        """How the texts of a table are to be understood."""
        return Values(self.unit, self.decimal, self.missing_values)


def _require_choice(value: str, choices: tuple[str, ...], name: str) -> None:
    if value not in choices:
        raise InputError(f"{name} must be one of {', '.join(choices)}, not {value!r}")


@dataclass
class Report:
    """What a reader or writer changed, for the user to know; births are for the clock of ages."""

    notes: list[str] = field(default_factory=list)
    births: list[float] = field(default_factory=list)

    def dropped(self, count: int) -> None:
        """Note the number of rows dropped because they change nothing."""
        if count:
            rows = "1 row that changes nothing" if count == 1 else f"{count} rows that change nothing"
            self.notes.append(f"dropped {rows}")

    def single_rows(self, count: int) -> None:
        """Note the number of trajectories that have one row, and so no duration."""
        if count:
            what = "1 trajectory has" if count == 1 else f"{count} trajectories have"
            self.notes.append(f"{what} only one row, and so no duration")

    def gaps(self, counts: Any) -> None:
        """Note the number of times that each variable begins to be unobserved."""
        number, variables = int(counts.sum()), int((counts > 0).sum())
        if number:
            of = "1 variable" if variables == 1 else f"{variables} variables"
            self.notes.append(f"missing values: {number} {'gap' if number == 1 else 'gaps'} in {of}")

    def ties(self, tied: int, instants: int) -> None:
        """Note the share of instants with several changes."""
        if tied:
            share = 100 * tied / instants
            shown = f"{share:.0f}" if share >= 10 else f"{share:.2g}"
            self.notes.append(f"{shown}% of instants have several changes, counted together")


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
