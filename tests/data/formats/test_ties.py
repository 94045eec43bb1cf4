"""Spreading simultaneous changes: in order, within the gap, different from trajectory to trajectory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ctbnlab.data.formats.ties import Events, TieBreaker
from ctbnlab.errors import InputError


def after(time: float, steps: int) -> float:
    for _ in range(steps):
        time = float(np.nextafter(time, np.inf))
    return time


def events_at(times, variables=None) -> Events:
    count = len(times)
    variable = np.arange(count) if variables is None else np.array(variables)
    old, new = np.zeros(count, np.uint8), np.arange(count, dtype=np.uint8)
    return Events(np.array(times, float), variable.astype(np.int32), old, new, np.arange(count))


def spread(method, count, limit, at_start=False, seed=0, time=1.0, variables=None) -> Events:
    events = events_at([time] * count, variables)
    TieBreaker(method, seed).spread(events, slice(0, count), "t", at_start, limit)
    return events


@pytest.mark.parametrize("method", ["order", "jitter"])
@pytest.mark.parametrize("at_start", [False, True])
@given(count=st.integers(1, 6), room=st.integers(0, 12), seed=st.integers(0, 50))
def test_times_increase_within_the_gap(method, at_start, count, room, seed):
    """In gaps of a few representable times, just enough of them are accepted and one less is refused."""
    limit = after(1.0, room)
    if room < count + at_start:
        with pytest.raises(InputError, match=f"cannot separate the {count} changes at time 1.0"):
            spread(method, count, limit, at_start, seed)
        return
    times = spread(method, count, limit, at_start, seed).time
    assert (np.diff(times) > 0).all()
    assert (times[0] > 1.0 if at_start else times[0] >= 1.0) and times[-1] < limit


def test_jitter_uses_the_whole_gap():
    times = np.concatenate([spread("jitter", 3, 2.0, seed=seed).time for seed in range(40)])
    assert times.min() < 1.1 and times.max() > 1.9


def test_draws_differ_within_a_trajectory_and_between_trajectories():
    events = events_at([1.0] * 3 + [2.0] * 3 + [1.0] * 3)
    breaker = TieBreaker("jitter", 7)
    for group, trajectory, time in ((slice(0, 3), "a", 1), (slice(3, 6), "a", 2), (slice(6, 9), "b", 1)):
        breaker.spread(events, group, trajectory, False, time + 1.0)
    first, second, third = np.split(events.time, 3)
    assert not np.isclose(first, second - 1).any() and not np.isclose(first, third).any()
    again = events_at([1.0] * 3)
    TieBreaker("jitter", 7).spread(again, slice(0, 3), "a", False, 2.0)
    assert np.array_equal(again.time, first)


def test_changes_of_one_variable_stay_in_order():
    orders = set()
    for seed in range(60):
        events = spread("jitter", 5, 2.0, seed=seed, variables=[0, 1, 0, 2, 0])
        assert events.new[events.variable == 0].tolist() == [0, 2, 4]
        orders.add(tuple(events.variable.tolist()))
    assert len(orders) > 10  # of 20 arrangements
