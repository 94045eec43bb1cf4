"""The contract of learners: one stage or two, and a fault in one node that leaves the others alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.learning.contract import NodeResult, Skip, TwoStage, has_two_stages
from ctbnlab.learning.ctpc.learner import Ctpc
from ctbnlab.learning.ctss.learner import Ctss
from ctbnlab.learning.empirical_bayes.learner import EmpiricalBayes
from ctbnlab.learning.knowledge import NodeKnowledge
from ctbnlab.learning.nodes import LearnerError, learn
from tests.support.strategies import plain_variables, random_trajectories


@dataclass(frozen=True)
class FaultyFinish(Ctpc):
    """Fails, skips or returns text in the second stage of one node."""

    fault: str = "fails"

    def prepare(self, statistics, knowledge):
        finish = super().prepare(statistics, knowledge)
        return self.misbehave if statistics.target == 1 else finish

    def misbehave(self):
        if self.fault == "fails":
            raise KeyError("rate")
        if self.fault == "skips":
            raise Skip("no time")
        return "text"


class FaultyPrepare(FaultyFinish):
    """Does the same in the first stage."""

    def prepare(self, statistics, knowledge):
        if statistics.target == 1:
            return self.misbehave()
        return super().prepare(statistics, knowledge)


# The reason that is recorded if a stage returns text.
REASONS = {
    FaultyFinish: "X1: the learner returned str, not a NodeResult",
    FaultyPrepare: "X1: prepare returned str, not a function",
}


@pytest.fixture(scope="module")
def data():
    return random_trajectories(np.random.default_rng(6), plain_variables([2] * 4), [300])


def alone(node):
    """Return a node without the numbers that depend on all others."""
    return replace(node, evidence=tuple(replace(entry, q_value=None) for entry in node.evidence))


@pytest.mark.parametrize("kind", [FaultyFinish, FaultyPrepare])
def test_a_fault_in_either_stage_does_not_affect_other_nodes(data, kind):
    for fault, status, reason in (
        ("fails", "failed", "X1: KeyError: 'rate'"),
        ("skips", "skipped", "no time"),
        ("returns text", "failed", REASONS[kind]),
    ):
        for jobs in (1, 3):
            finished = []
            learner = kind(fault=fault)
            learned = learn(data, learner, jobs=jobs, record_failures=True, progress=finished.append)
            (failure,) = learned.graph.failures
            assert (failure.target, failure.status) == (1, status)
            assert failure.reason == reason
            assert [node.target for node in learned.graph.nodes] == [0, 2, 3]
            assert sorted(finished) == sorted(data.names)
            others = [node for node in learn(data, Ctpc()).graph.nodes if node.target != 1]
            assert list(map(alone, learned.graph.nodes)) == list(map(alone, others))
    with pytest.raises(LearnerError, match="KeyError"):
        learn(data, kind())


class NoParents(Ctpc):
    """Overrides `learn_node`, so that `prepare` alone does not make its results."""

    def learn_node(self, statistics, knowledge):
        found = super().learn_node(statistics, knowledge)
        evidence = tuple(replace(entry, kept=False) for entry in found.evidence)
        return replace(found, parents=(), evidence=evidence)


def test_a_subclass_may_override_learn_node(data):
    assert not learn(data, NoParents(alpha=0.9)).graph.arcs
    assert learn(data, Ctpc(), nodes=[]).graph.nodes == learn(data, NoParents(), nodes=[]).graph.nodes == ()


class OneStage:
    """Has a `prepare`, but does not inherit from TwoStage."""

    def prepare(self, statistics, knowledge):
        raise AssertionError("must not be called")

    def learn_node(self, statistics, knowledge):
        return NodeResult(statistics.target, (), ())


@pytest.mark.parametrize(
    ("learner", "expected"),
    [
        (TwoStage(), True),
        (Ctpc(), True),
        (Ctss(), True),
        (FaultyFinish(), True),
        (NoParents(), False),
        (EmpiricalBayes(), False),
        (OneStage(), False),
        (object(), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_which_learners_have_two_stages(learner, expected):
    assert has_two_stages(learner) == expected


def test_a_two_stage_learner_must_implement_prepare(data):
    statistics, knowledge = NodeStatistics(data, 0), NodeKnowledge((), (1, 2, 3))
    for method in (TwoStage().prepare, TwoStage().learn_node):
        with pytest.raises(NotImplementedError):
            method(statistics, knowledge)


def test_learn_node_is_both_stages_in_turn(data):
    statistics, knowledge = NodeStatistics(data, 0), NodeKnowledge((), (1, 2, 3))
    assert Ctpc().prepare(statistics, knowledge)() == Ctpc().learn_node(statistics, knowledge)
