"""Examples run: those in docstrings with what they print, the code on the page, and its table of calls."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest
import sklearn.base
from sklearn.model_selection import GridSearchCV

import ctbnlab

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src/ctbnlab"
PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")
MODULES = sorted(
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
    for path in SOURCE.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)
ROWS = re.findall(r"^\| (.+) \| (.+) \|$", PAGE, re.MULTILINE)[1:]
# What would need a file that the page does not make.
NOT_RUN = {'ctbnlab.read("cohort.csv", layout="start_stop")'}


def test_there_are_examples_where_users_look():
    assert {f"ctbnlab.{name}" for name in ("learning.estimator", "data.trajectory_methods")} <= {*MODULES}


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_docstrings_give_what_they_say(module):
    result = doctest.testmod(import_module(module), optionflags=doctest.ELLIPSIS)
    assert result.attempted and not result.failed


@pytest.fixture
def page_scope(scope, tmp_path, monkeypatch, close_figures):
    monkeypatch.chdir(tmp_path)
    network = ctbnlab.gallery.get("drug")
    data = network.simulate(60, duration=20.0, seed=1)
    learner = ctbnlab.EmpiricalBayes().fit(data)
    return {
        **scope,
        "network": network,
        "data": data,
        "learner": learner,
        "graph": learner.graph_,
        "frame": data.to_pandas(),
        "GridSearchCV": GridSearchCV,
        "sklearn": sklearn,
    }


def test_the_code_on_the_page_runs(page_scope):
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 4
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), page_scope)


def test_the_calls_in_the_table_run(page_scope):
    calls = [call for _, written in ROWS for call in re.findall(r"`([^`]+)`", written)]
    run = [call for call in calls if call not in NOT_RUN and re.search(r"[.(\[]", call)]
    assert len(run) >= 40
    for call in run:
        eval(call, page_scope)
