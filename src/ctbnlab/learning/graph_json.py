"""The parts of a graph's JSON file: nodes, failures, evidence, checks. Every member that is read is checked.

A string where a list belongs would be read letter by letter.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ctbnlab.errors import InputError
from ctbnlab.learning.contract import (
    Check,
    Effect,
    Evidence,
    NodeFailure,
    NodeResult,
    ParentPosterior,
)

STATUSES = ("failed", "timed out", "skipped")
_NOT_FINITE = ("inf", "-inf", "nan")
_NUMBERS = ("statistic", "degrees_of_freedom", "p_value", "q_value", "gain", "probability")


def node_json(node: NodeResult, names: Sequence[str]) -> dict[str, Any]:
    """Return a node as an object of JSON."""
    return {
        "name": names[node.target],
        "parents": [names[j] for j in node.parents],
        "counts": dict(node.counts),
        "notes": list(node.notes),
        "evidence": [evidence_json(entry, names) for entry in node.evidence],
        **({} if node.own_clock is None else {"own_clock": node.own_clock}),
        **({} if node.posterior is None else {"posterior": _posterior_json(node.posterior, names)}),
    }


def _posterior_json(posterior: ParentPosterior, names: Sequence[str]) -> dict[str, Any]:
    return {
        "limit": posterior.limit,
        "totals": [_written(value) for value in posterior.totals],
        "arcs": {
            names[j]: [_written(value) for value in row]
            for j, row in zip(posterior.candidates, posterior.arcs, strict=True)
        },
    }


def evidence_json(entry: Evidence, names: Sequence[str]) -> dict[str, Any]:
    """Return the evidence for an arc as an object of JSON; what is not known is left out."""
    row: dict[str, Any] = {"candidate": names[entry.candidate], "kept": entry.kept, "why": entry.why}
    row |= {name: _written(getattr(entry, name)) for name in _NUMBERS if getattr(entry, name) is not None}
    if entry.separating_set is not None:
        row["separating_set"] = [names[j] for j in entry.separating_set]
    if entry.effect is not None:
        row["effect"] = {name: _written(getattr(entry.effect, name)) for name in Effect.__match_args__}
    return row


def check_json(check: Check) -> dict[str, Any]:
    """Return the result of a model check as an object of JSON."""
    return {**dataclasses.asdict(check), "statistic": _written(check.statistic)}


def _written(value: float) -> float | str:
    """Return a number for JSON, which has no infinity; text keeps it readable both ways."""
    return value if np.isfinite(value) else str(value)


# ---- Reading ----

_KINDS: dict[type, str] = {
    str: "text",
    list: "a list",
    dict: "an object",
    bool: "true or false",
    int: "a number",
}


def member(entry: Any, key: str, kind: type) -> Any:
    """Return a member of a JSON object; refuse an object without it and a value of another type."""
    if not isinstance(entry, dict) or key not in entry:
        raise InputError(f"is a damaged graph: an entry has no {key!r}")
    value = entry[key]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise InputError(f"is a damaged graph: {key!r} must be {_KINDS[kind]}, not {value!r}")
    return value


def objects(entry: Any, key: str) -> list[dict[str, Any]]:
    """Return a member that is a list of JSON objects."""
    found: list[Any] = member(entry, key, list)
    for item in found:
        if not isinstance(item, dict):
            raise InputError(f"is a damaged graph: {key!r} must be a list of objects, not of {item!r}")
    return found


def _texts(entry: Any, key: str) -> list[str]:
    found: list[Any] = member(entry, key, list)
    for item in found:
        if not isinstance(item, str):
            raise InputError(f"is a damaged graph: {key!r} must be a list of texts, not of {item!r}")
    return found


def node_from_json(entry: Mapping[str, Any], index: Mapping[str, int]) -> NodeResult:
    """Read what `node_json` returns; `index` are the variables' numbers by name."""
    name = member(entry, "name", str)
    target = _known(name, index)
    parents = tuple(_known(parent, index) for parent in _texts(entry, "parents"))
    if target in parents or list(parents) != sorted(set(parents)):
        raise InputError(f"the parents of {name} are not distinct other variables, in order")
    counts = member(entry, "counts", dict)
    return NodeResult(
        target=target,
        parents=parents,
        evidence=tuple(_evidence_from_json(row, index) for row in objects(entry, "evidence")),
        counts={key: member(counts, key, int) for key in counts},
        notes=tuple(_texts(entry, "notes")),
        own_clock=_number(entry, "own_clock") if "own_clock" in entry else None,
        posterior=_posterior_from_json(entry, index) if "posterior" in entry else None,
    )


