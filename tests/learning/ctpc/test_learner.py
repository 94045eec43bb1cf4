"""CTPC: graphs, numbers of tests and evidence equal those of a plain implementation of Algorithm 2."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.errors import InputError
from ctbnlab.learning.ctpc.evidence import result_of
from ctbnlab.learning.ctpc.hiton import Hiton
from ctbnlab.learning.ctpc.learner import Ctpc
from ctbnlab.learning.ctpc.search import Search
from ctbnlab.learning.independence.base import Outcome
from ctbnlab.learning.independence.conventions import NAMED
from ctbnlab.learning.independence.oracle import Oracle
from ctbnlab.learning.independence.table_test import TableTest
from ctbnlab.learning.knowledge import Knowledge, NodeKnowledge
from tests.support.ctpc_searches import OneMethod, assert_equals_reference, searches, transitions_level
from tests.support.reference_ctpc import NAMES, Reference
from tests.support.sample_tables import JointStatistics, log_uniform_statistics
from tests.support.sample_trajectories import times_multiplied
from tests.support.simulated_data import random_parents, simulated
from tests.support.strategies import trajectories


@pytest.mark.parametrize("network", range(51))
def test_graphs_of_random_networks_equal_those_of_the_reference(network):
    rng = np.random.default_rng(network)
    c = 2 + network % 3
    n = int(rng.integers(3, 7 if c == 2 else 5))
    cardinalities = [c] * n if network % 5 else [int(k) for k in rng.integers(2, 5, n)]
    data = simulated(rng, cardinalities, random_parents(rng, n, 0.35), 2, int(rng.integers(100, 400)))
    for target, known in enumerate(Knowledge().for_nodes(data.names)):
        statistics = NodeStatistics(data, target)
        for name in NAMES:
            for test in ("chi2", "ks"):
                result = Ctpc(test, name).learn_node(statistics, known)
                levels = 0.1, transitions_level(test)
                plain = Reference(statistics.table, target, cardinalities, test, name, *levels)
                assert_equals_reference(result, plain, plain.learn(known.candidates))


@settings(max_examples=300)
@given(searches())
def test_searches_equal_those_of_the_reference(search):
    statistics, known, options, name, threshold = search
    ctpc = Ctpc(conventions=replace(NAMED[name], threshold=threshold), **options)
    result = ctpc.learn_node(statistics, known)
    levels = ctpc.alpha_waiting, transitions_level(ctpc.test)
    plain = Reference(
        statistics.table, statistics.target, statistics.cardinalities, ctpc.test, name, *levels, threshold
    )
    parents = plain.learn(known.candidates, known.required, ctpc.stable, ctpc.max_separating_set)
    assert_equals_reference(result, plain, parents)
    assert set(known.required) <= set(result.parents) <= {*known.required, *known.candidates}
    assert [evidence.candidate for evidence in result.evidence] == list(statistics.candidates)
    assert result == pickle.loads(pickle.dumps(ctpc)).learn_node(statistics, known)


@given(searches())
def test_a_users_test_needs_one_method_only(search):
    statistics, known, options, name, threshold = search
    ctpc = Ctpc(conventions=replace(NAMED[name], threshold=threshold), **options)
    users = Ctpc(
        OneMethod(ctpc.independence_test), stable=ctpc.stable, max_separating_set=ctpc.max_separating_set
    )
    found, expected = users.learn_node(statistics, known), ctpc.learn_node(statistics, known)
    assert (found.parents, found.counts) == (expected.parents, expected.counts)


@pytest.mark.parametrize(("kind", "make_search"), [("pc", Search), ("hiton", Hiton)])
@settings(max_examples=200)
@given(searches(), st.sampled_from(["paper-2020", "paper-2021"]), st.sampled_from([0.1, 0.5, 2, 25]))
def test_tests_that_the_rule_of_thumb_decides_are_counted_but_not_made(
    kind, make_search, search, name, threshold
):
    statistics, known, options, _, _ = search
    options |= {"test": "chi2", "search": kind}
    ctpc = Ctpc(conventions=replace(NAMED[name], threshold=threshold), **options)
    plain = make_search(ctpc.independence_test, statistics, known, ctpc.stable, ctpc.max_separating_set)
    plain._monotone = False  # make every test
    plain.test_singles()
    plain.test_with_sets()
    assert result_of(plain) == ctpc.learn_node(statistics, known)


def test_sets_with_too_few_transitions_need_no_tables():
    statistics = log_uniform_statistics(np.random.default_rng(1), [3] * 9, 0, {1}, 0.002)
    known = NodeKnowledge((), tuple(range(1, 9)))
    result = Ctpc().learn_node(statistics, known)
    assert result.parents == known.candidates
    assert result.counts == {"tests": 8 * 2**7, "levels": 8}
    assert len(statistics.tables) == 8
    assert result.notes == ("arcs kept by the rule of thumb alone, with too few transitions to test: 8",)


def rare_first_state():
    """Return statistics of a ternary X0: X2 and X3 set its rates, X1 only follows X3, X2 is almost never 0.

    Counts are expectations, so that X1 is independent given X3, and tests given X2 = 0 lack transitions.
    """
    share = np.einsum("ca,b,c->abc", [[0.8, 0.2], [0.2, 0.8]], [1e-4, 1 - 1e-4], [0.5, 0.5])
    rates = np.array([3.0, 1.0])[:, None] * np.array([1.0, 2.0])[None, :]  # given X2 and X3
    time = np.repeat(share[..., None], 3, axis=-1) * 1e5
    transitions = time[..., None] * rates[None, :, :, None, None] * (1 - np.eye(3))
    return JointStatistics(0, [3, 2, 2, 2], np.concatenate([time[..., None], transitions], axis=-1))


@pytest.mark.parametrize(("stable", "tests"), [(False, 7), (True, 9)])
def test_the_rule_of_thumb_of_2021_keeps_an_arc_from_the_next_level_on(stable, tests):
    statistics, known = rare_first_state(), NodeKnowledge((), (1, 2, 3))
    ctpc = Ctpc(conventions="paper-2021", stable=stable)
    assert ctpc.independence_test.test(statistics.table((1, 2)), 1).final
    result = ctpc.learn_node(statistics, known)
    assert result.parents == (
        2,
        3,
    )  # {X2} keeps X1 from larger sets, but {X3} has its turn before and removes it
    assert result.counts == {"tests": tests, "levels": 2}
    plain = Reference(statistics.table, 0, [3, 2, 2, 2], "chi2", "paper-2021", 0.1, 0.1)
    assert_equals_reference(result, plain, plain.learn(known.candidates, stable=stable))


class Scripted:
    """A test whose answers are given by candidate and separating set: "independent" or "final"."""

    def __init__(self, answers):
        self.answers = answers
        self.asked = []

    def test(self, statistics, candidate):
        separating = tuple(j for j in statistics.parents if j != candidate)
        self.asked.append((candidate, separating))
        answer = self.answers.get((candidate, separating))
        p = None if answer == "final" else 0.5 if answer == "independent" else 0.01
        return Outcome(answer == "independent", None, None, p, "", final=answer == "final")


@pytest.mark.parametrize("stable", [False, True])
def test_a_fixed_arc_is_tested_to_the_end_of_its_level_only(stable):
    script = Scripted({(1, (2,)): "final", (2, (1, 3)): "independent", (1, (2, 3)): "independent"})
    statistics = log_uniform_statistics(np.random.default_rng(1), [2] * 4, 0, set(), 1.0)
    result = Ctpc(script, stable=stable).learn_node(statistics, NodeKnowledge((), (1, 2, 3)))
    assert result.parents == (1, 3)
    assert script.asked[3:5] == [(1, (2,)), (1, (3,))]
    assert not any(candidate == 1 and len(separating) == 2 for candidate, separating in script.asked)


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.floats(0, 1), st.booleans())
def test_the_oracle_gives_the_true_graph(seed, n, density, stable):
    rng = np.random.default_rng(seed)
    parents = random_parents(rng, n, density)
    oracle = Oracle(parents)
    data = simulated(rng, [1] * n, ((),) * n, 1, 0)
    for target, known in enumerate(Knowledge().for_nodes(data.names)):
        statistics = NodeStatistics(data, target)
        result = Ctpc(oracle, stable=stable).learn_node(statistics, known)
        assert result.parents == parents[target]

        def ask(y, s, target=target):  # in place of the reference's tests
            independent = oracle.separates(frozenset(s), y, target)
            return independent, False, 1.0 if independent else 0.0

        plain = Reference(None, target, [1] * n, "chi2", "text", 0.1, 0.1)
        assert plain.learn(known.candidates, stable=stable, ask=ask) == parents[target]
        assert result.counts["tests"] == plain.tests


def test_stable_does_not_depend_on_the_order_of_columns():
    rng = np.random.default_rng(12)
    different = 0
    for _ in range(40):
        parents = {1, 2, 3}
        statistics = log_uniform_statistics(rng, [2] * 7, 0, parents, 3.0, 0.4)
        known = NodeKnowledge((), tuple(range(1, 7)))
        order = [0, *(1 + rng.permutation(6))]  # old index of each new column
        values = statistics.joint.values.reshape(*(2,) * 6, 2, 3)
        permuted = log_uniform_statistics(rng, [2] * 7, 0, set(), 1.0)
        values = np.transpose(values, [k - 1 for k in order[1:]] + [6, 7])
        permuted.joint = replace(permuted.joint, values=np.ascontiguousarray(values).reshape(-1, 2, 3))
        for stable in (True, False):
            ctpc = Ctpc(conventions="corrected", stable=stable)
            parents_found = set(ctpc.learn_node(statistics, known).parents)
            parents_permuted = {int(order[j]) for j in ctpc.learn_node(permuted, known).parents}
            if stable:
                assert parents_found == parents_permuted
            different += parents_found != parents_permuted
    assert different, "without `stable` the order must matter, or this test shows nothing"


@pytest.mark.parametrize("name", ["text", "corrected"])
def test_the_unit_of_time_does_not_change_the_graph(name):
    rng = np.random.default_rng(4)
    data = simulated(rng, [3, 2, 3, 2], random_parents(rng, 4, 0.4), 3, 300)
    scaled = times_multiplied(data, 3600)
    for target, known in enumerate(Knowledge().for_nodes(data.names)):
        for test in ("chi2", "ks"):
            found, expected = (
                Ctpc(test, name).learn_node(NodeStatistics(any_unit, target), known)
                for any_unit in (scaled, data)
            )
            assert (found.parents, found.counts) == (expected.parents, expected.counts)


def test_max_parents_keeps_the_strongest():
    rng = np.random.default_rng(2)
    statistics = log_uniform_statistics(rng, [2] * 6, 0, {1, 2, 3, 4}, 60.0, 0.5)
    ctpc = Ctpc(conventions="corrected")
    unlimited = ctpc.learn_node(statistics, NodeKnowledge((), (1, 2, 3, 4, 5)))
    p = {evidence.candidate: evidence.p_value for evidence in unlimited.evidence if evidence.kept}
    assert len(p) >= 3
    for limit in range(len(p) + 1):
        known = NodeKnowledge((), (1, 2, 3, 4, 5), limit)
        limited = ctpc.learn_node(statistics, known)
        assert limited.parents == tuple(sorted(sorted(p, key=lambda j: (p[j], j))[:limit]))
        assert [evidence.kept for evidence in limited.evidence] == [j in limited.parents for j in range(1, 6)]
        assert any("more parents than allowed" in note for note in limited.notes) == (limit < len(p))
    required = ctpc.learn_node(statistics, NodeKnowledge((5,), (1, 2, 3, 4), 1))
    assert required.parents == (5,)


@given(trajectories(max_variables=4, plain=True), st.sampled_from(NAMES), st.sampled_from(["chi2", "ks"]))
def test_degenerate_data_give_a_graph(data, name, test):
    for target, known in enumerate(Knowledge().for_nodes(data.names)):
        statistics = NodeStatistics(data, target)
        result = Ctpc(test, name).learn_node(statistics, known)
        assert result.target == target
        assert len(result.evidence) == data.n_variables - 1
        if not (data.variable == target).any():
            assert result.notes[0] == f"X{target} never changes: nothing could be tested"


def test_notes_report_what_could_not_be_tested():
    rng = np.random.default_rng(3)
    # X1 has one state, X2 is seen in one of its two, X3 changes; the target's last state never occurs.
    statistics = log_uniform_statistics(rng, [3, 1, 2, 2], 0, {3}, 500.0)
    statistics.joint.values.reshape(1, 2, 2, 3, 4)[:, 1] = 0
    statistics.joint.values[:, 2] = 0
    statistics.joint.values[:, :, 3] = 0
    result = Ctpc(conventions="corrected").learn_node(statistics, NodeKnowledge((), (1, 2, 3)))
    assert result.parents == (3,)
    assert result.notes == ("no arc from variables that never change: X1, X2",)
    statistics = log_uniform_statistics(np.random.default_rng(5), [3, 2, 2], 0, set(), 50.0)
    statistics.joint.values[:, 2, 1:] = 0  # the target never leaves its last state
    dropped = Ctpc(conventions="corrected", alpha=1e-3).learn_node(statistics, NodeKnowledge((), (1, 2)))
    assert dropped.parents == ()
    assert dropped.notes == ("arcs dropped though some comparisons lacked transitions: 2",)


def test_one_variable_and_no_candidates():
    data = simulated(np.random.default_rng(1), [3], ((),), 1, 20)
    result = Ctpc().learn_node(NodeStatistics(data, 0), NodeKnowledge((), ()))
    assert (result.parents, result.evidence, dict(result.counts), result.notes) == (
        (),
        (),
        {"tests": 0, "levels": 0},
        (),
    )
    both = simulated(np.random.default_rng(1), [2, 2], ((), ()), 1, 20)
    for known, why, kept in (
        (NodeKnowledge((1,), ()), "required", True),
        (NodeKnowledge((), ()), "forbidden", False),
    ):
        (evidence,) = Ctpc().learn_node(NodeStatistics(both, 0), known).evidence
        assert (evidence.why, evidence.kept) == (why, kept)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "g2"}, "unknown test 'g2'"),
        ({"conventions": "paper"}, "unknown conventions 'paper'"),
        ({"alpha": 0}, "alpha must be a number between 0 and 1, not 0"),
        ({"alpha_waiting": 1.0}, "alpha_waiting must be"),
        ({"alpha_transitions": "x"}, "alpha_transitions must be"),
        ({"stable": "yes"}, "stable must be true or false"),
        ({"max_separating_set": -1}, "max_separating_set must be a whole number"),
        ({"max_separating_set": 1.5}, "max_separating_set must be a whole number"),
        ({"max_work": -1}, "max_work must be a whole number"),
        ({"max_work": 1e9}, "max_work must be a whole number"),
        ({"search": "greedy"}, "unknown search 'greedy'; choose pc or hiton"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        Ctpc(**options)


def test_levels_of_the_two_tests():
    def levels(**options):
        test = Ctpc(**options).independence_test
        assert isinstance(test, TableTest)
        return test.waiting_times.alpha, test.transitions.alpha

    assert levels() == (0.1, 0.1)
    assert levels(test="ks") == (0.1, 1e-4)
    assert levels(alpha=0.05) == (0.05, 0.05)
    assert levels(test="ks", alpha=0.05, alpha_transitions=1e-3) == (0.05, 1e-3)
    assert levels(alpha_waiting=0.2) == (0.2, 0.1)
