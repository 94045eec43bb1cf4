"""Everything known about each arc that a page shows: evidence, effect, what others say about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.errors import InputError
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.rate_ratio import strongest_contrast
from ctbnlab.presentation.arc_table import strength
from ctbnlab.presentation.bootstrap_table import LISTED
from ctbnlab.presentation.page.page_content import Arc, PageContent

LEAST_PROBABILITY = 0.05  # of an arc that is not in the graph, to be shown
MAX_ARCS = 3000
FOUND, MISSED, INVENTED = "found", "missed", "invented"


@dataclass(frozen=True)
class ArcFinding:
    """One arc: the evidence as the graph's file has it, and what is known beside it.

    `by` has the evidence of each compared learner that found it. `contrast` says which rate is higher in
    which state of the parent. `order` is its place from the strongest evidence on.
    """

    source: str
    target: str
    kept: bool
    evidence: Mapping[str, Any]
    strength: str
    by: Mapping[str, str] = field(default_factory=dict)
    frequency: float | None = None
    truth: str = ""
    contrast: str = ""
    order: int = 0

    @property
    def probability(self) -> float | None:
        """The probability of the arc, if the learner gives any."""
        found = self.evidence.get("probability")
        return None if found is None else float(found)

    def effect(self, part: str) -> float | None:
        """Return one number of the effect: rate_ratio, low, high, variation or information."""
        found = self.evidence.get("effect", {}).get(part)
        return None if found is None else float(found)


def arc_findings(content: PageContent) -> list[ArcFinding]:
    """Return the arcs of the graph, then those that something else speaks for; the strongest first."""
    rows = {(row["from"], row["to"]): row for row in content.graph.evidence}
    others = {label: _kept(graph) for label, graph in content.compared.items()}
    frequencies = {}
    if content.bootstrap is not None:
        frequencies = {(row.source, row.target): row.frequency for row in content.bootstrap.rows}
    shown = set(content.learned) | set(content.truth or ())
    shown |= {arc for found in others.values() for arc in found}
    shown |= {arc for arc, row in rows.items() if float(row.get("probability", 0.0)) >= LEAST_PROBABILITY}
    shown |= {arc for arc, frequency in frequencies.items() if frequency >= LISTED}
    names = {name: i for i, name in enumerate(content.graph.names)}
    ranked = sorted(
        (arc for arc in shown if arc[0] in names and arc[1] in names),
        key=lambda arc: (*_rank(arc, rows.get(arc, {}), content), names[arc[1]], names[arc[0]]),
    )[:MAX_ARCS]
    contrasts = _contrasts(content)
    return [
        ArcFinding(
            *arc,
            kept=arc in content.learned,
            evidence=rows.get(arc, {}),
            strength=strength(rows[arc]) if arc in rows else "",
            by={label: found[arc] for label, found in others.items() if arc in found},
            frequency=frequencies.get(arc),
            truth=_truth(arc, content),
            contrast=contrasts.get(arc, ""),
            order=place,
        )
        for place, arc in enumerate(ranked)
    ]


def _kept(graph: LearnedGraph) -> dict[Arc, str]:
    found = {(row["from"], row["to"]): strength(row) for row in graph.evidence if row["kept"]}
    return found | {arc: "found" for arc in graph.arcs if arc not in found}


def _rank(arc: Arc, row: Mapping[str, Any], content: PageContent) -> tuple[float, ...]:
    """Return what orders arcs: kept first, then by probability, p-value and gain."""
    return (
        0.0 if arc in content.learned else 1.0,
        0.0 if row.get("why") == "required" else 1.0,
        -float(row.get("probability", 0.0)),
        float(row.get("p_value", 1.0)),
        -float(row.get("gain", "-inf")),
    )


def _truth(arc: Arc, content: PageContent) -> str:
    if content.truth is None:
        return ""
    if arc in content.truth:
        return FOUND if arc in content.learned else MISSED
    return INVENTED if arc in content.learned else ""


def _contrasts(content: PageContent) -> dict[Arc, str]:
    """Return in words, for each arc of the graph, the rate that differs most between states of the parent."""
    data = content.data
    found: dict[Arc, str] = {}
    if data is None:
        return found
    for node in content.graph.nodes:
        try:
            table = NodeStatistics(data, node.target).table(node.parents) if node.parents else None
        except InputError:  # too many configurations to number
            continue
        for parent in node.parents if table is not None else ():
            assert table is not None
            contrast = strongest_contrast(table, parent)
            if contrast is not None:
                (name, of_parent), (child, states) = data.variables[parent], data.variables[node.target]
                found[name, child] = (
                    f"{child} goes from {states[contrast.old]} to {states[contrast.new]} more often while "
                    f"{name} is {of_parent[contrast.state]} than while it is {of_parent[contrast.other]}"
                )
    return found
