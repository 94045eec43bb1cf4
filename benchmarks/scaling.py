"""How CTPC grows with the number of variables: `python benchmarks/scaling.py [OTHER_PYTHON]`.

Networks are made of blocks of 20 binary nodes of density 0.1, with 300 trajectories of 100 time units, in
stores that are mapped into memory. Each line is a separate process: CPU seconds of learning (the least of
`--repeats`), and the peak of its private memory beyond the data. With OTHER_PYTHON, the interpreter of an
environment with another revision, each line is repeated with that. The exponent is that from the line of one
size to the next. docs/results/scaling.csv joins four runs: both revisions (the other is 1366af9) at 20 to 200
nodes; both at 500 nodes with 60 trajectories and `--memory 8,0,110,512`; this one at 500 and 1,000 nodes, a
store of 1 GB; and this one at 100 nodes with `--jobs 2`.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import write_rows

from ctbnlab.model.generate import generate_scattered
from ctbnlab.simulation.simulate import simulate_to

PAPER = {"count": "probability", "connectivity": "no-isolated"}
BLOCK = 20

# Uses only what every revision exports, and the helper beside this file.
WORKER = """
import sys, time, ctbnlab
from measuring import PeakMemory
path, warm, memory, jobs, repeats = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
options = {"jobs": jobs} | ({"memory": memory << 20} if memory else {})
ctbnlab.learn(ctbnlab.read(warm), ctbnlab.Ctpc())
data = ctbnlab.read(path)
data.time.sum()
seconds = []
with PeakMemory() as peak:
    for _ in range(repeats):
        began, wall = time.process_time(), time.perf_counter()
        ctbnlab.learn(data, ctbnlab.Ctpc(), **options)
        seconds.append((time.process_time() - began, time.perf_counter() - wall))
print(data.n_events, min(s for s, _ in seconds), min(w for _, w in seconds), peak.beyond)
"""


def store(folder: Path, nodes: int, trajectories: int) -> Path:
    """Simulate a network into a store, unless it is there."""
    path = folder / f"{nodes}x{trajectories}.arrow"
    if not path.exists():
        network = generate_scattered(nodes // BLOCK, BLOCK, 2, 0.1, seed=1, **PAPER)
        simulate_to(path, network, trajectories=trajectories, duration=100.0, seed=1)
    return path


def learned(python: str, words: list[str]) -> list[float]:
    """Learn in a process; return events, CPU seconds, wall seconds and peak MB."""
    result = subprocess.run(
        [python, "-c", WORKER, *words],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return [float(word) for word in result.stdout.split()]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("other", nargs="?", help="the interpreter of the other revision's environment")
    parser.add_argument("--nodes", default="20,100,200,500,1000", help="numbers of nodes, multiples of 20")
    parser.add_argument("--memory", default="0", help="values of --memory in MB, 0 for the default")
    parser.add_argument("--jobs", default="1", help="numbers of threads")
    parser.add_argument("--trajectories", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=3, help="of up to 200 nodes; more nodes run once")
    parser.add_argument("--folder", type=Path, help="keep the stores there")
    parser.add_argument("-o", "--output", type=Path, help="write a .csv file")
    args = parser.parse_args()
    revisions = {"this": sys.executable} | ({"other": args.other} if args.other else {})
    rows: list[dict[str, object]] = []
    print("revision  nodes    events  memory  jobs     CPU s    wall s  MB beyond the data  exponent")
    with tempfile.TemporaryDirectory() as temporary:
        folder = (args.folder or Path(temporary)).resolve()
        warm = store(folder, BLOCK, 10)
        before: dict[tuple[str, str, str], tuple[int, float]] = {}
        for nodes in map(int, args.nodes.split(",")):
            path = store(folder, nodes, args.trajectories)
            repeats = args.repeats if nodes <= 200 else 1
            for memory in args.memory.split(","):
                for jobs in args.jobs.split(","):
                    for name, python in revisions.items():
                        words = [str(path), str(warm), memory, jobs, str(repeats)]
                        events, cpu, wall, peak = learned(python, words)
                        smaller, seconds = before.get((name, memory, jobs), (0, 0.0))
                        slope = math.log(cpu / seconds) / math.log(nodes / smaller) if smaller else math.nan
                        before[name, memory, jobs] = nodes, cpu
                        print(
                            f"{name:<8}{nodes:>7}{events / 1e6:>8.2f} M{memory:>8}{jobs:>6}{cpu:>10.3f}"
                            f"{wall:>10.3f}{peak:>20.1f}{slope:>10.2f}",
                            flush=True,
                        )
                        rows.append(
                            {
                                "revision": name,
                                "nodes": nodes,
                                "events": int(events),
                                "memory": memory if memory != "0" else "default",
                                "jobs": jobs,
                                "cpu_seconds": round(cpu, 4),
                                "wall_seconds": round(wall, 4),
                                "peak_mb": round(peak, 1),
                            }
                        )
    write_rows(args.output, rows)


if __name__ == "__main__":
    main()
