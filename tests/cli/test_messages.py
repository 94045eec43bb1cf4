"""Everything that the command prints, in one file for readers: messages.txt.

The file has the help of every command, the output of every command on a small example, and the errors
of typical mistakes. This test compares; to accept a change, run

    CTBNLAB_UPDATE_SNAPSHOTS=1 pytest tests/cli/test_messages.py

and read the difference. argparse formats help differently in each version of Python, so the comparison runs
only on the version in the first line of the file.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ctbnlab._version import __version__
from ctbnlab.cli.commands import COMMANDS
from ctbnlab.cli.main import main
from ctbnlab.evaluation.results_table import write_metrics
from tests.cli.bad_input_cases import CASES, OPTIONS, prepare, prepare_options
from tests.cli.message_cases import ABBREVIATIONS, ERRORS, EXAMPLES, FILES, FOLDERS
from tests.support.synthetic_metrics import row

SNAPSHOT = Path(__file__).with_name("messages.txt")
UPDATE = "CTBNLAB_UPDATE_SNAPSHOTS"
PYTHON = f"Python {sys.version_info.major}.{sys.version_info.minor}"
HEADER = """\
All messages of ctbnlab, with {python}; tests/cli/test_messages.py compares and updates this file.
Lines that begin with "! " go to stderr. Times, versions and long outputs are shortened.
"""


class Stream(io.TextIOBase):
    """Collects the text written to one stream, in the order of all streams that share `pieces`."""

    def __init__(self, pieces: list[tuple[str, str]], mark: str):
        self.pieces, self.mark = pieces, mark

    def write(self, text: str) -> int:
        self.pieces.append((self.mark, text))
        return len(text)


def called(arguments: list[str]) -> tuple[int, list[tuple[str, str]]]:
    """Return the exit status of a command, and what it wrote to which stream."""
    pieces: list[tuple[str, str]] = []
    with (
        contextlib.redirect_stdout(Stream(pieces, "  ")),
        contextlib.redirect_stderr(Stream(pieces, "! ")),
    ):
        try:
            status = main(arguments)
        except SystemExit as ending:
            status = int(ending.code or 0)
    return status, pieces


def called_apart(arguments: list[str]) -> tuple[int, list[tuple[str, str]]]:
    """Call a command in a process: what a supervised learner prints comes from a child process."""
    done = subprocess.run(
        [sys.executable, "-m", "ctbnlab", *arguments], capture_output=True, text=True, check=False
    )
    return done.returncode, [("  ", done.stdout), ("! ", done.stderr)]


def transcript(command: str) -> str:
    """Return a command line and what it prints; `# n lines` at its end keeps the first n lines only."""
    line, _, limit = command.partition("  # ")
    arguments = shlex.split(line)
    supervised = any(
        argument in ("--record-failures", "--command") or ".py" in argument for argument in arguments
    )
    status, pieces = (called_apart if supervised else called)(arguments)
    lines: list[str] = []
    for mark in dict.fromkeys(mark for mark, _ in pieces):
        text = "".join(text for other, text in pieces if other == mark)
        lines += [(mark + part).rstrip() for part in text.splitlines()]
    if limit:
        kept = int(limit.split()[0])
        lines = [*lines[:kept], "  […]"] if len(lines) > kept else lines
    if status:
        lines.append(f"[exit status {status}]")
    return normalised("\n".join([f"$ ctbnlab {line}".rstrip(), *lines, ""]))


def error(command: str) -> str:
    """Return a command line and its one-line error."""
    text = transcript(command)
    lines = text.splitlines()
    assert len(lines) == 3 and lines[1].startswith("! ctbnlab") and lines[2] == "[exit status 2]", text
    return f"{lines[0]}\n{lines[1]}\n"


def normalised(text: str) -> str:
    text = re.sub(r"\bin [\d.,e-]+ s$", "in 0.01 s", text, flags=re.MULTILINE)
    for path, short in ABBREVIATIONS.items():
        text = text.replace(path, short)
    return text.replace(f"ctbnlab {__version__}", "ctbnlab VERSION")


def title(text: str) -> str:
    return f"\n{'=' * 100}\n{text}\n{'=' * 100}\n"


def helps() -> list[str]:
    return [title("Help"), transcript("--help"), *(transcript(f"{name} --help") for name in COMMANDS)]


def examples(folder: Path) -> list[str]:
    os.chdir(folder)
    write_metrics([row(learner="ctss"), row(learner="ctpc-chi2")], "metrics.parquet")
    return [title("Output on a small example"), *map(transcript, EXAMPLES)]


def errors(folder: Path) -> list[str]:
    os.chdir(folder)
    return [title("Errors on the command line"), *map(error, ERRORS)]


def bad_options(folder: Path) -> list[str]:
    os.chdir(folder)
    prepare_options(folder)
    return [
        title("Errors of `ctbnlab convert`"),
        *(error(shlex.join(["convert", *arguments])) for arguments, _ in OPTIONS.values()),
    ]


def bad_data(folder: Path) -> list[str]:
    parts = [title("Errors in data files (tests/cli/test_bad_input.py has the files)")]
    for number, (case, (name, content, options, _)) in enumerate(CASES.items()):
        (folder / str(number)).mkdir()
        prepare(folder / str(number), name, content)
        os.chdir(folder / str(number))
        text = error(shlex.join(["convert", name, "out.arrow", *options])).splitlines()[1]
        parts.append(f"# {case}\n{text}\n")
    return parts


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that the commands read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    for name in (*FOLDERS, "convert", "data"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def test_messages(folder):
    """Compare all messages with the snapshot."""
    expected = SNAPSHOT.read_text(encoding="utf-8") if SNAPSHOT.exists() else ""
    update = bool(os.environ.get(UPDATE))
    if not update and f"with {PYTHON};" not in expected.partition("\n")[0]:
        pytest.skip(f"messages.txt is not of {PYTHON}: argparse formats help differently there")
    parts = [HEADER.format(python=PYTHON), *helps(), *examples(folder), *errors(folder)]
    parts += [*bad_options(folder / "convert"), *bad_data(folder / "data")]
    found = "\n".join(parts)
    if update:
        SNAPSHOT.write_text(found, encoding="utf-8")
        return
    difference = difflib.unified_diff(expected.splitlines(), found.splitlines(), "messages.txt", "now", n=1)
    assert found == expected, f"set {UPDATE}=1 to accept:\n" + "\n".join(difference)


def test_the_default_learner_is_named_in_the_help(folder):
    from ctbnlab.learning.registry import DEFAULT

    assert f"(default: {DEFAULT})" in " ".join(transcript("learn --help").split())
