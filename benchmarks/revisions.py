"""Two revisions beside each other in one run: `python benchmarks/revisions.py OTHER_PYTHON`.

OTHER_PYTHON is the interpreter of an environment in which the other revision is installed. Both revisions
learn the same data, mapped from the same files, one after the other and over again; what else the machine
does then hits both alike. Printed are the least CPU seconds of learning alone, and the ratio of this
revision to the other. docs/results/revisions.txt compares with 4f580e0, the last revision without ties, gaps
and clocks; same_bytes.py compares the files of the same two.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import ctbnlab
from ctbnlab.model.generate import generate_scattered
from ctbnlab.simulation.simulate import simulate_to

PAPER = {"count": "probability", "connectivity": "no-isolated"}
# (nodes, states, density), and the learners that are timed on it.
CELLS = {
    (20, 2, 0.1): ["ctpc", "ctss", "exhaustive", "default"],
    (20, 2, 0.4): ["ctpc", "ctss", "default"],
    (20, 3, 0.1): ["ctpc", "ctss", "default"],
    (20, 3, 0.3): ["ctpc", "ctss", "default"],
    (20, 3, 0.4): ["ctpc", "ctss"],
    (20, 4, 0.2): ["ctpc", "ctss"],
}
SCATTERED = (5, 10)  # networks of 20 binary nodes each

# Uses only what every revision exports.
WORKER = """
import sys, time, ctbnlab
learners = {
    "ctpc": ctbnlab.Ctpc(), "ctss": ctbnlab.Ctss(), "default": ctbnlab.EmpiricalBayes(),
    "exhaustive": ctbnlab.Ctss(search="exhaustive", max_parents=3),
}
data = {}
for line in sys.stdin:
    path, name = line.split()
    if path not in data:
        data[path] = ctbnlab.read(path)
        data[path].time.sum()
    began = time.process_time()
    ctbnlab.learn(data[path], learners[name])
    print(time.process_time() - began, flush=True)
"""


class Worker:
    """A process that learns on demand with one revision."""

    def __init__(self, python: str):
        self._process = subprocess.Popen(
            [python, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def seconds(self, path: Path, learner: str) -> float:
        """Learn one data set; return the CPU seconds."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(path, learner, file=self._process.stdin, flush=True)
        return float(self._process.stdout.readline())


def rounds_for(seconds: float, budget: float) -> int:
    """Return how often to repeat something: short runs more often, within a budget of seconds."""
    return max(3, min(40, math.ceil(budget / max(seconds, 1e-3))))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("other", help="the interpreter of the other revision's environment")
    parser.add_argument("--seconds", type=float, default=5.0, help="to spend on each row and revision (5)")
    parser.add_argument("--only", help="learners to time, separated by commas")
    args = parser.parse_args()
    chosen = args.only.split(",") if args.only else ["ctpc", "ctss", "exhaustive", "default"]
    with tempfile.TemporaryDirectory() as folder:
        rows: list[tuple[str, Path, str]] = []
        for (n, states, density), learners in CELLS.items():
            path = Path(folder) / f"{n}-{states}-{density}.arrow"
            network = ctbnlab.generate(n, states, density, seed=1, **PAPER)
            simulate_to(path, network, trajectories=300, duration=100.0, seed=1)
            rows += [(f"{n} nodes, {states} states, {density}", path, name) for name in learners]
        for parts in SCATTERED:
            path = Path(folder) / f"scattered{parts}.arrow"
            network = generate_scattered(parts, 20, 2, 0.1, seed=1, **PAPER)
            simulate_to(path, network, trajectories=300, duration=100.0, seed=1)
            rows.append((f"{20 * parts} scattered nodes", path, "ctpc"))
        this, other = Worker(sys.executable), Worker(args.other)
        print(f"{'':<28}{'learner':<12}{'other':>9}{'this':>9}{'ratio':>8}")
        for label, path, name in rows:
            if name not in chosen:
                continue
            first = (other.seconds(path, name), this.seconds(path, name))
            best = [math.inf, math.inf]
            for _ in range(rounds_for(max(first), args.seconds)):
                best[0] = min(best[0], other.seconds(path, name))
                best[1] = min(best[1], this.seconds(path, name))
            print(
                f"{label:<28}{name:<12}{best[0]:>8.4f}s{best[1]:>8.4f}s{best[1] / best[0]:>8.3f}", flush=True
            )


if __name__ == "__main__":
    main()
