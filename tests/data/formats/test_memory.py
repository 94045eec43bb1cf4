"""A CSV file of any size is converted to an Arrow file in bounded memory."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import ctbnlab
from ctbnlab.data.formats import csv
from ctbnlab.data.formats.layouts import long, wide
from ctbnlab.data.formats.writing import convert
from ctbnlab.model.variables import Variable
from tests.support.strategies import random_trajectories

# Measures anonymous memory (RssAnon): the system can drop pages of mapped files at any time.
PEAK = """
import re, sys, threading, time
from ctbnlab.data.formats.writing import convert

peak, done = 0, False

def watch():
    global peak
    while not done:
        with open("/proc/self/status") as status:
            peak = max(peak, int(re.search(r"RssAnon:\\s+(\\d+)", status.read())[1]))
        time.sleep(0.002)

watcher = threading.Thread(target=watch)
watcher.start()
convert(sys.argv[1], sys.argv[2])
done = True
watcher.join()
print(peak / 1024)
"""


def peak_megabytes(source, target):
    """Return the lower peak of two runs: Arrow's read-ahead varies by some 20 MB from run to run."""
    command = [sys.executable, "-c", PEAK, source, target]
    return min(
        float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(2)
    )


def flipping(n_variables, counts):
    """Return binary trajectories; much faster than `random_trajectories`."""
    rng = np.random.default_rng(1)
    trajectory = np.repeat(np.arange(len(counts)), counts)
    variable = rng.integers(n_variables, size=sum(counts))
    key = trajectory * n_variables + variable
    order = np.argsort(key, kind="stable")
    new = np.empty(len(key), np.uint8)
    new[order] = (np.arange(len(key)) - np.searchsorted(key[order], key[order]) + 1) % 2
    time = 1 + np.arange(len(key)) + rng.random(len(key)) / 2
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return ctbnlab.Trajectories.from_arrays(
        [(f"X{j}", ("low", "high")) for j in range(n_variables)],
        offsets=offsets,
        start=np.zeros(len(counts)),
        end=np.full(len(counts), len(key) + 2.0),
        initial=np.zeros((len(counts), n_variables)),
        time=time,
        variable=variable,
        new=new,
    )


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(("layout", "per_trajectory"), [(wide, 500), (wide, None), (long, None)])
def test_memory_does_not_grow_with_the_file(tmp_path, layout, per_trajectory):
    """Beyond Arrow's read-ahead (30 MB of text), three times the events need no more memory."""
    peaks = []
    for events in (2_000_000, 6_000_000):
        counts = [events] if per_trajectory is None else [per_trajectory] * (events // per_trajectory)
        data = flipping(5, counts)
        csv.write(layout.batches(data), data, tmp_path / "data.csv")
        peaks.append(peak_megabytes(tmp_path / "data.csv", tmp_path / "data.arrow"))
        assert ctbnlab.read(tmp_path / "data.arrow").n_events == events
    # Keeping the events in memory would take 44 MB more, keeping the text at least 100 MB.
    assert peaks[1] < peaks[0] + 30


def test_conversion_in_chunks_equals_reading_at_once(tmp_path, monkeypatch):
    """Blocks of a few rows exercise every state carried from block to block."""
    monkeypatch.setattr(csv, "_BLOCK_BYTES", 300)
    chosen = [Variable("A", ("x", "y")), Variable("B", ("1", "2", "10"))]
    data = random_trajectories(np.random.default_rng(3), chosen, [40, 0, 1, 25, 90])
    for layout in ("wide", "long"):
        ctbnlab.write(data, tmp_path / "data.csv", format=layout)
        convert(tmp_path / "data.csv", tmp_path / "data.arrow")
        assert ctbnlab.read(tmp_path / "data.arrow").equals(data)
        assert ctbnlab.read(tmp_path / "data.csv").equals(data)
