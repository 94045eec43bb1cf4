"""Sufficient statistics: equal to a plain count of the events, to the same bytes however they are counted."""

from __future__ import annotations

import tracemalloc
from functools import partial
from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ctbnlab.counting._pairs import pair_counts
from ctbnlab.counting._scan import EventScan
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.scan import grouped, ticks_per_time
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from tests.support.plain_tables import assert_equals_plain, whole
from tests.support.reference_statistics import BincountStatistics
from tests.support.sample_trajectories import times_multiplied
from tests.support.shared_scans import statistics_of
from tests.support.strategies import plain_variables, random_trajectories, trajectories


def subsets(candidates, max_size):
    return [chosen for size in range(max_size + 1) for chosen in combinations(candidates, size)]


@st.composite
def cases(draw, **options):
    """Draw trajectories, some of them left out or repeated, and a target."""
    data = draw(trajectories(plain=True, **options))
    if draw(st.booleans()):
        data = data.subset(draw(st.lists(st.integers(0, data.n_trajectories - 1), max_size=6)))
    return data, draw(st.integers(0, data.n_variables - 1))


@given(
    st.booleans().flatmap(lambda rough: cases(rough=rough)), st.sampled_from([0, 1 << 9, 1 << 12, 48 << 20])
)
def test_every_table_equals_a_plain_count(case, memory):
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
    st.booleans().flatmap(lambda rough: cases(max_variables=7, max_events=40, rough=rough)),
    st.sampled_from([0, 1 << 10, 1 << 14, 1 << 18, 48 << 20]),
    st.data(),
)
def test_a_table_does_not_depend_on_what_was_asked_before(case, memory, draw):
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
def test_marginals_equal_a_plain_count(case, draw):
    data, target = case
    statistics = NodeStatistics(data, target, memory=draw.draw(st.sampled_from([0, 48 << 20])))
    table = statistics.table(statistics.candidates)
    assert (table.configurations is None) == (statistics.memory > 0)
    subset = (
        sorted(draw.draw(st.sets(st.sampled_from(statistics.candidates)))) if statistics.candidates else []
    )
    marginal = table.marginal(reversed(subset))
    assert marginal.parents == tuple(subset)
    assert (marginal.configurations is None) == (table.configurations is None)
    assert_equals_plain(marginal, data)


@pytest.fixture(scope="module")
def mixed():
    """Mixed cardinalities, a variable of one state, and enough events for every way of counting."""
    variables = plain_variables([2, 3, 1, 4, 2, 5, 3, 2, 2, 3])
    return random_trajectories(np.random.default_rng(3), variables, [700, 0, 1, 800, 9000])


def table_and_scans(statistics, parents):
    """Return a table, and the kind and the number of variables of each scan that is made for it."""
    scans = []

    def recorded(kind, count, variables, *rest):
        scans.append((kind, len(variables)))
        return count(variables, *rest)

    with pytest.MonkeyPatch.context() as patch:
        for kind, method in (("joint", "_counted"), ("sparse", "_sparsely_counted")):
            patch.setattr(statistics, method, partial(recorded, kind, getattr(statistics, method)))
        table = statistics.table(parents)
    return table, scans


@pytest.fixture(scope="module")
def few_events():
    """Many variables and few events: most configurations never occur."""
    return random_trajectories(np.random.default_rng(5), plain_variables([3] * 21), [400, 400])


@pytest.mark.parametrize(
    ("name", "memory", "max_size", "parents", "scans", "listed"),
    [
        ("mixed", 48 << 20, None, (1, 5), [("joint", 9)], False),  # one joint table over all candidates
        ("mixed", 1 << 18, 2, (1, 5), [("joint", 6)], False),  # over two of three groups
        ("few_events", 48 << 20, None, (1, 5), [("sparse", 20)], False),  # all that occur
        (
            "mixed",
            1 << 17,
            None,
            (1, 5),
            [("sparse", 9), ("joint", 2)],
            False,
        ),  # too many occur: a direct scan
        (
            "mixed",
            1 << 12,
            3,
            (1, 3, 5),
            [("sparse", 9), ("sparse", 3)],
            True,
        ),  # the set is too large
    ],
)
def test_memory_decides_how_a_table_is_counted(request, name, memory, max_size, parents, scans, listed):
    data = request.getfixturevalue(name)
    statistics = NodeStatistics(data, 0, memory=memory)
    statistics.focus(statistics.candidates, max_size)
    table, made = table_and_scans(statistics, parents)
    assert made == scans
    assert (table.configurations is not None) == listed
    assert_equals_plain(table, data)
    table, made = table_and_scans(statistics, parents[:1])
    assert made == ([] if len(scans) == 1 else [("joint", 1)])
    assert_equals_plain(table, data)


