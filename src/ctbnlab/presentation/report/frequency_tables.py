"""The section of a report on resampled trajectories: how often each learner finds each arc."""

from __future__ import annotations

from collections.abc import Mapping

from ctbnlab.learning.bootstrap_result import ArcRow, Bootstrap
from ctbnlab.presentation.bootstrap_table import LISTED, listed
from ctbnlab.presentation.report.markup import Html, joined, name, paragraph, plain_table
from ctbnlab.presentation.report.page_layout import Part, Section
from ctbnlab.presentation.terminal import number


def frequency_section(found: Mapping[str, Bootstrap]) -> list[Section]:
    """Return the section with a table for each learner, by its label; none without bootstraps."""
    if not found:
        return []
    intro = paragraph(
        "How often each arc is found if the trajectories are drawn anew, with replacement. An arc that is "
        "found often does not depend on which trajectories happened to be observed. It may still be false: "
        "where the model does not hold, a bootstrap repeats the bias and does not reveal it. The rate ratio "
        "compares the rate of one transition in two states of the parent, given the other parents; 95 % of "
        "the samples lie in its interval."
    )
    parts = tuple(
        Part(f"Frequencies of the arcs of {label}", _table(label, one), label) for label, one in found.items()
    )
    return [Section("Resampling", intro, parts)]


def _table(label: str, found: Bootstrap) -> Html:
    rows = listed(found)
    if not rows:
        return paragraph(f"No arc is in the graph or in {LISTED:.0%} of {len(found.replicates):,} samples.")
    head = ["Arc", "Frequency", "In the graph", "Rate ratio", "95 % interval", "Contrast"]
    table = plain_table(head, [_cells(row) for row in rows], label=f"Frequencies of the arcs of {label}")
    note = f"{len(found.replicates):,} samples. Arcs not listed are in less than {LISTED:.0%} of them."
    return joined([table, paragraph(note, class_="note")])


def _cells(row: ArcRow) -> list[object]:
    interval = "" if row.low is None else f"{number(row.low)} to {number(row.high)}"
    return [
        joined([name(row.source), " → ", name(row.target)]),
        f"{row.frequency:.1%}",
        "yes" if row.kept else "no",
        "" if row.rate_ratio is None else number(row.rate_ratio),
        interval,
        name(row.contrast),
    ]
