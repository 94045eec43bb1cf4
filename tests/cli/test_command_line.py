"""The command line itself: help in groups, options of all commands, and mistypes with a suggestion."""

from __future__ import annotations

import argparse
import json
import re

import pytest

import ctbnlab
from ctbnlab._version import __version__
from ctbnlab.cli.commands import COMMANDS, GROUPS
from ctbnlab.cli.main import main
from ctbnlab.cli.parser import build_parser, subparsers_of
from ctbnlab.learning import registry
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.option_texts import meaning


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a network, data and a graph."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    network = ctbnlab.generate(3, states=2, density=0.4, seed=1)
    network.write("network.json")
    ctbnlab.write(ctbnlab.simulate(network, trajectories=30, duration=20.0, seed=2), "data.csv")
    return tmp_path


def called(capsys, *arguments):
    """Return the exit status and the outputs of a call."""
    capsys.readouterr()
    try:
        status = main(arguments)
    except SystemExit as ending:
        status = int(ending.code or 0)
    return status, *capsys.readouterr()


# ---- Help ----


def test_help_lists_every_command_once_in_its_group(folder, capsys):
    status, out, err = called(capsys)
    assert (status, err) == (0, "")
    assert called(capsys, "help") == called(capsys, "--help") == called(capsys, "-h") == (0, out, "")
    assert all(len(line) < 80 for line in out.splitlines())
    sections = re.split(r"\n(?=\S.*:\n  )", out)
    for title, names in GROUPS.items():
        section = next(section for section in sections if section.startswith(f"{title}:"))
        assert tuple(line.split()[0] for line in section.splitlines()[1:] if line.strip()) == names


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(folder, capsys, command):
    assert called(capsys, "help", command) == called(capsys, command, "--help")


def test_version(capsys):
    assert called(capsys, "-V") == called(capsys, "--version") == (0, f"ctbnlab {__version__}\n", "")


# ---- Mistypes ----


@pytest.mark.parametrize(
    "line, error",
    [
        ("lern data.csv", "ctbnlab: unknown command 'lern'; did you mean 'learn'?"),
        ("xyz", "ctbnlab: unknown command 'xyz' (see"),
        ("help plto", "ctbnlab help: unknown command 'plto'; did you mean 'plot'?"),
        ("--learn", "ctbnlab: unknown option '--learn'; did you mean the command 'learn'?"),
        ("--versoin", "ctbnlab: unknown option '--versoin'; did you mean '--version'?"),
        ("learn --learer ctss", "ctbnlab learn: unknown option '--learer'; did you mean '--learner'?"),
        ("learn --learer=ctss", "ctbnlab learn: unknown option '--learer'; did you mean '--learner'?"),
        ("convert --form csv", "ctbnlab convert: unknown option '--form'; did you mean '--format'?"),
        ("-q learn -v", "ctbnlab learn: use either --quiet or --verbose, not both"),
        ("-q", "ctbnlab: the following arguments are required: COMMAND"),
        ("learn -x", "ctbnlab learn: unknown arguments: -x"),
    ],
)
def test_mistypes(folder, capsys, line, error):
    status, out, err = called(capsys, *line.split())
    assert (status, out) == (2, "")
    assert err.startswith(error) and err.count("\n") == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_no_option_can_be_abbreviated(folder, capsys, command):
    parser = subparsers_of(build_parser(command)).choices[command]
    known = set(parser._option_string_actions)
    for name in known:
        short = name[:-1]
        if name.startswith("--") and len(short) > 3 and short not in known:
            status, _, err = called(capsys, command, short)
            assert status == 2
            assert err.startswith(f"ctbnlab {command}: unknown option '{short}'; did you mean '--")


def test_a_value_may_look_like_an_unknown_option(folder, capsys):
    # After `--`, or with a space, a word is a value; a name may begin with dashes.
    status, _, err = called(capsys, "show", "--", "--network.json")
    assert (status, err) == (2, "ctbnlab: --network.json: No such file or directory\n")


