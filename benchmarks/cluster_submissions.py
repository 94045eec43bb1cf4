"""Cost of driving 10,000 jobs on a cluster:  python benchmarks/cluster_submissions.py

A dry run of `profiles/slurm`: nothing is submitted, and SLURM is not needed. There are two designs of that
size, for the two ways in which the profile packs jobs: small networks, with one job per graph and ten
networks per submission; and large ones, with one job per node and one submission per network. The output is
the number of jobs that go to the cluster, the number of submissions, and the driver's time and peak memory.
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
LEARNERS = {name: {"algorithm": name} for name in ("ctss", "ctpc-chi2", "ctpc-ks")}
LOCAL = "all config environment example heatmap metrics figures tables report_page"


def design(nodes: int, replicates: int, nodes_per_job: int | str) -> dict[str, Any]:
    return {
        "experiment": "many",
        "seed": 1,
        "design": {
            "nodes": [nodes],
            "states": [2],
            "density": [0.2],
            "trajectories": [300],
            "duration": 100,
            "replicates": replicates,
        },
        "learners": LEARNERS,
        "nodes_per_job": nodes_per_job,
        "formats": ["png"],
    }


def dry_run(config: dict[str, Any]) -> tuple[str, float]:
    """Return what a dry run of the profile prints, and its CPU seconds."""
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--snakefile", str(ROOT / "Snakefile")]
    command += ["--profile", str(ROOT / "profiles/slurm"), "--configfile", "config.yaml"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "config.yaml").write_text(yaml.safe_dump(config))
        output = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return output, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(name: str, config: dict[str, Any]) -> None:
    start = time.monotonic()
    output, cpu = dry_run(config)
    wall = time.monotonic() - start
    counts = {rule: int(count) for rule, count in re.findall(r"^(\w+) +(\d+)$", output, re.MULTILINE)}
    jobs = counts.pop("total") - sum(counts[rule] for rule in LOCAL.split())
    submissions = len(re.findall(r"\] Group job ", output))
    print(f"{name}: {jobs:,} jobs in {submissions:,} submissions; driver {cpu:.0f} CPU s, {wall:.0f} s")


def main() -> None:
    report("one job per graph", design(nodes=10, replicates=910, nodes_per_job="all"))
    report("one job per node ", design(nodes=10, replicates=264, nodes_per_job=1))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"peak memory of the driver: {peak:.0f} MB")


if __name__ == "__main__":
    main()
