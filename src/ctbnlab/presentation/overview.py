"""The summary page of an experiment: the learners side by side, agreement with the paper, failures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from ctbnlab.evaluation import summary
from ctbnlab.evaluation.published import paper_values
from ctbnlab.presentation.table_writers import markdown_table

_SHARES = ("f1", "precision", "recall", "average_precision", "roc_auc")


def overview(metrics: pd.DataFrame, cells: pd.DataFrame, reference: str | None) -> str:
    """Return the page as Markdown."""
    lines = [f"# Summary of {metrics['experiment'].iloc[0]}", "", *_learners(metrics, cells)]
    if reference == "big":
        lines += _speed(cells)
    elif reference is not None:
        lines += _agreement(cells)
    return "\n".join([*lines, *_failures(metrics)]).rstrip() + "\n"


def _learners(metrics: pd.DataFrame, cells: pd.DataFrame) -> list[str]:
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
    intro = "Means over all networks that the learner finished, of any size and density."
    return ["## Learners", "", intro, "", markdown_table(head, body), ""]


def _text(value: float, decimals: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{decimals}f}"


def _agreement(cells: pd.DataFrame) -> list[str]:
    lines = ["## Agreement with the published F1", ""]
    compared = cells[cells["agreement"].notna()]
    if compared.empty:
        return [*lines, "No cell is in the paper's design, so there is nothing to compare.", ""]
    kinds = (summary.WITHIN, summary.BEYOND, summary.NOT_JUDGED)
    body = []
    for label in summary.learners(compared):
        found = compared.loc[compared["learner"] == label, "agreement"]
        body.append(
            [summary.display_name(label), str(len(found)), *(str(int((found == k).sum())) for k in kinds)]
        )
    verdicts = int((compared["agreement"] != summary.NOT_JUDGED).sum())
    lines += [
        markdown_table(["Learner", "Cells compared", *(kind.capitalize() for kind in kinds)], body),
        "",
        "Beyond spread: the difference exceeds the margin, which is what the networks' spread explains at "
        f"the 5 % level, and at least 0.01. By chance alone, up to {verdicts / 20:.0f} of {verdicts} cells "
        "would exceed it.",
        "",
    ]
    beyond = compared[compared["agreement"] == summary.BEYOND]
    if beyond.empty:
        return lines
    head = [
        "Learner", "Variables", "Nodes", "Density", "Trajectories",
        "Ours", "n", "Published", "Difference", "Margin",
    ]  # fmt: skip
    return [*lines, markdown_table(head, map(_beyond_row, beyond.to_dict("records"))), ""]


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
    found = cells[(cells["metric"] == "wall_seconds") & cells["published"].notna() & (cells["n"] > 0)]
    if found.empty:
        return []
    body = [
        [
            summary.display_name(cell["learner"]), str(cell["nodes"]), str(cell["threads"]),
            f"{cell['value']:.3g} s", f"{cell['published'] / 60:.0f} min",
            two_digits(cell["published"] / cell["value"]),
        ]
        for cell in found.to_dict("records")
    ]  # fmt: skip
    head = ["Learner", "Nodes", "Cores", "Ours", "Paper", "Speed-up"]
    notes = [f"The paper's times, {note}." for note in paper_values.notes_on_big_networks()]
    return ["## Time compared with the paper", "", markdown_table(head, body), "", *notes, ""]


def two_digits(value: float) -> str:
    """Return a ratio with two significant digits: 150,000 rather than 150,802."""
    return f"{float(f'{value:.2g}'):,.12g}"


def _failures(metrics: pd.DataFrame) -> list[str]:
    lines = ["## Failures", ""]
    failed = metrics[metrics["status"] != "done"]
    if failed.empty:
        return [*lines, f"None: all {len(metrics)} rows are done."]
    reasons = failed.assign(reason=failed["reason"].fillna("no reason given"))
    counts = reasons.groupby(["learner", "status", "reason"], as_index=False).size()
    body = [[str(entry) for entry in row] for row in counts.itertuples(index=False)]
    lines += [f"{len(failed)} of {len(metrics)} rows are not done.", ""]
    return [*lines, markdown_table(["Learner", "Status", "Reason", "Rows"], body)]
