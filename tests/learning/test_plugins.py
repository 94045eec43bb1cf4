"""Learners from outside: found by file or entry point; whatever they do, one line or one row reports it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from ctbnlab.cli.main import main
from ctbnlab.errors import InputError
from ctbnlab.learning import registry
from ctbnlab.learning.plugins import GROUP, LoadError, rehearse
from ctbnlab.workflow.plan import load_plan
from tests.learning.plugin_cases import FAILURES, SUCCESSES

MODULE = '''
from dataclasses import dataclass

from ctbnlab import Evidence, NodeResult


@dataclass(frozen=True)
class NoParents:
    """Finds no parents."""

    patience: int = 1
    citation = "none"

    def learn_node(self, statistics, knowledge):
        evidence = tuple(Evidence(j, False, "no-parents") for j in statistics.candidates)
        return NodeResult(statistics.target, (), evidence)


class Plain:
    def learn_node(self, statistics, knowledge):
        pass
'''
ENTRIES = {
    "no-parents": "some_package:NoParents",
    "plain": "some_package:Plain",
    "absent": "some_package:Absent",
    "text": "some_package:__name__",
    "ctss": "some_package:NoParents",
    "exits": "exiting_package:Any",
    "ends": "ending_package:Any",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package with learners: put a module and its metadata on the path."""
    (tmp_path / "some_package.py").write_text(MODULE)
    (tmp_path / "exiting_package.py").write_text("raise SystemExit(0)")
    (tmp_path / "ending_package.py").write_text("import os\nos._exit(0)")
    info = tmp_path / "some_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-package\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in ENTRIES.items()]
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n" + "\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("some_package", None)


@pytest.mark.usefixtures("package")
def test_an_installed_learner_is_found_by_its_name():
    learner = registry.make("no-parents", {"patience": "7"})
    assert (type(learner).__name__, learner.patience) == ("NoParents", 7)
    assert registry.summaries()["no-parents"] == "from some_package:NoParents"
    with pytest.raises(InputError, match="unknown learner 'no-parent'; did you mean 'no-parents'"):
        registry.make("no-parent")


@pytest.mark.usefixtures("package")
def test_a_package_cannot_replace_a_built_in_learner():
    assert type(registry.make("ctss")).__name__ == "Ctss"
    assert registry.summaries()["ctss"] == registry.LEARNERS["ctss"].summary


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("plain", "entry point plain = some_package:Plain: the class Plain must be a dataclass"),
        ("absent", "entry point absent = some_package:Absent: cannot be loaded .AttributeError"),
        ("exits", "entry point exits = exiting_package:Any: cannot be loaded .SystemExit: 0"),
        ("text", "entry point text = some_package:__name__: is not a class with a method learn_node"),
    ],
)
def test_a_faulty_entry_point_is_refused_by_name(name, message):
    with pytest.raises(InputError, match=message):
        registry.make(name)


def test_the_command_learns_with_an_installed_learner(package, ctbnlab, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(package), prepend=":")
    (package / "data.csv").write_text("trajectory,time,A,B\n1,0,x,u\n1,1,y,u\n1,2,y,v\n1,3,y,v\n")
    done = ctbnlab("learn", "data.csv", "--learner", "no-parents", cwd=package)
    assert (done.returncode, done.stdout) == (0, "")
    assert "Learned 0 arcs among 2 variables" in done.stderr
    listed = subprocess.run(
        [sys.executable, "-m", "ctbnlab", "learn", "--list"], cwd=package, capture_output=True, text=True
    )
    assert listed.returncode == 0
    described = "no-parents: from some_package:NoParents\n  patience  (a whole number; default 1)\n"
    assert described in listed.stdout
    assert "entry point absent = some_package:Absent: cannot be loaded" in listed.stdout
    assert "\nends: cannot be loaded (it ends the process)\n" in listed.stdout
    assert listed.stdout.rstrip().endswith(
        "entry point text = some_package:__name__: is not a class with a method learn_node"
    )
    ended = ctbnlab("learn", "data.csv", "--learner", "ends", cwd=package)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "ctbnlab: learner ends failed: the learner ended the process with exit status 0\n"


# ---- Whatever a learner does ----

