"""The report on the user's own data: what was learned, the arcs and their evidence, the rates, the notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ctbnlab.learning.bootstrap_result import Bootstrap
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.model.network import Network
from ctbnlab.presentation.arc_table import strength
from ctbnlab.presentation.check_lines import warning_lines
from ctbnlab.presentation.report.embedded import picture
from ctbnlab.presentation.report.frequency_tables import frequency_section
from ctbnlab.presentation.report.markup import (
    Html,
    element,
    joined,
    name,
    number_tiles,
    paragraph,
    plain_table,
)
from ctbnlab.presentation.report.page_layout import Part, Section, report_page
from ctbnlab.presentation.report.rate_tables import rate_tables
from ctbnlab.presentation.report.run_record import record
from ctbnlab.presentation.report.wording import counted, listed

Arc = tuple[str, str]
_MOST_LISTED = 60  # arcs in the first list; the table has all


@dataclass(frozen=True)
class LearnerResult:
    """What one learner found: its graph, and if they were made, the rates and a picture."""

    label: str
    graph: LearnedGraph
    network: Network | None = None
    picture: Path | None = None
    bootstrap: Bootstrap | None = None


@dataclass(frozen=True)
class OwnDataResults:
    """What the report on the user's own data is made of; the first learner's picture opens it."""

    config: Mapping[str, Any]
    environment: Mapping[str, Any]
    learners: Sequence[LearnerResult]


def own_data_report(results: OwnDataResults) -> str:
    """Return the page."""
    found = _found_by(results)
    sections = [
        Section("Summary", _summary(results, found)),
        *_model(results),
        Section("Arcs", _arcs(results, found)),
        Section(
            "Learners", Html(), tuple(Part(each.label, _learner(results, each)) for each in results.learners)
        ),
        *frequency_section({each.label: each.bootstrap for each in results.learners if each.bootstrap}),
        *_rates(results),
        Section("Failures", _failures(results)),
        record(results.config, results.environment),
    ]
    return report_page(
        results.config["experiment"], "Continuous-time Bayesian network of your data", sections
    )


def _found_by(results: OwnDataResults) -> dict[Arc, dict[str, str]]:
    """Return for each arc, by child and parent, the evidence of every learner that found it."""
    index = {variable: i for i, variable in enumerate(results.learners[0].graph.names)}
    found: dict[Arc, dict[str, str]] = {}
    for learner in results.learners:
        for row in learner.graph.evidence:
            if row["kept"]:
                found.setdefault((row["from"], row["to"]), {})[learner.label] = strength(row)
        for arc in learner.graph.arcs:  # an arc without evidence is found all the same
            found.setdefault(arc, {}).setdefault(learner.label, "found")
    return dict(sorted(found.items(), key=lambda item: (index[item[0][1]], index[item[0][0]])))


def _arrow(arc: Arc) -> Html:
    return joined([name(arc[0]), " → ", name(arc[1])])


# ---- The first screen ----


def _summary(results: OwnDataResults, found: Mapping[Arc, Mapping[str, str]]) -> Html:
    graph = results.learners[0].graph
    common = [arc for arc, by in found.items() if len(by) == len(results.learners)]
    lead = paragraph(_what_was_learned(results), " ", _agreement(results, found, common), class_="lead")
    data = graph.data
    tiles = {
        "Variables": f"{len(graph.variables):,}",
        "Trajectories": _number(data.get("trajectories")),
        "Events": _number(data.get("events")),
        "Time observed": _number(data.get("time")),
    }
    tiles = {what: number for what, number in tiles.items() if number}
    listing = Html()
    if common:
        items = [element("li", _arrow(arc)) for arc in common[:_MOST_LISTED]]
        if len(common) > _MOST_LISTED:
            items.append(element("li", f"and {len(common) - _MOST_LISTED:,} more, in the table of arcs"))
        listing = element("ul", *items, class_="arcs")
    return joined([lead, _warned(results), listing, number_tiles(tiles), _main_picture(results)])


def _what_was_learned(results: OwnDataResults) -> Html:
    source = results.config.get("data") or {}
    counts = [
        joined([name(learner.label), f" found {counted(len(learner.graph.arcs), 'arc')}"])
        for learner in results.learners
    ]
    n_variables = len(results.learners[0].graph.variables)
    origin = joined([" from ", element("code", source["path"])]) if source.get("path") else Html()
    return joined([f"Among {counted(n_variables, 'variable')}", origin, ", ", listed(counts), "."])


def _agreement(results: OwnDataResults, found: Mapping[Arc, Mapping[str, str]], common: Sequence[Arc]) -> str:
    if not found:
        return "No variable was found to drive another."
    if len(results.learners) == 1:
        return "An arc A → B means that the rates of B depend on the state of A:"
    everyone = "Both" if len(results.learners) == 2 else f"All {len(results.learners)}"
    if not common:
        return "There is no arc that all of them found."
    return f"{everyone} agree on {counted(len(common), 'arc')}:"


def _number(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return f"{value:,.6g}" if isinstance(value, float) else f"{value:,}"


def _main_picture(results: OwnDataResults) -> Html:
    first = results.learners[0]
    explanation = (
        " An arc from A to B means that the rates of B depend on the state of A; the wider an arc, the "
        "stronger the evidence for it."
    )
    return Html() if first.picture is None else _picture(first, first.picture, explanation)


def _picture(learner: LearnerResult, path: Path, explanation: str = "") -> Html:
    caption = joined(["The graph of ", name(learner.label), ".", explanation])
    arcs = ", ".join(f"{source} → {target}" for source, target in learner.graph.arcs[:_MOST_LISTED])
    return picture(path, f"Graph of {learner.label}: {arcs or 'no arcs'}", caption)


def _warned(results: OwnDataResults) -> Html:
    """Return a sentence about the model checks that warn, to be read before the arcs."""
    lines = warning_lines(results.learners[0].graph.checks or ())
    if not lines:
        return Html()
    return paragraph(
        element("strong", "The model does not hold everywhere"), ": some of these arcs may be due to that. ",
        f"See Model checks for {counted(len(lines), 'warning')}.",
    )  # fmt: skip


# ---- The sections ----


def _model(results: OwnDataResults) -> list[Section]:
    """Return what the model checks of each learner's graph came to, if they were made."""
    checked = [learner for learner in results.learners if learner.graph.checks is not None]
    if not checked:
        return []
    intro = paragraph(
        "A network takes rates to be constant while the parents' states are: exponential waiting times, the "
        "same at all times and in all trajectories. Where that is not so, arcs appear that are not there."
    )
    parts = []
    for learner in checked:
        lines = warning_lines(learner.graph.checks or ())
        content = element("ul", *(element("li", name(line)) for line in lines), class_="notes-list")
        parts.append(
            Part(
                f"Checks of {learner.label}",
                content if lines else paragraph("No check warns."),
                learner.label,
            )
        )
    return [Section("Model checks", intro, tuple(parts))]


