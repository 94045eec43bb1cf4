"""A learner that is an external command: a file of data in, a list of arcs out, in any language.

This module decides what the command's words are and what graph its answer means; `cli.external_command` runs
it. The words are split as a shell splits them, but no shell runs: `{data}`, `{arcs}`, `{threads}` and the
names of options are replaced inside words, so that no value can become two words or another command.
"""

from __future__ import annotations

import math
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.learning.arc_list import ListedArc
from ctbnlab.learning.contract import Evidence, NodeResult
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.knowledge import Knowledge, NodeKnowledge
from ctbnlab.learning.nodes import LearnerError, description_of
from ctbnlab.model.names import arc_text, quoted

NAME = "command"  # the name of the learner in graphs, and the algorithm in tables of results
REPORTED, NOT_REPORTED = "reported by the command", "not reported by the command"
# The formats that a command's data can have, and the extension of the file.
DATA_FORMATS = {
    "wide": ".csv",
    "long": ".csv",
    "pyagrum": ".csv",
    "pyctbn": ".json",
    "parquet": ".parquet",
    "arrow": ".arrow",
}
_REQUIRED = ("data", "arcs")
_RESERVED = (*_REQUIRED, "threads", "command", "data_format")
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\w+)\}")


@dataclass(frozen=True)
class Command:
    """A command line with placeholders, the options that fill them, and the format of its data."""

    text: str
    options: Mapping[str, Any] = field(default_factory=dict)
    data_format: str = "wide"

    def __post_init__(self) -> None:
        names = {found for word in self._split() for found in _PLACEHOLDER.findall(word) if found}
        for name in _REQUIRED:
            if name not in names:
                raise InputError(f"the command has no {{{name}}}, which stands for the file of {name}")
        for name in self.options:
            if name in _RESERVED:
                raise InputError(f"an option of a command cannot be called {name!r}")
            if name not in names:
                raise InputError(f"the command has no {{{name}}} for the option {name!r}")
        for name in sorted(names - {*_REQUIRED, "threads", *self.options}):
            raise InputError(
                f"the command has {{{name}}}, but there is no option {name!r}; write a literal brace as {{{{"
            )
        if self.data_format not in DATA_FORMATS:
            known = ", ".join(DATA_FORMATS)
            raise InputError(f"unknown format {self.data_format!r} for the data of a command; choose {known}")

    @property
    def parameters(self) -> dict[str, Any]:
        """What the record beside its results has; text that is a number is recorded as one."""
        options = {name: _as_number(value) for name, value in self.options.items()}
        return {"command": self.text, "data_format": self.data_format, **options}

    def words(self, data: str = "{data}", arcs: str = "{arcs}", threads: int = 1) -> list[str]:
        """Return the words to run, with the paths of the two files put in."""
        options = {name: option_text(value) for name, value in self.options.items()}
        values = {**options, "data": data, "arcs": arcs, "threads": str(threads)}

        def filled(found: re.Match[str]) -> str:
            return values[found[1]] if found[1] else found[0][0]

        return [_PLACEHOLDER.sub(filled, word) for word in self._split()]

    def require_program(self) -> None:
        """Refuse a command whose program is not there."""
        program = self.words()[0]
        if shutil.which(program) is None:
            raise InputError(
                f"the program {program!r} of the command is not found or not executable; install it, or give "
                "its path"
            )

    def _split(self) -> list[str]:
        try:
            words = shlex.split(self.text)
        except ValueError as error:
            raise InputError(f"the command cannot be split into words ({error}): {self.text!r}") from None
        if not words:
            raise InputError("the command is empty")
        return words


def option_text(value: Any) -> str:
    """Return the value of an option as a command or `--option NAME=VALUE` has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _as_number(value: Any) -> Any:
    for kind in (int, float) if isinstance(value, str) else ():
        with suppress(ValueError):
            number = kind(value)
            return number if math.isfinite(number) else value
    return value


def graph_of_arcs(
    data: Trajectories, command: Command, arcs: Sequence[ListedArc], knowledge: Knowledge
) -> LearnedGraph:
    """Return the graph that a command reported; raise `LearnerError` if it breaks prior knowledge."""
    # The command's data have no roles: what these rule out is no error of the command.
    ruled_out = data.roles.forbidden(data.names) if data.roles else frozenset()
    listed: list[dict[int, ListedArc]] = [{} for _ in data.names]
    for arc in arcs:
        if (data.names[arc.source], data.names[arc.target]) not in ruled_out:
            listed[arc.target][arc.source] = arc
    known = knowledge.for_nodes(data.names, data.roles)
    nodes = []
    for target, found in enumerate(listed):
        parents = tuple(sorted(j for j, arc in found.items() if arc.kept))
        _require_allowed(parents, target, known[target], data.names)
        nodes.append(NodeResult(target, parents, tuple(_evidence(found, target, data.n_variables))))
    described = description_of(data, NAME, command.parameters)
    return LearnedGraph(
        data.variables, tuple(nodes), described["learner"], described["data"], roles=data.roles
    )


def _evidence(found: Mapping[int, ListedArc], target: int, n_variables: int) -> list[Evidence]:
    return [
        Evidence(j, found[j].kept, REPORTED, gain=found[j].score)
        if j in found
        else Evidence(j, kept=False, why=NOT_REPORTED)
        for j in range(n_variables)
        if j != target
    ]


def _require_allowed(
    parents: tuple[int, ...], target: int, known: NodeKnowledge, names: Sequence[str]
) -> None:
    missing = [j for j in known.required if j not in parents]
    forbidden = [j for j in parents if j not in known.required and j not in known.candidates]
    if missing:
        raise LearnerError(f"the required arc {arc_text(names[missing[0]], names[target])} is missing")
    if forbidden:
        raise LearnerError(f"the forbidden arc {arc_text(names[forbidden[0]], names[target])} is present")
    if known.max_parents is not None and len(parents) > known.max_parents:
        limit = f"at most {known.max_parents} are allowed"
        raise LearnerError(f"{quoted(names[target])} has {len(parents)} parents; {limit}")
