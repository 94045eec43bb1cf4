"""Learners: one file each, one contract (`base`); here they are found by name.

A learner is a frozen dataclass whose fields are its parameters, so that a name and a mapping of options
(from a command line or a config file) make one, with every wrong key or type said in one line.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import types
import typing
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

from ctbnlab.errors import InputError
from ctbnlab.learning.contract import Learner
from ctbnlab.learning.plugins import class_of, is_file


class Entry(NamedTuple):
    """Where a named learner's class is, what the name sets, and what it is for."""

    module: str
    class_name: str
    options: Mapping[str, Any]
    summary: str


LEARNERS: dict[str, Entry] = {
    "empirical-bayes": Entry(
        "empirical_bayes.learner",
        "EmpiricalBayes",
        {},
        "our own: pairs of events that agree, then Bayes factors",
    ),
    "ctpc-chi2": Entry(
        "ctpc.learner", "Ctpc", {"test": "chi2"}, "the paper's CTPC with the χ² test of transitions"
    ),
    "ctpc-ks": Entry(
        "ctpc.learner", "Ctpc", {"test": "ks"}, "the paper's CTPC with the Kolmogorov–Smirnov test"
    ),
    "ctss": Entry(
        "ctss.learner", "Ctss", {}, "the paper's score-based learner: BDe, hill climbing or exhaustive"
    ),
}
DEFAULT = "empirical-bayes"


def learner_class(name: str) -> tuple[type[Learner], Mapping[str, Any]]:
    """Return a learner's class and the options its name sets; `name` may be a Python file of the user's."""
    if name in LEARNERS:
        entry = LEARNERS[name]
        module = import_module(f"ctbnlab.learning.{entry.module}")
        return getattr(module, entry.class_name), entry.options
    if is_file(name):
        return typing.cast("type[Learner]", class_of(name, "learn_node")), {}
    near = difflib.get_close_matches(name, LEARNERS, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(LEARNERS)}, or your own file.py"
    raise InputError(f"there is no learner {name!r}; {hint}")


def make(name: str, options: Mapping[str, Any] | None = None) -> Learner:
    """Return the learner of that name with these options, text values read by the parameter's type."""
    found, preset = learner_class(name)
    chosen: dict[str, Any] = dict(preset)
    # The class's own annotations: what it inherits from an estimator are results, not options.
    hints = inspect.get_annotations(found, eval_str=True)
    known = {field.name: hints[field.name] for field in dataclasses.fields(typing.cast(Any, found))}
    for key, value in (options or {}).items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known) or 'none'}"
            raise InputError(f"the learner {name} has no option {key!r}; {hint}")
        chosen[key] = coerced(value, known[key], f"the option {key!r} of {name}")
    return found(**chosen)


def parameters(learner: Learner) -> dict[str, Any]:
    """Return a learner's parameters as plain values, for the record beside its results."""
    values = {
        field.name: getattr(learner, field.name) for field in dataclasses.fields(typing.cast(Any, learner))
    }
    return {key: value if _is_plain(value) else repr(value) for key, value in values.items()}


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def coerced(value: Any, hint: Any, what: str) -> Any:
    """Return `value` as one of the types of `hint`; text is read as the first type that it fits."""
    allowed = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    allowed = typing.get_args(hint) if typing.get_origin(hint) is typing.Union else allowed
    if isinstance(value, str):
        for kind in allowed:
            try:
                return _READERS[kind](value)
            except (KeyError, ValueError):
                continue
    elif any(_fits(value, kind) for kind in allowed):
        return float(value) if float in allowed and not _fits(value, int) else value
    names = " or ".join(getattr(kind, "__name__", str(kind)) for kind in allowed)
    raise InputError(f"{what} must be {names}, not {value!r}")


def _fits(value: Any, kind: Any) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, kind) if isinstance(kind, type) else True


def _read_bool(text: str) -> bool:
    if text.lower() in ("true", "yes", "on", "1"):
        return True
    if text.lower() in ("false", "no", "off", "0"):
        return False
    raise ValueError


def _read_none(text: str) -> None:
    if text.lower() not in ("none", "null", ""):
        raise ValueError


_READERS: dict[Any, Any] = {bool: _read_bool, type(None): _read_none, int: int, float: float, str: str}
