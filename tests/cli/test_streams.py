"""Standard streams that are closed, full, broken or a terminal: the right status, one line, no traceback."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = f"{sys.executable} -m ctbnlab"
# Short and long outputs, from commands, from their parsers, and as an output `-`.
PRINTING = [
    "gallery",
    "gallery ring --nodes 40",
    "generate --nodes 60 --density 0.1",
    "generate --nodes 60 --density 0.1 -o -",
    "generate --nodes 2 --density 0.5 -o /dev/stdout",
    "environment",
    "completion bash",
    "learn --list",
    "config --schema",
    "--help",
    "learn --help",
    "--version",
]
printing = pytest.mark.parametrize("arguments", PRINTING)


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line in bash; its status is that of the first command that fails."""
    command = ["bash", "-o", "pipefail", "-c", line]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@printing
def test_full(tmp_path, arguments):
    done = shell(f"{COMMAND} {arguments} > /dev/full", tmp_path)
    name = "/dev/stdout" if "/dev/stdout" in arguments else "standard output"
    assert (done.returncode, done.stderr) == (2, f"ctbnlab: {name}: No space left on device\n")


@printing
def test_closed(tmp_path, arguments):
    done = shell(f"{COMMAND} {arguments} >&-", tmp_path)
    name = "/dev/stdout" if "/dev/stdout" in arguments else "standard output"
    what = "is not open for writing" if " -o " in arguments else "is closed"
    assert (done.returncode, done.stderr) == (2, f"ctbnlab: {name}: {what}\n")


@printing
def test_broken(tmp_path, arguments):
    done = shell(f"{COMMAND} {arguments} | head -c 0", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_named_pipe_whose_reader_leaves_is_an_error(tmp_path):
    # Nobody else says that the result is lost.
    os.mkfifo(tmp_path / "pipe")
    line = f"head -c 1 pipe > /dev/null & {COMMAND} generate --nodes 150 --density 0.01 -o pipe"
    done = shell(line, tmp_path)
    assert (done.returncode, done.stderr) == (2, "ctbnlab: pipe: Broken pipe\n")


def test_closed_streams_do_not_lend_their_numbers_to_files(tmp_path):
    generate = "generate --nodes 3 --density 0.4 -o"
    assert shell(f"{COMMAND} {generate} a.json", tmp_path).returncode == 0
    done = shell(f"{COMMAND} {generate} b.json <&- >&- 2>&-", tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "b.json").read_bytes() == (tmp_path / "a.json").read_bytes()
    # The notes of this command have nowhere to go; its output is complete all the same.
    done = shell(f"{COMMAND} simulate a.json --duration 9 --seed 1 -o d.csv 2>&-", tmp_path)
    assert done.returncode == 0
    assert shell(f"{COMMAND} learn d.csv -o g.json 2>&- >&-", tmp_path).returncode == 0
    assert (tmp_path / "g.json").read_text().endswith("}\n")


def test_closed_standard_input(tmp_path):
    done = shell(f"{COMMAND} show - <&-", tmp_path)
    assert (done.returncode, done.stderr) == (2, "ctbnlab: standard input: is not open for reading\n")


def test_a_chain_of_commands(tmp_path):
    line = (
        f"{COMMAND} generate --nodes 3 --density 0.4 -o - > network.json;"
        f"{COMMAND} simulate <(cat network.json) --trajectories 50 --duration 20 --seed 1 --to csv -o -"
        f" | {COMMAND} convert - - --to arrow | {COMMAND} learn - -o - 2> /dev/null"
        f" | {COMMAND} compare <(cat network.json) - --json"
    )
    done = shell(line, tmp_path)
    assert done.returncode == 0 and '"f1"' in done.stdout, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["network.json"]


def test_output_follows_what_the_shell_wrote(tmp_path):
    line = f"(echo first; {COMMAND} gallery eating -o /dev/stdout; {COMMAND} gallery eating -o -) > out"
    assert shell(line, tmp_path).returncode == 0
    eating = shell(f"{COMMAND} gallery eating", tmp_path).stdout
    assert (tmp_path / "out").read_text() == f"first\n{eating}{eating}"


def test_a_terminal_says_that_it_is_read(tmp_path):
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "ctbnlab", "show", "-"]
    process = subprocess.Popen(
        command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    os.close(theirs)
    assert process.stderr is not None
    assert process.stderr.readline() == "Reading standard input from the terminal; end it with Ctrl-D\n"
    os.write(ours, b"time,A\n0,x\n1,y\n2,y\n\x04")
    out, err = process.communicate(timeout=60)
    os.close(ours)
    assert (process.returncode, err) == (0, "") and out.startswith("standard input\n1 variable, 1 trajectory")
