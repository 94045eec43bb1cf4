"""Cost of starting and of opening data:  python benchmarks/startup.py

CPU time, best of ten processes each: importing ctbnlab and opening a data set, relative to `import numpy,
pyarrow`; opening 8 million events after import; supervising work that does nothing; and the memory of eight
processes that read the same file (proportional set size, PSS, which divides a shared page among the processes
that share it).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np

from ctbnlab.data import arrow_file
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.model.variables import Variable

EVENTS = 8_000_000
PROCESSES = 8

CPU = "import time; print(time.process_time())"
BASE = f"import numpy, pyarrow; {CPU}"
START = (
    f"import sys, ctbnlab; from ctbnlab.data import arrow_file; data = arrow_file.read(sys.argv[1]); {CPU}"
)
OPEN = (
    "import sys, time; from ctbnlab.data import arrow_file; import pyarrow; t = time.process_time();"
    "data = arrow_file.read(sys.argv[1]); print(time.process_time() - t)"
)
SUPERVISE = (
    "import os, time; from ctbnlab.cli.supervise import supervise; t = time.process_time();"
    "supervise(lambda tell: 0); used = os.times();"
    "print(time.process_time() - t + used.children_user + used.children_system)"
)
# Each prints a line when it has read all columns, and holds them until its input closes.
READ = (
    "import sys, numpy as np; from ctbnlab.data import arrow_file; data = arrow_file.read(sys.argv[1]);"
    "total = sum(float(getattr(data, c).sum()) for c in ('time', 'variable', 'old', 'new'));"
    "print(total, flush=True); sys.stdin.read()"
)


def write_data(path: Path) -> None:
    """Write events of 20 binary variables that take turns, with times like those of a simulation."""
    rng = np.random.default_rng(1)
    trajectories, n = 300, 20
    variable = np.arange(EVENTS) % n
    offsets = np.linspace(0, EVENTS, trajectories + 1).astype(np.int64)
    time = rng.exponential(0.01, EVENTS).cumsum()
    start = np.concatenate([[0.0], time[offsets[1:-1] - 1]])
    data = Trajectories.from_arrays(
        [Variable(f"X{i}", ("0", "1")) for i in range(n)],
        offsets=offsets,
        start=start,
        end=time[offsets[1:] - 1],
        initial=np.zeros((trajectories, n), np.uint8),
        time=time,
        variable=variable,
        new=_alternating(offsets, variable, n),
    )
    arrow_file.write(data, path)


def _alternating(offsets, variable, n):
    """Return 1, 0, 1, … for each variable's successive events within a trajectory."""
    new = np.empty(len(variable), np.uint8)
    for begin, stop in pairwise(offsets.tolist()):
        new[begin:stop] = (np.arange(stop - begin) // n + 1) % 2
    return new


def best(code: str, *arguments: str) -> float:
    command = [sys.executable, "-c", code, *arguments]
    return min(
        float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(10)
    )


def proportional_set_size(process: int, path: Path | None = None) -> float:
    """Return the MB of a process, or of its mapping of a file; a page shared by k processes counts 1/k."""
    if path is None:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
        return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1024
    total, inside = 0, False
    for line in Path(f"/proc/{process}/smaps").read_text().splitlines():
        if "-" in line.split()[0] and not line.split()[0].endswith(":"):
            inside = line.endswith(str(path))
        elif inside and line.startswith("Pss:"):
            total += int(line.split()[1])
    return total / 1024


def sharing(path: Path) -> tuple[float, float]:
    """Return the PSS in MB of the file, and of everything, over all processes that have read it."""
    command = [sys.executable, "-c", READ, str(path)]
    readers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(PROCESSES)
    ]
    try:
        for reader in readers:
            assert reader.stdout is not None
            reader.stdout.readline()
        return (
            sum(proportional_set_size(reader.pid, path) for reader in readers),
            sum(proportional_set_size(reader.pid) for reader in readers),
        )
    finally:
        for reader in readers:
            reader.communicate()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.arrow"
        write_data(path)
        base, start, opening = best(BASE), best(START, str(path)), best(OPEN, str(path))
        supervising = best(SUPERVISE)
        mapped, everything = sharing(path)
        size = path.stat().st_size / 2**20
    print(f"import numpy, pyarrow                   {base * 1e3:8.1f} CPU ms")
    print(f"import ctbnlab, open {EVENTS / 1e6:.0f} M events       {start * 1e3:8.1f} CPU ms", end="")
    print(f"   {start / base:.2f} ×")
    print(f"open only, after import                 {opening * 1e3:8.2f} CPU ms")
    print(f"supervised work that does nothing       {supervising * 1e3:8.2f} CPU ms")
    print(f"{PROCESSES} processes read all columns: the file {mapped:8.0f} MB PSS, {size:.0f} MB on disk")
    print(f"                             everything {everything:8.0f} MB PSS")


if __name__ == "__main__":
    main()
