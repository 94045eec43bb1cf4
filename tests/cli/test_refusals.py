"""Every command refuses bad input in one line, at once, in little memory, and leaves nothing behind."""

from __future__ import annotations

import resource
import shlex
import subprocess
import sys
from collections import Counter

import pytest

from ctbnlab.cli.commands import COMMANDS
from ctbnlab.cli.main import main
from tests.cli.refusals import FILES, content_bytes, data, layouts, learning, networks, queries, workflow

CASES = networks.CASES | data.CASES | layouts.CASES | learning.CASES | queries.CASES | workflow.CASES
MEMORY = 2 << 30
SECONDS = 60


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def apart(arguments, folder):
    """Run the command in a process with little memory and time."""
    done = subprocess.run(
        [sys.executable, "-m", "ctbnlab", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
        preexec_fn=limited,
    )
    return done.returncode, done.stdout, done.stderr


def here(arguments, capfd):
    """Run the command in this process."""
    try:
        status = main(arguments)
    except SystemExit as ending:
        status = ending.code
    return status, *capfd.readouterr()


@pytest.mark.parametrize("title", CASES)
def test_refused(title, tmp_path, monkeypatch, capfd):
    case = CASES[title]
    for name, content in (FILES | dict(case.files)).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content_bytes(content))
    monkeypatch.chdir(tmp_path)
    before = contents(tmp_path)
    arguments = shlex.split(case.command)
    status, out, err = apart(arguments, tmp_path) if case.heavy else here(arguments, capfd)
    start = (
        f"ctbnlab {arguments[0]}: {case.message[1:]}"
        if case.message[:1] == "!"
        else f"ctbnlab: {case.message}"
    )
    assert (status, out) == (case.status, ""), err[-2000:]
    assert err.startswith(start), err[:2000]
    assert err.endswith("\n") and err.count("\n") == 1 and len(err) < 1500
    assert err[:-1].isprintable()
    assert contents(tmp_path) == before


def test_every_command_is_tried():
    tried = Counter(shlex.split(case.command)[0] for case in CASES.values())
    assert set(tried) == set(COMMANDS)
    assert min(tried.values()) >= 3
    assert len(CASES) >= 200