def _arcs(results: OwnDataResults, found: Mapping[Arc, Mapping[str, str]]) -> Html:
    if not found:
        return paragraph("No learner found an arc.")
    labels = [learner.label for learner in results.learners]
    head: list[object] = ["Arc", *map(name, labels)]
    if len(labels) > 1:
        head.append("Found by")
    body = []
    for arc, by in found.items():
        row: list[object] = [_arrow(arc), *(name(by.get(label, "–")) for label in labels)]
        if len(labels) > 1:
            row.append(
                element(
                    "span", f"{len(by)} of {len(labels)}", class_="all" if len(by) == len(labels) else None
                )
            )
        body.append(row)
    intro = paragraph(
        "Every arc that was found, with the evidence for it: a score gain is the loss in log score "
        "without the arc; p ≤ is the largest p-value among the tests of the arc, and q ≤ the false "
        "discovery rate if all arcs with p-values up to that one are kept. ",
        "Arcs on which several learners agree deserve the most trust." if len(labels) > 1 else "",
    )
    more = paragraph(
        "arcs.csv next to this page has the evidence on all arcs, including those not found.", class_="note"
    )
    return joined([intro, plain_table(head, body, label="Arcs and their evidence"), more])


def _learner(results: OwnDataResults, learner: LearnerResult) -> Html:
    graph = learner.graph
    pieces = [paragraph(_same_as(results, learner))]
    if graph.notes:
        notes = element("ul", *(element("li", name(note)) for note in graph.notes), class_="notes-list")
        pieces += [paragraph("Notes of the learner:"), notes]
    if learner is not results.learners[0] and learner.picture is not None:
        pieces.append(_picture(learner, learner.picture))
    return joined(pieces)


def _same_as(results: OwnDataResults, learner: LearnerResult) -> Html:
    """Return how many arcs a learner found, and which learner before it found the same ones."""
    arcs = set(learner.graph.arcs)
    number = counted(len(arcs), "arc")
    for other in results.learners:
        if other is learner:
            break
        if set(other.graph.arcs) == arcs:
            return joined([f"{number}, the same as ", name(other.label), "."])
    return joined([f"{number}."])


def _rates(results: OwnDataResults) -> list[Section]:
    """Return the rates of each learner's network; a network with the graph of an earlier one is left out."""
    shown: list[LearnerResult] = []
    for learner in results.learners:
        graphs = [set(other.graph.arcs) for other in shown]
        if learner.network is not None and set(learner.graph.arcs) not in graphs:
            shown.append(learner)
    if not shown:
        return []
    intro = paragraph(
        "How often a variable changes from one state to another per unit of time, given the states of its "
        "parents. The expected time in a state is one divided by the sum of the rates that leave it."
    )
    parts = []
    for learner in shown:
        assert learner.network is not None
        parts.append(
            Part(
                f"Rates for the graph of {learner.label}",
                rate_tables(learner.network, unfolded=learner is shown[0]),
                learner.label,
            )
        )
    return [Section("Rates", intro, tuple(parts))]


def _failures(results: OwnDataResults) -> Html:
    body = [
        [name(learner.label), name(learner.graph.names[failure.target]), failure.status, name(failure.reason)]
        for learner in results.learners
        for failure in learner.graph.failures
    ]
    if not body:
        return paragraph("None: every learner finished every variable.")
    intro = paragraph("Variables whose parents are unknown, because the learner did not finish.")
    return joined([intro, plain_table(["Learner", "Variable", "Status", "Reason"], body, label="Failures")])
