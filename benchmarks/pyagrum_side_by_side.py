"""pyAgrum's CTPC and our learners on the same small data: `python benchmarks/pyagrum_side_by_side.py`.

Needs the extra `peers`: `pip install -c constraints.txt '.[peers]'`. Each learner reads the same file, in
pyAgrum's CSV format, in a separate process. CPU seconds are those of learning the whole graph on one core,
without importing or reading; memory is that of the process before learning (imports and data) and at its
peak. Every row is one network and its data; `--output` writes the rows as CSV. The summary is the table in
docs/related.md.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

# No module of this folder may hide one that pyAgrum imports.
sys.path = [entry for entry in sys.path if Path(entry or ".").resolve() != Path(__file__).resolve().parent]

# Each library must run on one core; otherwise CPU time would compare numbers of threads.
ONE_CORE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
LEARNERS = ("pyagrum", "ctpc-chi2", "empirical-bayes")


class Case(NamedTuple):
    """Networks of one size, and how long they are observed."""

    nodes: int
    states: int
    trajectories: int
    duration: float


# Every size is observed twice for the same total time, as many short trajectories and as a single long one:
# pyAgrum averages counts over trajectories, so the power of its tests grows only with their length.
SIZES = ((3, 2), (4, 2), (5, 2), (3, 3), (4, 3))
CASES = tuple(Case(*size, *watched) for size in SIZES for watched in ((50, 10.0), (1, 500.0)))
DESIGN = ("nodes", "states", "trajectories", "duration")
COLUMNS = (
    *("nodes", "states", "replicate", "trajectories", "duration", "events", "true_arcs", "learner", "arcs"),
    *("precision", "recall", "f1", "same_as_pyagrum", "cpu_seconds", "mb_before", "mb_peak"),
)


def peak() -> float:
    """Return the peak memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def learn_with_pyagrum(path: str) -> dict[str, object]:
    import pyagrum.ctbn

    learner = pyagrum.ctbn.Learner(path)
    before, began = peak(), time.process_time()
    learned = learner.learnCTBN()
    seconds = time.process_time() - began
    arcs = [(learned.name(a), learned.name(b)) for a, b in learned.arcs()]
    return {"arcs": arcs, "cpu_seconds": seconds, "mb_before": before, "mb_peak": peak()}


def learn_with_ours(path: str, name: str) -> dict[str, object]:
    import ctbnlab
    from ctbnlab.learning.registry import make

    data, learner = ctbnlab.read(path), make(name, {})
    before, began = peak(), time.process_time()
    learned = ctbnlab.learn(data, learner)
    seconds = time.process_time() - began
    return {"arcs": learned.graph.arcs, "cpu_seconds": seconds, "mb_before": before, "mb_peak": peak()}


def in_own_process(learner: str, path: Path) -> dict[str, object]:
    """Learn in a fresh process, and return its output."""
    command = [sys.executable, __file__, "--run", learner, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **ONE_CORE})
    if done.returncode:
        sys.exit(f"{learner} failed on {path.name}:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def rows_of(case: Case, replicate: int, folder: Path) -> list[dict[str, object]]:
    """Draw a network and its data, learn with every learner, and compare."""
    import ctbnlab

    network = ctbnlab.generate(case.nodes, states=case.states, density=0.3, seed=replicate)
    data = ctbnlab.simulate(
        network, trajectories=case.trajectories, duration=case.duration, seed=100 + replicate
    )
    path = folder / f"{case.nodes}-{case.states}-{case.trajectories}-{replicate}.csv"
    ctbnlab.write(data, path, format="pyagrum")
    rows, theirs = [], None
    for learner in LEARNERS:
        found = in_own_process(learner, path)
        arcs = sorted(map(tuple, found.pop("arcs")))
        theirs = arcs if learner == "pyagrum" else theirs
        judged = ctbnlab.compare(network.arcs, arcs, network.names).whole
        measured = {key: f"{value:.4g}" for key, value in found.items()}
        rows.append(
            {
                **case._asdict(),
                "replicate": replicate,
                "events": data.n_events,
                "true_arcs": len(network.arcs),
                "learner": learner,
                "arcs": len(arcs),
                "precision": f"{judged.precision:.4g}",
                "recall": f"{judged.recall:.4g}",
                "f1": f"{judged.f1:.4g}",
                "same_as_pyagrum": arcs == theirs,
                **measured,
            }
        )
    return rows


def summary(rows: list[dict[str, object]]) -> str:
    """Return a Markdown table, one row per design: means over its networks, and the largest peak memory."""
    from ctbnlab.presentation.table_writers import markdown_table

    head = ["nodes", "states", "watched"]
    head += [f"{what} {name}" for what in ("F1", "CPU s", "MB") for name in ("pyAgrum", "CTPC", "EB")]
    body = []
    for design in dict.fromkeys(tuple(row[key] for key in DESIGN) for row in rows):
        mine = [
            [row for row in rows if tuple(row[key] for key in DESIGN) == design and row["learner"] == learner]
            for learner in LEARNERS
        ]
        nodes, states, trajectories, duration = design
        cells = [str(nodes), str(states), f"{trajectories} × {float(duration):g}"]
        cells += [f"{mean(some, 'f1'):.2f}" for some in mine]
        cells += [f"{mean(some, 'cpu_seconds'):.2g}" for some in mine]
        cells += [f"{max(float(row['mb_peak']) for row in some):.0f}" for some in mine]
        same = sum(str(row["same_as_pyagrum"]) == "True" for row in mine[1])
        body.append([*cells, f"{same} of {len(mine[0])}"])
    return markdown_table([*head, "same graph"], body)


def mean(rows: list[dict[str, object]], column: str) -> float:
    """Return the mean of a column."""
    return sum(float(row[column]) for row in rows) / len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", nargs=2, metavar=("LEARNER", "FILE"), help=argparse.SUPPRESS)
    parser.add_argument("--replicates", type=int, default=3, help="number of networks per design (3)")
    parser.add_argument("--cases", type=int, default=len(CASES), help="run only the first N designs")
    parser.add_argument("--output", type=Path, help="write all rows as CSV")
    args = parser.parse_args()
    if args.run:
        learner, path = args.run
        found = learn_with_pyagrum(path) if learner == "pyagrum" else learn_with_ours(path, learner)
        print(json.dumps(found))
        return
    import pyagrum

    import ctbnlab

    print(f"ctbnlab {ctbnlab.__version__}, pyAgrum {pyagrum.__version__}", flush=True)
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES[: args.cases]:
            for replicate in range(1, args.replicates + 1):
                rows += rows_of(case, replicate, Path(folder))
                print(f"{case}, network {replicate}", file=sys.stderr, flush=True)
    print(summary(rows))
    if args.output:
        with args.output.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
