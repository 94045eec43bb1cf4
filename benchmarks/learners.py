"""Speed of learning graphs: `python benchmarks/learners.py`.

CPU time of one core for whole graphs; 300 trajectories of 100 time units, rates uniform in [1, 5],
simulated with the library and memory-mapped from files. CTPC χ² is compared with a plain numpy
implementation on the same data in the same run: Algorithm 2 with a bincount over all rows for each table of
each test, for the separating set and for the set with the candidate, as the paper's code counts them.
"""

from __future__ import annotations

import argparse
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from measuring import PeakMemory

from ctbnlab.data import arrow_file
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.learning.ctpc.learner import Ctpc
from ctbnlab.learning.ctss.learner import Ctss
from ctbnlab.learning.nodes import learn
from ctbnlab.model.generate import generate, generate_scattered
from ctbnlab.model.network import Network
from ctbnlab.simulation.simulate import simulate, simulate_to

# The plain implementations are references of the tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.reference_ctpc import Reference
from tests.support.reference_statistics import BincountStatistics

PAPER = {"count": "probability", "connectivity": "no-isolated"}


def alternately(works: list[Callable[[], object]], rounds: int) -> list[float]:
    """Return the lowest CPU seconds of several runs of each function, alternating between the functions.

    Other load on the machine only adds time and lasts longer than a short run; alternating spreads it evenly.
    """
    best = [math.inf] * len(works)
    for _ in range(rounds):
        for k, work in enumerate(works):
            began = time.process_time()
            work()
            best[k] = min(best[k], time.process_time() - began)
    return best


def cpu(work: Callable[[], object], repeats: int) -> float:
    """Return the lowest CPU seconds of several runs."""
    return alternately([work], repeats)[0]


