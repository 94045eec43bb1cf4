"""The strength of single parents, and the budget of a node."""

from __future__ import annotations

import time

import numpy as np
import pytest

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.learning.empirical_bayes.strength import Budget, Strengths
from ctbnlab.learning.independence.dirichlet_multinomial import DirichletMultinomial
from ctbnlab.learning.knowledge import NodeKnowledge
from ctbnlab.learning.scores.empirical_bayes import EmpiricalBayesScore
from ctbnlab.model.variables import Variable
from tests.support.sample_tables import uniform_statistics
from tests.support.sample_trajectories import columns_permuted
from tests.support.strategies import random_trajectories


def strengths_of(statistics, required=()):
    candidates = tuple(j for j in statistics.candidates if j not in required)
    score = EmpiricalBayesScore(len(statistics.candidates))
    knowledge = NodeKnowledge(tuple(required), candidates)
    return Strengths(statistics, knowledge, score, DirichletMultinomial(), Budget(None, None))


def test_by_name_does_not_depend_on_the_order_of_columns():
    variables = [Variable(name, ("0", "1")) for name in ("d", "B", "a", "c")]
    data = random_trajectories(np.random.default_rng(1), variables, [40])
    for order in ([0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0]):
        permuted = columns_permuted(data, order)
        strengths = strengths_of(NodeStatistics(permuted, permuted.index("c")))
        for members in (strengths.statistics.candidates, strengths.statistics.candidates[::-1]):
            assert [permuted.names[j] for j in strengths.by_name(members)] == ["B", "a", "d"]
    assert strengths.by_name(()) == []


def test_parents_are_strong_and_other_variables_are_not():
    statistics = uniform_statistics(np.random.default_rng(2), [2, 3, 2, 2], relevant=(1, 3), time=300)
    strengths = strengths_of(statistics)
    of_parents = strengths.of_parents((1, 3))
    assert set(of_parents) == {1, 3}
    assert min(of_parents.values()) > 3
    assert strengths.of_candidates((1, 3), [2])[2] < 3
    assert strengths.trimmed(statistics.table((1, 2, 3))).parents == (1, 3)


def test_required_parents_get_no_strength_and_are_not_dropped():
    statistics = uniform_statistics(np.random.default_rng(2), [2, 3, 2, 2], relevant=(1, 3), time=300)
    strengths = strengths_of(statistics, required=(2,))
    assert set(strengths.of_parents((1, 2, 3))) == {1, 3}
    assert strengths.trimmed(statistics.table((1, 2, 3))).parents == (1, 2, 3)


def test_a_set_is_scored_once():
    statistics = uniform_statistics(np.random.default_rng(3), [2, 2, 2], relevant=(1,), time=50)
    strengths = strengths_of(statistics)
    first = strengths.of_parents((1, 2)), strengths.of_candidates((1,), [2])
    scores, tests = strengths.budget.scores, strengths.tests
    assert scores == 3  # of {1, 2}, {1} and {2}
    assert (strengths.of_parents((1, 2)), strengths.of_candidates((1,), [2])) == first
    assert (strengths.budget.scores, strengths.tests) == (scores, tests)


def test_an_unlimited_budget_is_never_spent():
    budget = Budget(None, None)
    budget.scores = 10**9
    assert not budget.is_spent()
    assert not budget.spent


def test_a_budget_of_scores_is_spent_by_the_last_score():
    budget = Budget(None, 2)
    assert not budget.is_spent()
    budget.scores = 1
    assert not budget.is_spent()
    budget.scores = 2
    assert budget.is_spent()


@pytest.mark.parametrize("seconds", [0.0, 0.25])
def test_a_budget_of_seconds_counts_from_its_start_and_stays_spent(monkeypatch, seconds):
    now = 100.0
    monkeypatch.setattr(time, "thread_time", lambda: now)
    budget = Budget(seconds, None)
    now = 100.0 + seconds
    assert not budget.is_spent()
    now = 100.5
    assert budget.is_spent()
    now = 100.0
    assert budget.spent
    assert budget.is_spent()
