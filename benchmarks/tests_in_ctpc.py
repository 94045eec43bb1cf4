"""CTPC with each test, and the empirical-Bayes learner with and without its search, on the same data.

    python benchmarks/tests_in_ctpc.py -o docs/results/tests_in_ctpc.csv

Shows what a better test alone can gain (sparse networks) and what it cannot (dense ones): mean F1 and CPU
seconds over a few random networks of the paper's kind, 300 trajectories of 100 time units. “climbing” is
the empirical-Bayes learner without its search: its score and its Bayes factors, one parent at a time.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from measuring import write_rows

from ctbnlab.evaluation.metrics import compare
from ctbnlab.learning.contract import Learner
from ctbnlab.learning.ctpc.learner import Ctpc
from ctbnlab.learning.empirical_bayes.learner import EmpiricalBayes
from ctbnlab.learning.nodes import learn
from ctbnlab.model.generate import generate
from ctbnlab.simulation.simulate import simulate

LEARNERS: dict[str, Learner] = {
    "ctpc-chi2": Ctpc(),
    "ctpc-corrected": Ctpc(conventions="corrected"),
    "ctpc-pooled": Ctpc(test="pooled"),
    "ctpc-dm": Ctpc(test="dm"),
    "climbing": EmpiricalBayes(passes=0),
    "empirical-bayes": EmpiricalBayes(),
}
COLUMNS = ("nodes", "states", "density", "learner", "networks", "f1", "seconds")
CELLS = ((10, 2, 0.1), (10, 2, 0.4), (10, 3, 0.1), (10, 3, 0.4))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", default="601,602,603")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    made: list[dict[str, object]] = []
    for n, states, density in CELLS:
        results: dict[str, list[tuple[float, float]]] = {name: [] for name in LEARNERS}
        for seed in map(int, arguments.seeds.split(",")):
            network = generate(n, states, density, count="probability", connectivity="no-isolated", seed=seed)
            data = simulate(network, trajectories=300, duration=100.0, seed=seed)
            for name, learner in LEARNERS.items():
                learned = learn(data, learner)
                against = compare(network.arcs, learned.graph.arcs, network.names)
                results[name].append((against.whole.f1, sum(learned.seconds.values())))
        for name, pairs in results.items():
            mean, seconds = np.mean(pairs, axis=0)
            row = [n, states, density, name, len(pairs), f"{mean:.4f}", f"{seconds:.3g}"]
            made.append(dict(zip(COLUMNS, row, strict=True)))
            print(*row, sep="\t", flush=True)
    write_rows(arguments.output, made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
