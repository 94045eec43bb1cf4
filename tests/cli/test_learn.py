"""The commands from data to an evaluated graph, as a user calls them."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import numpy as np
import pytest

from ctbnlab.cli.main import main
from ctbnlab.learning.registry import LEARNERS


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A network of ten nodes, its data, and the graph that CTSS learns."""
    folder = tmp_path_factory.mktemp("commands")
    commands = [
        "generate --nodes 10 --states 2,3 --density 0.15 --seed 4 -o network.json",
        "simulate network.json --trajectories 30 --duration 30 --seed 1 -o data.arrow",
        "learn data.arrow --learner ctss -o graph.json --timings timings.json",
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in commands:
            assert main(command.split()) == 0, command
    return folder


@pytest.fixture(autouse=True)
def _in_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("parts", [1, 3, 10])
def test_any_packing_gives_the_same_bytes(folder, learner, parts):
    """Effects are measured on whole graphs only; on a merged graph they are the same."""
    assert main(["learn", "data.arrow", "--learner", learner, "-o", "whole.json"]) == 0
    names = [f"part-{k}.json" for k in range(1, parts + 1)]
    for k, name in enumerate(names, 1):
        options = ["--part", f"{k}/{parts}", "--jobs", str(1 + k % 2)]
        assert main(["learn", "data.arrow", "--learner", learner, *options, "-o", name]) == 0
    assert main(["merge", *reversed(names), "--data", "data.arrow", "-o", "merged.json"]) == 0
    assert (folder / "merged.json").read_bytes() == (folder / "whole.json").read_bytes()


def test_the_model_is_checked_unless_only_a_part_is_learned(folder, capsys):
    assert main(["learn", "data.arrow", "-o", "whole.json"]) == 0
    assert "warning" not in capsys.readouterr().err
    checks = json.loads((folder / "whole.json").read_text())["checks"]
    assert {check["name"] for check in checks} >= {"waiting times", "time since entry", "trajectories"}
    for options in ("--no-checks", "--part 1/1", "--nodes X03"):
        assert main(["learn", "data.arrow", *options.split(), "-o", "some.json"]) == 0
        assert "checks" not in json.loads((folder / "some.json").read_text())


@pytest.fixture(scope="module")
def gamma(folder):
    """Data of a variable whose waiting times are too regular."""
    rng = np.random.default_rng(1)
    rows = ["id,time,A,B"]
    for t in range(20):
        times = np.cumsum(rng.gamma(4, 1 / 4, 60))
        rows += [f"{t},{time:.12g},{k % 2},{t % 2}" for k, time in enumerate([0.0, *times])]
    (folder / "gamma.csv").write_text("\n".join(rows) + "\n")
    return "gamma.csv"


def test_warnings_are_one_line_and_an_error_if_strict(folder, gamma, capsys):
    assert main(["learn", gamma, "-o", "gamma.json"]) == 0
    warnings = [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning: ")]
    assert [line.partition(":")[2].partition(":")[0].strip() for line in warnings] == [
        "waiting times vary less than the model says",
        "too few events to learn from",
    ]
    assert warnings[0].endswith("; try --clock own")
    assert main(["learn", gamma, "--strict", "-o", "strict.json"]) == 2
    assert "ctbnlab: the model does not hold: 2 warnings (--strict)" in capsys.readouterr().err
    assert not (folder / "strict.json").exists()
    assert main(["learn", gamma, "--clock", "own", "--static", "B", "--strict", "-o", "strict.json"]) == 0


def test_robust_learning_takes_in_clocks(folder, gamma, capsys):
    assert main(["learn", gamma, "--robust", "--static", "B", "-o", "robust.json"]) == 0
    error = capsys.readouterr().err
    assert "robust: learned again with a clock of the time since each variable's last change" in error
    assert "warning" not in error
    graph = json.loads((folder / "robust.json").read_text())
    assert graph["data"]["adjusted_for"] == ["own"]
    assert main(["merge", "robust.json", "--data", gamma, "-o", "merged.json"]) == 0
    assert (folder / "merged.json").read_bytes() == (folder / "robust.json").read_bytes()


def test_learning_prints_arcs_and_evidence(capsys):
    assert main(["learn", "data.arrow", "--learner", "ctss", "--nodes", "X03,X05"]) == 0
    output = capsys.readouterr()
    assert all(line.split()[1] == "->" and "score gain" in line for line in output.out.splitlines())
    assert "2 of 10 variables" in output.err


def test_timings_are_a_separate_file(folder):
    timings = json.loads((folder / "timings.json").read_text())
    assert len(timings["nodes"]) == 10
    assert timings["cpu_seconds"] == pytest.approx(sum(timings["nodes"].values()))


def test_compare_fit_and_arcs(folder, capsys):
    assert main(["compare", "network.json", "graph.json", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["f1"] > 0.8
    assert len(found["nodes"]) == 10
    assert main(["compare", "network.json", "network.json", "--per-node"]) == 0
    text = capsys.readouterr().out
    assert "F1          1.0000" in text
    assert "missed      none" in text
    assert main(["fit", "graph.json", "data.arrow", "-o", "fitted.json"]) == 0
    assert main(["compare", "fitted.json", "graph.json"]) == 0
    assert "SHD         0" in capsys.readouterr().out
    assert main(["arcs", "graph.json", "graph.json", "-o", "arcs.csv", "arcs.md", "arcs.html"]) == 0
    n_arcs = sum(len(node["parents"]) for node in json.loads((folder / "graph.json").read_text())["nodes"])
    assert (folder / "arcs.md").read_text().count("2 of 2") == n_arcs
    assert (folder / "arcs.html").read_text().count("<tr>") == n_arcs + 1
    assert (folder / "arcs.csv").read_text().count("\n") == 1 + 2 * 90


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["learn"], "no data file given"),
        (["learn", "data.arrow", "--learner", "ctxs"], "unknown learner 'ctxs'; did you mean 'ctss'?"),
        (["learn", "data.arrow", "--learner", "ctss", "--option", "tua=1"], "did you mean 'tau'?"),
        (["learn", "data.arrow", "--learner", "ctss", "--option", "tau=x"], "must be a number, not 'x'"),
        (["learn", "data.arrow", "--option", "alpha"], "must be NAME=VALUE"),
        (["learn", "data.arrow", "--learner", "ctpc-ks", "--option", "alpha=7"], "alpha"),
        (["learn", "data.arrow", "--require", "X01"], "write an arc as A->B"),
        (["learn", "data.arrow", "--require", "X01->Y"], "unknown variable 'Y'"),
        (
            ["learn", "data.arrow", "--require", "X01->X02", "--forbid", "*->X02"],
            "both required and forbidden",
        ),
        (["learn", "data.arrow", "--nodes", "X99"], "unknown variable 'X99'"),
        (["learn", "data.arrow", "--part", "4/3"], "--part must be K/N"),
        (["learn", "data.arrow", "--jobs", "0"], "must be from 1 to 1,024"),
        (
            ["learn", "data.arrow", "--trajectories", "99"],
            "data.arrow: has 30 trajectories, fewer than --trajectories 99",
        ),
        (["learn", "data.arrow", "-o", "none/x.json"], "does not exist"),
        (["learn", "network.json"], "network.json"),
        (["learn", "none.csv"], "none.csv: No such file or directory"),
        (["learn", "data.arrow", "--time-limit", "5"], "require -o FILE"),
        (["merge", "part.json", "-o", "x.json"], "part.json: No such file"),
        (
            ["compare", "network.json", "data.arrow"],
            "data.arrow: holds trajectories, not a network or a learned graph",
        ),
        (["fit", "graph.json", "graph.json", "-o", "x.json"], "graph.json"),
    ],
)
def test_bad_calls_are_one_clear_line(folder, capsys, arguments, message):
    before = sorted(folder.iterdir())
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert message in output.err
    assert len(output.err.splitlines()) == 1
    assert sorted(folder.iterdir()) == before


def test_parts_must_belong_together(folder, capsys):
    assert main(["learn", "data.arrow", "--part", "1/2", "-o", "one.json"]) == 0
    assert main(["learn", "data.arrow", "--learner", "ctss", "--part", "2/2", "-o", "two.json"]) == 0
    for parts, message in (
        (["one.json", "two.json"], "different data or learners"),
        (["one.json", "one.json"], "is in two parts"),
        (["one.json"], "no part contains X"),
    ):
        capsys.readouterr()
        assert main(["merge", *parts, "-o", "x.json"]) == 2
        assert message in capsys.readouterr().err


def test_a_learner_s_failure_is_reported_or_recorded(folder, capfd, tmp_path):
    faulty = tmp_path / "faulty.py"
    faulty.write_text(
        "from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Faulty:\n"
        "    def learn_node(self, statistics, knowledge):\n        raise KeyError('gone')\n"
    )
    call = ["learn", "data.arrow", "--learner", str(faulty), "--nodes", "X01", "-o", str(tmp_path / "x.json")]
    assert main(call) == 1
    assert "X01: KeyError: 'gone'" in capfd.readouterr().err
    assert not (tmp_path / "x.json").exists()
    assert main([*call, "--record-failures"]) == 0
    content = json.loads((tmp_path / "x.json").read_text())
    assert content["failures"] == [{"name": "X01", "status": "failed", "reason": "X01: KeyError: 'gone'"}]


def killing(folder, number):
    """Write a learner that is killed by a signal; return its path."""
    path = folder / "killed.py"
    path.write_text(
        "import os\nfrom dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Killed:\n"
        f"    def learn_node(self, statistics, knowledge):\n        os.kill(os.getpid(), {int(number)})\n"
    )
    return path


OUTSIDE = [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGXCPU]
CRASHES = [signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT]


@pytest.mark.parametrize("number", OUTSIDE, ids=lambda number: number.name)
@pytest.mark.parametrize("options", [[], ["--record-failures"], ["--record-failures", "--time-limit", "60"]])
def test_a_local_kill_from_outside_is_not_recorded(ctbnlab, folder, tmp_path, number, options):
    call = ["learn", folder / "data.arrow", "--learner", killing(tmp_path, number), *options]
    done = ctbnlab(*call, "-o", "x.json", "--timings", "times.json")
    assert done.returncode == 75
    assert done.stderr == (
        f"ctbnlab: learning was killed by {number.name}; nothing was recorded: run the same command again, "
        "with fewer cores if memory ran out\n"
    )
    assert {path.name for path in tmp_path.iterdir()} <= {"killed.py", "__pycache__"}


@pytest.mark.parametrize("number", CRASHES, ids=lambda number: number.name)
def test_a_crash_is_recorded(ctbnlab, folder, tmp_path, number):
    call = ["learn", folder / "data.arrow", "--learner", killing(tmp_path, number), "-o", "x.json"]
    done = ctbnlab(*call)
    assert (done.returncode, done.stderr) == (1, f"ctbnlab: learning failed: killed by {number.name}\n")
    assert ctbnlab(*call, "--record-failures", "--timings", "times.json").returncode == 0
    failures = json.loads((tmp_path / "x.json").read_text())["failures"]
    assert len(failures) == 10
    assert {(f["status"], f["reason"]) for f in failures} == {("failed", f"killed by {number.name}")}
    assert json.loads((tmp_path / "times.json").read_text())["cpu_seconds"] is None


@pytest.mark.parametrize(
    ("number", "options", "status"),
    [
        (signal.SIGKILL, [], 75),
        (signal.SIGKILL, ["--last-attempt"], 0),
        (signal.SIGTERM, [], 0),
        (signal.SIGSEGV, [], 0),
    ],
)
def test_a_kill_in_a_cluster_s_job(ctbnlab, folder, tmp_path, number, options, status):
    """SIGKILL is most likely the cluster's, for too much memory: retried with more, recorded in the end."""
    call = ["learn", folder / "data.arrow", "--learner", killing(tmp_path, number), "--record-failures"]
    done = ctbnlab(*call, "--job-memory", 5000, "--job-time", 600, *options, "-o", "x.json")
    assert done.returncode == status
    assert done.stderr == f"ctbnlab: learning failed: killed by {number.name}\n"
    assert (tmp_path / "x.json").exists() == (status == 0)


def test_plugins_from_files(capfd):
    root = Path(__file__).resolve().parents[2]
    assert main(["check-learner", str(root / "examples/bivariate_learner.py")]) == 0
    assert "All checks passed" in capfd.readouterr().out
    option = f"test={root / 'examples/likelihood_ratio_test.py'}"
    assert (
        main(["learn", "data.arrow", "--learner", "ctpc-chi2", "--option", option, "-o", "ratio.json"]) == 0
    )
    capfd.readouterr()
    assert main(["compare", "network.json", "ratio.json", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["f1"] > 0.8


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x = 1", "has 0 classes with a method learn_node"),
        ("class A:\n    def learn_node(self): ...", "must be a dataclass"),
        ("1 / 0", "cannot be loaded (ZeroDivisionError: division by zero)"),
        ("class A:\n    learn_node = 1\nclass B(A): ...", "name one as"),
    ],
)
def test_a_bad_learner_file_is_named(tmp_path, capfd, content, message):
    (tmp_path / "mine.py").write_text(content)
    assert main(["learn", "data.arrow", "--learner", str(tmp_path / "mine.py")]) == 2
    error = capfd.readouterr().err
    assert "mine.py: " in error
    assert message in error
