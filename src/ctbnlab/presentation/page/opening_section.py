"""The top of the page: what was learned, in three sentences, and the warnings of the model checks."""

from __future__ import annotations

from collections.abc import Sequence

from ctbnlab.io.shown import counted
from ctbnlab.model.names import quoted
from ctbnlab.presentation.arc_table import probability_text
from ctbnlab.presentation.check_lines import warning_lines
from ctbnlab.presentation.page.arc_findings import ArcFinding
from ctbnlab.presentation.page.page_content import PageContent
from ctbnlab.presentation.report.markup import (
    Html,
    element,
    joined,
    name,
    number_tiles,
    paragraph,
    plain_table,
)
from ctbnlab.presentation.report.page_layout import Section
from ctbnlab.presentation.report.wording import listed
from ctbnlab.presentation.terminal import number, three_digits

_MOST_NAMED = 3
_SURE = 0.95
_MOST_CHANGES = 12


def opening_section(content: PageContent, arcs: Sequence[ArcFinding]) -> Section:
    """Return the section."""
    kept = [arc for arc in arcs if arc.kept]
    lead = paragraph(
        joined([_what(content, kept), _strongest(content, kept), _how_sure(content, kept)], " "),
        class_="lead",
    )
    parts = [_warnings(content), _failures(content), lead, number_tiles(_tiles(content, kept))]
    parts += [_changes(content)]
    return Section("Summary", joined(parts))


def arrow(arc: ArcFinding) -> Html:
    """Return an arc with its names as text."""
    return joined([name(arc.source), " → ", name(arc.target)])


def _what(content: PageContent, kept: Sequence[ArcFinding]) -> Html:
    known = content.graph.data
    observed = []
    if isinstance(known.get("trajectories"), int):
        observed.append(counted(known["trajectories"], "trajectory", "trajectories"))
    if isinstance(known.get("events"), int):
        observed.append(counted(known["events"], "event"))
    variables = counted(len(content.graph.variables), "variable")
    where = f"Among {variables}" + (f", observed in {' with '.join(observed)}" if observed else "")
    if not kept:
        return joined([f"{where}, ", name(content.label), " found none that drives another."])
    return joined(
        [
            f"{where}, ", name(content.label), f" found {counted(len(kept), 'arc')}: an arc A → B means that "
            "B changes at other rates when A is in another state.",
        ]
    )  # fmt: skip


def _strongest(content: PageContent, kept: Sequence[ArcFinding]) -> Html:
    clocks = set(content.graph.roles.clock_names)
    sized = [arc for arc in kept if (arc.effect("low") or 0.0) > 1 and arc.source not in clocks]
    sized.sort(key=lambda arc: (-(arc.effect("low") or 0.0), arc.order))
    if not sized:
        return Html("")
    shown = [joined([arrow(arc), f" ({_size(arc)})"]) for arc in sized[:_MOST_NAMED]]
    what = "The strongest effects are" if len(shown) > 1 else "Its effect is"
    if len(kept) > 1 and len(shown) == 1:
        what = "The strongest effect is"
    return joined([f"{what} ", listed(shown), "."])


def _how_sure(content: PageContent, kept: Sequence[ArcFinding]) -> Html:
    sentences: list[object] = []
    known = [p for arc in kept if (p := arc.probability) is not None]
    if known:
        sure = sum(p >= _SURE for p in known)
        wrong_expected = sum(1 - p for p in known)
        expected = "fewer than 0.1" if wrong_expected < 0.1 else f"about {wrong_expected:.1f}"
        if len(known) == 1:
            sentences.append(f"Its probability is {probability_text(known[0])}")
        else:
            those = "All" if sure == len(known) else f"{sure:,} of {len(known):,}"
            sentences.append(
                f"{those} have a probability of at least {_SURE}, and {expected} of the {len(known):,} are "
                "expected to be false"
            )
    elif content.compared and kept:
        common = sum(len(arc.by) == len(content.compared) for arc in kept)
        others = listed([name(label) for label in content.compared])
        sentences.append(joined([f"{common:,} of {len(kept):,} are also found by ", others]))
    elif kept:
        sentences.append("This learner decides without giving the probability of an arc")
    if content.truth is not None:
        right, wrong = len(content.learned & content.truth), len(content.learned - content.truth)
        false = f"{wrong:,} that {'is' if wrong == 1 else 'are'} not true" if wrong else "no others"
        sentences.append(f"of {counted(len(content.truth), 'true arc')}, {right:,} were found, and {false}")
    return joined([joined(sentences, "; "), "."]) if sentences else Html("")


def _size(arc: ArcFinding) -> str:
    ratio, low, high = (
        three_digits(float(arc.effect(part) or 0.0)) for part in ("rate_ratio", "low", "high")
    )
    return f"rates ×{ratio}, 95% interval {low} to {high}"


def _warnings(content: PageContent) -> Html:
    """Return the warnings of the model checks, to be read before anything else."""
    if content.graph.checks is None:
        return paragraph("The model was not checked against the data.", class_="note")
    lines = warning_lines(content.graph.checks)
    if not lines:
        return paragraph("The model checks do not warn.", class_="fine")
    heading = paragraph(
        element("strong", "The model does not hold everywhere."),
        " Some of the arcs may be due to that:",
    )
    items = element("ul", *(element("li", name(line)) for line in lines))
    return element("div", heading, items, class_="warning", role="note", aria_label="Warnings")


def _failures(content: PageContent) -> Html:
    failures = content.graph.failures
    if not failures:
        return Html("")
    names = content.graph.names
    table = plain_table(
        ["Variable", "Status", "Reason"],
        [[name(names[each.target]), each.status, name(each.reason)] for each in failures],
        label="Variables that were not learned",
    )
    what = f"The parents of {counted(len(failures), 'variable')} are unknown:"
    return element("div", paragraph(element("strong", what)), table, class_="warning", role="note")


def _changes(content: PageContent) -> Html:
    """Return what learning robustly took in, and the arcs that went or came by that."""
    lines = list(content.changes)
    graph = content.graph
    if graph.own_clocks and not lines:
        named = ", ".join(map(quoted, graph.own_clocks))
        lines.append(f"rates that change with the time since the variable's own last change: {named}")
    if not lines:
        return Html("")
    more = len(lines) - _MOST_CHANGES
    items = [element("li", name(line)) for line in lines[:_MOST_CHANGES]]
    if more > 0:
        items.append(element("li", f"and {more:,} more"))
    intro = paragraph("Where the model did not hold, more was taken in before these arcs were found:")
    return joined([intro, element("ul", *items, class_="notes-list")])


def _tiles(content: PageContent, kept: Sequence[ArcFinding]) -> dict[str, str]:
    known = content.graph.data
    tiles = {"Variables": f"{len(content.graph.variables):,}", "Arcs": f"{len(kept):,}"}
    for title, key in (("Trajectories", "trajectories"), ("Events", "events"), ("Time observed", "time")):
        value = known.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            tiles[title] = f"{value:,}" if isinstance(value, int) else number(value)
    return tiles