def read_bytes(data: Trajectories) -> None:
    """Read every byte of every event once."""
    for column in (data.time, data.variable, data.old, data.new):
        np.bitwise_or.reduce(column[: len(column) // 8 * 8].view(np.int64))


def plain_ctpc(data: Trajectories) -> tuple[list[tuple[int, ...]], int]:
    """Learn the graph with a bincount for each table of each test; return parents and number of tests."""
    graph, tests = [], 0
    rows = BincountStatistics(data)
    for target in range(data.n_variables):
        reference = PlainTests(
            partial(rows.table, target), target, data.cardinalities, "chi2", "paper-2020", 0.1, 0.1
        )
        candidates = [j for j in range(data.n_variables) if j != target]
        graph.append(reference.learn(candidates))
        tests += reference.tests
    return graph, tests


class PlainTests(Reference):
    """Also counts the table of the separating set, which the reference computes as a marginal."""

    def independent(self, y, s):
        """Count both tables and test."""
        self.table(s)
        return super().independent(y, s)


class Bench:
    """Makes each data set once, times learners on it, and prints one line per data set."""

    def __init__(self, folder: Path, repeats: int):
        self.folder = folder
        self.repeats = repeats

    def data(self, name: str, network: Network) -> Trajectories:
        """Simulate a network into a file and map it."""
        path = self.folder / f"{name}.arrow"
        simulate_to(path, network, trajectories=300, duration=100.0, seed=1)
        return arrow_file.read(path)

    def line(self, name: str, data: Trajectories, ctpc: float, *, plain: bool, exhaustive: bool) -> None:
        """Time the other learners on one data set, and print all of them relative to CTPC."""
        floor = cpu(lambda: read_bytes(data), 10) * data.n_variables
        learned = learn(data, Ctpc())
        ctss = cpu(lambda: learn(data, Ctss()), max(1, self.repeats // 2))
        cells = [
            f"{name:<28}{data.n_events / 1e6:>7.2f} M{ctpc:>9.3f} s{1e9 * ctpc / data.n_events:>8.0f} ns",
            f"{ctpc / floor:>8.1f} ×{ctss / ctpc:>8.1f} ×",
        ]
        if exhaustive:
            search = cpu(
                lambda: learn(data, Ctss(search="exhaustive", max_parents=3)), max(1, self.repeats // 2)
            )
            cells.append(f"{search / ctpc:>8.1f} ×")
        else:
            cells.append(f"{'–':>10}")
        if plain:
            began = time.process_time()
            graph, tests = plain_ctpc(data)
            seconds = time.process_time() - began
            assert [node.parents for node in learned.graph.nodes] == graph, "the graphs differ"
            assert sum(node.counts["tests"] for node in learned.graph.nodes) == tests
            cells.append(f"{seconds / ctpc:>9.0f} ×")
        else:
            cells.append(f"{'–':>11}")
        print("".join(cells), flush=True)


def growth(bench: Bench, sizes: list[int]) -> None:
    """Print time and memory of CTPC on scattered networks, each in a separate process, and the exponent."""
    print("\nscattered networks of 20 binary nodes, density 0.1")
    print(" nodes   events     CPU s   memory beyond the data")
    seconds = []
    for parts in sizes:
        path = bench.folder / f"scattered{parts}.arrow"
        network = generate_scattered(parts, 20, 2, 0.1, seed=1, **PAPER)
        simulate_to(path, network, trajectories=300, duration=100.0, seed=1)
        found = subprocess.run(
            [sys.executable, __file__, "--one", str(path)], capture_output=True, text=True, check=True
        ).stdout.split()
        seconds.append(float(found[1]))
        print(
            f"{20 * parts:>6}{int(found[0]) / 1e6:>8.2f} M{seconds[-1]:>9.3f}{float(found[2]):>10.1f} MB",
            flush=True,
        )
    slope = np.polyfit(np.log([20 * p for p in sizes]), np.log(seconds), 1)[0]
    print(f"time grows with the number of nodes to the power {slope:.2f}")


def one(path: str) -> None:
    """Learn one data set in this process; print events, CPU seconds and peak memory beyond the data."""
    data = arrow_file.read(path)
    read_bytes(data)
    # Do imports and first calls beforehand, on two variables, so that no table of the data is counted yet.
    learn(simulate(generate(2, seed=1), trajectories=1, duration=1.0, seed=1), Ctpc())
    with PeakMemory() as memory:
        learn(data, Ctpc())
    seconds = cpu(lambda: learn(data, Ctpc()), 3)
    print(data.n_events, seconds, memory.beyond)


def process_cost(bench: Bench) -> None:
    """Print the cost of the whole command for one node of 100, relative to importing numpy and pyarrow."""
    learning = ["-m", "ctbnlab", "learn", str(bench.folder / "scattered5.arrow"), "--part", "1/100"]
    learning += ["-o", str(bench.folder / "x.json"), "--learner"]
    base = process_seconds(["-c", "import numpy, pyarrow"])
    print("\nwhole processes, CPU s, best of 7, and relative to the first")
    print(f"{'import numpy, pyarrow':<40}{base:.3f}")
    for name in ("ctpc-chi2", "ctss", "empirical-bayes"):
        seconds = process_seconds([*learning, name])
        print(f"{f'one node of 100 by {name}':<40}{seconds:.3f}{seconds / base:>8.2f} ×")


def process_seconds(words: list[str]) -> float:
    """Return the CPU seconds of a Python process with these arguments, the best of 7."""
    times = []
    for _ in range(7):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *words], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--repeats",
        type=int,
        default=5,
        help="number of runs; the best counts (5; four times as many for CTPC)",
    )
    parser.add_argument("--quick", action="store_true", help="skip the plain implementation and 200 nodes")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        one(args.one)
        return
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), args.repeats)
        print(
            f"{'':<28}{'events':>9}{'CTPC χ²':>11}{'per event':>11}{'reading':>10}"
            f"{'CTSS hc':>10}{'CTSS ≤ 3':>10}{'plain':>11}"
        )
        cells = [(20, 2, 0.1), (20, 2, 0.4), (20, 3, 0.1), (20, 3, 0.3), (20, 3, 0.4), (20, 4, 0.2)]
        sets = [
            bench.data(f"{n}-{states}-{density}", generate(n, states, density, seed=1, **PAPER))
            for n, states, density in cells
        ]
        ctpc = alternately([partial(learn, data, Ctpc()) for data in sets], 4 * args.repeats)
        per_event = {}
        for (n, states, density), data, seconds in zip(cells, sets, ctpc, strict=True):
            binary_sparse = (n, states, density) == cells[0]
            bench.line(
                f"{n} nodes, {states} states, {density}",
                data,
                seconds,
                plain=binary_sparse and not args.quick,
                exhaustive=binary_sparse,
            )
            per_event[states, density] = seconds / data.n_events
        for key in ((3, 0.3), (4, 0.2)):
            ratio = per_event[key] / per_event[2, 0.1]
            print(f"per event, {key[0]} states at {key[1]} to 2 states at 0.1: {ratio:.2f}")
        growth(bench, [1, 2, 3, 4, 5] + ([] if args.quick else [10]))
        process_cost(bench)


if __name__ == "__main__":
    main()
