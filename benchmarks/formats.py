"""Speed of reading and writing trajectories: rows per CPU second for each format.

    python benchmarks/formats.py [--events 1000000]

CPU seconds are summed over all threads of this process. `startup.py` measures the cost of opening an Arrow
file.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import ctbnlab
from ctbnlab.data.formats.writing import convert
from ctbnlab.data.trajectories import Trajectories

FILES = [
    ("data.arrow", None),
    ("data.parquet", None),
    ("wide.parquet", "wide"),
    ("long.parquet", "long"),
    ("wide.csv", "wide"),
    ("wide.csv.gz", "wide"),
    ("long.csv", "long"),
    ("pyagrum.csv", "pyagrum"),
    ("data.json", "pyctbn"),
]


def example(n_events: int, n_variables: int = 20, n_trajectories: int = 100) -> Trajectories:
    """Return binary variables that flip at random; the content of the data does not matter here."""
    rng = np.random.default_rng(1)
    counts = np.full(n_trajectories, n_events // n_trajectories)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    variable = rng.integers(n_variables, size=offsets[-1]).astype(np.uint8)
    initial = np.zeros((n_trajectories, n_variables), np.uint8)
    key = np.repeat(np.arange(n_trajectories), counts) * n_variables + variable
    order = np.argsort(key, kind="stable")
    first = np.searchsorted(key[order], key[order])
    new = np.empty(len(key), np.uint8)
    new[order] = (np.arange(len(key)) - first + 1) % 2
    time = rng.exponential(0.01, (n_trajectories, counts[0])).cumsum(axis=1)
    return Trajectories.from_arrays(
        [(f"X{j}", ("low", "high")) for j in range(n_variables)],
        offsets=offsets,
        start=np.zeros(n_trajectories),
        end=np.full(n_trajectories, time.max() + 1),
        initial=initial,
        time=time.reshape(-1),
        variable=variable,
        new=new,
    )


def cpu(work: Callable[[], Any]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def speeds(folder: Path, n_events: int) -> None:
    data = example(n_events)
    print(f"{data}; rows (events) per CPU second, bytes per event")
    print(f"{'file':<16}{'write':>12}{'read':>12}{'to arrow':>12}{'bytes':>9}")
    states = {v.name: v.states for v in data.variables}
    for name, format in FILES:
        path = folder / name
        written = cpu(lambda path=path, format=format: ctbnlab.write(data, path, format=format))
        read = cpu(lambda path=path: ctbnlab.read(path, states=states))
        converted = cpu(lambda path=path: convert(path, folder / "out.arrow", states=states))
        size = path.stat().st_size / data.n_events
        cells = "".join(f"{data.n_events / seconds:>12,.0f}" for seconds in (written, read, converted))
        print(f"{name:<16}{cells}{size:>9.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=1_000_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        speeds(Path(folder), args.events)


if __name__ == "__main__":
    main()
