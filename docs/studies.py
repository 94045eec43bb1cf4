"""Blocks with results of benchmarks: tables of their rows, and their printed output (see `refresh`)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import pandas as pd
from blocks import BLOCKS, OURS, RESULTS, block

from ctbnlab.presentation.paper_tables import fraction
from ctbnlab.presentation.table_writers import markdown_table


def study(name: str) -> pd.DataFrame:
    """Return the rows that a benchmark wrote."""
    return pd.read_csv(RESULTS / f"{name}.csv")


@block
def families_table() -> str:
    """Show F1 of three learners on further families of networks."""
    found = study("robustness")
    means = found.pivot_table("f1", "family", "learner", sort=False)
    networks = found.groupby("family")["seed"].nunique()
    body = [
        [family, str(networks[family]), *(fraction(row[label]) for label in (OURS, "ctpc-chi2", "ctss"))]
        for family, row in means.iterrows()
    ]
    return markdown_table(["Family", "Networks", "`empirical-bayes`", "CTPC χ²", "CTSS"], body)


def _by_cell(name: str) -> Iterable[tuple[list[str], pd.DataFrame]]:
    for (nodes, states, density), rows in study(name).groupby(["nodes", "states", "density"], sort=False):
        yield [str(nodes), str(states), f"{density:g}"], rows


@block
def cost_table() -> str:
    """Show the CPU time of our learner compared with CTPC."""
    body = []
    for cell, rows in _by_cell("cost"):
        means = rows.mean()
        parentless = rows["parentless"].max()
        body.append(
            [
                *cell, fraction(means["f1"]), fraction(means["f1_ctpc"]), f"{means['seconds']:.2f}",
                f"{means['seconds_ctpc']:.3f}", f"{means['times_ctpc']:.0f}",
                "–" if pd.isna(parentless) else f"{parentless:.1f}",
            ]
        )  # fmt: skip
    head = ["Nodes", "States", "Density", "F1", "F1, CTPC", "CPU time (s)", "CPU time, CTPC (s)", "Ratio"]
    return markdown_table([*head, "Parentless"], body)


@block
def dense_table() -> str:
    """Show our learner on dense networks with the seeds of the benchmarks."""
    body = [
        [
            *cell, str(len(rows)), fraction(rows["f1"].mean()), fraction(rows["f1"].min()),
            fraction(rows["f1_ctpc"].mean()), f"{rows['seconds'].mean():.0f}",
        ]
        for cell, rows in _by_cell("dense")
    ]  # fmt: skip
    head = ["Nodes", "States", "Density", "Networks", "F1", "Lowest F1", "F1, CTPC", "CPU time (s)"]
    return markdown_table(head, body)


@block
def sizing_table() -> str:
    """Show the time and memory of learning jobs, by the size of the data."""
    found = study("sizing")
    labels = list(dict.fromkeys(found["learner"]))
    body = []
    for (nodes, states, events, size), rows in found.groupby(
        ["nodes", "states", "events", "data_mb"], sort=False
    ):
        seconds = rows.groupby("learner")["cpu_seconds"]
        memory = rows["peak_memory_mb"]
        body.append(
            [
                f"one of {nodes:,}" if rows["part"].any() else str(nodes), str(states),
                f"{events / 1e6:.1f} M", f"{size:,} MB",
                *(_range(seconds.get_group(label)) for label in labels),
                f"{memory.min():,}–{memory.max():,} MB",
            ]
        )  # fmt: skip
    head = ["Nodes", "States", "Events", "Data", *(f"`{name}`" for name in labels), "Memory"]
    return markdown_table(head, body)


def _range(seconds: pd.Series) -> str:
    texts = list(dict.fromkeys(f"{value:.2g}" for value in (seconds.min(), seconds.max())))
    return "–".join(texts) + " s"


@block
def tests_table() -> str:
    """Show F1 of CTPC with each test, and of our learner with and without its search."""
    found = study("tests_in_ctpc")
    labels = list(dict.fromkeys(found["learner"]))
    body = []
    for cell, rows in _by_cell("tests_in_ctpc"):
        f1 = rows.set_index("learner")["f1"]
        body.append([*cell, *(fraction(f1[label]) for label in labels)])
    return markdown_table(["Nodes", "States", "Density", *(f"`{name}`" for name in labels)], body)


def printed(benchmark: str) -> str:
    """Return the printed output of a benchmark."""
    text = (RESULTS / "benchmarks" / f"{benchmark}.txt").read_text(encoding="utf-8")
    return f"```text\n{text.rstrip()}\n```"


for name in ("simulation", "startup", "formats", "learners"):
    BLOCKS[f"benchmark-{name}"] = partial(printed, name)
