"""Coincidences of events: Z equals a plain count of pairs, and the search over Z finds the parents."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.learning.empirical_bayes import _coincidence
from ctbnlab.learning.empirical_bayes.coincidence import Coincidences, exact_lattice
from ctbnlab.learning.empirical_bayes.search import ExactSearch, SampledSearch, SearchSettings
from ctbnlab.model.generate import generate
from ctbnlab.simulation.simulate import simulate
from tests.support.point_states import control_states, event_states
from tests.support.strategies import plain_variables, random_trajectories, trajectories


def plain_z(points, members):
    """Return Z of one set, counted pair by pair."""
    places = [points.candidates.index(j) for j in members]
    u = v = 0.0
    for x, y in itertools.product(range(len(points.control_counts)), repeat=2):
        events, controls = event_states(points, x, y), control_states(points, x)
        if events and controls:
            weight = -len(events) / len(controls)
            weighted = [(1.0, state) for state in events] + [(weight, state) for state in controls]
            for (w1, a), (w2, b) in itertools.combinations(weighted, 2):
                if all(a[i] == b[i] for i in places):
                    u += w1 * w2
                    v += (w1 * w2) ** 2
    return u / max(v, 25.0) ** 0.5


@settings(max_examples=30)
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(1, 6), min_size=3, max_size=5),
    st.integers(20, 150),
    st.data(),
)
def test_a_lattice_equals_a_plain_sum_over_pairs(seed, cardinalities, events, drawn):
    variables = plain_variables(cardinalities)
    data = random_trajectories(np.random.default_rng(seed), variables, [events, 3])
    statistics = NodeStatistics(data, 0)
    points = statistics.sample_points(statistics.candidates, 1000, 1.5)
    block = drawn.draw(st.lists(st.sampled_from(statistics.candidates), unique=True, max_size=3))
    lattice = Coincidences(points).lattice(block)
    for mask in range(1 << len(lattice.free)):
        members = lattice.members(mask)
        assert lattice.z[mask] == pytest.approx(plain_z(points, members), abs=1e-9)
        assert lattice.z_of(members) == lattice.z[mask]


@given(st.integers(0, 6), st.integers(0, 2**32 - 1))
def test_subset_sums_equal_plain_sums(bits, seed):
    table = np.random.default_rng(seed).normal(size=1 << bits)
    expected = [sum(table[d] for d in range(len(table)) if d & t == d) for t in range(len(table))]
    _coincidence.subset_sums(table)
    assert table == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.integers(0, 2**32 - 1))
def test_squared_marginals_equal_plain_sums(cardinalities, seed):
    table = np.random.default_rng(seed).normal(size=cardinalities)
    sums = np.ones(1 << len(cardinalities))
    _coincidence.squared_marginals(table.reshape(-1), np.array(cardinalities), sums)
    for mask in range(len(sums)):
        summed_out = tuple(axis for axis in range(len(cardinalities)) if not mask >> axis & 1)
        assert sums[mask] == pytest.approx(1 + (table.sum(axis=summed_out) ** 2).sum(), abs=1e-9)


def exact_z(statistics, members):
    """Return Z of one set, summed over its configurations."""
    table = statistics.table(members)
    u = v = 0.0
    for x, y in itertools.permutations(range(table.n_states), 2):
        moves, time = table.transitions[:, x, y], table.time[:, x]
        expected = time * (moves.sum() / time.sum()) if time.sum() else time
        u += (((moves - expected) ** 2 - moves) / 2).sum()
        v += (expected**2 / 2).sum()
    return u / max(v, 25.0) ** 0.5


@settings(max_examples=50)
@given(trajectories(max_events=60, max_states=4, plain=True, min_variables=2), st.data())
def test_the_exact_lattice_equals_a_plain_sum_over_configurations(data, drawn):
    statistics = NodeStatistics(data, drawn.draw(st.integers(0, data.n_variables - 1)))
    candidates = drawn.draw(st.permutations(statistics.candidates))
    lattice = exact_lattice(statistics, candidates)
    for mask in range(1 << len(candidates)):
        members = lattice.members(mask)
        assert lattice.z[mask] == pytest.approx(exact_z(statistics, members), abs=1e-9)
        assert lattice.z_of(members) == lattice.z[mask]


@given(trajectories(max_events=60, plain=True, min_variables=2))
def test_the_exact_lattice_is_the_same_from_a_sparse_table(data):
    dense, sparse = NodeStatistics(data, 0), NodeStatistics(data, 0, memory=0)
    assert dense.table(dense.candidates).configurations is None
    assert sparse.table(sparse.candidates).configurations is not None
    for candidates in (dense.candidates, dense.candidates[::-1]):
        expected, found = exact_lattice(dense, candidates), exact_lattice(sparse, candidates)
        assert (found.block, found.free) == (expected.block, expected.free)
        np.testing.assert_array_equal(found.z, expected.z)


@settings(max_examples=40)
@given(st.integers(1, 5), st.integers(0, 2**32 - 1), st.booleans())
def test_counted_pairs_equal_plain_ones_in_large_and_small_buckets(planes, seed, same):
    rng = np.random.default_rng(seed)
    sizes = [rng.integers(0, 70, 3), rng.integers(0, 70, 3)]
    a, b = (rng.integers(0, 32, (planes, max(int(s.sum()), 1))).astype(np.uint32) for s in sizes)
    starts = [np.concatenate([[0], np.cumsum(s)]) for s in sizes]
    if same:
        b, starts[1] = a, starts[0]
    histogram = np.zeros(32, np.uint32)
    _coincidence.count_pairs(a, starts[0], b, starts[1], same, histogram)
    expected = np.zeros(32, np.uint32)
    for k in range(3):
        first, second = (range(s[k], s[k + 1]) for s in starts)
        for i, j in itertools.combinations(first, 2) if same else itertools.product(first, second):
            expected[int(np.bitwise_or.reduce(a[:, i] ^ b[:, j]))] += 1
    assert (histogram == expected).all()


@pytest.mark.slow
def test_z_is_standard_normal_without_parents():
    """Sets of 4 to 7 of ten independent variables: mean 0 and variance 1, within 4 standard errors."""
    network = generate(10, 3, 0.0, count="probability", connectivity="none", seed=1)
    sampled, exact = [], []
    for seed in range(6):
        data = simulate(network, trajectories=60, duration=50.0, seed=seed)
        for target in range(10):
            statistics = NodeStatistics(data, target)
            lattice = Coincidences(statistics.sample_points(statistics.candidates, 3000, 2.0)).lattice(
                statistics.candidates[:4]
            )
            exact_one = exact_lattice(statistics, statistics.candidates)
            for values, found in ((sampled, lattice), (exact, exact_one)):
                values.append([found.z_of(statistics.candidates[:k]) for k in (4, 5, 6, 7)])
    for z in (np.array(sampled), np.array(exact)):
        assert (abs(z.mean(axis=0)) < 4 / len(z) ** 0.5).all()
        assert (abs(z.var(axis=0) - 1) < 4 * (2 / len(z)) ** 0.5).all()


@pytest.mark.slow
def test_z_falls_by_the_root_of_the_cardinality_per_missing_parent():
    network = generate(10, 3, 0.6, count="probability", connectivity="none", seed=2)
    data = simulate(network, trajectories=100, duration=100.0, seed=2)
    target = max(range(10), key=lambda i: len(network.parents[i]))
    parents = network.parents[target]
    statistics = NodeStatistics(data, target)
    points = Coincidences(statistics.sample_points(statistics.candidates, 20000, 2.0))
    highest = points.lattice(parents[:3]).z_of(parents)
    without_one = [tuple(p for p in parents if p != missing) for missing in parents]
    lower = [points.lattice(others[:3]).z_of(others) for others in without_one]
    assert highest > 10
    # Z from two controls per event is two thirds of Z from exact times.
    exact = exact_lattice(statistics, statistics.candidates).z_of(parents)
    assert exact == pytest.approx(1.5 * highest, rel=0.2)
    assert np.mean(lower) == pytest.approx(highest / 3**0.5, rel=0.2)


def test_the_sampled_search_proposes_the_parents():
    network = generate(12, 3, 0.5, count="probability", connectivity="none", seed=4)
    data = simulate(network, trajectories=100, duration=100.0, seed=4)
    target = max(range(12), key=lambda i: len(network.parents[i]))
    statistics = NodeStatistics(data, target)
    search = SampledSearch(statistics, statistics.candidates, (), SearchSettings())
    proposed: list[tuple[int, ...]] = []

    def accept(members):
        proposed.append(members)
        return True

    search.run(accept, lambda: False)
    assert len(network.parents[target]) >= 6
    assert len(proposed) == 1
    assert set(network.parents[target]) <= set(proposed[0])
    search.run(accept, lambda: True)
    assert len(proposed) == 1


def test_the_exact_search_proposes_the_parents_and_required_ones():
    network = generate(8, 3, 0.5, count="probability", connectivity="none", seed=4)
    data = simulate(network, trajectories=60, duration=100.0, seed=4)
    target = max(range(8), key=lambda i: len(network.parents[i]))
    parents = set(network.parents[target])
    statistics = NodeStatistics(data, target)
    assert ExactSearch.fits(statistics, statistics.candidates)
    other = next(j for j in statistics.candidates if j not in parents)
    for required in ((), (other,)):
        proposed: list[tuple[int, ...]] = []
        search = ExactSearch(statistics, statistics.candidates, required, SearchSettings())
        search.run(lambda members, proposed=proposed: bool(proposed.append(members)), lambda: False)
        assert len(parents) >= 4
        assert [set(members) for members in proposed] == [parents | set(required)]
