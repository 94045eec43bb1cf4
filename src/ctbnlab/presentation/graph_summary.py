"""A learned graph as a few lines for the terminal: who found what in which data, and what to beware of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctbnlab.errors import one_line
from ctbnlab.io.shown import counted
from ctbnlab.learning import registry
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.graph_json import check_json
from ctbnlab.model.names import arc_text
from ctbnlab.presentation.arc_table import effect_text, strength
from ctbnlab.presentation.check_lines import warning_lines
from ctbnlab.presentation.terminal import number, shown, table


def graph_facts(graph: LearnedGraph) -> dict[str, Any]:
    """Return what `graph_lines` shows, as plain values, with all evidence of the arcs."""
    return {
        "kind": "graph",
        "learner": dict(graph.learner),
        "data": dict(graph.data),
        "n_variables": len(graph.variables),
        "n_arcs": len(graph.arcs),
        "whole": graph.is_whole,
        "arcs": [row for row in graph.evidence if row["kept"]],
        "notes": graph.notes,
        "failures": [
            {"name": graph.names[failure.target], "status": failure.status, "reason": failure.reason}
            for failure in graph.failures
        ],
        "warnings": [check_json(check) for check in graph.checks or () if check.warns],
        "checked": graph.checks is not None,
    }


def graph_lines(graph: LearnedGraph) -> Iterator[str]:
    """Yield the lines: the learner, the data, the arcs, the checks, the notes and the failures."""
    yield f"{counted(len(graph.variables), 'variable')}, {counted(len(graph.arcs), 'arc')}"
    yield f"  learner: {_learner_text(graph)}"
    yield f"  data: {_data_text(graph)}"
    if not graph.is_whole:
        learned = len(graph.nodes) + len(graph.failures)
        of = counted(len(graph.variables), "node")
        yield f"  a part: {learned:,} of {of}; join the parts with `ctbnlab merge`"
    rows = [row for row in graph.evidence if row["kept"]]
    if rows:
        yield ""
        cells = [[arc_text(row["from"], row["to"]), strength(row), effect_text(row)] for row in rows]
        yield from table([["arc", "evidence", "effect on rates"], *cells])
    yield ""
    if graph.checks is None:
        yield "The model was not checked."
    warnings = warning_lines(graph.checks or ())
    if graph.checks is not None and not warnings:
        yield f"The model checks passed ({counted(len(graph.checks), 'check')})."
    yield from (f"warning: {line}" for line in warnings)
    yield from (f"note: {one_line(note)}" for note in graph.notes)
    for failure in graph.failures:
        name = graph.names[failure.target]
        yield one_line(f"{failure.status}: {name}: {failure.reason.removeprefix(f'{name}: ')}")


def _learner_text(graph: LearnedGraph) -> str:
    """Return the learner with the options that differ from its defaults, as far as these are known."""
    name = str(graph.learner.get("name", "unknown"))
    given = graph.learner.get("parameters", {})
    usual = registry.parameters(registry.make(name)) if name in registry.LEARNERS else {}
    options = {key: value for key, value in dict(given).items() if value != usual.get(key)}
    text = ", ".join(
        f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in options.items()
    )
    return shown(f"{name} with {text}" if text else name)


def _data_text(graph: LearnedGraph) -> str:
    data = graph.data
    parts = []
    for key, one, several in (("trajectories", "trajectory", "trajectories"), ("events", "event", "events")):
        if isinstance(data.get(key), int):
            parts.append(counted(data[key], one, several))
    if isinstance(data.get("time"), int | float):
        parts.append(f"total time {number(data['time'])}")
    return ", ".join(parts) or "not recorded"
