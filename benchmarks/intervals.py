"""How often the intervals of rates, exit rates, next states and rate ratios cover the truth.

    python benchmarks/intervals.py -o docs/results/intervals.csv
    python benchmarks/intervals.py --priors -o docs/results/interval_priors.csv

Networks of six variables are drawn (densities 0.1 to 0.4 in turn), trajectories of length 10 simulated, and
the rates of the true graph fitted with 95 % intervals. One row per law of the rates, number of states, number
of trajectories and quantity, with

- `coverage`, the share of intervals that cover the truth, and its standard error over networks: the cells of
  one network share its trajectories. Every cell (u, x) that was visited counts the same. Which cells those
  are depends on the trajectories, but not on how the rates are estimated; `given` is their share of all cells
  (of next states: those that were visited and left; of ratios: arcs whose parent has two states to compare).
- `coverage_by_time`, the same with cells weighted by their time: that of a row chosen by a random moment.
- `below` and `above`, the shares of intervals that lie entirely below and above the truth.

The rate ratio is that of the cells which the effect of an arc compares (`ctbnlab.with_effects`). It is
measured on the arcs of the true graph, and on those of the graph that the default learner finds, at nodes
where it finds all true parents: elsewhere there is no true ratio. An arc too many has the ratio 1.

The second command compares priors of exit rates and next states, with three and four states.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from measuring import write_rows
from numpy.typing import NDArray
from scipy import stats

import ctbnlab
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.learning.effects import strata_of
from ctbnlab.learning.shrinkage import ShrunkenRates
from ctbnlab.model.cims import Law

LEVEL = 0.95
DENSITIES = (0.1, 0.2, 0.3, 0.4)
LAWS = {
    "uniform": Law(),
    "additive 0.15": Law("additive", effect=0.15),
    "additive 0.5": Law("additive", effect=0.5),
}
NODES, DURATION = 6, 10.0
Floats = NDArray[np.float64]


@dataclass
class Coverage:
    """The intervals of one quantity: for each network their number, those that cover, and the like."""

    networks: list[Floats] = field(default_factory=list)
    cells: int = 0

    def add(self, low: Floats, high: Floats, truth: Floats, time: Floats, cells: int) -> None:
        """Add the intervals of one network, out of a number of cells that might have had one."""
        below, above = high < truth, low > truth
        covers = ~(below | above)
        sums = [len(truth), covers.sum(), below.sum(), above.sum(), time.sum(), (time * covers).sum()]
        self.networks.append(np.array(sums, np.float64))
        self.cells += cells

    def row(self) -> dict[str, Any]:
        """Return the shares and the standard error of the first."""
        each = np.array(self.networks)
        number, covers, below, above, weight, by_time = each.sum(axis=0)
        share = covers / number
        error = math.sqrt(((each[:, 1] - share * each[:, 0]) ** 2).sum()) / number
        return {
            "coverage": round(share, 4),
            "standard_error": round(error, 4),
            "coverage_by_time": round(by_time / weight, 4),
            "below": round(below / number, 4),
            "above": round(above / number, 4),
            "intervals": int(number),
            "given": round(number / self.cells, 4),
            "networks": len(each),
        }


def add_rates(data: Any, network: Any, method: str, found: dict[str, Coverage]) -> None:
    """Add the intervals of rates, exit rates and next states, with the true graph."""
    fit = ctbnlab.fit_parameters(data, network.parents, method)
    parts: dict[str, list[list[Floats]]] = {}
    for cims, posterior in zip(network.cims, fit.posteriors, strict=True):
        assert posterior is not None
        q = cims.table()
        c = q.shape[1]
        moving = ~np.eye(c, dtype=bool)
        exits = -np.einsum("uxx->ux", q)
        times = np.broadcast_to(posterior.time[:, :, None], q.shape)[:, moving]
        for name, truth, estimates in (
            ("rate", q[:, moving], [part[:, moving] for part in posterior.rates(LEVEL)]),
            ("exit rate", exits, list(posterior.exit_rates(LEVEL))),
            (
                "next state",
                (q / exits[:, :, None])[:, moving],
                [part[:, moving] for part in posterior.next_states(LEVEL)],
            ),
        ):
            if name == "next state" and c == 2:
                continue
            weight = posterior.time if name == "exit rate" else times
            parts.setdefault(name, []).append([part.ravel() for part in (*estimates[1:], truth, weight)])
    for name, pieces in parts.items():
        low, high, truth, weight = (np.concatenate(part) for part in zip(*pieces, strict=True))
        known = np.isfinite(low)
        coverage = found.setdefault(f"{name} ({method})", Coverage())
        coverage.add(low[known], high[known], truth[known], weight[known], len(low))


def ratios(
    data: Any, network: Any, graph: list[tuple[int, ...]]
) -> Iterator[tuple[float, float, float] | None]:
    """Yield the interval of each arc's rate ratio and the true ratio of the same cells; None without one."""
    for target, parents in enumerate(graph):
        true = network.parents[target]
        if not set(true) <= set(parents):
            continue
        table = NodeStatistics(data, target).table(parents).dense()
        moving = ~np.eye(table.n_states, dtype=bool)
        states = np.unravel_index(np.arange(len(table.values)), table.parent_cardinalities) if parents else ()
        shape = [int(network.cardinalities[p]) for p in true]
        code = np.zeros(len(table.values), np.int64)
        if true:
            code = np.ravel_multi_index([states[parents.index(p)] for p in true], shape)
        q = network.cims[target].table()[code][:, moving]
        for axis, parent in enumerate(parents):
            strata = strata_of(table, parent)
            if not len(strata):
                yield None
                continue
            arranged = np.moveaxis(q.reshape(*table.parent_cardinalities, -1), axis, -1)
            rates = arranged.reshape(-1, arranged.shape[-1])
            largest = ShrunkenRates.fit(strata).largest_ratio(LEVEL)
            row = rates[strata.rows[largest.stratum]]
            yield largest.low, largest.high, float(row[largest.numerator] / row[largest.denominator])


