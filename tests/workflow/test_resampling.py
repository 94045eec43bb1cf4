"""The bootstrap in a plan: which learners, which files, which arguments; and what a config may ask for."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ctbnlab.errors import InputError
from ctbnlab.workflow.config import load
from ctbnlab.workflow.plan import Plan

OWN = {
    "experiment": "own",
    "seed": 7,
    "data": {"path": "data.csv", "require": ["A->B"], "max_parents": 3},
    "learners": {
        "mine": {"algorithm": "ctss", "sweep": {"alpha": [0.5, 1.0]}},
        "other": {"command": "sh {data} {arcs}"},
    },
    "formats": ["svg"],
    "time_limit": 60,
}


def planned(**section):
    return Plan(load({**OWN, "bootstrap": section}), 4)


def test_a_bootstrap_is_off_by_default():
    plan = Plan(load(OWN), 4)
    assert plan.resampling.folders() == plan.resampling.batches() == plan.resampling.results() == []
    assert not any("bootstrap" in path for path in plan.targets())


def test_each_learner_but_commands_is_resampled():
    plan = planned(replicates=25, batches=3)
    folders = ["results/own/mine_alpha=0.5", "results/own/mine_alpha=1.0"]
    assert plan.resampling.folders() == folders
    names = ("bootstrap.json", "frequencies.csv", "frequencies.svg")
    assert plan.resampling.results() == [f"{folder}/{name}" for folder in folders for name in names]
    assert set(plan.resampling.results()) <= set(plan.targets())
    assert plan.resampling.batches() == [f"results/own/{{learner}}/bootstrap-{k}.json" for k in (1, 2, 3)]
    assert plan.resampling.replicates_per_batch() == 9


def test_the_arguments_are_those_of_learning_without_its_limits():
    arguments = planned().resampling.arguments(SimpleNamespace(learner="mine_alpha=0.5"))
    expected = "--replicates 200 --seed 7 --learner ctss --option alpha=0.5 --require 'A->B' --max-parents 3"
    assert arguments == expected
    repeated = planned(replacement=True).resampling.arguments(SimpleNamespace(learner="mine_alpha=0.5"))
    assert repeated == f"{expected} --replacement"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"bootstrap": {"replicates": 0}},
            "bootstrap.replicates: Input should be greater",
        ),
        ({"bootstrap": {"replicates": 3}}, "bootstrap.batches: must not exceed the number of replicates"),
        ({"bootstrap": {"batches": 0}}, "bootstrap.batches: Input should be greater"),
        ({"bootstrap": {"batch": 2}}, "bootstrap.batch: unknown key; did you mean 'batches'?"),
        (
            {"bootstrap": {}, "data": None, "design": {"nodes": [2], "states": [2], "density": [0.5]}},
            "bootstrap: is for your own `data` only",
        ),
    ],
)
def test_refused_configs(changes, message):
    with pytest.raises(InputError, match="config: ") as refusal:
        load({**OWN, **changes})
    assert message in str(refusal.value)