# ---- Options that several commands share ----


def test_the_same_option_is_described_in_the_same_way():
    seen: dict[str, set[str]] = {}
    for parser in subparsers_of(build_parser()).choices.values():
        assert parser.allow_abbrev is False
        for action in parser._actions:
            for name in action.option_strings:
                seen.setdefault(name, set()).add(action.help or "")
    for name in ("--help", "--quiet", "--verbose", "--traceback", "--jobs", "--ties"):
        assert len(seen[name]) == 1, name
    assert all(re.match(r"random seed.* \(default: \d\)$", text) for text in seen["--seed"])


def test_every_seed_has_a_default(folder, capsys):
    for command, parser in subparsers_of(build_parser()).choices.items():
        for action in parser._actions:
            if "--seed" in action.option_strings:
                assert not action.required and action.metavar == "N", command
    line = "simulate network.json --duration 5 -o -  --to wide"
    assert called(capsys, *line.split()) == called(capsys, *line.split(), "--seed", "0")


def test_every_command_has_the_common_options_last():
    for parser in subparsers_of(build_parser()).choices.values():
        group = parser._action_groups[-1]
        assert [action.dest for action in group._group_actions] == ["quiet", "verbose", "traceback"]
        assert all(action.default is argparse.SUPPRESS for action in group._group_actions)


# ---- Quiet and verbose ----


@pytest.mark.parametrize("line", [["-q", "learn", "data.csv"], ["learn", "data.csv", "--quiet"]])
def test_quiet_prints_results_and_errors_only(folder, capsys, line):
    loud = called(capsys, "learn", "data.csv", "--learner", "ctpc-ks")
    assert "Learned" in loud[2]
    assert called(capsys, *line, "--learner", "ctpc-ks") == (0, loud[1], "")
    assert called(capsys, "learn", "none.csv", "-q") == (
        2,
        "",
        "ctbnlab: none.csv: No such file or directory\n",
    )
    assert "Learned" in called(capsys, "learn", "data.csv")[2]  # quiet was for one call


def test_quiet_reaches_a_learner_in_a_process_of_its_own(folder, ctbnlab):
    (folder / "mine.py").write_text(
        "from dataclasses import dataclass\nfrom ctbnlab import Ctss\n"
        "@dataclass(frozen=True)\nclass Mine(Ctss):\n    citation = 'none'\n"
    )
    done = ctbnlab("learn", "data.csv", "--learner", "mine.py:Mine", "-q")
    assert (done.returncode, done.stderr) == (0, "")
    assert "read data.csv" in ctbnlab("learn", "data.csv", "--learner", "mine.py:Mine", "-v").stderr


@pytest.mark.parametrize("line", [["-v", "learn", "data.csv"], ["learn", "data.csv", "--verbose"]])
def test_verbose_prints_what_is_read_chosen_and_written(folder, capsys, line):
    quiet = called(capsys, "learn", "data.csv", "-q")
    status, out, err = called(capsys, *line)
    assert (status, out) == quiet[:2]
    lines = [entry for entry in err.splitlines() if re.match(r" +\d+\.\d\d s  ", entry)]
    events = re.search(r"read data.csv \(csv\): variables 3, trajectories 30, events \d+; ", err)
    assert events is not None and len(lines) >= 4
    for text in (
        "learning with empirical-bayes: nodes 3, threads 1",
        "learned: nodes 3; ",
        "model checks: made ",
    ):
        assert text in err
    assert "wrote x.json" in called(capsys, *line, "-o", "x.json")[2]
    assert not re.search(r"^ +\d", called(capsys, "learn", "data.csv")[2], re.MULTILINE)


def test_verbose_names_the_engine_of_a_query(folder, capsys):
    line = ("query", "network.json", "--at", "1", "-v")
    assert "engine: exact, variables that matter 3, joint states up to 8" in called(capsys, *line)[2]
    assert "engine: simulation" in called(capsys, *line, "--engine", "simulation")[2]


# ---- Learned graphs ----