def test_every_small_set_with_much_and_little_memory(mixed):
    wanted = subsets(range(1, 10), 3)
    direct = {parents: NodeStatistics(mixed, 0).table(parents).values for parents in wanted}
    plain = BincountStatistics(mixed)
    for parents in wanted:
        expected = plain.table(0, parents)
        np.testing.assert_array_equal(direct[parents][:, :, 1:], expected.transitions)
        np.testing.assert_allclose(direct[parents][:, :, 0], expected.time, rtol=1e-9)
    for memory, size in [(48 << 20, None), (1 << 18, 3), (1 << 19, None), (1 << 14, 3)]:
        statistics = NodeStatistics(mixed, 0, memory=memory)
        statistics.focus(range(1, 10), size)
        for parents in wanted:
            np.testing.assert_array_equal(whole(statistics.table(parents)), direct[parents])


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
def test_pairs_of_many_targets_equal_those_of_each(case, memory, jobs, draw):
    data, _ = case
    targets = draw.draw(st.lists(st.integers(0, data.n_variables - 1), unique=True))
    nodes = list(statistics_of(data, targets, memory=memory, jobs=jobs))
    assert sorted(node.target for node in nodes) == sorted(targets)
    for node in nodes:
        alone = NodeStatistics(data, node.target).pairs()
        shared = node.pairs()
        assert list(shared) == list(alone)
        for j, table in shared.items():
            assert whole(table).tobytes() == alone[j].values.tobytes()


@given(cases(max_variables=11, max_events=40), st.sampled_from([1, 4, 27, 256]), st.data())
def test_pairs_do_not_depend_on_groups_and_buffers(case, max_cells, draw):
    data, _ = case
    indices = st.integers(0, data.n_variables - 1)
    targets = draw.draw(st.lists(indices, min_size=1, unique=True))
    scan = NodeStatistics(data, 0)._scan
    order = np.array([*targets, *(j for j in range(data.n_variables) if j not in targets)], np.int32)
    in_order = data.cardinalities[order]
    groups = grouped(in_order.tolist(), max_cells)
    buffered = draw.draw(st.integers(0 if len(groups.cells) <= 9 else 1, 40))
    found = pair_counts(scan, order[: len(targets)], order, *groups, buffered)
    first = dict(zip(order.tolist(), np.cumsum(in_order) - in_order, strict=True))
    for target, counts in zip(targets, found, strict=True):
        others = np.setdiff1d(np.arange(data.n_variables, dtype=np.int32), [target])
        cardinalities = data.cardinalities[others].tolist()
        one_by_one = scan.extensions(target, others[:0], others, *grouped(cardinalities, 1))
        one_by_one = one_by_one[:, : sum(cardinalities)]
        columns = [first[j] + y for j in others for y in range(data.cardinalities[j])]
        np.testing.assert_array_equal(counts[:, columns], one_by_one)


@given(cases(max_variables=11, max_events=40), st.sampled_from([4, 16, 10_000]), st.data())
def test_extensions_do_not_depend_on_the_groups(case, max_cells, draw):
    data, target = case
    role = draw.draw(st.lists(st.sampled_from("pc-"), min_size=data.n_variables, max_size=data.n_variables))
    parents, candidates = (
        np.array([j for j in range(data.n_variables) if j != target and role[j] == mark], np.int32)
        for mark in "pc"
    )
    scan = NodeStatistics(data, 0)._scan
    cardinalities = data.cardinalities[candidates].tolist()
    one_by_one, together = (
        scan.extensions(target, parents, candidates, *grouped(cardinalities, cells))[:, : sum(cardinalities)]
        for cells in (1, max_cells)
    )
    np.testing.assert_array_equal(one_by_one, together)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=12), st.integers(1, 60))
