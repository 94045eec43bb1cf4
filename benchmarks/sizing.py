"""Cost of a learning job, for sizing a cluster:  python benchmarks/sizing.py -o docs/results/sizing.csv

CPU seconds of learning, as reported by `ctbnlab learn --timings`, and the peak memory of the process, which
includes the mapped data; 300 trajectories of networks with density 0.2, or 0.1 in unions of 20-node
networks. The last sizes are jobs of one node out of many. This process stays small, because on Linux the
peak memory of a child process starts at that of its parent.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from measuring import write_rows

LEARNERS = ("ctpc-chi2", "ctpc-ks", "ctss", "empirical-bayes")
PAPER = ["--count", "probability", "--connectivity", "no-isolated"]
# Nodes, states, duration, and the nodes that are learned one by one (if empty: all at once).
SIZES: tuple[tuple[int, int, int, tuple[int, ...]], ...] = (
    (10, 3, 100, ()),
    (20, 2, 100, ()),
    (20, 4, 100, ()),
    (100, 2, 100, ()),
    (100, 2, 1200, (1, 2, 3)),
    (1000, 2, 108, (1,)),
)


def ctbnlab(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "ctbnlab", *map(str, words)], check=True, capture_output=True)


def measured(
    nodes: int, states: int, duration: int, parts: tuple[int, ...], folder: Path
) -> Iterator[dict[str, object]]:
    network, data, graph, timings = (
        folder / name for name in ("network.json", "data.arrow", "graph.json", "timings.json")
    )
    shape = ["--nodes", 20, "--scattered", nodes // 20, "--density", 0.1]
    shape = shape if nodes > 20 else ["--nodes", nodes, "--density", 0.2]
    ctbnlab("generate", *shape, "--states", states, *PAPER, "--seed", 1, "-o", network)
    ctbnlab("simulate", network, "--trajectories", 300, "--duration", duration, "--seed", 1, "-o", data)
    for learner in LEARNERS:
        for part in parts or (0,):
            some = ["--part", f"{part}/{nodes}"] if part else []
            ctbnlab("learn", data, "--learner", learner, *some, "-o", graph, "--timings", timings)
            found = json.loads(timings.read_text())
            yield {
                "nodes": nodes,
                "states": states,
                "part": part,
                "events": json.loads(graph.read_text())["data"]["events"],
                "data_mb": round(data.stat().st_size / 2**20),
                "learner": learner,
                "cpu_seconds": round(found["cpu_seconds"], 4),
                "peak_memory_mb": round(found["peak_memory_mb"]),
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    rows = []
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            for row in measured(*size, Path(folder)):
                rows.append(row)
                print(*row.values(), sep="\t", flush=True)
    write_rows(arguments.output, rows)


if __name__ == "__main__":
    main()
