"""Completion: what may come next, and the scripts in real shells, each in its own terminal."""

from __future__ import annotations

import argparse
import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ctbnlab.cli.commands import COMMANDS
from ctbnlab.cli.completing import candidates, lines
from ctbnlab.cli.main import main
from ctbnlab.cli.parser import build_parser, subparsers_of
from ctbnlab.cli.paths import Folder, PathArgument
from ctbnlab.learning import registry
from ctbnlab.model import gallery


def names(*words: str) -> list[str]:
    return [name for name, _ in candidates(words[:-1], words[-1])]


def test_commands_and_options_of_all_commands():
    assert names("") == names("-q", "") == list(COMMANDS)
    assert names("lea") == ["learn"]
    assert names("--v") == ["--version", "--verbose"]
    assert names("lern", "") == []
    assert names("help", "comp") == ["compare", "completion"]


def test_values():
    assert names("learn", "--learner", "") == [*registry.LEARNERS, ":files"]
    assert names("learn", "--list", "ct")[:-1] == ["ctpc-chi2", "ctpc-ks", "ctss"]
    assert names("gallery", "") == list(gallery.names())
    assert names("learn", "d.csv", "--ties", "") == ["together", "order", "jitter", "error"]
    assert names("convert", "a", "b", "--to", "w") == ["wide"]
    assert names("learn", "d.csv", "--layout", "start") == ["start-stop"]
    assert names("fit", "g", "d", "--initial", "s") == ["smoothed", ":files"]
    assert names("simulate", "n.json", "--duration", "") == []
    assert names("completion", "") == ["bash", "zsh", "fish"]


def test_options_of_the_learner_that_is_named():
    assert "max_fdr=" in names("learn", "--option", "")
    assert names("learn", "--learner", "ctss", "--option", "ta") == ["tau=", "tabu="]
    assert names("learn", "--learner=ctpc-ks", "--option", "st") == ["stable="]
    assert names("learn", "--learner", "mine.py", "--option", "") == []


def test_an_option_that_was_given_is_not_offered_again():
    assert "--jobs" not in names("learn", "--jobs", "2", "--")
    assert {"--forbid", "--option"} <= {*names("learn", "--forbid", "A->B", "--option", "x=1", "--")}


def test_bash_cuts_words_at_equals_signs():
    whole = lines(["learn", "--learner=ct"])
    assert whole == lines(["learn", "--learner", "=", "ct"])
    assert lines(["learn", "--learner", "="]) == lines(["learn", "--learner="])


def test_every_argument_that_names_a_file_completes_files():
    for command, parser in subparsers_of(build_parser()).choices.items():
        before: list[str] = [command]
        for action in parser._actions:
            if isinstance(action, argparse._HelpAction):
                continue
            words = [*before, max(action.option_strings, key=len)] if action.option_strings else before
            wanted = ":folders" if isinstance(action.type, Folder) else ":files"
            if isinstance(action.type, PathArgument):
                assert wanted in names(*words, ""), (command, action.dest)
            elif action.nargs != 0:
                is_learners = action.dest in ("list", "compare")  # which may be files, too
                assert is_learners or {":files", ":folders"}.isdisjoint(names(*words, ""))
            if not action.option_strings:
                before = [*before, "x"]


def test_nothing_is_printed_if_nothing_fits(capsys):
    assert main(["__complete", "nothing", ""]) == 0
    assert capsys.readouterr().out.strip() == ""


# ---- Real shells ----

# Each types a line with tabs; `ctbnlab` then leaves what it was called with.
LINES = {
    "a command": ("ctbnlab gallery ea\t-o made.json", "made.json", '"Eating"'),
    "a file": ("ctbnlab convert data.c\tout.csv", "out.csv", "A"),
    "a file with a space": ("ctbnlab convert my\\ da\tspaced.csv", "spaced.csv", "A"),
    "a learner": ("ctbnlab learn data.csv --learner emp\t-o learned.json", "learned.json", "empirical-bayes"),
    "an option": ("ctbnlab learn data.csv --outp\tlearned.json", "learned.json", "empirical-bayes"),
    "after an equals sign": (
        "ctbnlab learn data.csv --learner=cts\t-o learned.json",
        "learned.json",
        '"ctss"',
    ),
}
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], 'eval "$(ctbnlab completion bash)"'),
    "zsh": (["zsh", "-f", "-i"], 'eval "$(ctbnlab completion zsh)"'),
    "fish": (["fish", "--no-config", "-i"], "ctbnlab completion fish | source"),
}


def typed(shell: str, line: str, folder: Path) -> str:
    """Type a line with tabs into an interactive shell; return what the terminal shows."""
    command, setup = SHELLS[shell]
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        variables = {"PATH": path, "HOME": str(folder), "TERM": "vt100", "PS1": "> ", "LC_ALL": "C.UTF-8"}
        os.execvpe(command[0], command, variables)
    screen = b""

    def read(until: float) -> None:
        nonlocal screen
        quiet = 0.0
        began = time.monotonic()
        while time.monotonic() - began < until and quiet < 1.5:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    screen += os.read(terminal, 4096)
                except OSError:
                    return
                quiet = 0.0
            else:
                quiet += 0.1

    try:
        read(5)
        for text in (f"{setup}\n", *(part for part in line.replace("\t", "\t\0").split("\0") if part)):
            os.write(terminal, text.encode())
            read(20)
        os.write(terminal, b"\nexit\n")
        read(20)
    finally:
        os.close(terminal)
        os.waitpid(child, 0)
    return screen.decode(errors="replace")


@pytest.mark.parametrize("what", LINES)
@pytest.mark.parametrize("shell", SHELLS)
def test_in_a_real_shell(shell, what, tmp_path):
    if shutil.which(shell) is None:
        assert "CTBNLAB_SHELLS" not in os.environ, f"{shell} is not installed"
        pytest.skip(f"{shell} is not installed")
    data = "trajectory,time,A,B\n1,0,x,u\n1,1,y,u\n1,2,y,v\n1,3,y,v\n"
    for name in ("data.csv", "my data.csv"):
        (tmp_path / name).write_text(data)
    line, made, content = LINES[what]
    screen = typed(shell, line, tmp_path)
    assert (tmp_path / made).is_file(), screen
    assert content in (tmp_path / made).read_text(), screen


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_have_no_fault_that_the_shell_itself_finds(shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "ctbnlab", "completion", shell], capture_output=True, text=True, check=True
    )
    checked = subprocess.run([shell, "-n"], input=done.stdout, capture_output=True, text=True)
    assert (checked.returncode, checked.stderr) == (0, "")
