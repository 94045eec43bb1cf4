"""Tables of many small parent sets at once: the same tables, and the same scores, as one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ctbnlab.counting.cover import SetCover
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.subsets import tables_of_subsets
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.learning.ctss.search import ParentSetScores, exhaustive
from ctbnlab.learning.knowledge import NodeKnowledge
from ctbnlab.learning.scores.bde import Bde, Hyperparameters
from tests.support.strategies import plain_variables, trajectories


def toggling_trajectory(rng, n, events=4000):
    """Return a trajectory in which binary variables change at times 1, 2, … in a random order."""
    variable = rng.integers(0, n, events)
    new = np.zeros(events, np.uint8)
    state = np.zeros(n, np.uint8)
    for e, v in enumerate(variable):
        state[v] ^= 1
        new[e] = state[v]
    return Trajectories.from_arrays(
        plain_variables([2] * n),
        offsets=[0, events],
        start=[0.0],
        end=[events + 1.0],
        initial=np.zeros((1, n), np.uint8),
        time=np.arange(1.0, events + 1),
        variable=variable,
        new=new,
    )


def focused(data, target, size, groups=None, always=None):
    """Return statistics whose focus is all candidates, covered by the given groups if any."""
    statistics = NodeStatistics(data, target)
    statistics.focus(statistics.candidates, max_size=size)
    if groups is not None:
        statistics.cover = SetCover(groups, min(size + (always is not None), len(groups)), always)
    return statistics


@st.composite
def cases(draw):
    """Draw data, a target, a size, and a division of the candidates into groups."""
    data = draw(trajectories())
    target = draw(st.integers(0, data.n_variables - 1))
    candidates = tuple(j for j in range(data.n_variables) if j != target)
    cuts = sorted(draw(st.sets(st.integers(1, len(candidates) - 1)))) if len(candidates) > 1 else []
    groups = tuple(
        candidates[a:b] for a, b in zip([0, *cuts], [*cuts, len(candidates)], strict=True) if a < b
    )
    always = draw(st.none() | st.integers(0, len(groups) - 1)) if groups else None
    return data, target, draw(st.integers(1, 3)), groups or None, always


@settings(max_examples=200)
@given(cases())
def test_every_small_set_comes_once_with_its_table(case):
    data, target, size, groups, always = case
    statistics = focused(data, target, size, groups, always)
    batches = tables_of_subsets(statistics, size)
    if not statistics.candidates:
        assert batches is None
        return
    found = {}
    for sets in batches:
        for k, parents in enumerate(sets.parents):
            assert parents not in found
            found[parents] = sets.values[sets.first[k] : sets.first[k + 1]]
    assert set(found) == {p for k in range(size + 1) for p in combinations(statistics.candidates, k)}
    alone = NodeStatistics(data, target)
    for parents, values in found.items():
        assert np.array_equal(values, alone.table(parents).values)


@settings(max_examples=100)
@given(cases(), st.sampled_from(["constant", "spread"]), st.sampled_from([0.0, 1.5]))
def test_scores_equal_those_of_one_by_one(case, prior, penalty):
    data, target, size, groups, always = case
    statistics = focused(data, target, size, groups, always)
    scores = ParentSetScores(statistics, Bde(Hyperparameters(prior=prior)), penalty)
    if not scores.score_subsets(size):
        assert not statistics.candidates
        return
    alone = ParentSetScores(NodeStatistics(data, target), scores.score, penalty)
    for parents, score in scores.known.items():
        assert score == alone.score_of(parents)


def test_sets_are_scored_one_by_one_if_memory_is_small():
    data = toggling_trajectory(np.random.default_rng(1), n=9)
    small = NodeStatistics(data, 0, memory=1 << 14)
    scores = ParentSetScores(small, Bde())
    small.focus(small.candidates, max_size=3)
    assert tables_of_subsets(small, 3) is None
    found = exhaustive(scores, NodeKnowledge((), small.candidates, 3))
    large = ParentSetScores(NodeStatistics(data, 0), Bde())
    large.statistics.focus(small.candidates, max_size=3)
    assert found.parents == exhaustive(large, NodeKnowledge((), small.candidates, 3)).parents
    assert scores.known == pytest.approx(large.known, rel=1e-12)