# X1 has a required parent, X2 a forbidden one: a learner without parents breaks the first.
KNOWLEDGE = ["--require", "X2->X1", "--forbid", "X3->X2", "--max-parents", "2"]
NEEDS_KNOWLEDGE = ("a required arc missing", "a forbidden arc", "too many parents")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Data of four variables."""
    folder = tmp_path_factory.mktemp("plugins")
    network, path = str(folder / "network.json"), str(folder / "data.arrow")
    assert main(["generate", "--nodes", "4", "--states", "2", "--density", "0.3", "-o", network]) == 0
    call = ["simulate", network, "--trajectories", "5", "--duration", "5", "--seed", "1", "-o", path]
    assert main(call) == 0
    return path


def learn(data, name, case, folder, *options):
    """Learn with a case's learner; return the exit status."""
    (folder / "mine.py").write_text(case.source, encoding="utf-8", errors="surrogatepass")
    knowledge = KNOWLEDGE if name in NEEDS_KNOWLEDGE else []
    return called(case, ["learn", data, "--learner", "mine.py", *knowledge, *options])


def called(case, arguments):
    """Call the command; apart from pytest for a crash, which pytest would report at length."""
    if "killed by" not in case.reason:
        return main(arguments)
    return subprocess.run([sys.executable, "-m", "ctbnlab", *arguments], check=False).returncode


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_one_line(name, data, tmp_path, monkeypatch, capfd):
    case = FAILURES[name]
    monkeypatch.chdir(tmp_path)
    assert learn(data, name, case, tmp_path, "-o", "out.json") == (2 if case.at_load else 1)
    output = capfd.readouterr()
    assert output.out == ""
    assert case.reason in output.err
    assert len(output.err.splitlines()) == 1
    assert output.err.startswith("ctbnlab: ")
    assert {path.name for path in tmp_path.iterdir()} <= {"mine.py", "__pycache__"}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_a_row(name, data, tmp_path, monkeypatch, capfd):
    case = FAILURES[name]
    monkeypatch.chdir(tmp_path)
    assert learn(data, name, case, tmp_path, "--record-failures", "-o", "out.json") == 0
    assert "Traceback" not in capfd.readouterr().err
    failures = json.loads((tmp_path / "out.json").read_text())["failures"]
    assert failures
    assert {failure["status"] for failure in failures} == {"failed"}
    reasons = [failure["reason"] for failure in failures]
    if case.per_node:
        assert [failure["name"] for failure in failures] == ["X1", "X2", "X3", "X4"]
        assert all(reason.startswith(f"X{i}: ") for i, reason in enumerate(reasons, 1))
    assert all(case.reason in reason for reason in reasons)


@pytest.mark.parametrize("name", sorted(set(FAILURES) - set(NEEDS_KNOWLEDGE)))
def test_check_learner_reports_a_failure(name, tmp_path, monkeypatch, capfd):
    case = FAILURES[name]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(case.source, encoding="utf-8", errors="surrogatepass")
    assert called(case, ["check-learner", "mine.py"]) == 1
    output = capfd.readouterr()
    assert output.err == ""
    *lines, last = output.out.splitlines()
    assert all(line.startswith(("PASS  ", "FAIL  ")) for line in lines)
    failed = [line for line in lines if line.startswith("FAIL")]
    assert any(case.reason in line for line in failed)
    assert last == f"{len(failed)} of {len(lines)} checks failed"
    assert len(lines) == (1 if "loading" in lines[0] else 11)


@pytest.mark.parametrize("name", SUCCESSES)
def test_what_is_unusual_but_correct_is_learned(name, data, tmp_path, monkeypatch, capfd):
    case = SUCCESSES[name]
    monkeypatch.chdir(tmp_path)
    assert learn(data, name, case, tmp_path, "-o", "out.json") == 0
    assert capfd.readouterr().err.startswith("Learned ")
    assert learn(data, name, case, tmp_path, "--record-failures", "-o", "recorded.json") == 0
    assert (tmp_path / "recorded.json").read_bytes() == (tmp_path / "out.json").read_bytes()
    content = json.loads((tmp_path / "out.json").read_text())
    assert not content["failures"]
    expected = ["X2"] if name in ("parents as numpy integers", "parents as an array") else []
    assert [node["parents"] for node in content["nodes"]] == [expected, [], [], []]


