"""The summary page of an experiment: the learners side by side, agreement with the paper, failures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from ctbnlab.evaluation import summary
from ctbnlab.evaluation.published import paper_values
from ctbnlab.presentation.table_writers import markdown_table

_SHARES = ("f1", "precision", "recall", "average_precision", "roc_auc")


class Rows(NamedTuple):
    """A table of texts, for Markdown and for the report."""

    head: list[str]
    body: list[list[str]]


def overview(metrics: pd.DataFrame, cells: pd.DataFrame, reference: str | None) -> str:
    """Return the page as Markdown."""
    lines = [f"# Summary of {metrics['experiment'].iloc[0]}", "", *_learners(metrics, cells)]
    if reference == "big":
        lines += _speed(cells)
    elif reference is not None:
        lines += _agreement(cells)
    return "\n".join([*lines, *_failures(metrics)]).rstrip() + "\n"


def _learners(metrics: pd.DataFrame, cells: pd.DataFrame) -> list[str]:
    intro = "Means over all networks that the learner finished, of any size and density."
    return ["## Learners", "", intro, "", markdown_table(*learner_rows(metrics, cells)), ""]


def learner_rows(metrics: pd.DataFrame, cells: pd.DataFrame) -> Rows:
    """Return what each learner achieved on all networks together."""
    head = ["Learner", "Networks", "Done", "F1", "Precision", "Recall", "Average precision", "ROC area"]
    head += ["SHD", "Total CPU time (s)"]
    body = []
    for label in summary.learners(cells):
        rows = metrics[metrics["learner"] == label]
        done = rows[rows["status"] == "done"]
        means = [_text(done[name].mean(), 3) for name in _SHARES]
        body.append(
            [
                summary.display_name(label), str(len(rows)), str(len(done)), *means,
                _text(done["shd"].mean(), 2), _text(done["cpu_seconds"].sum(), 1),
            ]
        )  # fmt: skip
    return Rows(head, body)


def _text(value: float, decimals: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{decimals}f}"


def _agreement(cells: pd.DataFrame) -> list[str]:
    lines = ["## Agreement with the published F1", ""]
    compared = cells[cells["agreement"].notna()]
    if compared.empty:
        return [*lines, NOT_COMPARED, ""]
    lines += [markdown_table(*agreement_rows(compared)), "", verdict_note(compared), ""]
    beyond = beyond_rows(compared)
    return [*lines, markdown_table(*beyond), ""] if beyond.body else lines


NOT_COMPARED = "No cell is in the paper's design, so there is nothing to compare."


def agreement_rows(compared: pd.DataFrame) -> Rows:
    """Return for each learner the number of cells that agree with the published F1, and that do not."""
    kinds = (summary.WITHIN, summary.BEYOND, summary.NOT_JUDGED)
    body = []
    for label in summary.learners(compared):
        found = compared.loc[compared["learner"] == label, "agreement"]
        body.append(
            [summary.display_name(label), str(len(found)), *(str(int((found == k).sum())) for k in kinds)]
        )
    return Rows(["Learner", "Cells compared", *(kind.capitalize() for kind in kinds)], body)


def verdict_note(compared: pd.DataFrame) -> str:
    """Return what "beyond spread" means, and how often chance alone would give it."""
    verdicts = int((compared["agreement"] != summary.NOT_JUDGED).sum())
    return (
        "Beyond spread: the difference exceeds the margin, which is what the networks' spread explains at "
        f"the 5% level, and at least 0.01. By chance alone, up to {verdicts / 20:.0f} of {verdicts} cells "
        "would exceed it."
    )


def beyond_rows(compared: pd.DataFrame) -> Rows:
    """Return the cells that differ from the published F1 by more than spread explains."""
    beyond = compared[compared["agreement"] == summary.BEYOND]
    head = [
        "Learner", "Variables", "Nodes", "Density", "Trajectories",
        "Ours", "n", "Published", "Difference", "Margin",
    ]  # fmt: skip
    return Rows(head, [_beyond_row(cell) for cell in beyond.to_dict("records")])


def _beyond_row(cell: Mapping[Any, Any]) -> list[str]:
    return [
        summary.display_name(cell["learner"]),
        summary.states_name(cell["states"]).removesuffix(" variables").lower(),
        str(cell["nodes"]),
        f"{cell['density']:g}",
        str(cell["trajectories"]),
        f"{cell['value']:.3f}",
        str(int(cell["n"])),
        f"{cell['published']:.3f}",
        f"{cell['difference']:+.3f}",
        f"{cell['margin']:.3f}",
    ]


def _speed(cells: pd.DataFrame) -> list[str]:
    rows = speed_rows(cells)
    if not rows.body:
        return []
    return ["## Time compared with the paper", "", markdown_table(*rows), "", *speed_notes(), ""]


def speed_rows(cells: pd.DataFrame) -> Rows:
    """Return our times of learning big networks next to the published ones."""
    found = cells[(cells["metric"] == "wall_seconds") & cells["published"].notna() & (cells["n"] > 0)]
    body = [
        [
            summary.display_name(cell["learner"]), str(cell["nodes"]), str(cell["threads"]),
            f"{cell['value']:.3g} s", f"{cell['published'] / 60:.0f} min",
            two_digits(cell["published"] / cell["value"]),
        ]
        for cell in found.to_dict("records")
    ]  # fmt: skip
    return Rows(["Learner", "Nodes", "Cores", "Ours", "Paper", "Speed-up"], body)


def speed_notes() -> list[str]:
    """Return what is known about the published times."""
    return [f"The paper's times, {note}." for note in paper_values.notes_on_big_networks()]


def two_digits(value: float) -> str:
    """Return a ratio with two significant digits: 150,000 rather than 150,802."""
    return f"{float(f'{value:.2g}'):,.12g}"


def _failures(metrics: pd.DataFrame) -> list[str]:
    lines = ["## Failures", ""]
    rows = failure_rows(metrics)
    if not rows.body:
        return [*lines, f"None: all {len(metrics)} rows are done."]
    failed = int((metrics["status"] != "done").sum())
    return [*lines, f"{failed} of {len(metrics)} rows are not done.", "", markdown_table(*rows)]


def failure_rows(metrics: pd.DataFrame) -> Rows:
    """Return why rows are not done, and how many for each reason."""
    failed = metrics[metrics["status"] != "done"]
    reasons = failed.assign(reason=failed["reason"].fillna("no reason given"))
    counts = reasons.groupby(["learner", "status", "reason"], as_index=False).size()
    body = [[str(entry) for entry in row] for row in counts.itertuples(index=False)]
    return Rows(["Learner", "Status", "Reason", "Rows"], body)
