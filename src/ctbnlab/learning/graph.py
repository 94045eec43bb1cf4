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
        if content.get("version") != VERSION:
            version = content.get("version")
            raise InputError(f"has format version {version}; this ctbnlab reads version {VERSION}")
        try:
            variables = checked_variables((entry["name"], entry["states"]) for entry in content["variables"])
            index = {variable.name: i for i, variable in enumerate(variables)}
            nodes = tuple(_node_from_json(entry, index) for entry in content["nodes"])
            failures = tuple(
                NodeFailure(_known(entry["name"], index), str(entry["status"]), str(entry["reason"]))
                for entry in content["failures"]
            )
            learner, data = dict(content["learner"]), dict(content["data"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"is a damaged graph ({type(error).__name__}: {error})") from None
        for targets in ([node.target for node in nodes], [failure.target for failure in failures]):
            if targets != sorted(set(targets)):
                raise InputError("its nodes are repeated or not in the order of the variables")
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


def _node_from_json(entry: Mapping[str, Any], index: Mapping[str, int]) -> NodeResult:
    target = _known(entry["name"], index)
    parents = tuple(_known(name, index) for name in entry["parents"])
    if target in parents or list(parents) != sorted(set(parents)):
        raise InputError(f"the parents of {entry['name']} are not distinct other variables, in order")
    return NodeResult(
        target=target,
        parents=parents,
        evidence=tuple(_evidence_from_json(row, index) for row in entry["evidence"]),
        counts=dict(entry["counts"]),
        notes=tuple(entry["notes"]),
    )


def _evidence_from_json(row: Mapping[str, Any], index: Mapping[str, int]) -> Evidence:
    numbers = {name: float(row[name]) for name in _NUMBERS if name in row}
    given = row.get("separating_set")
    return Evidence(
        candidate=_known(row["candidate"], index),
        kept=bool(row["kept"]),
        why=str(row["why"]),
        separating_set=None if given is None else tuple(_known(name, index) for name in given),
        **numbers,
    )


def _known(name: str, index: Mapping[str, int]) -> int:
    if name not in index:
        raise InputError(f"unknown variable {name!r}")
    return index[name]
