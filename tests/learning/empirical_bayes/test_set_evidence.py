"""The evidence for parent sets, against plain sums and numerical integrals."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import gammaln, logsumexp

from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.learning.empirical_bayes import _main_effects
from ctbnlab.learning.empirical_bayes.set_evidence import SHAPES, WEIGHTS, set_evidence

LOG_WEIGHTS = np.log(np.array(WEIGHTS) / sum(WEIGHTS))


def table_of(time, moves, cardinalities):
    """Return a table of `time[u, x]` and `moves[u, x, y]`."""
    values = np.concatenate([time[:, :, None], moves], axis=2)
    parents = tuple(range(1, len(cardinalities) + 1))
    return SufficientStatistics(0, parents, tuple(cardinalities), np.ascontiguousarray(values, float))


def drawn_table(rng, cardinalities, states, scale, effect=0.5):
    """Return a table whose rates vary with the configuration; some rows have no time."""
    rows = math.prod(cardinalities)
    time = rng.gamma(1.0, scale, (rows, states)) * (rng.random((rows, states)) < 0.9)
    rate = rng.uniform(1 - effect, 1 + effect, (rows, states, states)) * (1 - np.eye(states))
    return table_of(time, rng.poisson(time[:, :, None] * rate), cardinalities)


def integral(log_density, around):
    """Return ln ∫ exp(log_density(s)) ds by a fine sum over s."""
    s = np.linspace(around - 14, around + 14, 6001)
    return logsumexp(log_density(s)) + math.log(s[1] - s[0])


def exact_evidence(table):
    """Return ln Σ_k w_k Π_{x≠y} of the integrals over the mean rate."""
    terms = []
    for k, log_weight in zip(SHAPES, LOG_WEIGHTS, strict=True):
        total = log_weight
        for x, y in permutations(range(table.n_states), 2):
            visited = table.time[:, x] > 0
            t, m = table.time[visited, x], table.transitions[visited, x, y]
            if not m.sum():
                continue
            alone = math.log(m.sum() / t.sum())
            total += (gammaln(k + m) - gammaln(k) - m * math.log(k)).sum() + integral(
                lambda s, t=t, m=m, k=k: m.sum() * s - np.log1p(np.exp(s)[:, None] * t / k) @ (k + m), alone
            )
            total -= integral(lambda s, t=t, m=m: m.sum() * s - t.sum() * np.exp(s), alone)
        terms.append(total)
    return logsumexp(terms)


def laplace_error(table):
    """Return what Laplace's method may be wrong by: 1/(12 n) for a Gamma density of n events.

    Without the parent, n are the transitions of a kind; with it, a cell counts for at least its shape. If
    there are no transitions, only the rounding of the exact sums is left.
    """
    moves = table.transitions.sum(axis=0)
    moves = moves[moves > 0]
    return (1 / (12 * moves) + 1 / (12 * SHAPES[0] * len(table.values))).sum() + 1e-12


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([2, 3]), st.integers(2, 6), st.sampled_from([0.5, 5.0, 100.0]))
def test_the_evidence_for_one_parent_is_the_integral_over_all_rates(seed, states, cardinality, scale):
    table = drawn_table(np.random.default_rng(seed), [cardinality], states, scale)
    exact = exact_evidence(table)
    assert set_evidence(table) == pytest.approx(exact, abs=laplace_error(table) + 0.002 * abs(exact))


def simulated_main_effects(table, shapes, weights, rng, draws=100_000):
    """Return the log Bayes factor of main effects by averaging the likelihood over draws from the prior.

    Each parent has its own shape, the same for all kinds of transition.
    """
    states = np.unravel_index(np.arange(len(table.values)), table.parent_cardinalities)
    drawn = [rng.choice(shapes, draws, p=weights)[:, None] for _ in states]
    log_ratio = np.zeros(draws)
    for x, y in permutations(range(table.n_states), 2):
        t, m = table.time[:, x], table.transitions[:, x, y]
        if not m.sum():
            continue
        rate = np.ones((draws, len(t)))
        for k, state, c in zip(drawn, states, table.parent_cardinalities, strict=True):
            rate *= rng.gamma(k, 1 / k, (draws, c))[:, state]
        # The mean rate is integrated exactly: ∫ μ^M e^(−μΣT g) dμ/μ, against the same with g = 1.
        log_ratio -= m.sum() * np.log((rate * t).sum(axis=1) / t.sum())
        log_ratio += (m * np.log(rate)).sum(axis=1)
    return logsumexp(log_ratio) - math.log(draws)


@pytest.mark.parametrize("cardinalities", [(2, 2), (2, 3)])
@pytest.mark.parametrize("shapes", [(2.0,), (8.0,), (32.0,), (2.0, 8.0, 128.0)])
def test_main_effects_have_the_evidence_that_simulation_gives(cardinalities, shapes):
    rng = np.random.default_rng(len(shapes) + len(cardinalities))
    weights = np.arange(1, len(shapes) + 1) / sum(range(1, len(shapes) + 1))
    table = drawn_table(rng, cardinalities, 2, 4.0)
    states = np.unravel_index(np.arange(len(table.values)), cardinalities)
    first = np.array([1, 1 + cardinalities[0], 1 + sum(cardinalities)], np.intp)
    codes = np.stack([first[0] + states[0], first[1] + states[1]], axis=1).astype(np.int32)
    start = shapes.index(8.0) if 8.0 in shapes else 0
    found = _main_effects.log_evidence(table.values, codes, first, np.array(shapes), np.log(weights), start)
    assert found == pytest.approx(simulated_main_effects(table, shapes, weights, rng), abs=0.15)


def test_without_parents_or_without_data_there_is_no_evidence():
    nothing = table_of(np.zeros((4, 2)), np.zeros((4, 2, 2)), (2, 2))
    assert set_evidence(nothing) == pytest.approx(0.0, abs=1e-12)
    some = drawn_table(np.random.default_rng(1), [3], 2, 5.0)
    assert set_evidence(some.marginal(())) == 0.0


@given(st.integers(0, 10**6), st.sampled_from([1e-6, 1e3]))
@settings(max_examples=20, deadline=None)
def test_the_unit_of_time_does_not_matter(seed, unit):
    table = drawn_table(np.random.default_rng(seed), [2, 3], 3, 4.0)
    other = table_of(table.time * unit, table.transitions, [2, 3])
    assert set_evidence(other) == pytest.approx(set_evidence(table), rel=1e-6, abs=1e-6)


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_a_table_of_occurring_rows_gives_the_same(seed):
    table = drawn_table(np.random.default_rng(seed), [2, 3, 2], 2, 1.0)
    occurring = np.flatnonzero(table.time.any(axis=1))
    sparse = SufficientStatistics(
        0, table.parents, table.parent_cardinalities, table.values[occurring], occurring
    )
    assert set_evidence(sparse) == pytest.approx(set_evidence(table), abs=1e-9)


def test_noise_is_evidence_against_a_set_and_an_effect_for_it():
    rng = np.random.default_rng(3)
    noise = np.mean([set_evidence(drawn_table(rng, [2, 2], 2, 50.0, effect=0.0)) for _ in range(50)])
    effect = np.mean([set_evidence(drawn_table(rng, [2, 2], 2, 50.0, effect=0.6)) for _ in range(50)])
    assert noise < -1 and effect > 4


def multiplying(rng, shape, total_time):
    """Return a table of two states; each parent multiplies the rates by factors from e^−0.15 to e^0.15."""
    rows = math.prod(shape)
    factor = [np.exp(rng.permutation(np.linspace(-0.15, 0.15, c))) for c in shape]
    states = np.unravel_index(np.arange(rows), shape)
    rate = np.prod([f[s] for f, s in zip(factor, states, strict=True)], axis=0)
    time = np.full((rows, 2), total_time / rows)
    moves = rng.poisson(time[:, :, None] * rate[:, None, None]) * (1 - np.eye(2))
    return table_of(time, moves, shape)


def as_one_parent(table):
    """Return the same cells as the states of a single parent, which has no main effects."""
    return table_of(table.time, table.transitions, (len(table.values),))


def test_effects_that_multiply_are_found_as_such():
    """Where many configurations share few main effects, these alone must explain the data far better."""
    table = multiplying(np.random.default_rng(5), (3, 3, 3, 3), 6480.0)
    assert set_evidence(table) > set_evidence(as_one_parent(table)) + 5


# Their work is above the first limit: 2 × 3^9 × 9² and 2 × 2^12 × 12².
@pytest.mark.parametrize("shape", [(3,) * 9, (2,) * 12])
def test_effects_that_multiply_are_found_in_large_tables(shape):
    table = multiplying(np.random.default_rng(6), shape, 200_000.0)
    fewer = [table.marginal([p for p in table.parents if p != j]) for j in table.parents[:3]]
    for order in (None, table.parents, table.parents[::-1]):
        evidence = set_evidence(table, (), order)
        assert evidence > set_evidence(as_one_parent(table)) + 100
        assert all(evidence > set_evidence(smaller, (), order) + 5 for smaller in fewer)


def test_main_effects_are_not_tried_in_large_tables_without_them():
    rng = np.random.default_rng(7)
    time = np.full((3**9, 2), 20.0)
    rate = rng.uniform(0.5, 1.5, (3**9, 1, 1)) * (1 - np.eye(2))
    table = table_of(time, rng.poisson(time[:, :, None] * rate), (3,) * 9)
    assert set_evidence(table) == pytest.approx(set_evidence(as_one_parent(table)), rel=1e-12)


def interaction_under_a_clock(seed):
    """Return a table of two binary parents and a clock: only both parents together matter, at any time."""
    rng = np.random.default_rng(seed)
    shape = (2, 2, 16)
    a, b, period = np.unravel_index(np.arange(64), shape)
    rate = np.where(a == b, 1.15, 0.85) * np.linspace(0.2, 3.0, 16)[period]
    time = np.full((64, 2), 10.0)
    moves = rng.poisson(time[:, :, None] * rate[:, None, None]) * (1 - np.eye(2))
    return table_of(time, moves, shape)


def test_a_clock_multiplies_what_parents_do_together():
    found = [
        set_evidence(table, clocks) - set_evidence(table.marginal([2, 3]), clocks)
        for table in map(interaction_under_a_clock, range(20))
        for clocks in ([], [3])
    ]
    unaware, aware = found[::2], found[1::2]
    assert np.mean(unaware) < 0 and min(aware) > 0


def test_parents_beside_a_clock_are_one_factor():
    """The model that a clock adds is that of main effects on a table whose other parents are one."""
    table = interaction_under_a_clock(1)
    merged = table_of(table.time, table.transitions, (4, 16))
    without = set_evidence(table)  # of two models
    as_one = set_evidence(merged)  # the same cells, so the same first model
    varying = set_evidence(table_of(table.time, table.transitions, (64,)))
    added = logsumexp([as_one + math.log(2), varying], b=[1, -1])
    assert set_evidence(table, [3]) == pytest.approx(
        logsumexp([without + math.log(2), added]) - math.log(3), abs=1e-6
    )
    assert set_evidence(merged, [2]) == as_one


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_order_of_parents_does_not_matter_beside_a_clock(order):
    table = interaction_under_a_clock(2)
    time = table.time.reshape(2, 2, 16, 2).transpose(*order, 3).reshape(64, 2)
    moves = table.transitions.reshape(2, 2, 16, 2, 2).transpose(*order, 3, 4).reshape(64, 2, 2)
    shape = tuple((2, 2, 16)[i] for i in order)
    other = table_of(np.ascontiguousarray(time), np.ascontiguousarray(moves), shape)
    clock = 1 + order.index(2)
    assert set_evidence(other, [clock]) == pytest.approx(set_evidence(table, [3]), abs=1e-6)
