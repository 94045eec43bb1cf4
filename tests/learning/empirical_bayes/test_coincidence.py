"""Coincidences: sampled points, lattices and the search over them against plain counting."""

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
from ctbnlab.model.variables import Variable
from ctbnlab.simulation.simulate import simulate
from tests.support.strategies import random_trajectories, trajectories


def unpacked(points, count, first, places):
    """The states of the candidates at some points."""
    return [
        [sum(int(plane[i] >> v & 1) << p for p, plane in enumerate(points)) for v in range(places)]
        for i in range(first, first + count)
    ]


def moments(data, target):
    """The states of all variables whenever the target changes, by (old, new), in the order of events."""
    found: dict[tuple[int, int], list[list[int]]] = {}
    for t in range(data.n_trajectories):
        state = data.initial[t].astype(int).tolist()
        for e in range(int(data.begin[t]), int(data.stop[t])):
            j = int(data.variable[e])
            if j == target:
                found.setdefault((state[j], int(data.new[e])), []).append(list(state))
            state[j] = int(data.new[e])
    return found


@given(trajectories(max_events=40, max_states=5, plain=True, min_variables=2), st.integers(0, 4))
def test_all_events_are_points_and_controls_are_moments_in_x(data, target):
    target %= data.n_variables
    statistics = NodeStatistics(data, target)
    points = Coincidences(statistics.sample_points(statistics.candidates[::-1], 1000, 2.0))
    expected = moments(data, target)
    c = int(data.cardinalities[target])
    for x, y in itertools.product(range(c), range(c)):
        states = unpacked(
            points._points.events,
            int(points._points.event_counts[x, y]),
            int(points._points.event_firsts[x, y]),
            len(points.candidates),
        )
        assert states == [[row[j] for j in points.candidates] for row in expected.get((x, y), [])]
    time = statistics.table(points.candidates).time
    for x in range(c):
        cards = [int(data.cardinalities[j]) for j in sorted(points.candidates)]
        for row in unpacked(
            points._points.controls,
            int(points._points.control_counts[x]),
            int(points._points.control_firsts[x]),
            len(points.candidates),
        ):
            assert time[np.ravel_multi_index(row[::-1], cards), x] > 0


def plain_z(points, members):
    """Z of one set, pair by pair."""
    at = [points.candidates.index(j) for j in members]
    n, u, v = len(points.candidates), 0.0, 0.0
    for x, m in enumerate(points._points.control_counts):
        controls = unpacked(points._points.controls, int(m), int(points._points.control_firsts[x]), n)
        for y, count in enumerate(points._points.event_counts[x]):
            events = unpacked(points._points.events, int(count), int(points._points.event_firsts[x, y]), n)
            if not m or not count:
                continue
            weighted = [(1.0, e) for e in events] + [(-count / m, row) for row in controls]
            for (w1, a), (w2, b) in itertools.combinations(weighted, 2):
                if all(a[i] == b[i] for i in at):
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
def test_a_lattice_is_the_plain_sum_over_pairs(seed, cards, events, drawn):
    variables = tuple(Variable(f"X{i}", tuple(map(str, range(c)))) for i, c in enumerate(cards))
    data = random_trajectories(np.random.default_rng(seed), variables, [events, 3])
    statistics = NodeStatistics(data, 0)
    points = Coincidences(statistics.sample_points(statistics.candidates, 1000, 1.5))
    block = drawn.draw(st.lists(st.sampled_from(statistics.candidates), unique=True, max_size=3))
    lattice = points.lattice(block)
    for mask in range(1 << len(lattice.free)):
        members = lattice.members(mask)
        assert lattice.z[mask] == pytest.approx(plain_z(points, members), abs=1e-9)
        assert lattice.z_of(members) == lattice.z[mask]


@given(st.integers(0, 6), st.integers(0, 2**32 - 1))
def test_sums_over_subsets(bits, seed):
    table = np.random.default_rng(seed).normal(size=1 << bits)
    expected = [sum(table[d] for d in range(len(table)) if d & t == d) for t in range(len(table))]
    _coincidence.subset_sums(table)
    assert table == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.integers(0, 2**32 - 1))
def test_squares_of_all_marginals(states, seed):
    table = np.random.default_rng(seed).normal(size=states)
    sums = np.ones(1 << len(states))
    _coincidence.squared_marginals(table.reshape(-1), np.array(states), sums)
    for kept in range(len(sums)):
        gone = tuple(axis for axis in range(len(states)) if not kept >> axis & 1)
        assert sums[kept] == pytest.approx(1 + (table.sum(axis=gone) ** 2).sum(), abs=1e-9)


