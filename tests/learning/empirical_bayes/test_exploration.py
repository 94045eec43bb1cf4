"""Exploring parent sets: against all sets, with required parents, limits, gaps and budgets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.learning.empirical_bayes import exploration
from ctbnlab.learning.empirical_bayes.exploration import Budget, Exploration
from ctbnlab.learning.empirical_bayes.learner import EmpiricalBayes
from ctbnlab.learning.empirical_bayes.set_evidence import set_evidence
from ctbnlab.learning.empirical_bayes.stepwise import Stepwise, _sums_of_products
from ctbnlab.learning.knowledge import NodeKnowledge
from ctbnlab.learning.nodes import learn
from ctbnlab.learning.probabilities import ArcProbabilities
from ctbnlab.model.generate import generate
from ctbnlab.simulation.degrade import hide
from ctbnlab.simulation.simulate import simulate


@pytest.fixture(scope="module")
def data():
    network = generate(7, 2, 0.3, count="probability", connectivity="none", seed=2)
    return simulate(network, trajectories=10, duration=10.0, seed=2)


def explored(statistics, knowledge, kind=Exploration):
    sets = kind(statistics, knowledge, Budget(None, None))
    sets.run(
        len(knowledge.required) + knowledge.max_additions,
        lambda members: [j for j in knowledge.candidates if j not in members],
    )
    return sets


def all_sets(statistics, knowledge):
    """Return the evidence of every set that knowledge allows, against the required parents."""
    base = set_evidence(statistics.table(knowledge.required))
    return {
        chosen: set_evidence(statistics.table((*knowledge.required, *chosen))) - base
        for size in range(knowledge.max_additions + 1)
        for chosen in combinations(knowledge.candidates, size)
    }


def plain_probabilities(evidence, candidates, density):
    weight = {
        chosen: np.exp(value) * density ** len(chosen) * (1 - density) ** (len(candidates) - len(chosen))
        for chosen, value in evidence.items()
    }
    total = sum(weight.values())
    return [sum(w for chosen, w in weight.items() if j in chosen) / total for j in candidates]


@pytest.mark.parametrize(
    "knowledge",
    [
        NodeKnowledge((), (1, 2, 3, 4, 5, 6)),
        NodeKnowledge((3,), (1, 2, 5, 6)),
        NodeKnowledge((2,), (1, 3, 4, 5, 6), max_parents=3),
    ],
)
def test_few_sets_are_all_visited_and_give_the_plain_probabilities(data, knowledge):
    statistics = NodeStatistics(data, 0)
    sets = explored(statistics, knowledge)
    expected = all_sets(statistics, knowledge)
    assert sets.n_sets == len(expected)
    for density in (0.05, 0.4):
        found = ArcProbabilities([sets.posterior()], density).of(sets.posterior())
        plain = plain_probabilities(expected, knowledge.candidates, density)
        assert found == pytest.approx(plain, abs=2e-5)


def test_a_window_loses_little(data, monkeypatch):
    monkeypatch.setattr(exploration, "MAX_ALL_SETS", 0)
    for target in range(7):
        statistics = NodeStatistics(data, target)
        knowledge = NodeKnowledge((), statistics.candidates)
        sets = explored(statistics, knowledge)
        plain = plain_probabilities(all_sets(statistics, knowledge), knowledge.candidates, sets.density)
        found = ArcProbabilities([sets.posterior()], sets.density).of(sets.posterior())
        assert found == pytest.approx(plain, abs=0.02)


def test_the_log_bayes_factor_is_the_change_of_the_log_odds(data):
    statistics = NodeStatistics(data, 0)
    knowledge = NodeKnowledge((), statistics.candidates)
    sets = explored(statistics, knowledge)
    plain = plain_probabilities(all_sets(statistics, knowledge), knowledge.candidates, sets.density)
    for j, p in zip(knowledge.candidates, plain, strict=True):
        assert sets.log_bayes_factor(j) == pytest.approx(np.log(p / (1 - p)) - sets.log_odds, abs=1e-4)


def test_sets_out_of_reach_are_noted(data, monkeypatch):
    monkeypatch.setattr(exploration, "MAX_SETS", 10)
    sets = explored(NodeStatistics(data, 0), NodeKnowledge((), (1, 2, 3, 4, 5, 6)))
    assert sets.out_of_sets and sets.n_sets < 64


def test_a_set_is_judged_with_gaps_as_without_them_if_nothing_is_missing(data):
    """Stepwise gives every arc the Bayes factor of one table with and without it."""
    statistics = NodeStatistics(data, 0)
    knowledge = NodeKnowledge((), statistics.candidates)
    sets = explored(statistics, knowledge, Stepwise)
    whole = set_evidence(statistics.table(sets.best))
    for j in statistics.candidates:
        if j in sets.best:
            expected = whole - set_evidence(statistics.table(p for p in sets.best if p != j))
        else:
            expected = set_evidence(statistics.table((*sets.best, j))) - whole
        assert sets.log_bayes_factor(j) == pytest.approx(expected, abs=1e-6)
        assert (expected + sets.log_odds > 0) == (j in sets.best)
    found = ArcProbabilities([sets.posterior()], sets.density).of(sets.posterior())
    odds = np.array([sets.log_bayes_factor(j) for j in statistics.candidates]) + sets.log_odds
    assert found == pytest.approx(1 / (1 + np.exp(-odds)), abs=2e-5)


def test_hidden_time_makes_no_arc_out_of_nothing():
    false = 0
    for seed in range(4):
        network = generate(6, 2, 0.0, count="probability", connectivity="none", seed=seed)
        hidden = hide(simulate(network, trajectories=30, duration=20.0, seed=seed), 0.3, 5.0, seed=1)
        false += len(learn(hidden, EmpiricalBayes()).graph.arcs)
    assert false <= 1


def test_sums_of_products_equal_plain_ones():
    factors = np.array([0.3, -1.0, 2.0, 0.5])
    for size, value in enumerate(_sums_of_products(factors, 4)):
        plain = sum(np.exp(sum(chosen)) for chosen in combinations(factors, size))
        assert value == pytest.approx(np.log(plain))


def test_an_unlimited_budget_is_never_spent():
    budget = Budget(None, None)
    budget.scores = 10**9
    assert not budget.is_spent()


def test_a_budget_of_scores_is_spent_by_the_last_score():
    budget = Budget(None, 2)
    budget.scores = 1
    assert not budget.is_spent()
    budget.scores = 2
    assert budget.is_spent() and budget.spent


@pytest.mark.parametrize("seconds", [0.0, 5.0])
def test_a_budget_of_seconds_counts_from_its_start_and_stays_spent(monkeypatch, seconds):
    now = 100.0
    monkeypatch.setattr(exploration.time, "thread_time", lambda: now)
    budget = Budget(seconds, None)
    assert not budget.is_spent()
    now = 100.0 + seconds + 0.1
    assert budget.is_spent()
    now = 100.0
    assert budget.is_spent()
