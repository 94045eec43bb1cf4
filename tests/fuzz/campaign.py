"""Fuzz all readers, or the named ones, two at a time: `python -m tests.fuzz.campaign --seconds 60 READER`.

With `--runs` each reader gets that many inputs, the same ones every time: what passes once passes again.
Prints a table at the end, and exits with status 1 if there is any finding. Findings and the grown corpus stay
in build/fuzz/READER. Give a finding to `python -m tests.fuzz.reproduce` to see it again.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.fuzz.harnesses import HARNESSES

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(__file__).with_name("corpus")
OUTPUT = ROOT / "build/fuzz"
TIMEOUT, MEMORY, LONGEST = 10, 1024, 16384  # seconds and megabytes of one input, and its bytes
GRACE = 45  # seconds for loading, for the last input and for its limits, before a process counts as hanging
FINISHED = "stat::number_of_executed_units"  # libFuzzer prints it when all is done
# What ends libFuzzer other than the end of its time: its own limits, a signal, an exit of the program.
KINDS = ("crash", "timeout", "oom", "leak", "slow-unit", "finding")


@dataclass
class Summary:
    """What fuzzing a reader came to."""

    reader: str
    runs: int = 0
    seconds: float = 0.0
    coverage: int = 0
    corpus: int = 0
    peak: int = 0
    starts: int = 0
    failure: str = ""
    findings: tuple[Path, ...] = ()

    def row(self) -> str:
        """Return a line of the table."""
        speed = self.runs / self.seconds if self.seconds else 0
        return (
            f"{self.reader:<16}{self.runs:>12,}{speed:>12,.0f}{self.coverage:>10,}{self.corpus:>8,}"
            f"{self.peak:>10,}{len(self.findings):>10}"
        )


HEADER = (
    f"{'reader':<16}{'executions':>12}{'per second':>12}{'coverage':>10}{'corpus':>8}"
    f"{'peak MB':>10}{'findings':>10}"
)


def fuzz(reader: str, seconds: int, seed: int, runs: int | None = None) -> Summary:
    """Fuzz one reader for some seconds, or `runs` inputs, in as many processes as crashes make necessary."""
    folder = OUTPUT / reader
    shutil.rmtree(folder, ignore_errors=True)
    grown = folder / "corpus"
    grown.mkdir(parents=True)
    summary = Summary(reader)
    began = time.monotonic()
    complete = False
    while not complete and (left := seconds - (time.monotonic() - began)) > 1 and not summary.failure:
        command = [
            sys.executable,
            "-m",
            "tests.fuzz.worker",
            reader,
            str(folder),
            str(grown),
            str(CORPUS / reader),
        ]
        options = {
            "max_total_time": int(left),
            "seed": seed + summary.starts,
            "timeout": TIMEOUT,
            "rss_limit_mb": MEMORY,
            "max_len": LONGEST,
            "print_final_stats": 1,
            "report_slow_units": TIMEOUT,
            "reload": 0,  # which would happen every second: nothing may depend on the time
        }
        if runs is not None:
            options["runs"] = max(runs - summary.runs, 1)
        command += [f"-{name}={value}" for name, value in options.items()]
        summary.starts += 1
        with (folder / f"log-{summary.starts}.txt").open("w+", errors="replace") as log:
            path = os.pathsep.join([str(ROOT), *sys.path[1:]])
            environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"}
            before = set(_found(folder))
            status = _call(command, left + GRACE, log, environment)
            log.seek(0)
            text = log.read()
        _add(summary, text)
        # libFuzzer ends the process holding Python's lock, for which a thread of Arrow's may wait.
        hung_at_exit = status is None and FINISHED in text
        complete = status == 0 or hung_at_exit
        if not complete and set(_found(folder)) == before:
            what = "did not end" if status is None else f"ended with status {status}"
            summary.failure = f"the process {what}: see {log.name}"
    summary.seconds = time.monotonic() - began
    summary.corpus = len(list(grown.iterdir()))
    summary.findings = tuple(_found(folder))
    for scratch in folder.glob("scratch-*"):
        shutil.rmtree(scratch, ignore_errors=True)
    return summary


def _call(command: list[str], seconds: float, log: IO[str], environment: dict[str, str]) -> int | None:
    """Return the exit status; None if the process had to be killed after this time."""
    process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=ROOT)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


def _found(folder: Path) -> list[Path]:
    return sorted(path for kind in KINDS for path in folder.glob(f"{kind}-*") if path.suffix != ".txt")


def _place(finding: Path) -> str:
    """Return where an exception was raised, or what libFuzzer calls the finding: crash, timeout, oom."""
    report = finding.with_name(f"{finding.name}.txt")
    if report.exists():
        return report.read_text(encoding="utf-8").splitlines()[0]
    return finding.name.partition("-")[0]


def _add(summary: Summary, log: str) -> None:
    """Add the numbers in a log of libFuzzer; a process that crashed has no final ones."""
    numbers = [int(n) for n in re.findall(r"^#(\d+)\t", log, re.MULTILINE)]
    final = re.search(r"stat::number_of_executed_units: (\d+)", log)
    summary.runs += int(final.group(1)) if final else max(numbers, default=0)
    summary.coverage = max([summary.coverage, *map(int, re.findall(r"cov: (\d+)", log))])
    summary.peak = max([summary.peak, *map(int, re.findall(r"(?:rss: |peak_rss_mb: +)(\d+)", log))])


def main() -> int:
    """Fuzz the readers, print the table, and return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "readers", nargs="*", metavar="READER", help=f"default: all of {', '.join(HARNESSES)}"
    )
    parser.add_argument("--seconds", type=int, default=60, help="time per reader (default: 60)")
    parser.add_argument(
        "--runs", type=int, help="inputs per reader, if the time suffices (default: no limit)"
    )
    parser.add_argument("--jobs", type=int, default=2, help="readers at a time (default: 2)")
    parser.add_argument("--seed", type=int, default=1, help="seed of libFuzzer (default: 1)")
    args = parser.parse_args()
    unknown = set(args.readers) - set(HARNESSES)
    if unknown:
        parser.error(f"unknown reader {sorted(unknown)[0]!r}; the readers are {', '.join(HARNESSES)}")
    with ThreadPoolExecutor(args.jobs) as pool:
        summaries = list(
            pool.map(
                lambda reader: fuzz(reader, args.seconds, args.seed, args.runs),
                args.readers or list(HARNESSES),
            )
        )
    print(HEADER)
    for summary in summaries:
        print(summary.row())
    failed = False
    for summary in summaries:
        idle = "no input was executed" if not summary.runs else ""
        for what in filter(None, (summary.failure, idle)):
            print(f"{summary.reader}: {what}")
            failed = True
        for path in summary.findings:
            print(f"{summary.reader}: {_place(path)}: {path.relative_to(ROOT)}")
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
