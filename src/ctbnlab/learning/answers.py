"""Checks what a learner returns for a node, and makes plain numbers of numpy's.

A learner may be anybody's code. What it returns is written to files and read by others, so every part of it
is checked here; the learners of ctbnlab pay about a microsecond per candidate for that.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from ctbnlab.learning.contract import Evidence, NodeResult, ParentPosterior
from ctbnlab.learning.knowledge import NodeKnowledge

_NUMBERS = ("statistic", "degrees_of_freedom", "p_value", "q_value", "gain", "probability")
_PLAIN = {float, int, type(None)}


class InvalidAnswer(Exception):
    """A learner's answer is not one; the message says what is wrong with it."""


def checked(result: object, target: int, known: NodeKnowledge, n_variables: int) -> NodeResult:
    """Return a learner's answer with plain numbers, or raise `InvalidAnswer`."""
    if not isinstance(result, NodeResult):
        _refuse(f"the learner returned {type(result).__name__}, not a NodeResult")
    if _whole(result.target) != target:
        _refuse(f"the learner answered for node {_shown(result.target)}")
    parents = _checked_parents(result.parents, target, known, n_variables)
    evidence = _checked_evidence(result.evidence, target, parents, n_variables)
    counts, notes = _checked_counts(result.counts), _checked_notes(result.notes)
    if not isinstance(result.posterior, ParentPosterior | None):
        _refuse(f"the posterior must be a ParentPosterior, not {_shown(result.posterior)}")
    given = (result.target, result.parents, result.evidence, result.counts, result.notes)
    plain = (target, parents, evidence, counts, notes)
    # The same objects: nothing had to be changed.
    if type(result) is NodeResult and all(map(operator.is_, given, plain)):
        return result
    return NodeResult(*plain, posterior=result.posterior)


def _checked_parents(given: object, target: int, known: NodeKnowledge, n_variables: int) -> tuple[int, ...]:
    """Return parents as a tuple of ints; refuse what is no parent set, or breaks prior knowledge."""
    parents = _indices(given, "the parents")
    if list(parents) != sorted(set(parents)) or not set(parents) <= set(range(n_variables)) - {target}:
        _refuse(f"the parents {parents} are not distinct other variables in increasing order")
    if not set(known.required) <= set(parents) <= set(known.required) | set(known.candidates):
        _refuse(f"the parents {parents} violate the required or forbidden arcs")
    if known.max_parents is not None and len(parents) > known.max_parents:
        _refuse(f"the parents {parents} are more than the {known.max_parents} allowed")
    return parents


def _checked_evidence(
    given: object, target: int, parents: tuple[int, ...], n_variables: int
) -> tuple[Evidence, ...]:
    """Return the evidence with plain numbers; each other variable appears at most once."""
    if not isinstance(given, tuple | list):
        _refuse(f"the evidence must be a tuple, not {_shown(given)}")
    entries = tuple(
        entry if _is_plain(entry, n_variables) else _checked_entry(entry, n_variables) for entry in given
    )
    candidates = {entry.candidate for entry in entries}
    if len(candidates) < len(entries) or target in candidates:
        _refuse("the evidence must be about distinct other variables")
    if {entry.candidate for entry in entries if entry.kept} != candidates & set(parents):
        _refuse("the candidates kept in the evidence differ from the parents")
    if type(given) is tuple and all(map(operator.is_, given, entries)):
        return given
    return entries


def _is_plain(entry: Any, n_variables: int) -> bool:
    """Return quickly whether an entry needs no further check: all that ctbnlab's own learners return."""
    if type(entry) is not Evidence:
        return False
    separating = entry.separating_set
    return (
        (type(entry.candidate), type(entry.kept), type(entry.why)) == (int, bool, str)
        and 0 <= entry.candidate < n_variables
        and entry.why.isascii()
        and type(entry.statistic) in _PLAIN
        and type(entry.degrees_of_freedom) in _PLAIN
        and type(entry.p_value) in _PLAIN
        and type(entry.gain) in _PLAIN
        and type(entry.probability) in _PLAIN
        and entry.q_value is None
        and entry.effect is None
        and (separating is None or (type(separating) is tuple and _are_plain(separating, n_variables)))
    )


