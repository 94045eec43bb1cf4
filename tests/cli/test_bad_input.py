"""Bad input: one line that names the file and the place, status 2, no traceback, nothing half-written."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import ctbnlab
from ctbnlab.cli.main import main
from ctbnlab.model.variables import Variable
from tests.cli.bad_input_cases import (
    CASES,
    JSON,
    LONG,
    OPTIONS,
    PYAGRUM,
    WIDE,
    prepare,
    prepare_options,
    wide,
)
from tests.support.strategies import random_trajectories


@pytest.mark.parametrize("output", ["out.arrow", "out.csv"])
@pytest.mark.parametrize("case", CASES)
def test_bad_input(tmp_path, monkeypatch, capsys, case, output):
    name, content, options, message = CASES[case]
    prepare(tmp_path, name, content)
    monkeypatch.chdir(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    assert main(["convert", name, output, *options]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith(f"ctbnlab: {name}: {message}")
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_the_files_that_cases_change_are_good(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, content in [("a.csv", WIDE), ("b.csv", LONG), ("c.json", JSON), ("d.csv", PYAGRUM)]:
        prepare(tmp_path, name, content)
        assert main(["convert", name, "out.arrow"]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("case", OPTIONS)
def test_bad_options(tmp_path, monkeypatch, capsys, case):
    arguments, message = OPTIONS[case]
    monkeypatch.chdir(tmp_path)
    prepare_options(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    assert main(["convert", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith(f"ctbnlab: {message}")
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize("case", ["two changes in a row", "truncated Arrow", "does not exist"])
def test_through_the_command(tmp_path, ctbnlab, case):
    name, content, options, message = CASES[case]
    prepare(tmp_path, name, content)
    done = ctbnlab("convert", name, "out.parquet", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"ctbnlab: {name}: {message}") and done.stderr.count("\n") == 1
    assert not (tmp_path / "out.parquet").exists()


def test_dropped_rows_are_reported(tmp_path, ctbnlab):
    (tmp_path / "in.csv").write_text(wide("1,2,y,u", "1,1.5,y,u\n1,2,y,u"))
    done = ctbnlab("convert", "in.csv", "out.arrow")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "note: dropped 1 row that changes nothing\n"


def test_an_existing_output_survives_a_failure(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text(wide("1,1,y,u", "1,1,y,v"))
    (tmp_path / "out.arrow").write_text("precious")
    assert main(["convert", "in.csv", "out.arrow", "--ties", "error"]) == 2
    assert (tmp_path / "out.arrow").read_text() == "precious"


@pytest.fixture
def tiny_disk(tmp_path):
    """Yield a folder with room for 64 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"mounting a small disk is refused here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize(
    "output", ["out.arrow", "out.csv", "out.csv.gz", "out.json", "out.json.gz", "out.parquet"]
)
@pytest.mark.parametrize("source", ["in.csv", "in.arrow"])
def test_full_disk(tmp_path, tiny_disk, capsys, source, output):
    data = random_trajectories(np.random.default_rng(1), [Variable("A", tuple("0123456789"))], [40_000])
    ctbnlab.write(data, tmp_path / source)
    assert main(["convert", str(tmp_path / source), str(tiny_disk / output)]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"ctbnlab: {tiny_disk / output}: No space left on device\n")
    assert not list(tiny_disk.iterdir())


def test_tracebacks_are_for_those_who_ask(tmp_path):
    command = [sys.executable, "-m", "ctbnlab", "--traceback", "convert", tmp_path / "none.csv", "x.arrow"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "Traceback" in done.stderr