def test_learn_prints_the_graph_as_json(folder, capsys):
    status, out, err = called(capsys, "learn", "data.csv", "--json")
    assert status == 0 and "Learned" in err
    assert called(capsys, "learn", "data.csv", "-o", "learned.json")[0] == 0
    assert out == (folder / "learned.json").read_text()
    status, out, err = called(capsys, "learn", "data.csv", "--json", "-o", "x.json")
    assert (status, out) == (2, "") and not (folder / "x.json").exists()


def test_show_summarises_a_learned_graph(folder, capsys):
    called(capsys, "learn", "data.csv", "--learner", "ctpc-chi2", "--option", "alpha=0.05", "-o", "g.json")
    graph = LearnedGraph.read("g.json")
    _, out, _ = called(capsys, "show", "g.json")
    assert "learner: ctpc-chi2 with alpha=0.05\n" in out
    assert f"data: 30 trajectories, {graph.data['events']:,} events, total time 600\n" in out
    for source, target in graph.arcs:
        assert re.search(rf"^{source} -> {target} +p [≤<] ", out, re.MULTILINE)
    facts = json.loads(called(capsys, "show", "g.json", "--json")[1])
    assert facts["kind"] == "graph"
    assert {(row["from"], row["to"]) for row in facts["arcs"]} == {*graph.arcs}


def test_show_tells_parts_failures_and_warnings(folder, capsys):
    called(capsys, "learn", "data.csv", "--part", "1/2", "-o", "part.json")
    out = called(capsys, "show", "part.json")[1]
    assert "a part: 1 of 3 nodes; join the parts with `ctbnlab merge`" in out
    assert "The model was not checked." in out
    (folder / "skips.py").write_text(
        "from dataclasses import dataclass\nfrom ctbnlab import Skip\n"
        "@dataclass(frozen=True)\nclass Mine:\n    citation = 'none'\n"
        "    def learn_node(self, statistics, knowledge):\n        raise Skip('too many states')\n"
    )
    called(capsys, "learn", "data.csv", "--learner", "skips.py", "--record-failures", "-o", "skipped.json")
    assert "skipped: X1: too many states" in called(capsys, "show", "skipped.json")[1]
    rows = [f"{t},{step},{(t + step) % 2}" for t in range(20) for step in range(40)]
    (folder / "regular.csv").write_text("\n".join(["trajectory,time,A", *rows, ""]))
    called(capsys, "learn", "regular.csv", "-o", "regular.json")
    assert re.search(r"^warning: \w", called(capsys, "show", "regular.json")[1], re.MULTILINE)


# ---- The list of learners ----


def test_the_list_describes_every_option_at_80_columns(capsys):
    import dataclasses

    _, out, _ = called(capsys, "learn", "--list")
    assert all(len(line) < 80 for line in out.splitlines())
    for name in registry.LEARNERS:
        learner, preset = registry.learner_class(name)
        _, one, _ = called(capsys, "learn", "--list", name)
        assert one.partition("\n\n")[2] in out
        for field in dataclasses.fields(learner):
            assert meaning(learner, field), f"describe {field.name} in option_texts.py"
            assert (f"\n  {field.name}  (" in one) == (field.name not in preset)


def test_the_list_describes_a_learner_of_ones_own(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "from dataclasses import dataclass, field\n"
        "@dataclass(frozen=True)\nclass Mine:\n    citation = 'me'\n"
        "    level: float = field(default=0.5, metadata={'help': 'level of the test'})\n"
        "    size: int | None = None\n"
        "    def learn_node(self, statistics, knowledge): ...\n"
    )
    _, out, _ = called(capsys, "learn", "--list", "mine.py")
    assert "  level  (a number; default 0.5)\n      level of the test\n" in out
    assert "  size  (a whole number or none; default none)\n  Reference: me\n" in out
    status, _, err = called(capsys, "learn", "--list", "ctsss")
    assert (status, err) == (2, "ctbnlab: unknown learner 'ctsss'; did you mean 'ctss'?\n")
