"""The plan: seeds depend on the factors alone, parts cover every node, paths match their wildcards."""

from __future__ import annotations

import re
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given, strategies as st

from ctbnlab.errors import InputError
from ctbnlab.presentation.figures.catalogue import NAMES
from ctbnlab.workflow.config import load
from ctbnlab.workflow.plan import WILDCARDS, Plan, load_plan


def plan(**changes):
    content = {
        "experiment": "x",
        "design": {
            "nodes": [5, 10],
            "states": [2, [2, 3]],
            "density": [0.1, 0.25],
            "replicates": 3,
            "exceptions": [
                {"nodes": 10, "density": 0.25, "replicates": 1},
                {"states": [2, 3], "extension": True},
                {"nodes": 5, "states": 2, "density": 0.1, "skip": True},
            ],
        },
        "learners": {
            "a": {"algorithm": "ctss"},
            "b": {"algorithm": "ctpc-chi2", "sweep": {"alpha": [0.01, 0.1]}},
        },
    }
    return Plan(load(content | changes))


def wildcards(**changes):
    values = {"nodes": "10", "states": "2", "density": "0.1", "scattered": "1", "replicate": "1"}
    return SimpleNamespace(**(values | {"learner": "a", "trajectories": "300"} | changes))


def test_exceptions_change_their_cells_only():
    cells = {(c.nodes, c.states, c.density): c for c in plan().cells()}
    assert (5, "2", "0.1") not in cells
    assert len(cells) == 7
    assert cells[10, "2", "0.25"].replicates == cells[10, "2-3", "0.25"].replicates == 1
    assert cells[10, "2", "0.1"].replicates == 3
    assert {key[1] for key, cell in cells.items() if cell.extension} == {"2-3"}


def test_a_sweep_makes_a_learner_per_value():
    learners = plan().learners
    assert list(learners) == ["a", "b_alpha=0.01", "b_alpha=0.1"]
    assert "--option alpha=0.01" in plan().learn_arguments(wildcards(learner="b_alpha=0.01"))


LEARNERS = {
    "a": {"algorithm": "ctss"},
    "b": {"algorithm": "ctpc-chi2"},
    "c": {"algorithm": "empirical-bayes"},
}
ALWAYS = {
    "f1",
    "networks",
    "precision_recall",
    "areas",
    "curves_precision_recall",
    "curves_roc",
    "shd",
    "time",
}
SWEPT = {"algorithm": "ctpc-chi2", "sweep": {"stable": [True, False]}}


@pytest.mark.parametrize(
    ("changes", "figures"),
    [
        ({"learners": LEARNERS}, ALWAYS),
        ({"learners": LEARNERS, "baseline": "a"}, ALWAYS | {"delta_bic", "delta_bic_other"}),
        ({"learners": {name: LEARNERS[name] for name in "ab"}, "baseline": "a"}, ALWAYS | {"delta_bic"}),
        (
            {"learners": {name: LEARNERS[name] for name in "ac"}, "baseline": "a"},
            ALWAYS | {"delta_bic_other"},
        ),
        ({"learners": {"swept": SWEPT}}, {"sweep"}),
        ({"learners": LEARNERS | {"swept": SWEPT}}, ALWAYS | {"sweep"}),
    ],
)
def test_figures_fit_the_learners(changes, figures):
    names = plan(**changes).figure_names()
    assert set(names) == figures
    assert len(names) == len(figures)
    assert figures <= set(NAMES)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"require": ["A"]}, "config: data.require.0: write an arc as A->B, not 'A'"),
        ({"forbid": ["A->B", '"A->B']}, "config: data.forbid.1: a double quote is not closed"),
        ({"require": ["A->C"]}, "config: data: required arc A -> C: unknown variable 'C'"),
        ({"require": ["A->B"], "forbid": ["*->B"]}, "config: data: the arc A -> B is both"),
    ],
)
def test_arcs_are_checked_before_any_job_runs(tmp_path, data, message):
    path = tmp_path / "data.csv"
    path.write_text("time,A,B\n0,x,u\n1,y,u\n2,y,v\n")
    content = {"experiment": "x", "learners": {"a": {"algorithm": "ctss"}}}
    with pytest.raises(InputError) as caught:
        load_plan(content | {"data": {"path": str(path)} | data})
    assert str(caught.value).startswith(message)


def test_values_that_look_like_options_are_attached():
    content = {"path": "x.csv", "require": ["-A->B"], "states": "-s.json"}
    chosen = plan(design=None, data=content)
    assert "'--require=-A->B'" in chosen.learn_arguments(SimpleNamespace(learner="a"))
    assert "--states=-s.json" in chosen.import_arguments()


def test_only_the_user_s_own_data_are_checked_and_learned_robustly():
    learner = SimpleNamespace(learner="a")
    assert (plan().checked_data(), plan().merge_arguments()) == ([], "")
    own = plan(design=None, data={"path": "x.csv"})
    assert own.merge_arguments() == f"--data {own.root}/data.arrow"
    assert "--robust" not in own.learn_arguments(learner)
    robust = Plan(plan(design=None, data={"path": "x.csv", "robust": True}, nodes_per_job=1).config, 7)
    assert robust.learn_arguments(learner).endswith(" --robust")
    assert robust.workload.n_parts(learner) == 1


def test_seeds_depend_on_the_factors_not_on_the_design():
    larger = plan(design={"nodes": [4, 5, 10], "states": [2], "density": [0.1], "replicates": 20})
    seen = {
        (cell, replicate, role): plan().seed(wildcards(nodes=cell, replicate=replicate), role)
        for cell in ("5", "10")
        for replicate in ("1", "2")
        for role in ("network", "trajectories")
    }
    assert len(set(seen.values())) == len(seen)
    for (cell, replicate, role), seed in seen.items():
        assert larger.seed(wildcards(nodes=cell, replicate=replicate), role) == seed
        assert plan(seed=2).seed(wildcards(nodes=cell, replicate=replicate), role) != seed


@given(st.integers(1, 60), st.integers(1, 70))
def test_parts_cover_every_node_once(nodes, per_job):
    packed = plan(nodes_per_job=per_job)
    parts = packed.workload.n_parts(wildcards(nodes=str(nodes)))
    bounds = [k * nodes // parts for k in range(parts + 1)]
    sizes = [b - a for a, b in pairwise(bounds)]
    assert sum(sizes) == nodes
    assert all(1 <= size <= per_job for size in sizes)


def test_all_nodes_in_one_job():
    assert plan(nodes_per_job="all").workload.n_parts(wildcards()) == 1


def test_every_path_matches_its_wildcards():
    made = plan()
    pattern = re.escape(made.learner_folder)
    for name, constraint in WILDCARDS.items():
        pattern = pattern.replace(re.escape("{" + name + "}"), f"(?P<{name}>{constraint})")
    for folder in made.learner_folders():
        assert re.fullmatch(pattern, folder), folder


def test_a_user_s_file_is_an_input():
    made = plan(learners={"mine": {"algorithm": "my_learner.py:Mine"}, "a": {"algorithm": "ctss"}})
    assert made.learner_files(wildcards(learner="mine")) == ["my_learner.py"]
    assert made.learner_files(wildcards()) == []
