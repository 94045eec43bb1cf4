"""Gaps, ties, roles and clocks in the same data: every way of counting equals a plain count."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings, strategies as st

from ctbnlab.counting.batch import share_joints
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.subsets import tables_of_subsets
from ctbnlab.data.clocks import with_own_clock
from ctbnlab.data.prepare import prepare
from ctbnlab.data.role_request import RoleRequest
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.model.variables import Variable
from tests.support.plain_tables import whole
from tests.support.point_states import control_states, event_states
from tests.support.reference_statistics import plain_statistics, stays
from tests.support.shared_scans import statistics_of
from tests.support.strategies import plain_variables, rough_trajectories


def with_static(data, states, rng, gaps=True):
    """Return the data with one more variable, which never changes; with gaps, some trajectories lack it."""
    data = data.compact()
    return Trajectories.from_arrays(
        (*data.variables, Variable("static", ("a", "b")[:states])),
        ids=data.ids,
        offsets=data.offsets,
        start=data.start,
        end=data.end,
        initial=np.column_stack([data.initial, rng.integers(0, states + gaps, len(data))]),
        time=data.time,
        variable=data.variable,
        new=data.new,
        ties=True,
        gaps=(*data.gaps, gaps),
    )


@st.composite
def rough_data(draw, gaps=True):
    """Draw data that have ties, gaps, a static and a terminal variable, a clock and an own clock at once.

    If not `gaps`, all but gaps.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cardinalities = draw(st.lists(st.integers(2, 3), min_size=2, max_size=3))
    hidden = draw(st.lists(st.booleans(), min_size=len(cardinalities), max_size=len(cardinalities)))
    hidden = [gaps, *(each and gaps for each in hidden)]
    counts = draw(st.lists(st.integers(0, 25), min_size=1, max_size=4))
    chosen = plain_variables([2, *cardinalities])
    data = rough_trajectories(rng, chosen, counts, draw(st.sampled_from([0.3, 0.8])), hidden)
    data = with_static(data, draw(st.integers(1, 2)), rng, gaps)
    cuts = ",".join(map(str, sorted(draw(st.sets(st.integers(1, 9), min_size=1, max_size=3)))))
    clock = draw(st.sampled_from(["entry", "calendar", "since:X1"]))
    request = RoleRequest(("static",), ("X0",), (f"{clock}:{cuts}",))
    data, _ = prepare(data, request)
    extended = with_own_clock(data, draw(st.integers(0, len(cardinalities))), 3, "own")
    return data if extended is None else extended


def assert_equals_plain(values, data, target, parents):
    """Transitions must be equal, times up to the rounding of each time of an event."""
    plain = plain_statistics(data, target, parents)
    np.testing.assert_array_equal(values[:, :, 1:], plain.transitions)
    latest = max(np.abs(data.time).max(initial=0), np.abs(data.end).max(initial=0))
    rounding = (data.n_changes + data.n_trajectories) * np.finfo(float).eps * latest
    np.testing.assert_allclose(values[:, :, 0], plain.time, rtol=1e-9, atol=rounding)


def sets_of(statistics, size):
    return [parents for k in range(size + 1) for parents in combinations(statistics.candidates, k)]


@given(rough_data(), st.sampled_from([0, 1 << 11, 48 << 20]))
def test_tables_and_extensions_equal_a_plain_count(data, memory):
    """No memory makes tables sparse; a focus makes them marginals of a joint table, dense or sparse."""
    for target in range(data.n_variables):
        direct, focused = (NodeStatistics(data, target, memory=memory) for _ in range(2))
        focused.focus(focused.candidates)
        for parents in sets_of(direct, 2):
            values = whole(direct.table(parents))
            assert_equals_plain(values, data, target, parents)
            assert whole(focused.table(parents)).tobytes() == values.tobytes()
        for base in sets_of(direct, 1):
            for table in direct.extensions(base).values():
                assert_equals_plain(whole(table), data, target, table.parents)


@given(rough_data(), st.integers(1, 3))
def test_what_targets_share_equals_a_plain_count(data, jobs):
    targets = range(data.n_variables)
    for node in statistics_of(data, targets, jobs=jobs):
        for table in node.pairs().values():
            assert_equals_plain(whole(table), data, node.target, table.parents)
    nodes = [NodeStatistics(data, target) for target in targets]
    for node in nodes:
        node.focus(node.candidates[:3])
    share_joints(data, nodes, 48 << 20, jobs)
    for node in nodes:
        for size in range(4):
            for parents in combinations(node.candidates[:3], size):
                assert_equals_plain(whole(node.table(parents)), data, node.target, parents)


@settings(max_examples=50)
@given(rough_data(gaps=False))
def test_tables_of_many_small_sets_equal_a_plain_count(data):
    for target in range(data.n_variables):
        statistics = NodeStatistics(data, target)
        statistics.focus(statistics.candidates, max_size=2)
        found = {}
        for sets in tables_of_subsets(statistics, 2):
            for k, parents in enumerate(sets.parents):
                found[parents] = sets.values[sets.first[k] : sets.first[k + 1]]
        assert set(found) == set(sets_of(statistics, 2))
        for parents, values in found.items():
            assert_equals_plain(values, data, target, parents)


@settings(max_examples=20)
@given(rough_data())
def test_sets_that_cover_different_times_have_no_tables_in_common(data):
    statistics = NodeStatistics(data, 0)
    statistics.focus(statistics.candidates, max_size=2)
    assert tables_of_subsets(statistics, 2) is None


@given(rough_data())
def test_sampled_points_are_the_states_just_before_each_change(data):
    codes = data.cardinalities.tolist()
    for target in range(data.n_variables):
        statistics = NodeStatistics(data, target)
        points = statistics.sample_points(statistics.candidates, 1000, 2.0)
        expected: dict[tuple[int, int], list[list[int]]] = {}
        for state, _, _, changes in stays(data):
            for variable, new in changes:
                if variable == target and new is not None and state[target] is not None:
                    seen = [codes[j] if state[j] is None else state[j] for j in statistics.candidates]
                    expected.setdefault((state[target], new), []).append(seen)
        time = statistics.table_with_gaps(points.candidates).time
        sizes = [int(data.events.cardinalities[j]) for j in points.candidates]
        for x in range(codes[target]):
            for y in range(codes[target]):
                assert event_states(points, x, y) == expected.get((x, y), [])
            for control in control_states(points, x):
                assert time[np.ravel_multi_index(control, sizes), x] > 0


def test_the_data_have_everything_at_once():
    """If a strategy lost a feature, the tests above would show less than they say."""
    seen = set()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        data = rough_trajectories(rng, plain_variables([2, 3, 2]), [20, 20], 0.5, [True, False, True])
        data = with_static(data, 2, rng)
        data, _ = prepare(data, RoleRequest(("static",), ("X0",), ("entry:1,3",)))
        times = [data.time[a:b] for a, b in zip(data.begin, data.stop, strict=True)]
        tied = any((np.diff(t) == 0).any() for t in times)
        hidden = bool((data.new == data.cardinalities[data.variable]).any())
        ended = bool(data.n_events) and data.time[-1] == data.end[-1]
        seen.add((tied, hidden, ended, bool(data.roles.clocks), bool(data.roles.static)))
    assert (True, True, True, True, True) in seen
