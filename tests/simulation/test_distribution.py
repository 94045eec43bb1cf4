"""Simulated trajectories have the distribution that the network implies.

Each test rejects a correct simulator for one seed in a thousand; the seeds are fixed.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.linalg import expm

from ctbnlab.model.network import InitialDistribution
from ctbnlab.simulation.simulate import simulate
from tests.support import small_networks
from tests.support.small_networks import eating, mixed, network_of

LEVEL = 1e-3


def rejected(p_values):
    """Return whether any hypothesis is rejected at the joint level LEVEL (Bonferroni)."""
    assert len(p_values) > 0
    return min(p_values) < LEVEL / len(p_values)


def chi_square(observed, expected):
    """Return the p-value of counts against expectations; cells with expectations below 5 are pooled."""
    assert not observed[expected == 0].any()
    rare = expected < 5
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    observed, expected = observed[expected > 0], expected[expected > 0]
    return stats.chisquare(observed, expected * (observed.sum() / expected.sum())).pvalue


def joint_states(data):
    """Return for every event its wait and the joint states (C order) before and after."""
    cardinalities = data.cardinalities
    weights = np.append(np.cumprod(cardinalities[:0:-1])[::-1], 1).astype(np.int64)
    change = weights[data.variable] * (data.new.astype(np.int64) - data.old)
    waits, before = np.empty(data.n_events), np.empty(data.n_events, np.int64)
    for a, b, x in zip(data.begin, data.stop, data.initial @ weights, strict=True):
        waits[a:b] = np.diff(data.time[a:b], prepend=0.0)
        before[a:b] = x + np.cumsum(change[a:b]) - change[a:b]
    return waits, before, before + change


def state_at(data, time):
    """Return the joint state (C order) of every trajectory at a time."""
    states = data.initial.copy()
    for t, (a, b) in enumerate(zip(data.begin, data.stop, strict=True)):
        last = a + np.searchsorted(data.time[a:b], time, side="right")
        states[t, data.variable[a:last]] = data.new[a:last]
    return np.ravel_multi_index(states.T, data.cardinalities)


@pytest.fixture(scope="module", params=[eating, mixed], ids=["eating", "mixed"])
def network(request):
    return request.param()


def test_marginals_are_the_matrix_exponentials(network):
    q = small_networks.joint_intensity(network)
    initial = np.full(len(q), 1 / len(q))
    times = [0.0, 0.05, 0.2, 0.7, 2.0, 6.0]
    data = simulate(network, trajectories=20_000, duration=6.0, seed=21)
    counts = [np.bincount(state_at(data, time), minlength=len(q)) for time in times]
    right = [chi_square(c, 20_000 * initial @ expm(q * t)) for c, t in zip(counts, times, strict=True)]
    assert not rejected(right)
    wrong = [chi_square(c, 20_000 * initial @ expm(q * t * 1.1)) for c, t in zip(counts, times, strict=True)]
    assert rejected(wrong), "the test would miss rates that are 10% off"


def test_waits_are_exponential_and_transitions_have_their_probabilities(network):
    q = small_networks.joint_intensity(network)
    # With a number of transitions instead of a duration no wait is censored, and how often a joint state is
    # left does not depend on how long the waits were.
    waits, before, after = joint_states(simulate(network, trajectories=2_000, transitions=60, seed=22))
    left = [s for s in range(len(q)) if (before == s).sum() >= 50]
    assert len(left) > len(q) / 2
    right = [stats.kstest(waits[before == s], "expon", args=(0, -1 / q[s, s])).pvalue for s in left]
    assert not rejected(right)
    wrong = [stats.kstest(waits[before == s], "expon", args=(0, -1.1 / q[s, s])).pvalue for s in left]
    assert rejected(wrong), "the test would miss rates that are 10% off"
    jumps = np.zeros_like(q)
    np.add.at(jumps, (before, after), 1)
    rates = np.where(np.eye(len(q), dtype=bool), 0, q)
    assert not rejected([chi_square(jumps[s], jumps[s].sum() * rates[s] / rates[s].sum()) for s in left])
    rates = rates**1.2
    wrong = [chi_square(jumps[s], jumps[s].sum() * rates[s] / rates[s].sum()) for s in left]
    assert rejected(wrong), "the test would miss probabilities that are somewhat too unequal"


def test_next_states_follow_theta(network):
    data = simulate(network, trajectories=300, duration=50.0, seed=23)
    cardinalities = data.cardinalities.tolist()
    _, before, _ = joint_states(data)
    states = np.array(np.unravel_index(before, cardinalities))
    p_values = []
    for i, parents in enumerate(network.parents):
        u = (
            np.ravel_multi_index(states[list(parents)], [cardinalities[p] for p in parents])
            if parents
            else 0 * before
        )
        q = network.cims[i].table()
        for cell in np.ndindex(q.shape[:2]):
            mine = (data.variable == i) & (u == cell[0]) & (data.old == cell[1])
            if not q[cell].any():
                assert not mine.any()
            elif cardinalities[i] > 2 and mine.sum() >= 50:
                theta = np.maximum(q[cell], 0) / -q[cell][cell[1]]
                counts = np.bincount(data.new[mine], minlength=cardinalities[i])
                p_values.append(chi_square(counts, mine.sum() * theta))
    assert p_values or max(cardinalities) == 2
    assert not p_values or not rejected(p_values)


def test_absorbed_trajectories_last_to_the_end_or_stop_with_their_last_event():
    network = mixed()
    q = small_networks.joint_intensity(network)
    (absorbing,) = np.flatnonzero(np.diag(q) == 0)
    by_time = simulate(network, trajectories=200, duration=1000.0, seed=24)
    assert (by_time.end == 1000).all()
    assert (state_at(by_time, 1000.0) == absorbing).all()
    by_count = simulate(network, trajectories=200, transitions=10**6, seed=24)
    assert np.array_equal(by_count.time, by_time.time)
    moved = by_time.stop > by_time.begin
    assert 0 < (~moved).sum() < 50
    assert np.array_equal(by_count.end[moved], by_time.time[by_time.stop[moved] - 1])
    assert not by_count.end[~moved].any()


def test_initial_states_follow_their_bayesian_network():
    tables = (
        np.array([[0.2, 0.5, 0.3]]),
        np.array([[0.9, 0.1], [0.5, 0.5], [0.0, 1.0]]),
        np.array([[1.0, 0.0], [0.3, 0.7], [0.6, 0.4], [0.2, 0.8], [0.5, 0.5], [0.25, 0.75]]),
    )
    initial = InitialDistribution(((), (0,), (0, 1)), tables, (0, 1, 2))
    rates = [np.zeros((1, c, c)) for c in (3, 2, 2)]
    network = network_of((3, 2, 2), [()] * 3, rates, initial)
    data = simulate(network, trajectories=20_000, duration=1.0, seed=25)
    expected = np.array(
        [tables[0][0, a] * tables[1][a, b] * tables[2][2 * a + b, c] for a, b, c in np.ndindex(3, 2, 2)]
    )
    counts = np.bincount(state_at(data, 0.0), minlength=12)
    assert not rejected([chi_square(counts, 20_000 * expected)])
    given = simulate(network, trajectories=20_000, duration=1.0, seed=25, initial={"X0": "1"})
    counts = np.bincount(state_at(given, 0.0), minlength=12)
    expected = np.where(np.arange(12) // 4 == 1, expected / 0.5, 0)
    assert not rejected([chi_square(counts, 20_000 * expected)])
