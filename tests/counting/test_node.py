"""Sufficient statistics: every way to a table gives the numbers of the plain loop, and the same bytes."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ctbnlab.counting._pairs import pair_counts
from ctbnlab.counting.batch import statistics_of
from ctbnlab.counting.cover import cover_subsets
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.scan import grouped, ticks_per_time
from ctbnlab.errors import InputError
from ctbnlab.model.variables import Variable
from tests.support.reference_statistics import BincountStatistics, plain_statistics
from tests.support.strategies import random_trajectories, trajectories


def binary(n, states=2):
    return [Variable(f"X{i}", tuple(map(str, range(states)))) for i in range(n)]


def whole(table):
    """All configurations of a table, those left out as zeros."""
    if table.configurations is None:
        return table.values
    assert (np.diff(table.configurations) > 0).all()
    values = np.zeros((prod(table.parent_cardinalities), *table.values.shape[1:]))
    values[table.configurations] = table.values
    return values


def assert_equals_plain(table, data):
    plain = plain_statistics(data, table.target, table.parents)
    assert table.parent_cardinalities == plain.parent_cardinalities
    values = whole(table)
    np.testing.assert_array_equal(values[:, :, 1:], plain.transitions)
    # A time stamp is known to half a unit in its last place, and a cell is no more visits than events.
    reach = max(np.abs(data.time).max(initial=0), np.abs(data.end).max(initial=0))
    stamps = (data.n_events + data.n_trajectories) * np.finfo(float).eps * reach
    np.testing.assert_allclose(values[:, :, 0], plain.time, rtol=1e-9, atol=stamps)
    np.testing.assert_array_equal(values[:, :, 0][plain.time == 0], 0)


def subsets(candidates, most):
    return [w for size in range(most + 1) for w in combinations(candidates, size)]


@st.composite
def cases(draw, **options):
    """Draw trajectories, some of them left out or repeated, and a target."""
    data = draw(trajectories(plain=True, **options))
    if draw(st.booleans()):
        data = data.subset(draw(st.lists(st.integers(0, data.n_trajectories - 1), max_size=6)))
    return data, draw(st.integers(0, data.n_variables - 1))


@given(cases(), st.sampled_from([0, 1 << 9, 1 << 12, 48 << 20]))
def test_every_parent_set_equals_the_plain_loop(case, memory):
    data, target = case
    statistics = NodeStatistics(data, target, memory=memory)
    for parents in subsets(statistics.candidates, 4):
        assert_equals_plain(statistics.table(parents), data)
    for base in subsets(statistics.candidates, 2):
        tables = statistics.extensions(base)
        assert list(tables) == [j for j in statistics.candidates if j not in base]
        for j, table in tables.items():
            assert table.parents == tuple(sorted((*base, j)))
            assert_equals_plain(table, data)


@given(
    cases(max_variables=7, max_events=40),
    st.sampled_from([0, 1 << 10, 1 << 14, 1 << 18, 48 << 20]),
    st.data(),
)
def test_the_way_to_a_table_leaves_no_trace(case, memory, draw):
    data, target = case
    candidates = NodeStatistics(data, target).candidates
    chosen = sorted(draw.draw(st.sets(st.sampled_from(candidates)))) if candidates else []
    size = draw.draw(st.none() | st.integers(0, len(chosen)))
    asked = draw.draw(st.permutations(subsets(chosen, len(chosen) if size is None else size)))
    statistics = NodeStatistics(data, target, memory=memory)
    statistics.focus(chosen, size)
    if draw.draw(st.booleans()):
        statistics.extensions(())
    for parents in asked[:40]:
        direct = NodeStatistics(data, target).table(parents)
        np.testing.assert_array_equal(whole(statistics.table(parents)), direct.values)
        np.testing.assert_array_equal(whole(statistics.table(parents[::-1])), direct.values)
    fewer = chosen[: len(chosen) // 2]
    statistics.focus(fewer)
    for parents in subsets(fewer, len(fewer)):
        assert (
            whole(statistics.table(parents)).tobytes()
            == NodeStatistics(data, target).table(parents).values.tobytes()
        )


@given(cases(), st.data())
def test_marginals_sum_rows_out(case, draw):
    data, target = case
    statistics = NodeStatistics(data, target, memory=draw.draw(st.sampled_from([0, 48 << 20])))
    table = statistics.table(statistics.candidates)
    assert (table.configurations is None) == (statistics.memory > 0)
    keep = sorted(draw.draw(st.sets(st.sampled_from(statistics.candidates)))) if statistics.candidates else []
    marginal = table.marginal(reversed(keep))
    assert marginal.parents == tuple(keep)
    assert (marginal.configurations is None) == (table.configurations is None)
    assert_equals_plain(marginal, data)


@pytest.fixture(scope="module")
def mixed():
    """Mixed cardinalities, a variable of one state, enough events for every way to be taken."""
    chosen = [
        Variable(f"X{i}", tuple(map(str, range(c)))) for i, c in enumerate([2, 3, 1, 4, 2, 5, 3, 2, 2, 3])
    ]
    return random_trajectories(np.random.default_rng(3), chosen, [700, 0, 1, 800, 9000])


def way_of(statistics, parents):
    """Which way a table is counted, by the scans that are made."""
    asked = []

    def watched(name, scan, variables, *rest):
        asked.append((name, len(variables)))
        return scan(variables, *rest)

    with pytest.MonkeyPatch.context() as patch:
        for name, way in (("joint", "_counted"), ("sparse", "_sparsely_counted")):
            patch.setattr(statistics, way, partial(watched, name, getattr(statistics, way)))
        table = statistics.table(parents)
    return asked, table


@pytest.fixture(scope="module")
def scarce():
    """Many variables and few events: most configurations never occur."""
    return random_trajectories(np.random.default_rng(5), binary(21, 3), [400, 400])


@pytest.mark.parametrize(
    ("name", "memory", "max_size", "parents", "scans", "listed"),
    [
        ("mixed", 48 << 20, None, (1, 5), [("joint", 9)], False),  # one joint table of all
        ("mixed", 1 << 18, 2, (1, 5), [("joint", 6)], False),  # two of three groups
        ("scarce", 48 << 20, None, (1, 5), [("sparse", 20)], False),  # those that occur, of all
        ("mixed", 1 << 17, None, (1, 5), [("sparse", 9), ("joint", 2)], False),  # too many: a direct scan
        ("mixed", 1 << 12, 3, (1, 3, 5), [("sparse", 9), ("sparse", 3)], True),  # one set is too large
    ],
)
def test_the_memory_bound_chooses_the_way(request, name, memory, max_size, parents, scans, listed):
    data = request.getfixturevalue(name)
    statistics = NodeStatistics(data, 0, memory=memory)
    statistics.focus(statistics.candidates, max_size)
    ways, table = way_of(statistics, parents)
    assert ways == scans
    assert (table.configurations is not None) == listed
    assert_equals_plain(table, data)
    smaller, table = way_of(statistics, parents[:1])
    assert smaller == ([] if len(scans) == 1 else [("joint", 1)])
    assert_equals_plain(table, data)


def test_every_subset_on_every_way(mixed):
    wanted = subsets(range(1, 10), 3)
    direct = {w: NodeStatistics(mixed, 0).table(w).values for w in wanted}
    plain = BincountStatistics(mixed)
    for w in wanted:
        expected = plain.of(0, w)
        np.testing.assert_array_equal(direct[w][:, :, 1:], expected.transitions)
        np.testing.assert_allclose(direct[w][:, :, 0], expected.time, rtol=1e-9)
    for memory, size in [(48 << 20, None), (1 << 18, 3), (1 << 19, None), (1 << 14, 3)]:
        statistics = NodeStatistics(mixed, 0, memory=memory)
        statistics.focus(range(1, 10), size)
        for w in wanted:
            np.testing.assert_array_equal(whole(statistics.table(w)), direct[w])


def test_extensions_in_batches_and_for_some_candidates(mixed):
    expected = NodeStatistics(mixed, 3).extensions((1, 6))
    for memory in (0, 1 << 13, 1 << 15, 1 << 17):
        tables = NodeStatistics(mixed, 3, memory=memory).extensions((6, 1), [9, 0, 4])
        assert list(tables) == [0, 4, 9]
        for j, table in tables.items():
            np.testing.assert_array_equal(whole(table), expected[j].values)


@given(
    cases(max_variables=7, max_events=40),
    st.sampled_from([0, 1 << 12, 1 << 14, 48 << 20]),
    st.integers(1, 5),
    st.data(),
)
def test_pairs_of_many_targets_are_those_of_each(case, memory, jobs, draw):
    data, _ = case
    targets = draw.draw(st.lists(st.integers(0, data.n_variables - 1), unique=True))
    nodes = list(statistics_of(data, targets, memory=memory, jobs=jobs))
    assert [node.target for node in nodes] == targets
    for node in nodes:
        alone = NodeStatistics(data, node.target).pairs()
        shared = node.pairs()
        assert list(shared) == list(alone)
        for j, table in shared.items():
            assert whole(table).tobytes() == alone[j].values.tobytes()


@given(cases(max_variables=11, max_events=40), st.sampled_from([1, 4, 27, 10_000]), st.data())
def test_pairs_in_any_groups_are_those_of_a_scan_for_each(case, most_cells, draw):
    data, _ = case
    indices = st.integers(0, data.n_variables - 1)
    targets = draw.draw(st.lists(indices, min_size=1, unique=True))
    scan = NodeStatistics(data, 0)._scan
    found = pair_counts(scan, np.array(targets, np.int32), *grouped(data.cardinalities.tolist(), most_cells))
    for target, counts in zip(targets, found, strict=True):
        others = np.setdiff1d(np.arange(data.n_variables, dtype=np.int32), [target])
        states = data.cardinalities[others].tolist()
        one_by_one = scan.extensions(target, others[:0], others, *grouped(states, 1))[:, : sum(states)]
        np.testing.assert_array_equal(counts, one_by_one)


@given(cases(max_variables=11, max_events=40), st.sampled_from([4, 16, 10_000]), st.data())
def test_extensions_in_any_groups_are_those_of_each(case, most_cells, draw):
    data, target = case
    role = draw.draw(st.lists(st.sampled_from("pc-"), min_size=data.n_variables, max_size=data.n_variables))
    parents, candidates = (
        np.array([j for j in range(data.n_variables) if j != target and role[j] == mark], np.int32)
        for mark in "pc"
    )
    scan = NodeStatistics(data, 0)._scan
    states = data.cardinalities[candidates].tolist()
    one_by_one, together = (
        scan.extensions(target, parents, candidates, *grouped(states, most))[:, : sum(states)]
        for most in (1, most_cells)
    )
    np.testing.assert_array_equal(one_by_one, together)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=12), st.integers(1, 60))
def test_groups_are_neighbours_with_few_joint_states(states, most_cells):
    group, step, cells = grouped(states, most_cells)
    assert group.tolist() == sorted(group) and set(group) == set(range(len(cells) - 1))
    for g in range(len(cells) - 1):
        members = np.flatnonzero(group == g)
        sizes = [states[j] for j in members]
        assert cells[g + 1] - cells[g] == prod(sizes)
        assert len(members) == 1 or prod(sizes) <= most_cells
        assert step[members].tolist() == [prod(sizes[:k]) for k in range(len(sizes))]


def test_a_scan_is_shared_where_there_are_many_targets(mixed):
    shared = [node._pair_counts is not None for node in statistics_of(mixed, range(10))]
    assert shared == [True] * 10
    assert all(node._pair_counts is None for node in statistics_of(mixed, range(3)))
    assert all(node._pair_counts is None for node in statistics_of(mixed, range(10), memory=1 << 12))


def test_255_states_and_two_byte_variables():
    chosen = [Variable("wide", tuple(f"s{i}" for i in range(255))), *binary(299)]
    data = random_trajectories(np.random.default_rng(1), chosen, [3000, 0, 20, 4100])
    assert data.variable.dtype == np.uint16
    for target, parents in [(0, (1, 250)), (1, (0, 3)), (298, (0, 7, 299))]:
        statistics = NodeStatistics(data, target)
        assert_equals_plain(statistics.table(parents), data)
        assert_equals_plain(statistics.extensions(parents[:-1], [parents[-1], 100])[100], data)
        sparse = NodeStatistics(data, target, memory=0).table(parents)
        assert_equals_plain(sparse, data)
    assert len(NodeStatistics(data, 5).pairs()) == 299
    alone = NodeStatistics(data, 5).pairs()
    assert_equals_plain(alone[0], data)
    for node in statistics_of(data, range(2, 7), memory=256 << 20):
        assert node._pair_counts is not None
        if node.target == 5:
            assert all(np.array_equal(table.values, alone[j].values) for j, table in node.pairs().items())


def test_times_far_from_zero_and_of_any_unit():
    data = random_trajectories(np.random.default_rng(2), binary(4, 3), [500, 500])
    expected = NodeStatistics(data, 0).table((1, 2))
    for unit in (1e-280, 1e-12, 1e9, 1e290):
        scaled = replace(data, start=data.start * unit, end=data.end * unit, time=data.time * unit)
        values = NodeStatistics(scaled, 0).table((1, 2)).values
        np.testing.assert_array_equal(values[:, :, 1:], expected.transitions)
        np.testing.assert_allclose(values[:, :, 0] / unit, expected.time, rtol=1e-9)
    for total in (5e-324, 1e-300, 1.0, 3e4, 1e308):
        assert 0 < ticks_per_time(total) * total < 2.0**61
    assert ticks_per_time(0.0) == 1


def test_sixty_three_parents_are_refused_and_sixty_counted():
    data = random_trajectories(np.random.default_rng(4), binary(64), [400])
    statistics = NodeStatistics(data, 0)
    table = statistics.table(range(1, 61))
    assert len(table.values) <= 401
    assert table.time.sum() == pytest.approx(data.total_time)
    assert table.marginal((2, 5)).configurations.tolist() == [0, 1, 2, 3]
    assert_equals_plain(table.marginal((2, 5)), data)
    with pytest.raises(InputError, match="2\\^62 joint states"):
        statistics.table(range(1, 64))
    statistics.focus(range(1, 64))
    assert_equals_plain(statistics.table((3, 60)), data)


@pytest.mark.parametrize("parents", [(0, 2), (1, 1), (9,), (-1,)])
def test_parents_are_other_variables_each_once(parents):
    data = random_trajectories(np.random.default_rng(4), binary(3), [4])
    statistics = NodeStatistics(data, 0)
    for ask in (statistics.table, statistics.extensions, statistics.focus):
        with pytest.raises(ValueError, match="variables"):
            ask(parents)
    with pytest.raises(ValueError, match="no variable 3"):
        NodeStatistics(data, 3)
    for targets in ((1, 1), (0, 3), (-1,)):
        with pytest.raises(ValueError, match="distinct variables"):
            list(statistics_of(data, targets))
    with pytest.raises(ValueError, match="among the parents"):
        statistics.extensions((1,), (1, 2))


def test_memory_stays_within_the_bound():
    """Whatever a learner asks at 40 ternary variables, beside the tables handed out."""
    data = random_trajectories(np.random.default_rng(7), binary(40, 3), [1500] * 20)
    bound = 8 << 20
    tracemalloc.start()
    try:
        for node in statistics_of(data, range(4), memory=bound):
            node.pairs()
            node.extensions((1, 5, 9) if node.target != 1 else (2, 5, 9))
            node.focus([j for j in node.candidates if j < 20], 3)
            for parents in combinations(range(4, 20), 3):
                node.table(parents)
            node.focus(range(4, 12))
            for parents in combinations(range(4, 12), 4):
                node.table(parents)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert bound // 4 < peak < bound * 5 // 4


def test_tables_are_read_only():
    data = random_trajectories(np.random.default_rng(4), binary(3), [4])
    statistics = NodeStatistics(data, 0)
    for table in (statistics.table((1,)), statistics.pairs()[2]):
        with pytest.raises(ValueError, match="read-only"):
            table.values[0, 0, 0] = 1


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=9),
    st.integers(1, 9),
    st.integers(1, 4000),
    st.integers(-1, 28),
    st.integers(1, 5),
)
def test_covers_have_every_wanted_set_and_keep_to_the_bound(cards, size, cells, target, states):
    candidates = [3 * i for i in range(len(cards))]
    size = min(size, len(cards))
    target += target % 3 == 0  # anywhere among the candidates, but none of them
    cover = cover_subsets(
        candidates, cards, size, target=(target, states), max_cells=cells, max_cells_in_use=10 * cells
    )
    if cover is None:
        assert prod(sorted(cards)[-size:]) > cells
        return
    assert [j for group in cover.groups for j in group] == candidates
    tables = list(cover.unions())
    assert len(tables) == len(set(tables)) == cover.n_tables
    assert tables == [union for union, _, _ in cover.shares()]
    for wanted in subsets(candidates, size):
        union = cover.union_with(wanted)
        assert union in tables and set(wanted) <= set(union)
        assert prod(cards[j // 3] for j in union) <= cells
    assert cover.union_with((1,)) is None
    assert cover.union_with((0, 1)) is None


def test_covers_of_all_targets_are_over_the_same_variables():
    tables = set()
    for target in range(20):
        others = [j for j in range(20) if j != target]
        cover = cover_subsets(
            others, [2] * 19, 3, target=(target, 2), max_cells=1 << 15, max_cells_in_use=1 << 20
        )
        tables.update(tuple(sorted((*table, target))) for table in cover.unions())
    assert len(tables) == 5
