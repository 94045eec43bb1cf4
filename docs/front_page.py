"""Blocks of the README: some cells of the main experiment, and times (see `refresh`)."""

from __future__ import annotations

import pandas as pd
from blocks import OURS, block
from experiments import PAPERS, cells

from ctbnlab.evaluation import summary
from ctbnlab.evaluation.published import paper_values
from ctbnlab.presentation.overview import two_digits
from ctbnlab.presentation.paper_tables import fraction
from ctbnlab.presentation.table_writers import markdown_table

# The smallest and the highest density of the largest networks that the paper has, for each number of states.
SHOWN = (("2", 20, 0.1), ("2", 20, 0.4), ("3", 20, 0.1), ("3", 20, 0.4), ("4", 15, 0.1), ("4", 15, 0.4))


def worst_cell() -> tuple[str, int, float]:
    """Return the cell in which our learner has its lowest F1."""
    found = cells("paper")
    ours = found[(found["metric"] == "f1") & (found["learner"] == OURS)]
    worst = ours.sort_values("value").iloc[0]
    return str(worst["states"]), int(worst["nodes"]), float(worst["density"])


@block
def front_page_scores() -> str:
    """Show F1 in some cells: published, reproduced, and of our learner, its worst cell last."""
    found = cells("paper")
    found = found[found["metric"] == "f1"].set_index(["learner", "states", "nodes", "density"])
    body = []
    for states, nodes, density in dict.fromkeys((*SHOWN, worst_cell())):
        ctss, ctpc, ours = (found.loc[(label, states, nodes, density)] for label in (*PAPERS, OURS))
        best = ours["value"] >= max(ctss["value"], ctpc["value"])
        shown = fraction(ours["value"])
        body.append(
            [
                summary.states_name(states).removesuffix(" variables"), str(nodes), f"{density:g}",
                str(int(ours["n"])), _published(ctss), fraction(ctss["value"]),
                _published(ctpc), fraction(ctpc["value"]), f"**{shown}**" if best else shown,
            ]
        )  # fmt: skip
    head = ["Variables", "Nodes", "Density", "Networks", "CTSS, paper", "CTSS, here"]
    return markdown_table([*head, "CTPC χ², paper", "CTPC χ², here", "`empirical-bayes`"], body)


def _published(cell: pd.Series) -> str:
    return "–" if pd.isna(cell["published"]) else fraction(cell["published"])


@block
def worst_cell_in_words() -> str:
    """Name the cell in which our learner is worst, and how much it loses there."""
    states, nodes, density = worst_cell()
    found = cells("paper")
    found = found[(found["learner"] == OURS) & (found["states"] == states) & (found["nodes"] == nodes)]
    recall = found[(found["density"] == density) & (found["metric"] == "recall")].iloc[0]
    name = summary.states_name(states).removesuffix(" variables").lower()
    return (
        f"The last row is the cell in which our learner is worst: with {nodes} {name} nodes at density "
        f"{density:g} ({int(recall['n'])} networks), it misses {100 * (1 - recall['value']):.0f}% of the "
        "arcs: at some nodes with nine or more parents it finds none of them."
    )


def _duration(seconds: float) -> str:
    """Return a published time in minutes, from two hours on in hours."""
    minutes = seconds / 60
    return f"{minutes:.2g} min" if minutes < 120 else f"{two_digits(minutes / 60)} h"


@block
def front_page_times() -> str:
    """Show the time of CTPC on one core, in the paper and here."""
    found = cells("big_networks")
    seconds = found[(found["metric"] == "wall_seconds") & (found["threads"] == 1)].set_index("nodes")["value"]
    body = []
    for nodes in (20, 100, 200):
        paper = paper_values.big_networks().get((nodes, 1))
        body.append(
            [
                str(nodes),
                "–" if paper is None else _duration(paper),
                f"{seconds[nodes]:.2g} s",
                "–" if paper is None else two_digits(paper / seconds[nodes]),
            ]
        )
    return markdown_table(["Binary nodes, density 0.1", "Paper", "ctbnlab", "Ratio"], body)
