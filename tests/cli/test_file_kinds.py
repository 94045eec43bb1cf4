"""A file of a wrong kind is named for what it is, and no good file is refused."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys

import pytest

import ctbnlab
from ctbnlab.cli.file_kinds import kind_of
from ctbnlab.cli.main import main
from tests.support import command_files


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a file of every kind that the commands write."""
    folder = tmp_path_factory.mktemp("kinds")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        command_files.prepare(folder)
        ctbnlab.write(ctbnlab.read("data.arrow"), folder / "pyctbn.json")
        for line in (
            "plot network.json -o graph.svg",
            "plot network.json -o graph.png",
            "plot network.json -o graph.pdf",
            "report data.arrow -o page.html",
            "simulate network.json --duration 5 --on-demand -o recorded.arrow",
            "fit graph.json data.arrow -o f.json --rates rates.parquet",
            "fit graph.json data.arrow -o f.json --rates rates.json",
        ):
            assert main(line.split()) == 0
        (folder / "network.json.gz").write_bytes(gzip.compress((folder / "network.json").read_bytes()))
        (folder / "bom.json").write_bytes(b"\xef\xbb\xbf\n" + (folder / "network.json").read_bytes())
    return folder


@pytest.mark.parametrize(
    "name, kind",
    [
        ("network.json", "a network"),
        ("network.json.gz", "a network"),
        ("bom.json", "a network"),
        ("fitted.json", "a network"),
        ("graph.json", "a learned graph"),
        ("part-1.json", "a learned graph"),
        ("bootstrap.json", "a bootstrap"),
        ("data.arrow", "trajectories"),
        ("data.parquet", "trajectories"),
        ("recorded.arrow", "trajectories"),
        ("rates.parquet", "a table of rates"),
        ("rates.json", "a table of rates"),
        ("metrics.parquet", "a table of metrics"),
        (f"{command_files.TRIAL}/metrics.json", "the metrics of one graph"),
        ("timings.json", "a file of timings"),
        ("reported/config.json", "a workflow config"),
        ("tiny.yaml", "a workflow config"),
        ("mine.py", "a Python file"),
        ("graph.svg", "an SVG picture"),
        ("graph.png", "a PNG picture"),
        ("graph.pdf", "a PDF document"),
        ("page.html", "a web page"),
        ("data.csv", "a CSV table"),
        # What only a reader can tell.
        ("states.json", None),
        ("pyctbn.json", None),
    ],
)
def test_kinds(folder, name, kind):
    assert kind_of(folder / name) == kind


WRONG = [
    ("simulate data.csv --duration 1 -o x.csv", "data.csv: is a CSV table, not a network; `ctbnlab learn`"),
    ("learn network.json", "network.json: is a network, not trajectories; `ctbnlab simulate` makes some"),
    ("learn metrics.parquet", "metrics.parquet: is a table of metrics, not trajectories; `ctbnlab tables`"),
    ("report graph.png -o x.html", "graph.png: is a PNG picture, not trajectories"),
    ("convert page.html x.csv", "page.html: is a web page, not trajectories"),
    ("inspect tiny.yaml", "tiny.yaml: is a workflow config, not trajectories"),
    ("simulate data.arrow --duration 1 -o x.csv", "data.arrow: holds trajectories, not a network; `ctbnlab"),
    (
        "simulate graph.json --duration 1 -o x.csv",
        "graph.json: is a learned graph, not a network; `ctbnlab fit`",
    ),
    ("query graph.json --at 1", "graph.json: is a learned graph, not a network"),
    (
        "query network.json --at 1 --posterior data.parquet",
        "data.parquet: holds trajectories, not a table of",
    ),
    (
        "compare network.json bootstrap.json",
        "bootstrap.json: is a bootstrap, not a network or a learned graph",
    ),
    (
        "plot rates.parquet -o x.svg",
        "rates.parquet: is a table of rates, not a network, a learned graph or a",
    ),
    (
        "fit data.arrow graph.json -o x.json",
        "data.arrow: holds trajectories, not a learned graph or a network",
    ),
    ("merge network.json -o x.json", "network.json: is a network, not a learned graph"),
    ("arcs timings.json", "timings.json: is a file of timings, not a learned graph"),
    ("bootstrap --merge graph.json", "graph.json: is a learned graph, not a bootstrap"),
    ("tables graph.json -o tables", "graph.json: is a learned graph, not a table of metrics"),
    ("show metrics.parquet", "metrics.parquet: is a table of metrics, not trajectories, a network or a"),
    ("config network.json", "network.json: is a network, not a workflow config"),
    (
        "learn data.csv --states graph.json",
        "graph.json: is a learned graph, not declared states or a network",
    ),
    ("learn data.csv --people network.json", "network.json: is a network, not a table"),
    ("evaluate network.json graph.json data.csv --timings graph.json -o x.json", "graph.json: is a learned"),
]


@pytest.mark.parametrize("line, error", WRONG)
def test_a_wrong_file_is_named(folder, monkeypatch, capfd, line, error):
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    assert main(line.split()) == 2
    out, err = capfd.readouterr()
    assert out == "" and err.startswith(f"ctbnlab: {error}") and err.count("\n") == 1
    assert sorted(folder.iterdir()) == before


def test_a_wrong_file_is_named_on_standard_input(folder):
    command = [sys.executable, "-m", "ctbnlab", "learn", "-"]
    content = (folder / "network.json").read_text()
    done = subprocess.run(command, input=content, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ctbnlab: standard input: is a network, not trajectories")


def test_states_may_be_called_like_members_of_other_files(folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    (folder / "few.csv").write_text("trajectory,time,learners\n1,0,a\n1,1,b\n1,2,b\n")
    (folder / "named.json").write_text(json.dumps({"learners": ["a", "b", "c"]}))
    assert main(["show", "few.csv", "--states", "named.json"]) == 0
