"""Every file that a command reads is declared; it may be standard input or a pipe, and is named as given."""

from __future__ import annotations

import argparse
import os
import shutil
import threading
from pathlib import Path

import pytest

from ctbnlab.cli.commands import COMMANDS
from ctbnlab.cli.commands.arcs import FORMATS as ARC_FORMATS
from ctbnlab.cli.commands.plot import FORMATS
from ctbnlab.cli.data_options import KEYWORDS
from ctbnlab.cli.main import main
from ctbnlab.cli.parser import build_parser
from ctbnlab.cli.paths import Folder, Input, Learner, Output, PathArgument
from tests.support.command_files import INPUTS, OUTPUTS, TRIAL, arguments, piped_to, prepare

every_input = pytest.mark.parametrize("case", INPUTS)

# Arguments with a text that names no file; those with a number or with choices need no entry.
NO_FILES = {
    ("gallery", "name"),
    ("generate", "states"),
    ("simulate", "initial"),
    ("simulate", "to_format"),
    ("convert", "from_format"),
    ("convert", "to_format"),
    ("figures", "formats"),
    ("generate", "clock_cuts"),
    ("figures", "only"),
    ("help", "topic"),
    *((command, "seed") for command in ("generate", "simulate", "query")),
    *((command, "seed") for command in ("convert", "learn", "fit", "evaluate", "show")),
    *((command, "format") for command in ("learn", "bootstrap", "fit", "evaluate", "show", "report")),
    *(
        (command, name)
        for command in ("learn", "bootstrap", "fit", "evaluate", "show", "convert", "report")
        for name in KEYWORDS
        if name
        not in ("rules", "people", "missing", "unit", "decimal", "ties", "unchanged", "seed", "periods")
    ),
    *(
        ("report", name)
        for name in ("option", "require", "forbid", "max_fdr", "compare", "title", "memory", "page_seed")
    ),
    *(("learn", name) for name in ("list", "option", "require", "forbid", "nodes", "part")),
    *(("bootstrap", name) for name in ("option", "require", "forbid", "batch")),
    *(
        ("bootstrap", name) for name in ("replicates", "bootstrap_seed", "memory", "max_fdr")
    ),  # numbers with bounds
    *(("learn", name) for name in ("memory", "max_fdr", "time_limit", "job_memory", "job_time")),
    ("fit", "level"),
    *(
        ("query", name)
        for name in ("at", "expect", "until", "of", "quantiles", "start", "do", "observe", "level")
    ),
    ("learn", "external_command"),
    ("check-learner", "external_command"),
    ("check-learner", "option"),
}