_POSTERIOR: dict[str, type] = {"totals": list, "arcs": dict, "limit": int}


def _posterior_from_json(entry: Mapping[str, Any], index: Mapping[str, int]) -> ParentPosterior:
    given = member(entry, "posterior", dict)
    totals, rows, limit = (member(given, key, kind) for key, kind in _POSTERIOR.items())
    fits = all(isinstance(row, list) and len(row) == len(totals) for row in rows.values())
    if not totals or not fits or not 0 <= limit <= len(rows) or len(totals) > limit + 1:
        raise InputError("is a damaged graph: the sums of a posterior do not fit each other")
    candidates = tuple(_known(name, index) for name in rows)
    if list(candidates) != sorted(candidates):
        raise InputError("is a damaged graph: the candidates of a posterior are not in order")
    values = [tuple(_number({"arcs": value}, "arcs") for value in row) for row in (totals, *rows.values())]
    return ParentPosterior(candidates, limit, values[0], tuple(values[1:]))


def failure_from_json(entry: Mapping[str, Any], index: Mapping[str, int]) -> NodeFailure:
    """Read the record of a node that the learner failed on."""
    name, status, reason = (member(entry, key, str) for key in ("name", "status", "reason"))
    if status not in STATUSES:
        raise InputError(f"the node {name!r} has the status {status!r}; known: {', '.join(STATUSES)}")
    return NodeFailure(_known(name, index), status, reason)


def _evidence_from_json(row: Mapping[str, Any], index: Mapping[str, int]) -> Evidence:
    given = _texts(row, "separating_set") if row.get("separating_set") is not None else None
    return Evidence(
        candidate=_known(member(row, "candidate", str), index),
        kept=member(row, "kept", bool),
        why=member(row, "why", str),
        separating_set=None if given is None else tuple(_known(name, index) for name in given),
        effect=_effect_from_json(member(row, "effect", dict)) if "effect" in row else None,
        **{name: _number(row, name) for name in _NUMBERS if name in row},
    )


def _effect_from_json(row: Mapping[str, Any]) -> Effect:
    for name in Effect.__match_args__:
        if name not in row:
            raise InputError(f"is a damaged graph: an effect has no {name!r}")
    return Effect(**{name: _number(row, name) for name in Effect.__match_args__})


def check_from_json(row: Mapping[str, Any], index: Mapping[str, int]) -> Check:
    """Read what `check_json` returns."""
    variable = row.get("variable")
    if variable is not None:
        _known(member(row, "variable", str), index)
    if "statistic" not in row:
        raise InputError("is a damaged graph: a check has no 'statistic'")
    name, message, advice = (member(row, key, str) for key in ("name", "message", "advice"))
    return Check(name, variable, _number(row, "statistic"), member(row, "warns", bool), message, advice)


def _number(row: Mapping[str, Any], name: str) -> float:
    """Return a number of the evidence; infinities are written as text."""
    value = row[name]
    if isinstance(value, bool) or not (isinstance(value, int | float) or value in _NOT_FINITE):
        raise InputError(f"is a damaged graph: {name!r} must be a number, not {value!r}")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"is a damaged graph: {name!r} is too large") from None


def _known(name: str, index: Mapping[str, int]) -> int:
    if name not in index:
        raise InputError(f"unknown variable {name!r}")
    return index[name]
