"""Blocks of the page on related software: other programs on the same data (see `refresh`)."""

from __future__ import annotations

import re

import pandas as pd
from blocks import RESULTS, block

from ctbnlab.presentation.overview import two_digits
from ctbnlab.presentation.table_writers import markdown_table

SIMULATED = "events per second"
# The learners in the order of the columns.
LEARNERS = {
    ("ctbnlab", "ctpc-chi2"): "`ctpc-chi2`",
    ("reCTBN", "CTPC"): "CTPC, reCTBN",
    ("PyCTBN", "CTPC"): "CTPC, PyCTBN",
    ("pyAgrum", "CTPC"): "CTPC, pyAgrum",
    ("ctbnlab", "empirical-bayes"): "`empirical-bayes`",
    ("reCTBN", "hill climbing BIC"): "Hill climbing, reCTBN",
}


def measured() -> pd.DataFrame:
    """Return what was measured; values are texts, since one is only a bound."""
    return pd.read_csv(RESULTS / "peers.csv", comment="#", dtype=str, keep_default_na=False)


def rounded(value: str) -> str:
    """Return a number, or a bound such as >300, with two significant digits."""
    bound, number = re.fullmatch(r"(>?)(.+)", value).groups()
    return f"{bound} {two_digits(float(number))}".strip()


def _size(workload: str) -> list[str]:
    nodes, states, density = re.fullmatch(r"n(\d+) c(\d+) d(\.\d+)", workload).groups()
    return [nodes, states, f"{float(density):g}"]


def _cost(row: pd.Series) -> str:
    memory = f" ({two_digits(float(row['peak_mb']))}&nbsp;MB)" if row["peak_mb"] else ""
    return rounded(row["cpu_s"]) + memory


@block
def peers_learning() -> str:
    """Show the CPU time and memory of learning with each program."""
    found = measured()
    found = found[found["learner"] != SIMULATED]
    body = []
    for workload, rows in found.groupby("workload", sort=False):
        row = rows.set_index(["program", "learner"])
        costs = [_cost(row.loc[key]) if key in row.index else "–" for key in LEARNERS]
        body.append([*_size(str(workload)), f"{two_digits(int(rows['events'].iloc[0]) / 1e6)} M", *costs])
    return markdown_table(["Nodes", "States", "Density", "Events", *LEARNERS.values()], body)


@block
def peers_simulation() -> str:
    """Show how fast each program simulates."""
    found = measured()
    found = found[found["learner"] == SIMULATED]
    body = [[row.program, rounded(row.cpu_s), row.note] for row in found.itertuples()]
    return markdown_table(["Program", "Events per second", ""], body)
