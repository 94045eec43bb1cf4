"""The section with the table of arcs: probability, effect, evidence, frequencies, what each learner says."""

from __future__ import annotations

from collections.abc import Sequence

from ctbnlab.presentation.arc_table import probability_text
from ctbnlab.presentation.page.arc_findings import MAX_ARCS, ArcFinding
from ctbnlab.presentation.page.page_content import PageContent
from ctbnlab.presentation.page.sortable_table import Cell, sortable_table
from ctbnlab.presentation.report.markup import Html, joined, name, paragraph
from ctbnlab.presentation.report.page_layout import Section
from ctbnlab.presentation.terminal import number, three_digits

_NONE = Cell("–", "")


def arc_section(content: PageContent, arcs: Sequence[ArcFinding]) -> Section:
    """Return the section."""
    if not arcs:
        return Section("Arcs", paragraph("No arc was found."))
    columns = _columns(content, arcs)
    head = ["From", "To", *columns, "Why"]
    numeric = [i for i, title in enumerate(head) if title in ("Probability", "Rate ratio", "Found in")]
    table = sortable_table(
        "arc-table",
        head,
        (_row(arc, columns, content) for arc in arcs),
        label="Arcs and the evidence for them",
        file="arcs.csv",
        numeric=numeric,
    )
    return Section("Arcs", joined([_intro(content, arcs), table]))


def _intro(content: PageContent, arcs: Sequence[ArcFinding]) -> Html:
    sentences = ["Every arc that was found, the strongest evidence first."]
    if any(not arc.kept for arc in arcs):
        sentences.append("Arcs in grey are not in the graph, but something speaks for them.")
    if any(arc.effect("rate_ratio") is not None for arc in arcs):
        sentences.append(
            "The rate ratio is the largest factor by which a rate of the second variable differs between two "
            "states of the first, all else the same, with its 95% interval."
        )
    if content.bootstrap is not None:
        number_of = len(content.bootstrap.replicates)
        sentences.append(
            f"“Found in” is the share of {number_of:,} samples of the trajectories in which the arc is "
            "found; where the model does not hold, it repeats the bias and does not reveal it."
        )
    if len(arcs) == MAX_ARCS:
        sentences.append(f"Only the strongest {MAX_ARCS:,} are shown.")
    return paragraph(" ".join(sentences))


def _columns(content: PageContent, arcs: Sequence[ArcFinding]) -> list[str]:
    columns = []
    if any(arc.probability is not None for arc in arcs):
        columns.append("Probability")
    if any(arc.effect("rate_ratio") is not None for arc in arcs):
        columns += ["Rate ratio", "95% interval"]
    columns.append("Evidence")
    if content.bootstrap is not None:
        columns.append("Found in")
    columns += content.compared
    if content.truth is not None:
        columns.append("Truth")
    return columns


def _row(arc: ArcFinding, columns: Sequence[str], content: PageContent) -> list[Cell]:
    grey = None if arc.kept else "absent"
    ends = [Cell(name(end), end, grey) for end in (arc.source, arc.target)]
    known = {
        "Probability": _probability(arc),
        "Rate ratio": _number(arc.effect("rate_ratio")),
        "95% interval": _interval(arc),
        "Evidence": _evidence(arc),
        "Found in": _NONE if arc.frequency is None else Cell(f"{arc.frequency:.0%}", arc.frequency),
        "Truth": Cell(arc.truth or "–", arc.truth, f"truth-{arc.truth}" if arc.truth else None),
    }
    cells = [known[title] if title not in content.compared else _said(arc, title) for title in columns]
    return [*ends, *cells, Cell(name(arc.evidence.get("why", "")), str(arc.evidence.get("why", "")))]


def _probability(arc: ArcFinding) -> Cell:
    p = arc.probability
    return _NONE if p is None else Cell(probability_text(p), p)


def _number(value: float | None) -> Cell:
    return _NONE if value is None else Cell(f"×{three_digits(value)}", value)


def _interval(arc: ArcFinding) -> Cell:
    low, high = arc.effect("low"), arc.effect("high")
    if low is None or high is None:
        return _NONE
    return Cell(f"{three_digits(low)} to {three_digits(high)}", f"{low:.6g} to {high:.6g}")


def _evidence(arc: ArcFinding) -> Cell:
    """Return the gain or the p-value, which the probability leaves out."""
    gain, p = arc.evidence.get("gain"), arc.evidence.get("p_value")
    if gain is not None:
        return Cell(f"gain {number(float(gain))}", float(gain))
    if p is not None:
        return Cell(f"p = {float(p):.2g}" if float(p) else "p < 1e-300", float(p))
    return Cell(name(arc.strength), arc.strength)


def _said(arc: ArcFinding, label: str) -> Cell:
    found = arc.by.get(label)
    return _NONE if found is None else Cell(name(found), found)
