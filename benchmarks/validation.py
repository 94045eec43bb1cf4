"""What checking a store on reading costs:  python benchmarks/validation.py [--events N]

Simulates about ten million events of 20 binary variables, and compares the check of all of them with what a
learner does at the least: reading the file and one scan that counts all pairs. The file is read from the disk
(the page cache is dropped before each run) or is in memory already. Seconds, least of nine runs.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa

import ctbnlab
from ctbnlab.counting import tuning
from ctbnlab.counting._pairs import pair_counts
from ctbnlab.counting.scan import grouped, scan_of
from ctbnlab.data import arrow_file
from ctbnlab.simulation.simulate import simulate_to

RUNS = 9


def least(call: Callable[[], object], before: Callable[[], None] = lambda: None) -> tuple[float, float]:
    """Return the least CPU and wall seconds of a call."""
    seconds = []
    for _ in range(RUNS):
        before()
        cpu, wall = time.process_time(), time.perf_counter()
        call()
        seconds.append((time.process_time() - cpu, time.perf_counter() - wall))
    return min(cpu for cpu, _ in seconds), min(wall for _, wall in seconds)


def forget(path: Path) -> None:
    """Drop a file from the page cache."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def cost_of_check(path: Path) -> tuple[tuple[float, float], int]:
    """Return the seconds of the check alone, and the number of events; nothing stays mapped."""
    batch = pa.ipc.open_file(pa.memory_map(str(path))).get_batch(0)
    return least(lambda: arrow_file.from_batch(batch)), arrow_file.from_batch(batch).n_events


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=float, default=1e7)
    events = parser.parse_args().events
    network = ctbnlab.generate(20, states=2, density=0.1, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.arrow")
        simulate_to(path, network, trajectories=round(events / 5255), duration=100.0, seed=7)
        targets = np.arange(20, dtype=np.int32)
        groups = grouped([2] * 20, tuning.PAIR_GROUP_CELLS_IN_WORD)

        def read_and_scan() -> None:
            pair_counts(scan_of(arrow_file.read(path)), targets, *groups)

        check, n_events = cost_of_check(path)
        print(f"{n_events:,} events, {path.stat().st_size / 1e6:.0f} MB")
        print(f"{'':52}{'CPU s':>8}{'wall s':>8}   check / rest, CPU and wall")
        print(f"{'check':52}{check[0]:>8.4f}{check[1]:>8.4f}")
        cold = least(read_and_scan, lambda: forget(path))
        for name, whole in (("from the disk", cold), ("from memory", least(read_and_scan))):
            shares = (c / (w - c) for c, w in zip(check, whole, strict=True))
            text = ", ".join(f"{share:.1%}" for share in shares)
            print(f"{f'read {name}, check, scan all pairs':52}{whole[0]:>8.4f}{whole[1]:>8.4f}   {text}")


if __name__ == "__main__":
    main()
