"""Cost of planning large designs with one job per node:  python benchmarks/dag.py [-o FILE]

Builds the graph of jobs of config/paper.yaml with `nodes_per_job: 1` (`snakemake --rulegraph`, which builds
the whole graph and prints its rules) with the paper's replicates and with four times as many, which are more
than 100,000 jobs; and one of ten batches of the latter.
"""

from __future__ import annotations

import argparse
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


def cost(content: dict[str, object], *options: str) -> tuple[float, float, float]:
    """Return wall seconds, CPU seconds and peak MB of planning a config in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config.yaml"
        config.write_text(yaml.safe_dump(content))
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
        command += ["--configfile", str(config), "--cores", "1", "--rulegraph", *options]
        begin = time.perf_counter()
        with subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as run:
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode:
        raise RuntimeError(f"{' '.join(command)} failed")
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def design(replicates: int) -> dict[str, object]:
    """Return the main experiment with one job per node and this many networks in every cell."""
    content = yaml.safe_load((ROOT / "config/paper.yaml").read_text()) | {"nodes_per_job": 1}
    content["design"] |= {"replicates": replicates, "exceptions": []}
    return content


def main() -> None:
    """Print the table, and write it to a file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--output", type=Path)
    output = parser.parse_args().output
    lines = [f"{'networks per cell':>17} {'batch':>6} {'jobs':>8} {'wall s':>7} {'CPU s':>7} {'peak MB':>8}"]
    for replicates, batch in ((2, None), (10, None), (40, None), (40, "metrics=1/10")):
        wall, cpu, peak = cost(design(replicates), *(["--batch", batch] if batch else []))
        jobs = f"{n_jobs(load_plan(design(replicates))):,}" if batch is None else ""
        part = batch.partition("=")[2] if batch else "all"
        lines.append(f"{replicates:17} {part:>6} {jobs:>8} {wall:7.1f} {cpu:7.1f} {peak:8.0f}")
        print(lines[-1], flush=True)
    if output is not None:
        output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
