"""Where HITON's order of tests pays: CTPC with `search` pc and hiton on the same data.

    python benchmarks/hiton.py -o docs/results/hiton.csv

Random networks of 10 and 20 nodes with 2 to 4 states and densities from 0.1 to 0.4, with 300 trajectories of
100 time units and with 30 of 10; and networks of 15 Boolean components as in `work_in_ctpc`, where tests
remove little at low levels. Tests are χ² (`paper-2020`) and pooled. Means over the networks of a cell: F1,
its gain over pc on the same data with the standard error of the gain, the number of tests, and CPU seconds.
Tests that the rule of thumb settles are counted as if they were made: nearly all of them with χ², four states
and 30 trajectories of 10.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from measuring import write_rows
from work_in_ctpc import NODES, network_of

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.evaluation.metrics import compare
from ctbnlab.learning.ctpc.learner import Ctpc
from ctbnlab.learning.nodes import learn
from ctbnlab.model.generate import generate
from ctbnlab.model.network import Network
from ctbnlab.simulation.simulate import simulate

SEARCHES = {
    "pc": {"search": "pc"},
    "pc, stable": {"search": "pc", "stable": True},
    "hiton": {"search": "hiton"},
}
TESTS = ("chi2", "pooled")
COLUMNS = (
    "kind", "nodes", "states", "setting", "trajectories", "duration", "test", "search", "networks",
    "f1", "gain", "standard_error", "tests", "seconds",
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """Networks of one kind, and how they are observed; `share` is a density or a number of regulators."""

    kind: str
    nodes: int
    states: int
    share: float
    trajectories: int
    duration: float

    @property
    def columns(self) -> list[object]:
        """The values of the first columns."""
        setting = f"density {self.share:g}" if self.kind == "random" else f"{self.share:g} regulators"
        return [self.kind, self.nodes, self.states, setting, self.trajectories, f"{self.duration:g}"]

    def drawn(self, seed: int) -> tuple[Network, Trajectories]:
        """Draw a network and its data."""
        if self.kind == "random":
            network = generate(
                self.nodes,
                self.states,
                self.share,
                count="probability",
                connectivity="no-isolated",
                seed=seed,
            )
        else:
            network = network_of(self.kind.removeprefix("Boolean, "), int(self.share), seed)
        return network, simulate(network, trajectories=self.trajectories, duration=self.duration, seed=seed)


RANDOM = [
    Cell("random", nodes, states, density, *observed)
    for observed in ((300, 100.0), (30, 10.0))
    for nodes, states, density in itertools.product((10, 20), (2, 3, 4), (0.1, 0.2, 0.3, 0.4))
]
BOOLEAN = [
    Cell("Boolean, or", NODES, 2, 2, 300, 100.0),
    Cell("Boolean, or", NODES, 2, 4, 300, 30.0),
    Cell("Boolean, random", NODES, 2, 3, 300, 30.0),
]


def rows(cell: Cell, seeds: range) -> Iterator[list[object]]:
    """Yield a row for each test and search."""
    found: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    for seed in seeds:
        network, data = cell.drawn(seed)
        for test, (name, options) in itertools.product(TESTS, SEARCHES.items()):
            learned = learn(data, Ctpc(test, **options))  # type: ignore[arg-type]
            f1 = compare(network.arcs, learned.graph.arcs, network.names).whole.f1
            tests = sum(node.counts["tests"] for node in learned.graph.nodes)
            found.setdefault((test, name), []).append((f1, tests, sum(learned.seconds.values())))
    for (test, name), values in found.items():
        f1, tests, seconds = np.mean(values, axis=0)
        gains = np.subtract(values, found[test, "pc"])[:, 0]
        error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else np.nan
        numbers = [f"{f1:.4f}", f"{gains.mean():.4f}", f"{error:.4f}", f"{tests:.1f}", f"{seconds:.3g}"]
        yield [*cell.columns, test, name, len(values), *numbers]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--networks", type=int, default=10, help="random networks per cell (10)")
    parser.add_argument("--boolean", type=int, default=4, help="Boolean networks per cell (4)")
    parser.add_argument("--seed", type=int, default=9401, help="first seed of each cell (9401)")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    made: list[dict[str, object]] = []
    for cells, networks in ((RANDOM, arguments.networks), (BOOLEAN, arguments.boolean)):
        for cell in cells:
            for row in rows(cell, range(arguments.seed, arguments.seed + networks)):
                made.append(dict(zip(COLUMNS, row, strict=True)))
                print(*row, sep="\t", flush=True)
    write_rows(arguments.output, made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
