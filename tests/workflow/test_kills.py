"""A run whose processes are killed again and again ends with the same results, and leaves nothing behind.

The ordinary command is `snakemake --cores 2`, whose settings are those of profiles/default: incomplete files
are made again (`rerun-incomplete`), and a failed job does not stop the others (`keep-going`). After a killed
driver, its jobs must have ended, and `snakemake --unlock` must be called first.
"""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest
import yaml

from ctbnlab.evaluation.results_table import read_metrics
from tests.support.runs import CHANGING, base_command, snakemake, tiny

LEARNERS = Path(__file__).parent / "learners"
KINDS = ["driver", "job", "child"] * 7
KILLS = 20
MAX_SECONDS = 300  # a drill that takes longer has failed


def config():
    learners = {
        "ctss": {"algorithm": "ctss"},
        "ctpc": {"algorithm": "ctpc-chi2"},
        "slow": {"algorithm": str(LEARNERS / "slow.py")},
    }
    return tiny(learners=learners)


# ---- What a run leaves ----


def artefacts(folder: Path) -> dict[str, object]:
    """Return everything below results/ that does not depend on times: bytes, and rows without timings."""
    found: dict[str, object] = {}
    for path in sorted((folder / "results").rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir():
            found[name] = "folder"
        elif path.name == "metrics.json":
            row = json.loads(path.read_text())
            found[name] = {key: value for key, value in row.items() if key not in CHANGING}
        elif path.name == "metrics.parquet":
            found[name] = read_metrics(path).drop(columns=list(CHANGING)).to_csv()
        elif path.name == "cells.csv":
            with path.open() as file:
                found[name] = [row for row in csv.DictReader(file) if row["metric"] not in CHANGING]
        else:
            found[name] = "of times" if _depends_on_times(path) else path.read_bytes()
    return found


def _depends_on_times(path: Path) -> bool:
    return (
        path.parent.name == "logs"
        or path.name in ("report.html", "environment.json", "tables.html", "summary.md", "time.png")
        or path.name.startswith("time_")
        or path.name.endswith(".timings.json")
    )


def running_in(folder: Path) -> list[psutil.Process]:
    """Return the processes that work in a folder."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and Path(process.cwd()) == folder:
                found.append(process)
        except psutil.Error:
            continue
    return found


# ---- Disturbing one ----


class Drill:
    """A run of the workflow that is killed, and started again as a user would."""

    def __init__(self, folder: Path, seed: int):
        self.folder = folder
        self.random = random.Random(seed)
        self.deadline = time.monotonic() + MAX_SECONDS
        self.killed: list[str] = []
        (folder / "config.yaml").write_text(yaml.safe_dump(config()))
        self.start()

    def start(self) -> None:
        """Call the ordinary command."""
        self.driver = subprocess.Popen(
            [*base_command(), "--cores", "2"],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kill(self, kind: str) -> None:
        """Wait for a random time, then kill a process of this kind as soon as there is one."""
        time.sleep(self.random.uniform(0.0, 2.0))
        while not self.killed_one(kind):
            assert time.monotonic() < self.deadline, f"no {kind} to kill after {self.killed}"
            time.sleep(0.02)
        if kind == "driver":
            self.driver.wait()
            self.resume()

    def killed_one(self, kind: str) -> bool:
        """Kill a process of this kind if there is one; start the command again if it has ended."""
        if self.driver.poll() is not None:
            if self.driver.returncode == 0:  # all is done already: once more from scratch
                shutil.rmtree(self.folder / "results")
            self.start()
        found = [process for process in running_in(self.folder) if self.kind(process) == kind]
        if not found:
            return False
        victim = self.random.choice(found)
        what = " ".join([kind, *_words(victim)[:1]])
        try:
            victim.kill()
        except psutil.NoSuchProcess:
            return False
        self.killed.append(what)
        return True

    def kind(self, process: psutil.Process) -> str | None:
        """Return what a process is: the driver, a job, the supervised process of one, or something else."""
        try:
            if process.pid == self.driver.pid:
                return "driver"
            if not _words(process):
                return None
            parent = process.parent()
            if parent is None or not _words(parent):
                return "job"
            return "child" if os.getpgid(process.pid) == process.pid else None  # the other is the guardian
        except (psutil.Error, ProcessLookupError):
            return None

    def resume(self) -> None:
        """Do what the documentation says about a killed driver."""
        while running_in(self.folder):
            assert time.monotonic() < self.deadline, "the jobs of a killed driver do not end"
            time.sleep(0.05)
        subprocess.run([*base_command(), "--unlock"], cwd=self.folder, capture_output=True, check=True)
        self.start()


def _words(process: psutil.Process) -> list[str]:
    """Return the arguments of a process that is a command of ctbnlab; none if it is another program."""
    try:
        words = process.cmdline()
    except psutil.Error:
        return []
    at = next((k for k, word in enumerate(words[:3]) if Path(word).name == "ctbnlab"), None)
    return [] if at is None else words[at + 1 :]


@pytest.mark.slow
def test_a_run_survives_any_kill(tmp_path):
    calm, disturbed = tmp_path / "calm", tmp_path / "disturbed"
    snakemake(calm, config())
    disturbed.mkdir()
    drill = Drill(disturbed, seed=20)
    kinds = KINDS[:KILLS]
    drill.random.shuffle(kinds)
    try:
        for kind in kinds:
            drill.kill(kind)
        drill.driver.wait(MAX_SECONDS)
    finally:
        drill.driver.kill()
        drill.driver.wait()
    assert Counter(entry.split()[0] for entry in drill.killed) == Counter(kinds)
    print("\n".join(drill.killed))  # shown if the test fails
    # The ordinary command; what was killed in the last moments is made again.
    snakemake(disturbed, config())
    assert not running_in(disturbed)
    assert artefacts(disturbed) == artefacts(calm)
    assert not list(disturbed.glob("results/**/.ctbnlab*"))
    assert set(read_metrics(disturbed / "results/tiny/metrics.parquet")["status"]) == {"done"}
