"""A learned graph: for each node its parents and the evidence for every arc kept or dropped.

A file may hold only some of the nodes: learning jobs write such parts, and `completion.merge` joins them. A
node that the learner failed on is recorded with its status and reason. Timings are left out: the same data
and learner give the same bytes, wherever the nodes are learned and however they are packed into jobs.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.io import json_text
from ctbnlab.learning.contract import Check, NodeFailure, NodeResult
from ctbnlab.learning.graph_json import (
    STATUSES,
    check_from_json,
    check_json,
    evidence_json,
    failure_from_json,
    member,
    node_from_json,
    node_json,
    objects,
)
from ctbnlab.learning.graph_methods import GraphMethods
from ctbnlab.model.roles import NO_ROLES, Roles
from ctbnlab.model.variables import Variable, checked_variables

__all__ = ["STATUSES", "LearnedGraph"]

FORMAT = "ctbnlab.graph"
VERSION = 1


@dataclass(frozen=True, repr=False)
class LearnedGraph(GraphMethods):
    """Nodes with their parents, the learner that found them, and a summary of the data."""

    variables: tuple[Variable, ...]
    nodes: tuple[NodeResult, ...]  # in increasing order of target; all of them, or some
    learner: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    failures: tuple[NodeFailure, ...] = ()
    roles: Roles = NO_ROLES
    checks: tuple[Check, ...] | None = None  # None: not made

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
    def own_clocks(self) -> dict[str, float]:
        """The variables whose rates change with the time since their own last change, with the evidence."""
        return {self.names[node.target]: node.own_clock for node in self.nodes if node.own_clock is not None}

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
        names = self.names
        return [
            {"from": row.pop("candidate"), "to": names[node.target], **row}
            for node in self.nodes
            for row in (evidence_json(entry, names) for entry in node.evidence)
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
            "nodes": [node_json(node, self.names) for node in self.nodes],
            "failures": [
                {"name": self.names[failure.target], "status": failure.status, "reason": failure.reason}
                for failure in self.failures
            ],
            **({"roles": self.roles.described()} if self.roles else {}),
            **({} if self.checks is None else {"checks": [check_json(check) for check in self.checks]}),
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
            (member(entry, "name", str), member(entry, "states", list))
            for entry in objects(content, "variables")
        )
        index = {variable.name: i for i, variable in enumerate(variables)}
        nodes = tuple(node_from_json(entry, index) for entry in objects(content, "nodes"))
        failures = tuple(failure_from_json(entry, index) for entry in objects(content, "failures"))
        learner, data = member(content, "learner", dict), member(content, "data", dict)
        for targets in ([node.target for node in nodes], [failure.target for failure in failures]):
            if targets != sorted(set(targets)):
                raise InputError("its nodes are repeated or not in the order of the variables")
        both = {node.target for node in nodes} & {failure.target for failure in failures}
        if both:
            raise InputError(f"the node {variables[min(both)].name!r} is both learned and failed")
        roles = Roles.from_description(content["roles"]) if "roles" in content else NO_ROLES
        checks = None
        if "checks" in content:
            checks = tuple(check_from_json(row, index) for row in objects(content, "checks"))
        return cls(variables, nodes, learner, data, failures, roles.checked(list(index)), checks)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> LearnedGraph:
        """Read a graph's JSON file."""
        try:
            return cls.from_json(json_text.read(path))
        except InputError as error:
            raise error.within(path) from None
