"""Learners of installed packages: found by entry point, and refused in one line if faulty."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ctbnlab.errors import InputError
from ctbnlab.learning import registry
from ctbnlab.learning.plugins import GROUP

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
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package with learners: put a module and its metadata on the path."""
    (tmp_path / "some_package.py").write_text(MODULE)
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
    assert done.stderr.startswith("Learned 0 arcs among 2 variables")
    listed = subprocess.run(
        [sys.executable, "-m", "ctbnlab", "learn", "--list"], cwd=package, capture_output=True, text=True
    )
    assert listed.returncode == 0
    assert "no-parents: from some_package:NoParents\n  options    patience=1\n" in listed.stdout
    assert "entry point absent = some_package:Absent: cannot be loaded" in listed.stdout
