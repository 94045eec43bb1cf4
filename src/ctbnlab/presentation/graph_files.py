"""A learned graph for other programs: JSON, GraphML and DOT, with its arcs and rates as CSV."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from ctbnlab.errors import InputError, printable
from ctbnlab.io.files import replacing
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.parameters import FittedParameters
from ctbnlab.presentation.arc_table import as_csv
from ctbnlab.presentation.rate_files import write_rates

# The numbers of an arc that go into GraphML and DOT.
NUMBERS = ("probability", "p_value", "q_value", "gain", "rate_ratio", "low", "high")


def write_files(graph: LearnedGraph, fitted: FittedParameters | None, folder: Path) -> None:
    """Write all files to a folder, which is made if needed; without rates, those of rates are left out."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (
        ("graph.graphml", as_graphml(graph)),
        ("graph.dot", as_dot(graph)),
        ("arcs.csv", as_csv([graph], guard_formulas=True)),
    ):
        with replacing(folder / name) as temporary:
            temporary.write_text(content, encoding="utf-8", newline="\n")
    graph.write(folder / "graph.json")
    if fitted is not None:
        fitted.network.write(folder / "network.json")
        try:
            with replacing(folder / "rates.csv") as temporary:
                write_rates(fitted, temporary, folder / "rates.csv")
        except InputError as error:
            raise error.within(folder / "rates.csv") from None


def _arcs(graph: LearnedGraph) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield the arcs with their numbers."""
    evidence = {(row["from"], row["to"]): row for row in graph.evidence if row["kept"]}
    for source, target in graph.arcs:
        row: dict[str, Any] = evidence.get((source, target), {})
        known = {**row, **row.get("effect", {})}
        yield source, target, {key: float(known[key]) for key in NUMBERS if key in known}


def as_graphml(graph: LearnedGraph) -> str:
    """Return the graph as GraphML, which igraph, networkx, Gephi and Cytoscape read."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ]
    lines += [
        f'  <key id="{key}" for="node" attr.name="{key}" attr.type="string"/>' for key in ("name", "role")
    ]
    lines += [f'  <key id="{key}" for="edge" attr.name="{key}" attr.type="double"/>' for key in NUMBERS]
    lines.append('  <graph id="G" edgedefault="directed">')
    for i, name in enumerate(graph.names):
        role = graph.roles.role_of(name)
        more = f'<data key="role">{role}</data>' if role else ""
        lines.append(f'    <node id="n{i}"><data key="name">{escape(printable(name))}</data>{more}</node>')
    index = {name: i for i, name in enumerate(graph.names)}
    for source, target, numbers in _arcs(graph):
        data = "".join(f"<data key={quoteattr(key)}>{value!r}</data>" for key, value in numbers.items())
        lines.append(f'    <edge source="n{index[source]}" target="n{index[target]}">{data}</edge>')
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


def as_dot(graph: LearnedGraph) -> str:
    """Return the graph in the language of Graphviz."""
    lines = ["digraph {", "  node [shape=box];"]
    index = {name: i for i, name in enumerate(graph.names)}
    lines += [f"  n{i} [label={_dot_text(name)}];" for name, i in index.items()]
    for source, target, numbers in _arcs(graph):
        attributes = ", ".join(f'{key}="{value!r}"' for key, value in numbers.items())
        lines.append(f"  n{index[source]} -> n{index[target]}{f' [{attributes}]' if attributes else ''};")
    return "\n".join([*lines, "}", ""])


def _dot_text(name: str) -> str:
    """Return a quoted text; a backslash would begin an escape of Graphviz."""
    text = printable(name).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
