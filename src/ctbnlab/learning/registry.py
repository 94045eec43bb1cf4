"""Learners by name: the built-in ones, those of installed packages, and a user's own file.

A learner is a frozen dataclass whose fields are its options, so that a name and a mapping of options (from
the command line or a config file) make one, and every wrong key or type is reported in one line. An
installed package offers learners through the entry point group `ctbnlab.learners`.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import inspect
import math
import operator
import types
import typing
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from ctbnlab.errors import InputError
from ctbnlab.learning.plugins import (
    class_in_file,
    class_of_entry_point,
    file_of,
    installed_learners,
    is_file,
    loading,
    rehearse,
)

if TYPE_CHECKING:
    from ctbnlab.learning.contract import Learner


class Entry(NamedTuple):
    """Where a built-in learner's class is, what its name sets, and what it is for."""

    module: str
    class_name: str
    options: Mapping[str, Any]
    summary: str


LEARNERS: dict[str, Entry] = {
    "empirical-bayes": Entry(
        "empirical_bayes.learner", "EmpiricalBayes", {}, "our own: coincidences of events, then Bayes factors"
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


def summaries() -> dict[str, str]:
    """Return one line about each learner: the built-in ones, then those of installed packages."""
    own = {name: entry.summary for name, entry in LEARNERS.items()}
    return own | {name: f"from {value}" for name, value in installed_learners().items() if name not in own}


def learner_class(name: str) -> tuple[type[Learner], Mapping[str, Any]]:
    """Return a learner's class and the options that its name sets; `name` may also be a Python file."""
    if name in LEARNERS:
        entry = LEARNERS[name]
        module = import_module(f"ctbnlab.learning.{entry.module}")
        return getattr(module, entry.class_name), entry.options
    if is_file(name):
        return typing.cast("type[Learner]", class_in_file(name, "learn_node")), {}
    installed = installed_learners()
    if name in installed:
        return typing.cast("type[Learner]", class_of_entry_point(name, "learn_node")), {}
    raise InputError(
        f"unknown learner {name!r}; {_hint(name, [*LEARNERS, *installed], ', or your own file.py')}"
    )


def runs_foreign_code(name: str, options: Mapping[str, Any] | None = None) -> bool:
    """Return whether a learner, or the value of one of its options, is not ctbnlab's own code."""
    named = [name, *map(str, (options or {}).values())]
    return any(map(is_file, named)) or (name not in LEARNERS and name in installed_learners())


def rehearse_loading(name: str, options: Mapping[str, Any] | None = None) -> None:
    """Refuse a learner from outside that ends the process in which it is loaded; try it in another one."""
    if name not in LEARNERS:
        rehearse(lambda: make(name, options), file_of(name) if is_file(name) else name)


def make(name: str, options: Mapping[str, Any] | None = None) -> Learner:
    """Return the learner of that name with these options; text values are read by the option's type."""
    found, preset = learner_class(name)
    chosen: dict[str, Any] = dict(preset)
    known = option_types(found, name)
    for key, value in (options or {}).items():
        if key not in known:
            raise InputError(f"the learner {name} has no option {key!r}; {_hint(key, known)}")
        chosen[key] = coerced(value, known[key], f"the option {key!r} of {name}")
    if name in LEARNERS:
        return found(**chosen)
    with loading(name, f"the class {found.__name__} cannot be called"):
        return found(**chosen)


def option_types(found: type[Learner], name: str) -> dict[str, Any]:
    """Return the types of a learner's options."""
    fields = dataclasses.fields(typing.cast(Any, found))
    with loading(name, "the types of its options cannot be read"):
        # Those of dataclasses only: what a learner inherits from an estimator are results, not options.
        classes = [kind for kind in reversed(found.__mro__) if "__dataclass_fields__" in vars(kind)]
        hints = {key: hint for kind in classes for key, hint in _annotations(kind).items()}
    return {field.name: hints[field.name] for field in fields if field.init}


def _annotations(kind: type) -> dict[str, Any]:
    return inspect.get_annotations(kind, eval_str=True)


def _hint(name: str, known: typing.Iterable[str], more: str = "") -> str:
    """Return the nearest known name as a question, or all of them."""
    listed = list(known)
    near = difflib.get_close_matches(name, listed, n=1)
    return f"did you mean {near[0]!r}?" if near else f"choose {', '.join(listed) or 'none'}{more}"


def parameters(learner: Learner) -> dict[str, Any]:
    """Return a learner's options as plain values, for the record beside its results."""
    values = {
        field.name: getattr(learner, field.name) for field in dataclasses.fields(typing.cast(Any, learner))
    }
    return {key: _plain(value) for key, value in values.items()}


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold: itself, or text."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    text = value if isinstance(value, str) else repr(value)
    return text.encode("utf-8", "backslashreplace").decode()


def coerced(value: Any, hint: Any, what: str) -> Any:
    """Return `value` as one of the types of `hint`; text is read as the first type that it fits."""
    allowed = _alternatives(hint)
    if isinstance(value, str):
        for kind in allowed:
            try:
                return _READERS[kind](value)
            except (KeyError, ValueError):
                continue
    elif any(_fits(value, kind) for kind in allowed):
        return float(value) if isinstance(value, float) else value
    raise InputError(f"{what} must be {words_for(hint)}, not {value!r}")


def words_for(hint: Any) -> str:
    """Return the type of an option in words; of a class, which only Python can give, its name."""
    return " or ".join(_WORDS.get(kind, getattr(kind, "__name__", str(kind))) for kind in _alternatives(hint))


def readable_types(hint: Any) -> Any:
    """Return what remains of an option's type on a command line: no classes, if it may be plain, too."""
    plain = [kind for kind in _alternatives(hint) if kind in _WORDS]
    return functools.reduce(operator.or_, plain) if plain else hint


def _alternatives(hint: Any) -> tuple[Any, ...]:
    """Return the types of which a value may be one."""
    is_union = isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union
    return typing.get_args(hint) if is_union else (hint,)


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


_WORDS = {bool: "true or false", type(None): "none", int: "a whole number", float: "a number", str: "text"}
_READERS: dict[Any, Any] = {bool: _read_bool, type(None): _read_none, int: int, float: float, str: str}
