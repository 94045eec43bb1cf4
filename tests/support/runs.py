"""Run the real workflow on tiny experiments, each in its own folder."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
# What a row has that is no result: costs, and the revision, which differs while somebody edits the code.
CHANGING = ("cpu_seconds", "wall_seconds", "peak_memory_mb", "revision")
TINY = {
    "experiment": "tiny",
    "seed": 7,
    "design": {
        "nodes": [3],
        "states": [2, 3],
        "density": [0.4],
        "trajectories": [20],
        "duration": 20,
        "replicates": 2,
    },
    "learners": {"ctss": {"algorithm": "ctss"}, "ctpc": {"algorithm": "ctpc-chi2"}},
    "baseline": "ctss",
    "formats": ["png"],
}


def tiny(**changes):
    """Return the tiny config with some keys changed."""
    return copy.deepcopy(TINY) | changes


def snakemake(folder: Path, config, *arguments, cores=2, check=True) -> subprocess.CompletedProcess[str]:
    """Run the workflow in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(config, allow_unicode=True))
    command = [*base_command(), "--cores", str(cores), *map(str, arguments)]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if check and result.returncode:
        raise AssertionError(f"{' '.join(command)} failed:\n{result.stdout}\n{result.stderr}")
    return result


def base_command(snakefile: Path = ROOT / "Snakefile") -> list[str]:
    """Return the command that runs the workflow on config.yaml of the current folder."""
    return [sys.executable, "-m", "snakemake", "--snakefile", str(snakefile), "--configfile", "config.yaml"]


def planned(folder: Path, config, *arguments) -> dict[str, int]:
    """Return the number of jobs of each rule that a dry run would run."""
    output = snakemake(folder, config, "--dry-run", *arguments).stdout
    counts = {}
    for line in output.splitlines():
        words = line.split()
        if len(words) == 2 and words[1].isdecimal() and words[0] not in ("total", "all", "jobid:"):
            counts[words[0]] = int(words[1])
    return counts


def content(folder: Path) -> dict[str, object]:
    """Return the results of a run that do not depend on how it was run: bytes, and rows without timings."""
    results = {}
    for path in sorted(folder.glob("results/**/*")):
        name = str(path.relative_to(folder))
        if path.name in ("network.json", "data.arrow", "graph.json"):
            results[name] = path.read_bytes()
        elif path.name == "metrics.json":
            row = json.loads(path.read_text())
            results[name] = {key: value for key, value in row.items() if key not in CHANGING}
    assert results
    return results
