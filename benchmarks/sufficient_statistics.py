"""Speed of counting sufficient statistics: `python benchmarks/sufficient_statistics.py`.

CPU time of one core, in nanoseconds per event of the whole data set; the same as a multiple of reading the
data's bytes once; and how much longer numpy takes for the same tables with one bincount over all rows per
table (preparing the rows is not included).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from itertools import chain, combinations
from pathlib import Path

import numpy as np

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.data.trajectories import Trajectories

# The plain implementation is a reference of the tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.reference_statistics import BincountStatistics
from tests.support.shared_scans import statistics_of


def uniform_trajectories(n: int, states: int, events: int, count: int = 300, seed: int = 1) -> Trajectories:
    """Make trajectories of 100 time units in which all changes are equally likely at any time."""
    rng = np.random.default_rng(seed)
    each = events // count
    size = each * count
    variable = rng.integers(0, n, size)
    initial = rng.integers(0, states, (count, n))
    # A variable's state is its initial state plus all its steps so far, modulo the number of states.
    column = np.repeat(np.arange(count), each) * n + variable
    order = np.argsort(column, kind="stable")
    steps = rng.integers(1, states, size)
    walked = np.cumsum(steps)
    first = np.diff(column[order], prepend=-1) != 0
    before = np.repeat((walked - steps)[first], np.diff(np.append(np.flatnonzero(first), size)))
    new = np.empty(size, np.int64)
    new[order] = (initial.reshape(-1)[column[order]] + walked - before) % states
    return Trajectories.from_arrays(
        [(f"X{i}", [str(s) for s in range(states)]) for i in range(n)],
        offsets=np.arange(count + 1) * each,
        start=np.zeros(count),
        end=np.full(count, 100.0),
        initial=initial,
        time=np.sort(rng.uniform(0, 100, (count, each)), axis=1).reshape(-1),
        variable=variable,
        new=new,
    )


def read_bytes(data: Trajectories) -> None:
    """Read every byte of every event once."""
    for column in (data.time, data.variable, data.old, data.new):
        whole = column[: len(column) // 8 * 8].view(np.int64)
        np.add.reduce(whole)


def cpu_seconds(work: Callable[[], object], repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def subsets(candidates: Iterable[int], most: int) -> list[tuple[int, ...]]:
    chosen = list(candidates)
    return list(chain.from_iterable(combinations(chosen, size) for size in range(1, most + 1)))


def ask_like_ctpc(statistics: NodeStatistics, survivors: int) -> None:
    """Request all pairs, and then every set of a few candidates."""
    statistics.pairs()
    chosen = statistics.candidates[:survivors]
    statistics.focus(chosen)
    for parents in subsets(chosen, survivors):
        statistics.table(parents)


def works(data: Trajectories) -> Iterable[tuple[str, int, int, Callable[[], object]]]:
    """Yield what to time: a name, the number of tables, the number of their parents, and the work."""
    n = data.n_variables
    yield "pairs", n - 1, 1, lambda: NodeStatistics(data, 0).pairs()
    for k in (1, 2, 3):
        base = range(1, 1 + k)
        yield (
            f"extensions of {k}",
            n - 1 - k,
            k + 1,
            lambda base=base: NodeStatistics(data, 0).extensions(base),
        )
    for k in (1, 2, 3, 4):
        yield f"direct, {k} parents", 1, k, lambda k=k: NodeStatistics(data, 0).table(range(1, 1 + k))
    for k in (5, 7, 10):
        if int(data.cardinalities[0]) ** (k + 2) <= 1 << 19:
            yield f"joint table of {k}", 1, k, lambda k=k: NodeStatistics(data, 0).table(range(1, 1 + k))
    for k in (4, 6):
        tables = n - 1 + 2**k - 1
        yield (
            f"one node: pairs, joint of {k}",
            tables,
            2,
            lambda k=k: ask_like_ctpc(NodeStatistics(data, 0), k),
        )


def of_all_nodes(data: Trajectories) -> Iterable[tuple[str, int, int, Callable[[], object]]]:
    """Yield what to time for all nodes together."""
    n = data.n_variables
    yield "pairs", n - 1, 1, lambda: [node.pairs() for node in statistics_of(data, range(n))]

    def work(survivors: int) -> None:
        for node in statistics_of(data, range(n)):
            ask_like_ctpc(node, survivors)

    for k in (4, 6):
        yield f"pairs, joint of {k}", n - 1 + 2**k - 1, 2, lambda k=k: work(k)


def marginal_microseconds(data: Trajectories, candidates: int, most: int) -> float:
    """Return the CPU time per table inside a focus, requesting every subset of some candidates once."""
    wanted = subsets(range(1, 1 + candidates), most)

    def once() -> float:
        statistics = NodeStatistics(data, 0)
        statistics.focus(range(1, 1 + candidates), most)
        statistics.table(range(1, 1 + most))  # counts the joint table, or the first of them
        began = time.process_time()
        for parents in wanted:
            statistics.table(parents)
        return (time.process_time() - began) / len(wanted) * 1e6

    return min(once() for _ in range(3))


def report(n: int, states: int, events: int, repeats: int) -> None:
    data = uniform_trajectories(n, states, events)
    plain = BincountStatistics(data)
    per_event = 1e9 / data.n_events
    floor = cpu_seconds(lambda: read_bytes(data), 3 * repeats) * per_event
    print(f"\n{n} variables of {states} states, {data.n_events} events")
    print(f"{'':32}{'ns/event':>9}{'× reading':>10}{'tables':>8}{'ns/event/table':>15}{'bincount ×':>11}")
    print(f"{'reading the bytes once':32}{floor:9.2f}{1:10.1f}")
    bincount: dict[int, float] = {}

    def line(name: str, tables: int, parents: int, cost: float) -> None:
        if parents not in bincount:
            asked = tuple(range(1, 1 + parents))
            bincount[parents] = cpu_seconds(lambda: plain.table(0, asked), 2) * per_event
        ratio = bincount[parents] * tables / cost
        print(f"{name:32}{cost:9.2f}{cost / floor:10.1f}{tables:8}{cost / tables:15.3f}{ratio:11.0f}")

    for name, tables, parents, work in works(data):
        line(name, tables, parents, cpu_seconds(work, repeats) * per_event)
    for name, tables, parents, work in of_all_nodes(data):
        line(f"each node: {name}", tables, parents, cpu_seconds(work, 1) * per_event / n)
    costs = ", ".join(f"{k}: {cost:.0f}" for k, cost in sorted(bincount.items()))
    print(f"bincount, ns per event for one table, by number of parents: {costs}")
    for candidates, most in ((5, 5), (10, 3)):
        each = marginal_microseconds(data, candidates, most)
        print(f"marginals, sets of ≤ {most} of {candidates}: {each:.1f} µs per table")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--events", type=int, default=1_800_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    for n, states in ((20, 2), (20, 3), (20, 4), (100, 2), (200, 2)):
        report(n, states, options.events, options.repeats)


if __name__ == "__main__":
    main()