def exact_z(statistics, members):
    """Z of one set, configuration by configuration."""
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
def test_the_exact_lattice_is_the_sum_over_configurations(data, drawn):
    statistics = NodeStatistics(data, drawn.draw(st.integers(0, data.n_variables - 1)))
    candidates = drawn.draw(st.permutations(statistics.candidates))
    lattice = exact_lattice(statistics, candidates)
    for mask in range(1 << len(candidates)):
        members = lattice.members(mask)
        assert lattice.z[mask] == pytest.approx(exact_z(statistics, members), abs=1e-9)
        assert lattice.z_of(members) == lattice.z[mask]


@settings(max_examples=40)
@given(st.integers(1, 5), st.integers(0, 2**32 - 1), st.booleans())
def test_pairs_in_long_and_short_buckets(planes, seed, same):
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


def test_thinning_takes_about_as_many_as_asked_for_whatever_the_unit_of_time():
    data = simulate(generate(4, 2, 0.3, seed=3), trajectories=50, duration=50.0, seed=3)
    statistics = NodeStatistics(data, 1)
    points = Coincidences(statistics.sample_points(statistics.candidates, 500, 2.0))
    taken = points._points.event_counts[points._points.event_counts > 0]
    assert (abs(taken - 500) < 5 * 500**0.5).all()
    assert (points._points.control_counts == 1000).all()


@pytest.mark.slow
def test_z_is_standard_normal_without_parents_and_falls_by_root_c_a_variable_with_them():
    """Ten variables on their own: mean 0 and variance 1 within 4 standard errors, over sets of 4 to 7."""
    network = generate(10, 3, 0.0, count="probability", connectivity="none", seed=1)
    values, exact = [], []
    for seed in range(6):
        data = simulate(network, trajectories=60, duration=50.0, seed=seed)
        for target in range(10):
            statistics = NodeStatistics(data, target)
            lattice = Coincidences(statistics.sample_points(statistics.candidates, 3000, 2.0)).lattice(
                statistics.candidates[:4]
            )
            whole = exact_lattice(statistics, statistics.candidates)
            for lists, found in ((values, lattice), (exact, whole)):
                lists.append([found.z_of(statistics.candidates[:k]) for k in (4, 5, 6, 7)])
    for z in (np.array(values), np.array(exact)):
        assert (abs(z.mean(axis=0)) < 4 / len(z) ** 0.5).all()
        assert (abs(z.var(axis=0) - 1) < 4 * (2 / len(z)) ** 0.5).all()
    network = generate(10, 3, 0.6, count="probability", connectivity="none", seed=2)
    data = simulate(network, trajectories=100, duration=100.0, seed=2)
    target = max(range(10), key=lambda i: len(network.parents[i]))
    parents = network.parents[target]
    statistics = NodeStatistics(data, target)
    points = Coincidences(statistics.sample_points(statistics.candidates, 20000, 2.0))
    top = points.lattice(parents[:3]).z_of(parents)
    lower = [
        points.lattice(tuple(p for p in parents if p != gone)[:3]).z_of([p for p in parents if p != gone])
        for gone in parents
    ]
    assert top > 10
    # Exact times make Z larger by half where there are two controls an event.
    assert exact_lattice(statistics, statistics.candidates).z_of(parents) == pytest.approx(1.5 * top, rel=0.2)
    assert np.mean(lower) == pytest.approx(top / 3**0.5, rel=0.2)


def test_the_search_hands_over_the_parents():
    network = generate(12, 3, 0.5, count="probability", connectivity="none", seed=4)
    data = simulate(network, trajectories=100, duration=100.0, seed=4)
    target = max(range(12), key=lambda i: len(network.parents[i]))
    statistics = NodeStatistics(data, target)
    search = SampledSearch(statistics, statistics.candidates, (), SearchSettings())
    handed: list[tuple[int, ...]] = []

    def accept(members):
        handed.append(members)
        return True

    search.run(accept, lambda: False)
    assert len(network.parents[target]) >= 6
    assert len(handed) == 1
    assert set(network.parents[target]) <= set(handed[0])
    search.run(accept, lambda: True)
    assert len(handed) == 1


def test_all_sets_at_once_hand_over_the_parents_and_keep_required_ones():
    network = generate(8, 3, 0.5, count="probability", connectivity="none", seed=4)
    data = simulate(network, trajectories=60, duration=100.0, seed=4)
    target = max(range(8), key=lambda i: len(network.parents[i]))
    parents = set(network.parents[target])
    statistics = NodeStatistics(data, target)
    assert ExactSearch.fits(statistics, statistics.candidates)
    stranger = next(j for j in statistics.candidates if j not in parents)
    for required in ((), (stranger,)):
        handed: list[tuple[int, ...]] = []
        search = ExactSearch(statistics, statistics.candidates, required, SearchSettings())
        search.run(lambda members, handed=handed: bool(handed.append(members)), lambda: False)
        assert len(parents) >= 4
        assert [set(members) for members in handed] == [parents | set(required)]