def test_groups_are_neighbours_with_few_joint_states(cardinalities, max_cells):
    group, step, cells = grouped(cardinalities, max_cells)
    assert group.tolist() == sorted(group) and set(group) == set(range(len(cells) - 1))
    for g in range(len(cells) - 1):
        members = np.flatnonzero(group == g)
        sizes = [cardinalities[j] for j in members]
        assert cells[g + 1] - cells[g] == prod(sizes)
        assert len(members) == 1 or prod(sizes) <= max_cells
        assert step[members].tolist() == [prod(sizes[:k]) for k in range(len(sizes))]


def test_many_targets_share_a_scan_if_memory_allows(mixed):
    shared = [node._shared_pairs is not None for node in statistics_of(mixed, range(10))]
    assert shared == [True] * 10
    assert all(node._shared_pairs is None for node in statistics_of(mixed, range(3)))
    assert all(node._shared_pairs is None for node in statistics_of(mixed, range(10), memory=1 << 8))


def test_255_states_and_two_byte_variables():
    variables = plain_variables([255, *[2] * 299])
    data = random_trajectories(np.random.default_rng(1), variables, [3000, 0, 20, 4100])
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
        assert node._shared_pairs is not None
        if node.target == 5:
            assert all(np.array_equal(table.values, alone[j].values) for j, table in node.pairs().items())


def test_very_small_and_very_large_times():
    data = random_trajectories(np.random.default_rng(2), plain_variables([3] * 4), [500, 500])
    expected = NodeStatistics(data, 0).table((1, 2))
    for unit in (1e-95, 1e-12, 1e9, 1e95):
        values = NodeStatistics(times_multiplied(data, unit), 0).table((1, 2)).values
        np.testing.assert_array_equal(values[:, :, 1:], expected.transitions)
        np.testing.assert_allclose(values[:, :, 0] / unit, expected.time, rtol=1e-9)
    for total in (5e-324, 1e-300, 1.0, 3e4, 1e308):
        assert 0 < ticks_per_time(total) * total < 2.0**61
    assert ticks_per_time(0.0) == 1


def test_60_binary_parents_are_counted_and_63_refused():
    data = random_trajectories(np.random.default_rng(4), plain_variables([2] * 64), [400])
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
def test_parents_must_be_distinct_other_variables(parents):
    data = random_trajectories(np.random.default_rng(4), plain_variables([2] * 3), [4])
    statistics = NodeStatistics(data, 0)
    for method in (statistics.table, statistics.extensions, statistics.focus):
        with pytest.raises(ValueError, match="variables"):
            method(parents)
    with pytest.raises(ValueError, match="no variable 3"):
        NodeStatistics(data, 3)
    for targets in ((1, 1), (0, 3), (-1,)):
        with pytest.raises(ValueError, match="distinct variables"):
            list(statistics_of(data, targets))
    with pytest.raises(ValueError, match="among the parents"):
        statistics.extensions((1,), (1, 2))


def test_memory_stays_within_the_bound():
    """Count everything a learner may ask for, with 40 ternary variables; tables handed out are extra."""
    data = random_trajectories(np.random.default_rng(7), plain_variables([3] * 40), [1500] * 20)
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
    data = random_trajectories(np.random.default_rng(4), plain_variables([2] * 3), [4])
    statistics = NodeStatistics(data, 0)
    for table in (statistics.table((1,)), statistics.pairs()[2]):
        with pytest.raises(ValueError, match="read-only"):
            table.values[0, 0, 0] = 1


def test_a_learner_cannot_reach_the_data(mixed):
    """No public attribute is, or directly holds, the trajectories or a scan of them."""
    statistics = NodeStatistics(mixed, 0)
    statistics.focus(statistics.candidates)
    statistics.table((1, 5))
    names = {name for name in {*vars(statistics), *dir(statistics)} if not name.startswith("_")}
    assert {"target", "variables", "cardinalities", "cover", "table"} <= names
    for name in sorted(names):
        value = getattr(statistics, name)
        held = list(value.values()) if isinstance(value, dict) else value
        for item in (value, *(held if isinstance(held, list | tuple | set) else ())):
            assert not isinstance(item, Trajectories | EventScan), name