def parsers() -> dict[str, argparse.ArgumentParser]:
    subparsers = next(a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    return dict(subparsers.choices)


def arguments_of(role: type) -> set[tuple[str, str]]:
    return {
        (command, action.dest)
        for command, parser in parsers().items()
        for action in parser._actions
        if isinstance(action.type, role)
    }


def test_every_argument_says_whether_it_names_a_file():
    assert set(parsers()) == set(COMMANDS)
    undeclared = {
        (command, action.dest)
        for command, parser in parsers().items()
        for action in parser._actions
        if action.nargs != 0 and action.choices is None and action.type not in (int, float)
        if not isinstance(action.type, PathArgument)
    }
    assert undeclared == NO_FILES, "give the argument a type of ctbnlab.cli.paths, or add it to NO_FILES"


def test_everything_called_file_is_declared():
    for command, parser in parsers().items():
        for action in parser._actions:
            if action.metavar in ("FILE", "FOLDER", "DATA", "GRAPH", "NETWORK", "CONFIG", "INPUT", "OUTPUT"):
                assert isinstance(action.type, PathArgument), (command, action.dest)
            if action.dest == "output":
                assert isinstance(action.type, Output | Folder), (command, action.dest)


def covered(calls, mark: str) -> set[tuple[str, str]]:
    """Return the arguments that have the value `mark` in some call."""
    found = set()
    for line, _ in calls.values():
        args = build_parser().parse_args(line.split())
        for name, value in vars(args).items():
            if value == mark or (isinstance(value, list) and mark in value):
                found.add((args.command, name))
    return found


def test_the_calls_cover_every_declared_argument():
    assert covered(OUTPUTS, "OUT") == arguments_of(Output)
    logs = {(command, name) for command, name in arguments_of(Input) if name in ("rules", "people")}
    assert covered(INPUTS, "IN") | logs == arguments_of(Input)  # tests of event logs use the others
    assert arguments_of(Learner) == {
        (command, "learner") for command in ("learn", "bootstrap", "check-learner", "report")
    }
    assert arguments_of(Folder) == {("tables", "output"), ("figures", "output"), ("report", "folder")}


def test_formats_are_those_of_the_library():
    from ctbnlab.presentation.style import FORMATS as PICTURE_FORMATS

    assert FORMATS == PICTURE_FORMATS
    assert set(ARC_FORMATS) == {"md", "html", "csv"}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared")
    before = Path.cwd()
    os.chdir(folder)
    try:
        prepare(folder)
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def folder(prepared, tmp_path, monkeypatch):
    """A folder with the files that the calls read, and one for temporary files that is empty in the end."""
    shutil.copytree(prepared, tmp_path / "files")
    (tmp_path / "temporary").mkdir()
    monkeypatch.chdir(tmp_path / "files")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    yield tmp_path / "files"
    assert not list((tmp_path / "temporary").iterdir())
    assert not list((tmp_path / "files").glob(".*"))


def printed(capfdbinary, words, name):
    """Run a call; return what it prints, without the name of its input."""
    assert main(words) == 0
    out = capfdbinary.readouterr().out
    # In a page, a name with a space is quoted as in a command, and a path is its last part.
    for written in (f"&#x27;{name}&#x27;", name, Path(name).name):
        out = out.replace(written.encode(), b"NAME")
    return out


@every_input
def test_standard_input(folder, capfdbinary, case):
    line, name = INPUTS[case]
    expected = printed(capfdbinary, arguments(line, IN=name), name)
    with piped_to(0, Path(name).read_bytes()):
        assert printed(capfdbinary, arguments(line, IN="-"), "standard input") == expected
    with piped_to(0, Path(name).read_bytes()):
        assert printed(capfdbinary, arguments(line, IN="/dev/stdin"), "/dev/stdin") == expected


@every_input
def test_redirected_files(folder, capfdbinary, case):
    line, name = INPUTS[case]
    expected = printed(capfdbinary, arguments(line, IN=name), name)
    before = os.dup(0)
    try:
        with Path(name).open("rb") as file:
            os.dup2(file.fileno(), 0)
        assert printed(capfdbinary, arguments(line, IN="-"), "standard input") == expected
        Path("longer").write_bytes(b"first\n" + Path(name).read_bytes())
        with Path("longer").open("rb") as file:
            os.dup2(file.fileno(), 0)
        os.lseek(0, 6, os.SEEK_SET)
        assert printed(capfdbinary, arguments(line, IN="-"), "standard input") == expected
    finally:
        os.dup2(before, 0)
        os.close(before)


@every_input
def test_pipes(folder, capfdbinary, case):
    line, name = INPUTS[case]
    expected = printed(capfdbinary, arguments(line, IN=name), name)
    os.mkfifo("the pipe")
    content = Path(name).read_bytes()
    writer = threading.Thread(target=lambda: Path("the pipe").write_bytes(content))
    writer.start()
    assert printed(
        capfdbinary, [("the pipe" if word == "IN" else word) for word in line.split()], "the pipe"
    ) == (expected)
    writer.join()


@every_input
def test_damaged_content_is_named_as_given(folder, capfd, case):
    line, name = INPUTS[case]
    damaged = [b"", b"\0\1\2", Path(name).read_bytes()[:-20] + b"\0"]
    # What `inspect` found in the first rows is worth printing even if reading fails further down.
    for content in damaged[:2] if case == "inspect" else damaged:
        with piped_to(0, content):
            assert main(arguments(line, IN="-")) == 2
        out, err = capfd.readouterr()
        assert out == "" and err.count("\n") == 1 and err.startswith("ctbnlab: standard input: "), err
        assert "ctbnlab-" not in err


@every_input
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.json", "No such file or directory"),
        ("folder", "is a folder; name a file to read"),
        ("/dev/zero", "is a device; name a file to read"),
        ("loop", "is a loop of symbolic links; name a file"),
        ("n" * 256, "File name too long"),
    ],
)
def test_what_cannot_be_read(folder, capsys, case, name, message):
    Path("folder").mkdir()
    Path("loop").symlink_to("loop")
    before = sorted(folder.rglob("*"))
    if name == "folder" and (INPUTS[case][1].startswith("data.") or case == "show network"):
        # Data may be a folder of tables; this one is empty.
        message = message.replace("is a folder;", "is a folder without .parquet or .csv files;")
    assert main(arguments(INPUTS[case][0], IN=name)) == 2
    assert capsys.readouterr() == ("", f"ctbnlab: {name}: {message}\n")
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    "line",
    [
        "compare - -",
        "compare - /dev/stdin",
        "merge part-1.json - - -o x.json",
        "fit - - -o x.json",
        "learn - --states -",
        "evaluate - graph.json data.arrow --timings - -o x.json",
        "compare pipe pipe",
    ],
)
def test_a_stream_is_read_once(folder, capsys, line):
    os.mkfifo("pipe")
    with piped_to(0, b"{}"):
        assert main(line.split()) == 2
    name = "pipe" if "pipe" in line else "standard input"
    assert capsys.readouterr() == ("", f"ctbnlab: {name}: can be read only once, but is given twice\n")


