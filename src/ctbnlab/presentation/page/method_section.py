"""The section on method: how to read the page, the command, versions, what to cite."""

from __future__ import annotations

from ctbnlab.io import json_text
from ctbnlab.presentation.page.example_query import example_query
from ctbnlab.presentation.page.page_content import PageContent
from ctbnlab.presentation.page.query_section import PageQueries
from ctbnlab.presentation.report.markup import (
    Html,
    code_block,
    element,
    facts_table,
    folded,
    joined,
    name,
    paragraph,
)
from ctbnlab.presentation.report.page_layout import Part, Section

_READING = (
    "Each person (or machine, or process) is followed over time, and every variable is in one of its "
    "states at each moment. The network describes how often each variable changes, and which "
    "others that depends on.",
    "An arc from A to B says: while A is in one state, B changes more often, or less, than while A is in "
    "another, even after the other arcs into B are allowed for. No arc says that the data show no such "
    "difference, or that there are too few events to show one.",
    "A rate ratio of 2 means twice as many changes in the same time. With many events a small ratio is "
    "certain too: read the probability for whether there is an effect, the ratio for whether it matters.",
    "An arc is not proof of a cause. Something that was not measured may drive both variables, and where the "
    "model checks warn, arcs may be an artefact of time or of differences between people.",
    "The arcs describe the people in these data. They do not predict what happens to one person, and are no "
    "advice on treatment.",
)


def method_section(content: PageContent, queries: PageQueries) -> Section:
    """Return the section."""
    parts = [
        Part("How to read this page", joined([paragraph(each) for each in _READING]), "How to read it"),
        Part("How it was made", _made(content, queries), "How it was made"),
        Part("Versions", _versions(content)),
        Part("Citation", _citation(content)),
    ]
    notes = [element("li", name(note)) for note in content.graph.notes]
    if notes:
        parts.insert(2, Part("Notes of the learner", element("ul", *notes, class_="notes-list"), "Notes"))
    return Section("Method", Html(""), tuple(parts))


def _made(content: PageContent, queries: PageQueries) -> Html:
    options = content.graph.learner.get("parameters", {})
    chosen = ", ".join(f"{key}={value}" for key, value in options.items())
    pieces = [
        paragraph("The arcs were learned by ", name(content.label), f" ({chosen})." if chosen else "."),
        code_block(content.made.command),
        paragraph(
            f"What was simulated used the seed {content.seed}; the same data, command and versions give the "
            "same page.",
            class_="note",
        ),
        *_asked(queries),
    ]
    if content.made.config:
        pieces.append(folded("The whole config, defaults included", code_block(content.made.config)))
    taken = content.graph.data.get("adjusted_for")
    if taken:
        pieces.append(paragraph("Adjusted for: ", name(json_text.dumps(taken).strip()), "."))
    return joined(pieces)


def _asked(queries: PageQueries) -> list[Html]:
    """Return the commands that answer one of the queries again; none if the network's files cannot."""
    found = example_query(queries)
    if found is None:
        return []
    curve = "The network's curve of "
    again = " is computed by these commands"
    again += "." if found.exact else ", within its standard errors."
    return [paragraph(curve, name(found.variable), again), code_block(found.commands)]


def _versions(content: PageContent) -> Html:
    return facts_table(content.made.versions.items(), label="Versions")


def _citation(content: PageContent) -> Html:
    return element("ul", *(element("li", name(each)) for each in content.made.citations), class_="notes-list")
