"""Run the workflow on the test cluster: in the foreground, or in the background to disturb it."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from tests.support.runs import ROOT, base_command

# Short waits, for a file system without latency.
QUICK = ["--latency-wait", "5", "--slurm-init-seconds-before-status-checks", "2"]
GROUPED = ["--profile", str(ROOT / "profiles/slurm"), *QUICK]
ARRAYS = ["--profile", str(ROOT / "profiles/slurm-array"), *QUICK]
# One network per submission, so that there are several submissions.
SPREAD = [*GROUPED, "--group-components", "small_networks=1", "large_networks=1"]
TARGET = "results/tiny/metrics.parquet"
MAX_SECONDS = 900  # a run that takes longer has failed


def drive(folder: Path, config, *arguments: str, target: str = TARGET) -> None:
    """Run the workflow on the cluster to its end, and assert that it succeeded."""
    with driver(folder, config, *arguments, target=target) as run:
        pass
    assert run.returncode == 0, (folder / "driver.log").read_text()


@contextmanager
def driver(folder: Path, config, *arguments: str, target: str = TARGET) -> Iterator[subprocess.Popen[bytes]]:
    """Start the workflow on the cluster, to be disturbed, then wait for its end; it writes to driver.log.

    A Snakefile in the folder is run instead of the repository's.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    own = folder / "Snakefile"
    with (folder / "driver.log").open("ab") as log:
        command = [*base_command(own if own.exists() else ROOT / "Snakefile"), *arguments, "--", target]
        run = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    try:
        yield run
        run.wait(timeout=MAX_SECONDS)
    finally:
        run.kill()
        run.wait()


def driver_log(folder: Path) -> str:
    """Return everything that the drivers in this folder have logged."""
    return "".join(log.read_text() for log in sorted(folder.glob(".snakemake/log/*.log")))


def submissions(folder: Path) -> int:
    """Return the number of submitted jobs; an array counts as one."""
    return len(re.findall(r"has been submitted with SLURM jobid|Submitted array job", driver_log(folder)))


def wait_for(condition: Callable[[], object], seconds: float = 300) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"condition not met within {seconds} s"
        time.sleep(0.2)


def found(folder: Path, name: str) -> list[Path]:
    """Return the existing result files of that name."""
    return sorted(folder.glob(f"results/**/{name}"))