def test_two_pipes_are_two_inputs(folder, capfd):
    graph = Path("graph.json").read_bytes()
    Path("x.json").write_bytes(graph)
    with piped_to(0, Path("network.json").read_bytes()):
        os.mkfifo("pipe")
        writer = threading.Thread(target=lambda: Path("pipe").write_bytes(graph))
        writer.start()
        assert main(["compare", "-", "pipe"]) == 0
        writer.join()


def test_messages_that_name_two_files(folder, capsys):
    assert main(["gallery", "eating", "-o", "eating.json"]) == 0
    with piped_to(0, Path("eating.json").read_bytes()):
        assert main(["compare", "network.json", "-"]) == 2
    expected = "ctbnlab: network.json: lacks the variable 'Concentration', which standard input has\n"
    assert capsys.readouterr().err.partition("'")[0] == expected.partition("'")[0]


def test_json_text_is_no_file(folder, capsys):
    text = '{"experiment": "a", "data": {"path": "b.csv"}, "learners": {"ctss": {"algorithm": "ctss"}}}'
    assert main(["config", text]) == 0


def test_results_that_are_printed_into_an_input(folder, capfd):
    before = os.dup(1)
    try:
        with Path("data.csv").open("ab") as file:
            os.dup2(file.fileno(), 1)
        content = Path("data.csv").read_bytes()
        assert main(["show", "data.csv"]) == 2
    finally:
        os.dup2(before, 1)
        os.close(before)
    assert Path("data.csv").read_bytes() == content
    message = "ctbnlab: standard output: is also an input, data.csv; write to another file\n"
    assert capfd.readouterr().err == message


def test_collect_reads_only_once(folder, capsys):
    # The config may come from a pipe; the metrics are found through it.
    assert Path(TRIAL, "metrics.json").exists()
    with piped_to(0, Path("tiny.yaml").read_bytes()):
        assert main(["collect", "-", "-o", f"{TRIAL}/metrics.json"]) == 2
    assert "is also an input" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none", "No such file or directory"),
        ("loop", "is a loop of symbolic links; name a file"),
        ("empty", "is a folder without .parquet or .csv files; name a file to read"),
    ],
)
def test_what_is_nothing_to_report_on(folder, capsys, name, message):
    Path("loop").symlink_to("loop")
    Path("empty").mkdir()
    assert main(["report", name, "-o", "page.html"]) == 2
    assert capsys.readouterr() == ("", f"ctbnlab: {name}: {message}\n")
    assert not Path("page.html").exists()


def test_a_report_never_replaces_what_it_is_made_from(folder, capsys):
    for name in ("config.json", "ctss/graph.json", "environment.json"):
        before = Path(f"reported/{name}").read_bytes()
        assert main(["report", "reported", "-o", f"reported/{name}"]) == 2
        assert capsys.readouterr().err.startswith(f"ctbnlab: reported/{name}: ")
        assert Path(f"reported/{name}").read_bytes() == before
