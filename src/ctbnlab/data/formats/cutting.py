"""Numbers as states: boundaries that cut a measured variable into groups.

A group holds its lower boundary: with the boundaries 40 and 60 the states are `<40`, `40-60` and `>=60`,
and 60 belongs to the last. Quantiles are those of all values in the table, whatever their order.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.formats.labels import StateCodes
from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import Source
from ctbnlab.errors import InputError
from ctbnlab.model.variables import MAX_STATES, checked_variables

Cut = tuple[float, ...] | int
_GROUPS = {"halves": 2, "median": 2, "tertiles": 3, "quartiles": 4, "quintiles": 5, "deciles": 10}
_QUANTILES = re.compile(r"q([0-9]+)", re.ASCII)


class CutCodes(StateCodes):
    """The codes of a variable that is cut: values are numbers, states are the groups they fall into."""

    def __init__(self, name: str, cuts: Sequence[float], options: Options):
        super().__init__(
            name, cut_labels(cuts), missing=options.missing_values, gaps=options.missing != "error"
        )
        self._cuts = list(cuts)
        self._decimal = options.decimal

    def code(self, label: str | None, place: Callable[[], str]) -> int:
        """Return the code of the group of a value."""
        if self.is_missing(label):
            return super().code(None, place)
        number = parsed(str(label), self._decimal)
        if number is None:
            raise InputError(f"{label!r} of variable {self.name!r} is not a number to cut", place=place())
        return bisect_right(self._cuts, number)


def state_codes(
    name: str,
    declared: Mapping[str, tuple[str, ...]],
    options: Options,
    labelled: bool = False,
    quantiles: Mapping[str, tuple[float, ...]] | None = None,
) -> StateCodes:
    """Return the codes of a variable's states, as the options ask; `labelled`: its type declares labels."""
    cut = options.cut.get(name)
    if cut is None:
        states = declared.get(name)
        return StateCodes(
            name,
            None if states is None else checked_variables([(name, states)])[0].states,
            missing=options.missing_values,
            gaps=options.missing != "error",
            measured=not (labelled or name in options.labels),
        )
    if name in declared:
        raise InputError(f"the states of {name!r} are declared, so --cut does not apply to it")
    if isinstance(cut, int):
        cut = (quantiles or {})[name]
    return CutCodes(name, cut, options)


def parsed(text: str, decimal: str) -> float | None:
    """Return the number that a text holds, or None."""
    try:
        number = float(text.replace(decimal, ".", 1) if decimal != "." else text)
    except ValueError:
        return None
    return None if math.isnan(number) else number


def parse_cut(text: str) -> tuple[str, Cut]:
    """Read `age:40,60`, `age:quartiles` or `age:q5`; a name may contain colons."""
    name, colon, rest = text.rpartition(":")
    name, rest = name.strip(), rest.strip()
    if not colon or not name or not rest:
        raise InputError(f"write cuts as 'age:40,60' or 'age:quartiles', not {text!r}")
    if rest in _GROUPS:
        return name, _GROUPS[rest]
    if found := _QUANTILES.fullmatch(rest):
        return name, int(found[1])
    try:
        return name, tuple(float(part) for part in rest.split(","))
    except ValueError:
        groups = ", ".join(_GROUPS)
        raise InputError(
            f"cannot cut at {rest!r}; give numbers, as in '{name}:40,60', {groups} or q5"
        ) from None


def checked_cuts(cuts: Mapping[str, Cut | str]) -> dict[str, Cut]:
    """Return the cuts of each variable, checked."""
    result: dict[str, Cut] = {}
    for name, given in cuts.items():
        cut = parse_cut(f"{name}:{given}")[1] if isinstance(given, str) else given
        if isinstance(cut, int):
            valid = not isinstance(cut, bool) and 2 <= cut <= MAX_STATES
        else:
            cut = tuple(float(value) for value in cut)
            valid = (
                0 < len(cut) < MAX_STATES and all(map(math.isfinite, cut)) and list(cut) == sorted(set(cut))
            )
        if not valid:
            raise InputError(f"the cuts of {name!r} must be increasing numbers, or a number of groups from 2")
        result[name] = cut
    return result


def cut_labels(cuts: Sequence[float]) -> tuple[str, ...]:
    """Return the names of the groups between boundaries."""
    texts = [f"{cut:g}" for cut in cuts]
    if len(set(texts)) < len(texts):
        texts = [repr(float(cut)) for cut in cuts]
    dash = " to " if cuts[0] < 0 or any("e-" in text for text in texts) else "-"
    between = [f"{low}{dash}{high}" for low, high in pairwise(texts)]
    return (f"<{texts[0]}", *between, f">={texts[-1]}")


def quantile_cuts(name: str, values: NDArray[np.float64], groups: int) -> tuple[float, ...]:
    """Return the boundaries of groups of about equal size; equal boundaries are joined."""
    present = values[np.isfinite(values)]
    if not len(present):
        raise InputError(f"column {name!r} has no numbers to cut into groups")
    inner = np.unique(np.quantile(present, np.arange(1, groups) / groups))
    inner = inner[inner > present.min()]
    if not len(inner):
        raise InputError(
            f"column {name!r} has too few values to be cut into {groups} groups; give boundaries"
        )
    return tuple(inner.tolist())


def column_quantiles(source: Source, names: Sequence[str], options: Options) -> dict[str, tuple[float, ...]]:
    """Return the boundaries of the variables that are to be cut at quantiles, from a pass over the table."""
    groups = {name: cut for name in names if isinstance(cut := options.cut.get(name), int)}
    if not groups:
        return {}
    parts = [chunk.numbers for chunk in source.chunks(list(groups), [], options.values)]
    return {
        name: quantile_cuts(name, np.concatenate([part[name] for part in parts] or [np.empty(0)]), count)
        for name, count in groups.items()
    }
