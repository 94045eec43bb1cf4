"""A learned graph: for each node its parents and the evidence for every arc kept or dropped.

A file may hold only some of the nodes: learning jobs write such parts, and `merge` joins them. A node that
the learner failed on is recorded with its status and reason. Timings are left out: the same data and
learner give the same bytes, wherever the nodes are learned and however they are packed into jobs.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.io import json_text
from ctbnlab.learning.contract import Evidence, NodeFailure, NodeResult
from ctbnlab.model.variables import Variable, checked_variables

FORMAT = "ctbnlab.graph"
VERSION = 1
STATUSES = ("failed", "timed out", "skipped")
_NOT_FINITE = ("inf", "-inf", "nan")
_NUMBERS = ("statistic", "degrees_of_freedom", "p_value", "gain")


@dataclass(frozen=True)
class LearnedGraph:
    """Nodes with their parents, the learner that found them, and a summary of the data."""

    variables: tuple[Variable, ...]
    nodes: tuple[NodeResult, ...]  # in increasing order of target; all of them, or some
    learner: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    failures: tuple[NodeFailure, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The variables' names."""
        return tuple(variable.name for variable in self.variables)

    @property
    def is_whole(self) -> bool:
        """Whether every variable is present, learned or failed."""
        return len(self.nodes) + len(self.failures) == len(self.variables)

    @property
    def parents(self) -> dict[str, tuple[str, ...]]:
        """The names of each learned node's parents."""
        names = self.names
        return {names[node.target]: tuple(names[j] for j in node.parents) for node in self.nodes}

    @property
    def arcs(self) -> list[tuple[str, str]]:
        """The arcs as pairs of names, by child and then by parent."""
        return [(parent, child) for child, parents in self.parents.items() for parent in parents]

    @property
    def adjacency(self) -> NDArray[np.bool_]:
        """The adjacency matrix: [parent, child]."""
        matrix = np.zeros((len(self.variables),) * 2, bool)
        for node in self.nodes:
            matrix[list(node.parents), node.target] = True
        return matrix

    @property
    def evidence(self) -> list[dict[str, Any]]:
        """One row per possible arc: from, to, kept, why, and the learner's numbers."""
        return [
            {"from": row.pop("candidate"), "to": name, **row}
            for name, node in zip(self.parents, self.nodes, strict=True)
            for row in (_evidence_json(entry, self.names) for entry in node.evidence)
        ]

    @property
    def notes(self) -> list[str]:
        """What the data could not decide, node by node."""
        return [f"{self.names[node.target]}: {note}" for node in self.nodes for note in node.notes]

    def to_networkx(self) -> Any:
        """Return a networkx.DiGraph with the evidence as the arcs' attributes."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.names)
        for row in self.evidence:
            if row["kept"]:
                source, target = row.pop("from"), row.pop("to")
                graph.add_edge(source, target, **row)
        return graph

    def to_json(self) -> dict[str, Any]:
        """Return the content of the graph's JSON file."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "learner": dict(self.learner),
            "data": dict(self.data),
            "variables": [{"name": name, "states": list(states)} for name, states in self.variables],
            "nodes": [_node_json(node, self.names) for node in self.nodes],
            "failures": [
                {"name": self.names[failure.target], "status": failure.status, "reason": failure.reason}
                for failure in self.failures
            ],
        }

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the graph as JSON."""
        json_text.write(self.to_json(), path)

    @classmethod
    def from_json(cls, content: Any) -> LearnedGraph:
        """Read what `to_json` returns; report what is wrong with anything else."""
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise InputError("is not a learned graph")
        version = content.get("version")
        if version != VERSION or isinstance(version, bool):
            raise InputError(f"has format version {version!r}; this ctbnlab reads version {VERSION}")
        variables = checked_variables(
            (_member(entry, "name", str), _member(entry, "states", list))
            for entry in _objects(content, "variables")
        )
        index = {variable.name: i for i, variable in enumerate(variables)}
        nodes = tuple(_node_from_json(entry, index) for entry in _objects(content, "nodes"))
        failures = tuple(_failure_from_json(entry, index) for entry in _objects(content, "failures"))
        learner, data = _member(content, "learner", dict), _member(content, "data", dict)
        for targets in ([node.target for node in nodes], [failure.target for failure in failures]):
            if targets != sorted(set(targets)):
                raise InputError("its nodes are repeated or not in the order of the variables")
        both = {node.target for node in nodes} & {failure.target for failure in failures}
        if both:
            raise InputError(f"the node {variables[min(both)].name!r} is both learned and failed")
        return cls(variables, nodes, learner, data, failures)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> LearnedGraph:
        """Read a graph's JSON file."""
        try:
            return cls.from_json(json_text.read(path))
        except InputError as error:
            raise error.within(path) from None


