"""Accuracy and cost of the empirical-Bayes learner compared with CTPC χ², on the same data in the same run.

    python benchmarks/best_learner.py --cost -o docs/results/cost.csv
    python benchmarks/best_learner.py --dense --seeds 611,612,613,614,615,616 -o docs/results/dense.csv
    python benchmarks/best_learner.py --cell 20,3,0.4 --cell 10,2,0.1 --seeds 1,2,3 --nodes

One line per network: F1 and CPU seconds on one core for each learner, the ratio of the two times, the time
of the most expensive node without parents relative to the mean of the nodes with parents, and the memory
used beyond the data. `f1_findable` is what a search that misses nothing would reach: a node's parents can be
found only if the evidence for them exceeds the logarithm of the number of sets of their size. `--nodes`
also lists every node with wrong parents. `--cost` runs the cells of the cost table in docs/learner.md: 10
nodes, 20 binary nodes, and 20 ternary nodes at density 0.4; `--dense` those of its table of dense networks.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from measuring import PeakMemory, write_rows

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.evaluation.metrics import compare
from ctbnlab.learning.empirical_bayes.set_evidence import set_evidence
from ctbnlab.learning.nodes import Learned, learn
from ctbnlab.learning.registry import make
from ctbnlab.model.generate import generate
from ctbnlab.model.network import Network
from ctbnlab.simulation.simulate import simulate

TABLE_MEMORY = 512 << 20
DENSITIES = (0.1, 0.2, 0.3, 0.4)
COST = (
    *itertools.product((10,), (2, 3, 4), DENSITIES),
    *itertools.product((20,), (2,), DENSITIES),
    (20, 3, 0.4),
)
DENSE = ((15, 3, 0.4), (15, 4, 0.4), (20, 3, 0.3), (20, 3, 0.4), (20, 4, 0.4))
Cell = tuple[int, int, float]


def seconds_of(learned: Learned) -> float:
    """Return the CPU seconds of all nodes."""
    return sum(learned.seconds.values())


def parentless_ratio(learned: Learned, network: Network) -> float:
    """Return the time of the slowest node without parents relative to the mean of the others, or nan."""
    seconds = [learned.seconds[name] for name in network.names]
    without = [s for s, row in zip(seconds, network.parents, strict=True) if not row]
    others = [s for s, row in zip(seconds, network.parents, strict=True) if row]
    return max(without) / float(np.mean(others)) if without and others else float("nan")


def findable_arcs(network: Network, data: Trajectories) -> list[tuple[str, str]]:
    """Return the arcs into the nodes whose true parents outweigh the number of sets of their size."""
    names = network.names
    found = []
    for target, parents in enumerate(network.parents):
        if parents:
            table = NodeStatistics(data, target, memory=TABLE_MEMORY).table(parents)
            if set_evidence(table) > math.log(math.comb(len(names) - 1, len(parents))):
                found += [(names[j], names[target]) for j in parents]
    return found


def print_wrong_nodes(learned: Learned, network: Network, data: Trajectories, *, everything: bool) -> None:
    for node in learned.graph.nodes:
        right, mine = set(network.parents[node.target]), set(node.parents)
        if right != mine or everything:
            name = data.names[node.target]
            print(
                f"    {name}: {len(right)} parents, {len(right - mine)} missed, {len(mine - right)} "
                f"false, {learned.seconds[name]:.2f} s",
                *node.notes,
                dict(node.counts),
            )


def one(cell: Cell, seed: int, arguments: argparse.Namespace) -> dict[str, float]:
    n, states, density = cell
    network = generate(n, states, density, count="probability", connectivity="no-isolated", seed=seed)
    data = simulate(network, trajectories=arguments.trajectories, duration=100.0, seed=seed)
    learner = make("empirical-bayes", dict(pair.split("=") for pair in arguments.option))
    with PeakMemory() as memory:
        learned = learn(data, learner)
    ctpc = learn(data, make("ctpc-chi2"))
    # Other load on the machine only adds time; alternating the learners adds it to both alike.
    for _ in range(arguments.repeats - 1):
        learned = min(learned, learn(data, learner), key=seconds_of)
        ctpc = min(ctpc, learn(data, make("ctpc-chi2")), key=seconds_of)
    if arguments.nodes:
        print_wrong_nodes(learned, network, data, everything=arguments.nodes > 1)
    ours, theirs = seconds_of(learned), seconds_of(ctpc)
    return {
        "nodes": n,
        "states": states,
        "density": density,
        "seed": seed,
        "f1": compare(network.arcs, learned.graph.arcs, network.names).whole.f1,
        "f1_findable": compare(network.arcs, findable_arcs(network, data), network.names).whole.f1,
        "f1_ctpc": compare(network.arcs, ctpc.graph.arcs, network.names).whole.f1,
        "seconds": ours,
        "seconds_ctpc": theirs,
        "times_ctpc": ours / theirs,
        "parentless": parentless_ratio(learned, network),
        "memory_mb": memory.beyond,
    }


def rows(arguments: argparse.Namespace) -> Iterator[dict[str, float]]:
    asked = [text.split(",") for text in arguments.cell]
    cells: list[Cell] = [(int(n), int(states), float(density)) for n, states, density in asked]
    for cell in [*cells, *(COST if arguments.cost else ()), *(DENSE if arguments.dense else ())]:
        for seed in arguments.seeds.split(","):
            yield one(cell, int(seed), arguments)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cell", action="append", default=[], help="nodes,states,density")
    parser.add_argument("--cost", action="store_true", help="the cells of the cost table")
    parser.add_argument("--dense", action="store_true", help="the cells of the table of dense networks")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--repeats", type=int, default=3, help="number of runs; the fastest counts (3)")
    parser.add_argument("--trajectories", type=int, default=300)
    parser.add_argument(
        "--option", action="append", default=[], help="an option of the learner, as name=value"
    )
    parser.add_argument("--nodes", action="count", default=0, help="list wrong nodes; twice: all nodes")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    made: list[dict[str, str]] = []
    for row in rows(arguments):
        if not made:
            print("".join(f"{key:>13}" for key in row))
        rounded = {key: f"{value:.4g}" for key, value in row.items()}
        made.append(rounded)
        print("".join(f"{value:>13}" for value in rounded.values()), flush=True)
    write_rows(arguments.output, made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
