"""CTPC with `search=hiton`: graphs, tests and evidence equal those of a plain program; what strength is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.learning.completion import merge
from ctbnlab.learning.ctpc import hiton
from ctbnlab.learning.ctpc.learner import Ctpc
from ctbnlab.learning.ctpc.search import TEST_WORK
from ctbnlab.learning.ctpc.strength import strength
from ctbnlab.learning.independence.base import Outcome
from ctbnlab.learning.independence.conventions import NAMED
from ctbnlab.learning.independence.oracle import Oracle
from ctbnlab.learning.knowledge import Knowledge, NodeKnowledge
from ctbnlab.learning.nodes import learn
from ctbnlab.model.initial import InitialDistribution
from ctbnlab.simulation.degrade import hide
from ctbnlab.simulation.simulate import simulate
from tests.support.ctpc_searches import OneMethod, assert_equals_reference, searches, transitions_level
from tests.support.reference_ctpc import Reference
from tests.support.reference_hiton import ReferenceHiton, plain_strength
from tests.support.role_networks import cohort
from tests.support.sample_tables import log_uniform_statistics, table_of, tables
from tests.support.simulated_data import random_parents, simulated
from tests.support.strategies import trajectories

HITON = Ctpc(search="hiton")


def strengths_of(statistics):
    return {j: plain_strength(statistics.table((j,))) for j in statistics.candidates}


# Against the plain program


@dataclass(frozen=True)
class Table:
    """A test whose outcome for every candidate and separating set was drawn beforehand."""

    answers: dict

    def test(self, statistics, candidate):
        independent, final, p = self.ask(candidate, tuple(j for j in statistics.parents if j != candidate))
        return Outcome(independent, None, None, p, "", final=final)

    def ask(self, candidate, separating):
        return self.answers[candidate, separating]


@st.composite
def verdict_tables(draw):
    """Draw the verdicts of all tests of up to six candidates, their strengths, and prior knowledge."""
    n = draw(st.integers(0, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shares = [(0.7, 0.1, 0.1, 0.1), (0.9, 0.1, 0, 0), (0.95, 0.02, 0.02, 0.01), (0.3, 0.7, 0, 0)]
    share = draw(st.sampled_from(shares))
    answers = {}
    for y in range(1, n + 1):
        for b in range(n):
            for s in combinations([j for j in range(1, n + 1) if j != y], b):
                kind = rng.choice(["dependent", "independent", "ruled", "final"], p=share)
                p = None if kind in ("ruled", "final") else float(np.round(rng.random(), 1))
                answers[y, s] = kind == "independent", kind == "final", p
    ties = draw(st.booleans())
    strengths = {j: float(rng.integers(0, 3) if ties else rng.random()) for j in range(1, n + 1)}
    roles = [draw(st.sampled_from("ooooorf")) for _ in range(n)]
    known = NodeKnowledge(
        tuple(j for j, role in enumerate(roles, 1) if role == "r"),
        tuple(j for j, role in enumerate(roles, 1) if role == "o"),
    )
    return Table(answers), strengths, known


@settings(max_examples=500)
@given(verdict_tables(), st.booleans(), st.sampled_from([None, None, 0, 1, 2]))
def test_searches_of_drawn_verdicts_equal_those_of_the_reference(drawn, stable, bound):
    test, strengths, known = drawn
    statistics = log_uniform_statistics(np.random.default_rng(1), [2] * (len(strengths) + 1), 0, set(), 1.0)
    with mock.patch.object(hiton, "strength", lambda pair: strengths[pair.parents[0]]):
        learner = Ctpc(test, search="hiton", stable=stable, max_separating_set=bound)
        result = learner.learn_node(statistics, known)
    plain = ReferenceHiton(test.ask, strengths, bound)
    assert_equals_reference(result, plain, plain.learn(known.candidates, known.required, stable))
    assert result.counts["levels"] == plain.levels


@settings(max_examples=300)
@given(searches(), st.booleans())
def test_searches_with_the_papers_tests_equal_those_of_the_reference(search, one_method):
    statistics, known, options, name, threshold = search
    ctpc = Ctpc(conventions=replace(NAMED[name], threshold=threshold), search="hiton", **options)
    levels = ctpc.alpha_waiting, transitions_level(ctpc.test)
    asked = Reference(
        statistics.table, statistics.target, statistics.cardinalities, ctpc.test, name, *levels, threshold
    )
    plain = ReferenceHiton(asked.independent, strengths_of(statistics), ctpc.max_separating_set)
    parents = plain.learn(known.candidates, known.required, ctpc.stable)
    result = ctpc.learn_node(statistics, known)
    assert_equals_reference(result, plain, parents)
    assert result.counts["levels"] == plain.levels
    if one_method:
        users = replace(ctpc, test=OneMethod(ctpc.independence_test), conventions="text")
        found = users.learn_node(statistics, known)
        assert (found.parents, found.counts) == (result.parents, result.counts)


def test_sets_with_too_few_transitions_need_no_tables():
    statistics = log_uniform_statistics(np.random.default_rng(1), [3] * 9, 0, {1}, 0.002)
    known = NodeKnowledge((), tuple(range(1, 9)))
    assert HITON.learn_node(statistics, known) == Ctpc().learn_node(statistics, known)
    assert len(statistics.tables) == 8


def test_all_tests_are_counted_if_only_single_candidates_have_enough_transitions():
    statistics = log_uniform_statistics(np.random.default_rng(1), [3, 2, 2, 2, 2], 0, {1, 2, 3, 4}, 4.0)
    known = NodeKnowledge((), (1, 2, 3, 4))
    result = HITON.learn_node(statistics, known)
    assert result.parents == known.candidates
    assert all(entry.p_value is not None and entry.separating_set == () for entry in result.evidence)
    assert result.counts == {"tests": 4 * 2**3, "levels": 4}


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.floats(0, 1), st.booleans())
def test_the_oracle_gives_the_true_graph_whatever_the_strengths(seed, n, density, stable):
    rng = np.random.default_rng(seed)
    parents = random_parents(rng, n, density)
    data = simulated(rng, [1] * n, ((),) * n, 1, 0)
    strengths = rng.random(n)
    learner = Ctpc(Oracle(parents), search="hiton", stable=stable)
    with mock.patch.object(hiton, "strength", lambda pair: strengths[pair.parents[0]]):
        graph = learn(data, learner).graph
    assert tuple(node.parents for node in graph.nodes) == parents


# The bound on the work


class AlwaysDependent:
    """Rejects everything."""

    def test(self, statistics, candidate):
        return Outcome(False, 1.0, None, 0.001, "dependent")


def test_tests_are_made_until_the_work_is_spent():
    cardinalities = [3, 2, 3, 2, 2, 4]
    statistics = log_uniform_statistics(np.random.default_rng(1), cardinalities, 0, {1}, 500.0)
    known = NodeKnowledge((3,), (1, 2, 4, 5))
    plain = ReferenceHiton(lambda *_: (False, False, 0.001), strengths_of(statistics))
    plain.learn(known.candidates, known.required)
    works = [TEST_WORK + 9 * prod(cardinalities[j] for j in (y, *s)) for y, s in plain.asked]
    assert len(works) == 4 * 2**4
    for max_work in (0, 1, 1018, 1019, 5_000, 20_000, 50_000, sum(works) - 1, sum(works), None):
        learner = Ctpc(AlwaysDependent(), search="hiton", max_work=max_work)
        result = learner.learn_node(statistics, known)
        made = len(works) if max_work is None else sum(np.cumsum([0, *works])[:-1] < max_work)
        assert result.counts["tests"] == made
        assert result.parents == (1, 2, 3, 4, 5)
        assert len(result.notes) == (made < len(works))


@given(st.integers(0, 1000), st.sampled_from(["chi2", "ks", "pooled", "dm"]), st.integers(0, 40_000))
def test_the_graph_with_a_bound_has_the_arcs_without_it(seed, test, max_work):
    known = NodeKnowledge((), (1, 2, 3, 4))
    statistics = log_uniform_statistics(np.random.default_rng(seed), [3, 2, 2, 3, 2], 0, {1}, 40.0)
    whole = replace(HITON, test=test, max_work=None).learn_node(statistics, known)
    bounded = replace(HITON, test=test, max_work=max_work).learn_node(statistics, known)
    assert bounded.counts["tests"] <= whole.counts["tests"]
    if any("max_work" in note for note in bounded.notes):
        assert set(whole.parents) <= set(bounded.parents)
    else:
        assert bounded == whole


# Strength


@given(tables())
def test_strength_equals_its_formula(table):
    if len(table.parents) == 1:
        expected = plain_strength(table)
        size = table.transitions.sum()
        assert strength(table) == pytest.approx(expected, rel=1e-9, abs=1e-9 + 1e-13 * size)


def test_strength_of_a_small_table():
    # 2 and 6 transitions in equal times: 2 ln(2/4) + 6 ln(6/4), less one rate.
    table = table_of([[[1, 0, 2], [0, 0, 0]], [[1, 0, 6], [0, 0, 0]]], (2,))
    assert strength(table) == pytest.approx(2 * np.log(0.5) + 6 * np.log(1.5) - 1)
    assert strength(table_of([[[1, 0, 5], [0, 0, 0]]], (1,))) == 0
    assert strength(table_of(np.zeros((2, 2, 3)), (2,))) == 0
    # A transition without time, by a rounding error, is left out.
    assert strength(table_of([[[1, 0, 2], [0, 0, 0]], [[0, 0, 1], [0, 0, 0]]], (2,))) == 0


def test_strength_orders_candidates_whose_p_values_are_all_zero():
    rng = np.random.default_rng(3)
    statistics = log_uniform_statistics(rng, [2, 2, 2], 0, {1, 2}, 1e6, 0.5)
    p = [Ctpc("pooled").independence_test.test(statistics.table((j,)), j).p_value for j in (1, 2)]
    assert p == [0, 0]
    found = [strength(statistics.table((j,))) for j in (1, 2)]
    assert found[0] != found[1]
    assert min(found) > 1e3


@pytest.mark.parametrize("states", [2, 4, 8])
def test_strength_of_a_candidate_without_effect_does_not_grow_with_its_states(states):
    rng = np.random.default_rng(states)
    found = [
        strength(log_uniform_statistics(rng, [3, states], 0, set(), 100.0).table((1,))) for _ in range(300)
    ]
    rates = 6 * (states - 1)
    # Twice the gain in log-likelihood is χ² with as many degrees of freedom as rates are added.
    assert np.mean(found) == pytest.approx(-rates / 2, abs=4 * np.sqrt(rates / 2 / 300))


# What the option must work with


@given(trajectories(max_variables=4, plain=True, rough=True), st.sampled_from(["chi2", "ks", "pooled"]))
def test_degenerate_data_ties_and_gaps_give_a_graph(data, test):
    for target, known in enumerate(Knowledge().for_nodes(data.names)):
        result = replace(HITON, test=test).learn_node(NodeStatistics(data, target), known)
        assert [entry.candidate for entry in result.evidence] == list(known.candidates)
        assert [entry.candidate for entry in result.evidence if entry.kept] == list(result.parents)


def test_max_parents_keeps_the_strongest():
    statistics = log_uniform_statistics(np.random.default_rng(2), [2] * 6, 0, {1, 2, 3, 4}, 60.0, 0.5)
    learner = replace(HITON, conventions="corrected")
    unlimited = learner.learn_node(statistics, NodeKnowledge((), (1, 2, 3, 4, 5)))
    p = {entry.candidate: entry.p_value for entry in unlimited.evidence if entry.kept}
    assert len(p) >= 3
    limited = learner.learn_node(statistics, NodeKnowledge((), (1, 2, 3, 4, 5), 2))
    assert limited.parents == tuple(sorted(sorted(p, key=lambda j: (p[j], j))[:2]))


@pytest.mark.parametrize("hidden", [0.0, 0.2])
def test_roles_clocks_and_gaps(hidden):
    network = cohort()
    tables = [np.array([[0.5, 0.5]]), *network.initial.tables[1:]]
    network = network.with_initial(InitialDistribution.build(network.variables, [()] * 5, tables))
    data = simulate(network, trajectories=2000, seed=4, duration=4.0)
    if hidden:
        data = hide(data, hidden, 0.5, seed=1)
    learner = Ctpc("pooled", search="hiton", alpha=1e-3)
    graph = learn(data, learner, jobs=2).graph
    assert set(graph.arcs) == {("clock", "E"), ("S", "D")}
    parts = [learn(data, learner, nodes=[name]).graph for name in data.names]
    assert merge(parts).to_json() == graph.to_json()


def test_equally_strong_candidates_are_admitted_in_order_of_index():
    statistics = log_uniform_statistics(np.random.default_rng(1), [2, 2, 2, 2], 0, set(), 1.0)
    script = Table({(y, s): (False, False, 0.01) for y in (1, 2, 3) for s in [(), (1,), (2,), (3,)]})
    asked = []
    with (
        mock.patch.object(hiton, "strength", lambda pair: float(pair.parents[0] == 3)),
        mock.patch.object(Table, "ask", lambda self, y, s: asked.append((y, s)) or self.answers[y, s]),
    ):
        known = NodeKnowledge((), (1, 2, 3))
        Ctpc(script, search="hiton", max_separating_set=1).learn_node(statistics, known)
    first, second = [(1, (3,)), (3, (1,))], [(2, (3,)), (2, (1,)), (1, (2,)), (3, (2,))]
    assert asked[:9] == [(1, ()), (2, ()), (3, ()), *first, *second]