def _are_plain(indices: tuple[Any, ...], n_variables: int) -> bool:
    for index in indices:  # noqa: SIM110 - faster than all()
        if type(index) is not int or not 0 <= index < n_variables:
            return False
    return True


def _checked_entry(entry: object, n_variables: int) -> Evidence:
    if not isinstance(entry, Evidence):
        _refuse(f"the evidence contains {_shown(entry)}, not an Evidence")
    plain: dict[str, Any] = {}
    candidate, kept = _whole(entry.candidate), entry.kept
    if candidate is not entry.candidate:
        plain["candidate"] = candidate
    if candidate is None or not 0 <= candidate < n_variables:
        _refuse(f"the evidence has the candidate {_shown(entry.candidate)}, which is not a variable")
    if type(kept) is not bool:
        if not isinstance(kept, np.bool_):
            _refuse(f"the evidence has kept={_shown(kept)}, which is not true or false")
        plain["kept"] = bool(kept)
    _check_text(entry.why, "the evidence: why")
    for name in _NUMBERS:
        value = getattr(entry, name)
        if value is not None and type(value) is not float and type(value) is not int:
            plain[name] = _number(value, name)
    if entry.effect is not None:
        _refuse("the evidence has an effect: that is added when all nodes are learned")
    separating = entry.separating_set
    if separating is not None:
        indices = _indices(separating, "the separating set")
        if not all(0 <= j < n_variables for j in indices):
            _refuse(f"the separating set {indices} contains what is not a variable")
        if indices is not separating:
            plain["separating_set"] = indices
    if type(entry) is not Evidence:
        return Evidence(**{name: plain.get(name, getattr(entry, name)) for name in Evidence.__match_args__})
    return replace(entry, **plain) if plain else entry


def _checked_counts(given: object) -> Mapping[str, int]:
    if not isinstance(given, Mapping):
        _refuse(f"the counts must be a mapping of names to whole numbers, not {_shown(given)}")
    items = dict(given)
    for name, value in items.items():
        _check_text(name, "the counts: a name")
        items[name] = _whole(value)
        if items[name] is None:
            _refuse(f"the count {name!r} must be a whole number, not {_shown(value)}")
    return given if type(given) is dict and all(type(v) is int for v in given.values()) else items


def _checked_notes(given: object) -> tuple[str, ...]:
    if not isinstance(given, tuple | list):
        _refuse(f"the notes must be a tuple of texts, not {_shown(given)}")
    for note in given:
        _check_text(note, "a note")
    return given if type(given) is tuple else tuple(given)


# ---- Single values ----


def _indices(given: object, what: str) -> tuple[int, ...]:
    """Return a tuple of ints; numpy's are accepted, floats and bools are not."""
    if isinstance(given, np.ndarray) and given.ndim == 1:
        given = tuple(given)
    if not isinstance(given, tuple | list):
        _refuse(f"{what} must be a tuple of whole numbers, not {_shown(given)}")
    if type(given) is tuple and all(type(j) is int for j in given):
        return given
    indices = tuple(_whole(j) for j in given)
    if None in indices:
        _refuse(f"{what} must be whole numbers, not {_shown(given)}")
    return tuple(j for j in indices if j is not None)


def _whole(value: Any) -> int | None:
    """Return a whole number as an int, or None if it is something else."""
    if type(value) is int:
        return value
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    return None


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        _refuse(f"the evidence has {name}={_shown(value)}, which is not a number")
    return int(value) if isinstance(value, int | np.integer) else float(value)


def _check_text(value: object, what: str) -> None:
    if not isinstance(value, str):
        _refuse(f"{what} must be text, not {_shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        _refuse(f"{what} contains half of a Unicode surrogate pair")


def _shown(value: object) -> str:
    """Return a short text for a value of any type, the same in every run."""
    text = re.sub(r" at 0x[0-9a-f]+", "", repr(value))
    return text if len(text) <= 80 else f"{text[:79]}…"


def _refuse(message: str) -> NoReturn:
    raise InvalidAnswer(message)
