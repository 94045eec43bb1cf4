"""Cost of planning the main experiment with one job per node:  python benchmarks/dag.py

Builds the graph of jobs of config/paper.yaml with `nodes_per_job: 1` (`snakemake --rulegraph`, which builds
the whole graph and prints its rules), for the paper's two main learners and for all learners of the config.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from ctbnlab.workflow.plan import Plan, load_plan

ROOT = Path(__file__).resolve().parents[1]


def n_jobs(plan: Plan) -> int:
    """Return the number of jobs for the networks of a plan and their learners."""
    nodes = sum(run.cell.nodes for run in plan.runs())
    networks, learners = len(plan.runs()), len(plan.learners)
    return networks * 2 + learners * (nodes + 2 * networks)


def cost(content: dict[str, object]) -> tuple[float, float, float]:
    """Return wall seconds, CPU seconds and peak MB of planning a config in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config.yaml"
        config.write_text(yaml.safe_dump(content))
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
        command += ["--configfile", str(config), "--cores", "1", "--rulegraph"]
        begin = time.perf_counter()
        with subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as run:
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode:
        raise RuntimeError(f"{' '.join(command)} failed")
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def main() -> None:
    """Print the table."""
    content = yaml.safe_load((ROOT / "config/paper.yaml").read_text()) | {"nodes_per_job": 1}
    every = content["learners"]
    print(f"{'learners':40} {'jobs':>7} {'wall s':>7} {'CPU s':>7} {'peak MB':>8}")
    for labels in (["ctss", "ctpc-chi2"], list(every)):
        chosen = content | {"learners": {label: every[label] for label in labels}}
        wall, cpu, peak = cost(chosen)
        jobs = n_jobs(load_plan(chosen))
        print(f"{', '.join(labels):40} {jobs:7,} {wall:7.1f} {cpu:7.1f} {peak:8.0f}", flush=True)


if __name__ == "__main__":
    main()
