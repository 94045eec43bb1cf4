"""How fast exact answers are: `python benchmarks/queries.py -o docs/results/queries.csv`.

Random binary networks with two parents per node and rates uniform in [1, 5]; the question is the
probabilities of all states at time 1. Per number of joint states: the number of steps, CPU seconds and memory
of the whole question (the best of three), wall seconds of all steps on one and on two threads (the best of
five, in turns), and, where it ends in time, the CPU seconds of SciPy's `expm_multiply` on the assembled
sparse matrix, without assembling it. The last row is a question about a variable with three ancestors in a
network of 200.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

# One core for each library, as for ours.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import numpy as np
from measuring import PeakMemory, write_rows
from scipy.sparse import coo_array
from scipy.sparse.linalg import expm_multiply

import ctbnlab
from ctbnlab.inference.generator import Chain
from ctbnlab.inference.propagation import Error, forwards, steps_for
from ctbnlab.inference.reduction import reduced

SIZES = (12, 14, 16, 18, 20, 22)
SCIPY_UP_TO = 16
TIMES, TURNS = 3, 5


def joint_chain(network: ctbnlab.Network, jobs: int = 1) -> Chain:
    """Return the chain over all variables of a network."""
    n = len(network.variables)
    return Chain(reduced(network, range(n), network.initial), range(n), {}, jobs=jobs)


def assembled(network: ctbnlab.Network) -> coo_array:
    """Return the transposed joint intensity matrix of binary variables."""
    n = len(network.variables)
    states = np.arange(2**n)
    bits = [(states >> (n - 1 - v)) & 1 for v in range(n)]
    rows, columns, values = [states], [states], [np.zeros(2**n)]
    for v in range(n):
        configuration = np.zeros(2**n, int)
        for p in network.parents[v]:
            configuration = 2 * configuration + bits[p]
        rate = network.cims[v].table()[configuration, bits[v], 1 - bits[v]]
        rows.append(states ^ (1 << (n - 1 - v)))
        columns.append(states)
        values.append(rate)
        values[0] -= rate
    return coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))).tocsr()


def best_cpu(function, times: int = TIMES) -> float:
    seconds = []
    for _ in range(times):
        began = time.process_time()
        function()
        seconds.append(time.process_time() - began)
    return min(seconds)


def wall_seconds(network: ctbnlab.Network) -> tuple[float, float]:
    """Return the wall seconds of the steps on one thread and on two, the best of several in turns."""
    chains = [joint_chain(network, jobs) for jobs in (1, 2)]
    start = np.full(chains[0].size, 1 / chains[0].size)
    best = [np.inf, np.inf]
    for turn in range(TURNS + 1):
        for k, chain in enumerate(chains):
            began = time.perf_counter()
            forwards(chain, start, 1.0, Error())
            if turn:  # the first lays out the steps
                best[k] = min(best[k], time.perf_counter() - began)
    return best[0], best[1]


def row(n: int) -> dict[str, object]:
    network = ctbnlab.generate(n, states=2, density=2 / (n - 1), seed=1)
    query = ctbnlab.Query(network)
    with PeakMemory() as memory:
        answer = query.at(1.0)
    seconds = best_cpu(lambda: query.at(1.0))
    one, two = wall_seconds(network)
    result: dict[str, object] = {
        "variables": n,
        "joint_states": answer.about["joint_states"],
        "steps": steps_for(joint_chain(network), 1.0),
        "cpu_seconds": round(seconds, 4),
        "mb": round(memory.beyond),
        "wall_one_thread": round(one, 4),
        "wall_two_threads": round(two, 4),
        "scipy_cpu_seconds": None,
        "largest_difference": None,
    }
    if n <= SCIPY_UP_TO:
        matrix = assembled(network)
        start = np.full(2**n, 2.0**-n)
        found: list[np.ndarray] = []
        result["scipy_cpu_seconds"] = round(
            best_cpu(lambda: found.append(expm_multiply(matrix, start)), 1), 4
        )
        joint = forwards(joint_chain(network), start, 1.0, Error()).end
        result["largest_difference"] = f"{np.abs(joint - found[0]).max():.1e}"
    return result


def few_ancestors() -> dict[str, object]:
    network = ctbnlab.gallery.get("chain", nodes=200)
    query = ctbnlab.Query(network)
    name = network.names[3]
    with PeakMemory() as memory:
        answer = query.at(1.0, [name])
    return {
        "variables": 200,
        "joint_states": answer.about["joint_states"],
        "cpu_seconds": round(best_cpu(lambda: query.at(1.0, [name])), 5),
        "mb": round(memory.beyond),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the rows as CSV")
    rows = []
    arguments = parser.parse_args()
    for n in SIZES:
        rows.append(row(n))
        print(*rows[-1].values(), flush=True)
    last = few_ancestors()
    rows.append({name: last.get(name) for name in rows[0]})
    print(*rows[-1].values(), flush=True)
    write_rows(arguments.output, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