def merge(parts: Sequence[LearnedGraph]) -> LearnedGraph:
    """Join parts of one graph; refuse parts from different data or learners, and repeated nodes.

    Of a part that failed as a whole, the learner's parameters may be unknown: only its name is compared.
    """
    if not parts:
        raise InputError("no parts to merge")
    first = next((part for part in parts if part.nodes), parts[0])
    for part in parts:
        learner = first.learner if not part.nodes and _same_name(part, first) else part.learner
        if (part.variables, learner, part.data) != (first.variables, first.learner, first.data):
            raise InputError("the parts come from different data or learners")
    nodes = sorted((node for part in parts for node in part.nodes), key=lambda node: node.target)
    failures = sorted((node for part in parts for node in part.failures), key=lambda node: node.target)
    targets = sorted([node.target for node in nodes] + [failure.target for failure in failures])
    for target, following in pairwise(targets):
        if target == following:
            raise InputError(f"the node {first.names[target]} is in two parts")
    return LearnedGraph(first.variables, tuple(nodes), first.learner, first.data, tuple(failures))


def _same_name(first: LearnedGraph, second: LearnedGraph) -> bool:
    return first.learner.get("name") == second.learner.get("name")


def _node_json(node: NodeResult, names: Sequence[str]) -> dict[str, Any]:
    return {
        "name": names[node.target],
        "parents": [names[j] for j in node.parents],
        "counts": dict(node.counts),
        "notes": list(node.notes),
        "evidence": [_evidence_json(entry, names) for entry in node.evidence],
    }


def _evidence_json(entry: Evidence, names: Sequence[str]) -> dict[str, Any]:
    row: dict[str, Any] = {"candidate": names[entry.candidate], "kept": entry.kept, "why": entry.why}
    for name in _NUMBERS:
        value = getattr(entry, name)
        if value is not None:
            # JSON has no infinity; text keeps it readable both ways.
            row[name] = value if np.isfinite(value) else str(value)
    if entry.separating_set is not None:
        row["separating_set"] = [names[j] for j in entry.separating_set]
    return row


# ---- Reading: every member is checked; a string where a list belongs would be read letter by letter ----

_KINDS: dict[type, str] = {
    str: "text",
    list: "a list",
    dict: "an object",
    bool: "true or false",
    int: "a number",
}


def _member(entry: Any, key: str, kind: type) -> Any:
    """Return a member of a JSON object; refuse an object without it and a value of another type."""
    if not isinstance(entry, dict) or key not in entry:
        raise InputError(f"is a damaged graph: an entry has no {key!r}")
    value = entry[key]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise InputError(f"is a damaged graph: {key!r} must be {_KINDS[kind]}, not {value!r}")
    return value


def _objects(entry: Any, key: str) -> list[dict[str, Any]]:
    found: list[Any] = _member(entry, key, list)
    for item in found:
        if not isinstance(item, dict):
            raise InputError(f"is a damaged graph: {key!r} must be a list of objects, not of {item!r}")
    return found


def _texts(entry: Any, key: str) -> list[str]:
    found: list[Any] = _member(entry, key, list)
    for item in found:
        if not isinstance(item, str):
            raise InputError(f"is a damaged graph: {key!r} must be a list of texts, not of {item!r}")
    return found


def _node_from_json(entry: Mapping[str, Any], index: Mapping[str, int]) -> NodeResult:
    name = _member(entry, "name", str)
    target = _known(name, index)
    parents = tuple(_known(parent, index) for parent in _texts(entry, "parents"))
    if target in parents or list(parents) != sorted(set(parents)):
        raise InputError(f"the parents of {name} are not distinct other variables, in order")
    counts = _member(entry, "counts", dict)
    return NodeResult(
        target=target,
        parents=parents,
        evidence=tuple(_evidence_from_json(row, index) for row in _objects(entry, "evidence")),
        counts={key: _member(counts, key, int) for key in counts},
        notes=tuple(_texts(entry, "notes")),
    )


def _failure_from_json(entry: Mapping[str, Any], index: Mapping[str, int]) -> NodeFailure:
    name, status, reason = (_member(entry, key, str) for key in ("name", "status", "reason"))
    if status not in STATUSES:
        raise InputError(f"the node {name!r} has the status {status!r}; known: {', '.join(STATUSES)}")
    return NodeFailure(_known(name, index), status, reason)


def _evidence_from_json(row: Mapping[str, Any], index: Mapping[str, int]) -> Evidence:
    given = _texts(row, "separating_set") if row.get("separating_set") is not None else None
    return Evidence(
        candidate=_known(_member(row, "candidate", str), index),
        kept=_member(row, "kept", bool),
        why=_member(row, "why", str),
        separating_set=None if given is None else tuple(_known(name, index) for name in given),
        **{name: _number(row, name) for name in _NUMBERS if name in row},
    )


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