def add_ratios(data: Any, network: Any, graph: list[tuple[int, ...]], coverage: Coverage) -> None:
    found = list(ratios(data, network, graph))
    low, high, truth = np.array([each for each in found if each is not None]).reshape(-1, 3).T
    coverage.add(low, high, truth, np.ones(len(truth)), len(found))


def priors_of(states: int) -> dict[str, tuple[float, float]]:
    """Return what priors add to the transitions, and of next states to those elsewhere, by their names."""
    return {
        "exit rate (½)": (0.5, 0.0),
        "exit rate (½ per rate)": ((states - 1) / 2, 0.0),
        "next state (½, ½)": (0.5, 0.5),
        "next state (½ per state)": (0.5, (states - 2) / 2),
        "next state (1 per state)": (1.0, states - 2.0),
        "next state (1 in all)": (1 / (states - 1), (states - 2) / (states - 1)),
    }


def prior_study(states: int, trajectories: int, networks: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the coverage of intervals with several priors, of maximum-likelihood fits to the true graph."""
    found = {name: Coverage() for name in priors_of(states)}
    tail = (1 - LEVEL) / 2
    for i in range(networks):
        key = seed + 1000 * trajectories + i
        network = ctbnlab.generate(NODES, states, DENSITIES[i % 4], seed=key)
        data = ctbnlab.simulate(network, trajectories=trajectories, duration=DURATION, seed=key)
        cells = []
        for target, cims in enumerate(network.cims):
            table = NodeStatistics(data, target).table(network.parents[target]).dense()
            q, moves = cims.table(), table.transitions
            for x, y in zip(*np.nonzero(~np.eye(states, dtype=bool)), strict=True):
                out = moves[:, x].sum(axis=1)
                cells.append(np.stack([moves[:, x, y], out, table.time[:, x], q[:, x, y], -q[:, x, x]]))
        move, out, time_in, rate, leaving = np.concatenate(cells, axis=1)
        for name, (own, rest) in priors_of(states).items():
            if name.startswith("exit"):
                used, counts, truth = time_in > 0, out, leaving
                low, high = (stats.gamma.ppf(p, counts[used] + own) / time_in[used] for p in (tail, 1 - tail))
                low = np.where(counts[used] == 0, 0, low)
            else:
                used, counts, truth = out > 0, move, rate / leaving
                others = (out - move)[used]
                low, high = (stats.beta.ppf(p, counts[used] + own, others + rest) for p in (tail, 1 - tail))
                low, high = np.where(counts[used] == 0, 0, low), np.where(others == 0, 1, high)
            found[name].add(low, high, truth[used], time_in[used], len(out))
    for name, coverage in found.items():
        row = {"states": states, "trajectories": trajectories, "prior": name, "level": LEVEL}
        yield row | coverage.row()


def study(law: str, states: int, trajectories: int, networks: int, seed: int) -> Iterator[dict[str, Any]]:
    found: dict[str, Coverage] = {}
    for i in range(networks):
        key = seed + 1000 * trajectories + i
        network = ctbnlab.generate(NODES, states, DENSITIES[i % 4], law=LAWS[law], seed=key)
        data = ctbnlab.simulate(network, trajectories=trajectories, duration=DURATION, seed=key)
        if law == "uniform":
            add_rates(data, network, "ml", found)
            add_rates(data, network, "bayes", found)
        add_ratios(
            data, network, list(network.parents), found.setdefault("rate ratio (true graph)", Coverage())
        )
        learned = ctbnlab.learn(data, ctbnlab.EmpiricalBayes()).graph
        graph = [node.parents for node in learned.nodes]
        add_ratios(data, network, graph, found.setdefault("rate ratio (learned)", Coverage()))
    for quantity, coverage in found.items():
        if not coverage.cells:
            continue  # no arc was learned
        yield {
            "law": law,
            "states": states,
            "trajectories": trajectories,
            "quantity": quantity,
            "level": LEVEL,
            **coverage.row(),
        }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--networks", type=int, default=300, help="per cell (default: 300)")
    parser.add_argument("--seed", type=int, default=2_000_000_000)
    parser.add_argument("--priors", action="store_true", help="compare priors")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    rows = []
    if arguments.priors:
        for states, trajectories in product((3, 4), (3, 10, 30)):
            for row in prior_study(
                states, trajectories, arguments.networks, arguments.seed + 50_000_000 * states
            ):
                rows.append(row)
                print(*row.values(), flush=True)
        write_rows(arguments.output, rows)
        return 0
    for number, law in enumerate(LAWS):
        for states in (2, 3):
            for trajectories in (3, 10, 30, 300):
                began = time.perf_counter()
                seed = arguments.seed + 10_000_000 * number + 1_000_000 * states
                for row in study(law, states, trajectories, arguments.networks, seed):
                    rows.append(row)
                    print(*row.values(), flush=True)
                print(f"{time.perf_counter() - began:.0f} s", file=sys.stderr)
    write_rows(arguments.output, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
