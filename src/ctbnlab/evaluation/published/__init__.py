"""The paper's published numbers, from its tables, by our learners' names.

The first experiment's F1 is micro-averaged over its networks; the second's (the main experiment) is mean
and standard deviation. The deviations are those of a sample (divided by n − 1): of ten networks nine
perfect and one at 6/7 give .986 ± .045, which is printed, and not ± .043.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

REFERENCES = ("main", "tests", "big")
TRAJECTORIES = 300  # of the main experiment
DURATION = 100.0  # of all
_ALGORITHMS = {"ctss": "ctss", "ctpc_chi2": "ctpc-chi2", "ctpc_ks": "ctpc-ks"}


class Published(NamedTuple):
    """A published value, its standard deviation where one is printed, and how many networks it is from."""

    value: float
    sd: float | None
    networks: int


def _rows(name: str) -> Iterator[dict[str, str]]:
    text = resources.files(__name__).joinpath(name).read_text(encoding="utf-8")
    yield from csv.DictReader(text.splitlines())


def _number(text: str) -> float | None:
    return float(text) if text else None


@cache
def main_experiment() -> dict[tuple[str, int, str, float], Published]:
    """F1 by (algorithm, nodes, states, density); cells the paper could not run are not there."""
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
    """Micro-averaged F1 by (algorithm, nodes, states, density, trajectories)."""
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
    """The seconds that the paper's CTPC took, by (nodes, cores)."""
    result = {}
    for row in _rows("published_big_networks.csv"):
        result[int(row["n_nodes"]), 1] = 60 * float(row["minutes_one_core"])
        result[int(row["n_nodes"]), 2] = 60 * float(row["minutes_two_cores"])
    return result


@cache
def notes_on_big_networks() -> tuple[str, ...]:
    """What the paper remarks on single times, each with its number of nodes."""
    rows = _rows("published_big_networks.csv")
    return tuple(f"{row['n_nodes']} nodes: {row['note']}" for row in rows if row["note"])
