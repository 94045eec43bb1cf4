"""What a command leaves when it is killed, the next one that writes the same output removes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ctbnlab
from ctbnlab.cli.main import main

ROWS = 1_000_000


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A network, a small and a large table."""
    folder = tmp_path_factory.mktemp("large")
    ctbnlab.generate(5, states=2, density=0.3, seed=1).write(folder / "network.json")
    rows = "".join(f"{time},{'xy'[time % 2]}\n" for time in range(ROWS))
    (folder / "large.csv").write_text(f"time,A\n{rows}")
    (folder / "small.csv").write_text("time,A\n0,x\n1,y\n2,y\n")
    return folder


def hidden(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.startswith(".")]


def killed(words: list[str], folder: Path, environment=None, stdin=None) -> None:
    """Start a command and kill it as soon as it has a scratch folder with something in it."""
    command = [sys.executable, "-m", "ctbnlab", *words]
    process = subprocess.Popen(command, env={**os.environ, **(environment or {})}, stdin=stdin)
    try:
        deadline = time.monotonic() + 60
        while not any(path.stat().st_size for scratch in hidden(folder) for path in scratch.glob("*")):
            assert process.poll() is None, "the command ended before it could be killed"
            assert time.monotonic() < deadline
            time.sleep(0.001)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert len(hidden(folder)) == 1


def test_simulate(tmp_path, large):
    network, output = str(large / "network.json"), str(tmp_path / "out.arrow")
    simulate = ["simulate", network, "--seed", "1", "-o", output, "--duration"]
    killed([*simulate, "1e9"], tmp_path)
    assert not Path(output).exists()
    assert main([*simulate, "1"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out.arrow"]
    ctbnlab.read(output)


def test_convert(tmp_path, large):
    output = str(tmp_path / "out.arrow")
    Path(output).write_text("precious")
    killed(["convert", str(large / "large.csv"), output], tmp_path)
    assert Path(output).read_text() == "precious"
    assert main(["convert", str(large / "small.csv"), output]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out.arrow"]
    assert ctbnlab.read(output).n_events == 1


def test_copies_of_standard_input(tmp_path, large, monkeypatch, capsys):
    read, written = os.pipe()
    os.write(written, b"time,A\n" + b"0,x\n" * 10_000)
    killed(["show", "-"], tmp_path, {"TMPDIR": str(tmp_path)}, read)
    os.close(read)
    os.close(written)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert main(["generate", "--nodes", "2", "--density", "0.5", "-o", "/dev/null"]) == 0
    assert not list(tmp_path.iterdir())
