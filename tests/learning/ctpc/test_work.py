"""The bound on the work for a node: what counts as work, and what happens when it is spent."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ctbnlab.learning.ctpc.learner import Ctpc
from ctbnlab.learning.ctpc.search import TEST_WORK
from ctbnlab.learning.independence.base import Outcome
from ctbnlab.learning.knowledge import NodeKnowledge
from ctbnlab.learning.nodes import learn
from tests.support.sample_tables import log_uniform_statistics
from tests.support.simulated_data import random_parents, simulated

CARDINALITIES = [3, 2, 3, 2, 2, 4]


@dataclass(frozen=True)
class AlwaysDependent:
    """Rejects everything, and draws seven random numbers for it."""

    def test(self, statistics, candidate):
        return Outcome(False, 1.0, None, 0.001, "dependent", drawn=7)


def plain_works(candidates):
    """Return the work of each test in the order of the algorithm if nothing is ever removed."""
    return [
        TEST_WORK + prod(CARDINALITIES[j] for j in (y, *others)) * CARDINALITIES[0] ** 2 + 7
        for b in range(len(candidates))
        for y in candidates
        for others in combinations([j for j in candidates if j != y], b)
    ]


ALL = plain_works((1, 2, 3, 4, 5))


@pytest.mark.parametrize("max_work", [0, 1, 1025, 1026, 20_000, 50_000, sum(ALL), None])
def test_tests_are_made_until_the_work_is_spent(max_work):
    statistics = log_uniform_statistics(np.random.default_rng(1), CARDINALITIES, 0, {1}, 500.0)
    candidates = (1, 2, 3, 4, 5)
    made = len(ALL) if max_work is None else sum(np.cumsum([0, *ALL])[:-1] < max_work)
    result = Ctpc(AlwaysDependent(), max_work=max_work).learn_node(statistics, NodeKnowledge((), candidates))
    assert result.counts["tests"] == made
    assert result.parents == candidates
    assert all(entry.kept for entry in result.evidence)
    if made == len(ALL):
        assert result.notes == ()
    else:
        (note,) = [note for note in result.notes if "max_work" in note]
        assert note.startswith(f"max_work={max_work:,} is spent after {made:,} tests: 5 arcs")


@given(st.integers(0, 1000), st.sampled_from(["chi2", "ks", "pooled", "dm"]), st.integers(0, 40_000))
def test_the_graph_with_a_bound_has_the_arcs_without_it(seed, test, max_work):
    known = NodeKnowledge((), (1, 2, 3, 4))
    dense, sparse = (
        log_uniform_statistics(np.random.default_rng(seed), [3, 2, 2, 3, 2], 0, {1}, 40.0) for _ in range(2)
    )
    sparse.sparse = True
    whole = Ctpc(test, max_work=None).learn_node(dense, known)
    bounded = Ctpc(test, max_work=max_work).learn_node(dense, known)
    assert bounded.counts["tests"] <= whole.counts["tests"]
    assert Ctpc(test, max_work=max_work).learn_node(sparse, known) == bounded
    if not any("max_work" in note for note in bounded.notes):
        assert bounded == whole
    else:
        assert set(whole.parents) <= set(bounded.parents)


def test_a_bounded_graph_is_the_same_on_any_number_of_threads():
    rng = np.random.default_rng(5)
    data = simulated(rng, [2] * 6, random_parents(rng, 6, 0.5), 4, 300)
    learner = Ctpc("pooled", max_work=4_000)
    graphs = [learn(data, learner, jobs=jobs).graph for jobs in (1, 3)]
    assert graphs[0] == graphs[1]
    assert any("max_work" in note for note in graphs[0].notes)
