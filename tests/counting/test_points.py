"""Sampled points: all events or a thinned sample of them, and controls; what must not change the sample."""

from __future__ import annotations

from dataclasses import fields
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.points import SampledPoints
from ctbnlab.model.generate import generate
from ctbnlab.simulation.simulate import simulate
from tests.support.point_states import control_states, event_states
from tests.support.reference_statistics import stays
from tests.support.sample_trajectories import columns_permuted, times_multiplied
from tests.support.strategies import trajectories


def states_at_changes(data, target):
    """Return the states of all variables whenever the target changes, by (old, new), in order of time."""
    found: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    codes = data.cardinalities
    for state, _, _, changes in stays(data):
        for variable, new in changes:
            if variable == target and new is not None and state[target] is not None:
                shown = [int(c) if x is None else x for x, c in zip(state, codes, strict=True)]
                found.setdefault((state[target], new), []).append(shown)
    return found


@given(
    st.booleans().flatmap(
        lambda rough: trajectories(max_events=40, max_states=5, plain=True, min_variables=2, rough=rough)
    ),
    st.integers(0, 4),
)
def test_all_events_are_points_and_controls_are_moments_in_x(data, target):
    target %= data.n_variables
    statistics = NodeStatistics(data, target)
    points = statistics.sample_points(statistics.candidates[::-1], 1000, 2.0)
    expected = states_at_changes(data, target)
    c = int(data.cardinalities[target])
    for x, y in product(range(c), range(c)):
        states = event_states(points, x, y)
        assert states == [[state[j] for j in points.candidates] for state in expected.get((x, y), [])]
    time = statistics.table_with_gaps(points.candidates).time
    cardinalities = [int(data.events.cardinalities[j]) for j in sorted(points.candidates)]
    for x in range(c):
        for state in control_states(points, x):
            assert time[np.ravel_multi_index(state[::-1], cardinalities), x] > 0


@pytest.fixture(scope="module")
def many_events():
    return simulate(generate(4, 2, 0.3, seed=3), trajectories=50, duration=50.0, seed=3)


def test_thinning_takes_about_the_wanted_number_of_events(many_events):
    statistics = NodeStatistics(many_events, 1)
    points = statistics.sample_points(statistics.candidates, 500, 2.0)
    taken = points.event_counts[points.event_counts > 0]
    assert (abs(taken - 500) < 5 * 500**0.5).all()
    assert (points.control_counts == 1000).all()


def sample_of(data, max_events):
    """Return a sample for the second variable by name, with the others in the order of their names."""
    names = sorted(data.names)
    statistics = NodeStatistics(data, data.index(names[1]))
    return statistics.sample_points([data.index(name) for name in names if name != names[1]], max_events, 2.0)


def assert_same_sample(one: SampledPoints, other: SampledPoints):
    """Compare everything but the indices of the candidates."""
    for field in fields(SampledPoints):
        if field.name != "candidates":
            np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name))


@pytest.mark.parametrize("max_events", [500, 1_000_000], ids=["thinned", "all"])
def test_neither_time_nor_columns_nor_earlier_samples_change_a_sample(many_events, max_events):
    expected = sample_of(many_events, max_events)
    assert expected.events.any() and expected.controls.any()
    assert_same_sample(sample_of(many_events, max_events), expected)
    for order in ([3, 2, 1, 0], [1, 3, 0, 2]):
        assert_same_sample(sample_of(columns_permuted(many_events, order), max_events), expected)
    for factor in (2.0**-20, 2.0**20):  # without rounding
        assert_same_sample(sample_of(times_multiplied(many_events, factor), max_events), expected)


def test_the_states_of_a_variable_do_not_depend_on_the_other_candidates(many_events):
    statistics = NodeStatistics(many_events, 1)
    whole = statistics.sample_points((0, 2, 3), 500, 2.0)
    alone = statistics.sample_points((3,), 500, 2.0)
    for x in range(2):
        assert control_states(alone, x) == [[state[2]] for state in control_states(whole, x)]
        assert event_states(alone, x, 1 - x) == [[state[2]] for state in event_states(whole, x, 1 - x)]
