"""What the bound on CTPC's work costs and saves on Boolean networks, where tests remove little at low levels.

    python benchmarks/work_in_ctpc.py -o docs/results/work_in_ctpc.csv

15 components with 2 to 4 regulators each: random rules, or the “or” of regulators, some negated; rates 1 with
the rule and 0.001 against it; 300 trajectories. Printed per network and learner: CPU seconds, tests, nodes
whose work was spent, and F1.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from measuring import write_rows

from ctbnlab.evaluation.metrics import compare
from ctbnlab.learning.contract import Learner
from ctbnlab.learning.ctpc.learner import Ctpc
from ctbnlab.learning.empirical_bayes.learner import EmpiricalBayes
from ctbnlab.learning.nodes import learn
from ctbnlab.model.gallery.boolean import Rule, boolean_network
from ctbnlab.model.network import Network
from ctbnlab.simulation.simulate import simulate

LEARNERS: dict[str, Learner] = {
    "empirical-bayes": EmpiricalBayes(),
    "pooled": Ctpc(test="pooled"),
    "pooled, no bound": Ctpc(test="pooled", max_work=None),
    "corrected": Ctpc(conventions="corrected"),
    "corrected, no bound": Ctpc(conventions="corrected", max_work=None),
}
COLUMNS = ("rule", "regulators", "seed", "events", "learner", "seconds", "tests", "spent", "f1")
CELLS = (("or", 2, 100.0), ("or", 4, 30.0), ("random", 3, 30.0), ("random", 4, 30.0))
NODES = 15


def network_of(kind: str, regulators: int, seed: int) -> Network:
    """Draw a Boolean network."""
    rng = np.random.default_rng(seed)
    rules = {}
    for i in range(NODES):
        others = sorted(rng.choice([j for j in range(NODES) if j != i], regulators, replace=False))
        table = rng.random(2**regulators) < 0.5
        negated = rng.integers(0, 2, regulators)

        def holds(*states: bool, table=table, negated=negated) -> bool:  # type: ignore[no-untyped-def]
            if kind == "random":
                return bool(table[int("".join(str(int(state)) for state in states), 2)])
            return bool((np.array(states, int) ^ negated).any())

        rules[f"X{i + 1}"] = Rule(tuple(f"X{j + 1}" for j in others), holds)
    return boolean_network(rules, up=1.0, down=1.0, leak=0.001, about={})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", default="8101,8102,8103")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    made: list[dict[str, object]] = []
    for kind, regulators, duration in CELLS:
        for seed in map(int, arguments.seeds.split(",")):
            network = network_of(kind, regulators, seed)
            data = simulate(network, trajectories=300, duration=duration, seed=seed)
            for name, learner in LEARNERS.items():
                began = time.process_time()
                graph = learn(data, learner).graph
                seconds = time.process_time() - began
                f1 = compare(network.arcs, graph.arcs, network.names).whole.f1
                tests = sum(node.counts.get("tests", 0) for node in graph.nodes)
                spent = sum("max_work" in note for note in graph.notes)
                row = [
                    kind,
                    regulators,
                    seed,
                    data.n_events,
                    name,
                    f"{seconds:.2f}",
                    tests,
                    spent,
                    f"{f1:.3f}",
                ]
                made.append(dict(zip(COLUMNS, row, strict=True)))
                print(*row, sep="\t", flush=True)
    write_rows(arguments.output, made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
