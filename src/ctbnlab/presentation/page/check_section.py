"""The section of the model checks: what they say, and residuals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ctbnlab.learning.check_residuals import check_residuals
from ctbnlab.learning.check_statistics import PeriodTest
from ctbnlab.learning.contract import Check
from ctbnlab.presentation.page.page_content import PageContent, short
from ctbnlab.presentation.page.sortable_table import Cell, sortable_table
from ctbnlab.presentation.report.markup import Html, element, joined, name, paragraph
from ctbnlab.presentation.report.page_layout import Part, Section
from ctbnlab.presentation.terminal import number

MAX_CHECKS = 200
_MOST_POINTS = 400

_MEANING = {
    "waiting times": "are waits in a state exponential?",
    "time since entry": "are rates the same at all times since entry?",
    "calendar time": "are rates the same at all dates?",
    "trajectories": "are rates the same in all trajectories?",
    "ties": "do variables change at the same moment?",
    "grid": "are times on a coarse grid?",
    "scarce": "are there enough events to see parents?",
}


# Title, id, what it shows, and a shorter title.
_CHARTS = (
    (
        "Residuals",
        "residuals",
        "Observed divided by expected transitions: 1 if the model holds. Bars are ± 2 standard errors.",
        "",
    ),
    (
        "Observed against expected transitions",
        "expected",
        "Each point is a trajectory, with its transitions and those that the fitted rates make one expect. "
        "Points far from the line are trajectories unlike the others.",
        "Expected transitions",
    ),
)


def check_section(content: PageContent) -> Section:
    """Return the section; the script draws the charts."""
    intro = paragraph(
        "A network takes rates to be constant while the parents' states are: exponential waiting times, the "
        "same at all times and in all trajectories. Where that is not so, arcs appear that are not there. "
        "States over time, under Queries, show whether the network describes the course of each variable."
    )
    parts = []
    if content.graph.checks is not None:
        parts.append(Part("Result of each check", _table(content.graph.checks), "Results"))
    if content.data is not None:
        parts += [_chart(*each) for each in _CHARTS]
    return Section("Checks", intro, tuple(parts))


def _chart(title: str, id: str, explained: str, label: str) -> Part:
    return Part(title, joined([paragraph(explained), element("div", id=id, class_="chart-box")]), label)


def _table(checks: Iterable[Check]) -> Html:
    ordered = sorted(checks, key=lambda check: not check.warns)
    left_out = len(ordered) - MAX_CHECKS
    ordered = ordered[:MAX_CHECKS]
    rows = [
        [
            Cell(check.name, check.name),
            Cell(name(check.variable) if check.variable else "all", check.variable or ""),
            Cell("warns", "warns", "remark") if check.warns else Cell("fine", "fine"),
            Cell(number(check.statistic), check.statistic),
            Cell(name(check.message) if check.warns else _MEANING.get(check.name, "")),
            Cell(element("code", check.advice) if check.advice else "–", check.advice),
        ]
        for check in ordered
    ]  # fmt: skip
    head = ["Check", "Variable", "Result", "Statistic", "What it says or asks", "What helps"]
    table = sortable_table("check-table", head, rows, label="Model checks", file="checks.csv", numeric=(3,))
    if left_out <= 0:
        return table
    return joined(
        [table, paragraph(f"{left_out:,} more are not shown; those that warn come first.", class_="note")]
    )


def check_charts(content: PageContent) -> dict[str, Any]:
    """Return what the script draws."""
    data = content.data
    if data is None:
        return {}
    result: dict[str, Any] = {"residuals": [], "points": []}
    observed, expected = np.zeros(len(data)), np.zeros(len(data))
    index = {variable: i for i, variable in enumerate(data.names)}
    for found in check_residuals(data, content.graph):
        observed += found.observed
        expected += found.expected
        result["residuals"].append(
            {
                "variable": index[found.variable],
                "own": _periods(found.own),
                "entry": _periods(found.entry),
                "cuts": [short(float(cut)) for cut in found.entry_cuts],
            }
        )
    chosen = np.linspace(0, len(data) - 1, min(_MOST_POINTS, len(data))).round().astype(int)
    result["points"] = [
        [str(data.ids[int(k)]), short(float(expected[k])), short(float(observed[k]))] for k in chosen
    ]
    return result


def _periods(test: PeriodTest) -> list[list[float | None]]:
    """Return for each period the ratio and its standard error."""
    return [
        [short(float(ratio), 3), short(float(expected) ** -0.5 if expected > 0 else None, 3)]
        for ratio, expected in zip(test.ratios, test.expected, strict=True)
    ]
