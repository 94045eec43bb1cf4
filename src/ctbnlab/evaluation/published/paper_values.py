"""The values in the paper's tables, under our learners' names.

F1 of the first experiment is micro-averaged over its networks; that of the second (main) experiment is a
mean and a standard deviation. The deviations divide by n − 1: nine perfect networks and one with F1 = 6/7
give .986 ± .045 as printed, not ± .043.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

REFERENCES = ("main", "tests", "big")
TRAJECTORIES = 300  # of the main experiment
PAPER_ALGORITHMS = ("ctss", "ctpc-chi2", "ctpc-ks")  # in the paper's order
DURATION = 100.0  # of all experiments
_ALGORITHMS = {"ctss": "ctss", "ctpc_chi2": "ctpc-chi2", "ctpc_ks": "ctpc-ks"}


class Published(NamedTuple):
    """A published value, its standard deviation if one is printed, and the number of networks behind it."""

    value: float
    sd: float | None
    networks: int


def _rows(name: str) -> Iterator[dict[str, str]]:
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    yield from csv.DictReader(text.splitlines())


def _number(text: str) -> float | None:
    return float(text) if text else None


@cache
def main_experiment() -> dict[tuple[str, int, str, float], Published]:
    """Return F1 by (algorithm, nodes, states, density), without the cells that the paper could not run."""
    result = {}
    for row in _rows("published_f1_second_experiment.csv"):
        value = _number(row["f1_mean"])
        key = (
            _ALGORITHMS[row["algorithm"]], int(row["n_nodes"]), row["cardinality"], float(row["density"])
        )  # fmt: skip
        if value is not None:
            networks = 3 if key[1:] == (20, "3", 0.4) else 10
            result[key] = Published(value, _number(row["f1_sd"]), networks)
    return result


@cache
def first_experiment() -> dict[tuple[str, int, str, float, int], Published]:
    """Return micro-averaged F1 by (algorithm, nodes, states, density, trajectories)."""
    result = {}
    for row in _rows("published_f1_first_experiment.csv"):
        value = _number(row["f1_mean"])
        nodes = int(row["n_nodes"])
        key = (
            _ALGORITHMS[row["algorithm"]], nodes, row["cardinality"],
            float(row["density"]), int(row["n_trajectories"]),
        )  # fmt: skip
        if value is not None:
            result[key] = Published(value, None, 10 if nodes < 10 else 3)
    return result


@cache
def big_networks() -> dict[tuple[int, int], float]:
    """Return the wall-clock time of the paper's CTPC in seconds, by (nodes, cores)."""
    result = {}
    for row in _rows("published_big_networks.csv"):
        result[int(row["n_nodes"]), 1] = 60 * float(row["minutes_one_core"])
        result[int(row["n_nodes"]), 2] = 60 * float(row["minutes_two_cores"])
    return result


@cache
def notes_on_big_networks() -> tuple[str, ...]:
    """Return the paper's remarks on single times, each with its number of nodes."""
    rows = _rows("published_big_networks.csv")
    return tuple(f"{row['n_nodes']} nodes: {row['note']}" for row in rows if row["note"])