def test_numpy_numbers_become_plain_ones(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert learn(data, "", SUCCESSES["numpy everywhere"], tmp_path, "-o", "out.json") == 0
    (first, *_) = json.loads((tmp_path / "out.json").read_text())["nodes"]
    assert first["counts"] == {"tests": 3}
    assert first["evidence"] == [
        {
            "candidate": "X2",
            "kept": False,
            "why": "none",
            "statistic": "inf",
            "degrees_of_freedom": 3,
            "p_value": "nan",
            "separating_set": ["X1"],
        }
    ]


def test_arcs_are_printed_even_if_the_learner_closes_the_output(data, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    body = (
        "os.closerange(0, 3); kept = statistics.target == 0\n"
        "        return answer(statistics, parents=(1,) * kept, evidence=(Evidence(1, True, 'yes'),) * kept)"
    )
    case = SUCCESSES["plain"]._replace(body=body)
    assert learn(data, "", case, tmp_path) == 0
    assert capfd.readouterr().out.split()[:5] == ["X2", "->", "X1", "yes", "rates"]


def test_a_test_from_outside_is_supervised_too(data, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test.py").write_text("import os\nos._exit(0)\n")
    call = ["learn", data, "--learner", "ctpc-chi2", "--option", "test=test.py", "-o", "out.json"]
    assert main(call) == 1
    assert "the learner ended the process with exit status 0" in capfd.readouterr().err
    assert main([*call, "--record-failures"]) == 0
    content = json.loads((tmp_path / "out.json").read_text())
    assert len(content["failures"]) == 4
    assert content["learner"]["parameters"]["test"] == "test.py"


def test_what_was_told_before_the_end_is_recorded(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ["--option", "alpha=0.5", "--record-failures", "-o", "out.json"]
    for name, alpha in (("os._exit(0)", 0.5), ("os._exit(0) at import", "0.5")):
        assert learn(data, name, FAILURES[name], tmp_path, *options) == 0
        learner = json.loads((tmp_path / "out.json").read_text())["learner"]
        assert learner == {"name": "mine.py", "parameters": {"alpha": alpha}}


def test_a_part_that_failed_while_it_was_loaded_can_be_merged(data, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    options = ["--record-failures", "--part"]
    assert learn(data, "", FAILURES["os._exit(0) at import"], tmp_path, *options, "1/2", "-o", "1.json") == 0
    assert learn(data, "", SUCCESSES["plain"], tmp_path, *options, "2/2", "-o", "2.json") == 0
    assert main(["merge", "1.json", "2.json", "-o", "merged.json"]) == 0
    content = json.loads((tmp_path / "merged.json").read_text())
    assert content["learner"]["parameters"] == {"alpha": 0.1}
    assert (len(content["nodes"]), len(content["failures"])) == (2, 2)
    (tmp_path / "1.json").write_text((tmp_path / "1.json").read_text().replace("mine.py", "other.py"))
    assert main(["merge", "1.json", "2.json", "-o", "merged.json"]) == 2
    assert "the parts come from different data or learners" in capfd.readouterr().err


# ---- In Snakemake's process ----


@pytest.mark.parametrize("name", [name for name in FAILURES if "import" in name or "constructor" in name])
def test_a_plan_refuses_what_cannot_be_loaded(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FAILURES[name].source)
    design = {"nodes": [3], "states": [2], "density": [0.4]}
    content = {"experiment": "x", "design": design, "learners": {"a": {"algorithm": "mine.py"}}}
    with pytest.raises(InputError, match=r"^config: learners.a(.algorithm)?: mine.py: ") as caught:
        load_plan(content)
    assert len(str(caught.value).splitlines()) == 1


def test_a_rehearsal_ends_no_process_but_its_own():
    rehearse(lambda: None, "x.py")
    rehearse(lambda: sys.exit(0), "x.py")  # reported by the real call
    for code in (0, 3):
        with pytest.raises(LoadError, match=r"^x.py: cannot be loaded \(it ends the process\)$"):
            rehearse(lambda code=code: os._exit(code), "x.py")
