"""The empirical-Bayes score: equal to its formula with forty digits, its prior, and its invariances."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, strategies as st

from ctbnlab.errors import InputError
from ctbnlab.learning.scores import _empirical_bayes
from ctbnlab.learning.scores.empirical_bayes import EmpiricalBayesScore, base_rates
from tests.support.sample_tables import table_of, tables, without_empty_rows

mp.mp.dps = 40


def exact_evidence(table, k):
    """Return D(U; k), term by term."""
    total, k = mp.mpf(0), mp.mpf(k)
    c = table.n_states
    for x in range(c):
        time = mp.fsum(mp.mpf(t) for t in table.time[:, x])
        for y in range(c):
            moves = int(table.transitions[:, x, y].sum())
            if y == x or not moves or not time:
                continue
            for u in range(len(table.values)):
                m = int(table.transitions[u, x, y])
                e = mp.mpf(moves) / time * mp.mpf(table.time[u, x])
                if e > 0:
                    total += mp.loggamma(k + m) - mp.loggamma(k) - m * mp.log(k)
                    total += e - (k + m) * mp.log1p(e / k)
    return total


@given(tables(min_states=2), st.sampled_from([0.5, 2.0, 32.0, 2048.0]))
def test_the_evidence_equals_its_formula(table, k):
    exact = exact_evidence(table, k)
    scale = max(1, abs(exact), table.transitions.sum() * 1e-3)
    values = np.ascontiguousarray(table.values)
    assert abs(_empirical_bayes.at_shape(values, base_rates(values), k) - exact) <= 1e-9 * scale


@pytest.mark.parametrize("count", [0, 1, 2, 62, 63, 64, 65, 1000, 10**6])
def test_counts_within_and_beyond_the_lookup_table(count):
    table = table_of([[[3.5, 0, count], [0.25, 7, 0]], [[9.0, 0, 40], [2.0, 3, 0]]], (2,))
    values = np.ascontiguousarray(table.values)
    for k in (0.5, 32768.0):
        exact = exact_evidence(table, k)
        found = _empirical_bayes.at_shape(values, base_rates(values), k)
        assert found == pytest.approx(float(exact), rel=1e-8, abs=1e-7)


@given(st.integers(0, 2**32 - 1), st.floats(0, 1.5), st.floats(0.1, 300))
def test_the_best_shape_is_found(seed, spread, time):
    rng = np.random.default_rng(seed)
    values = np.zeros((27, 3, 4))
    values[:, :, 0] = rng.exponential(time, (27, 3))
    rates = rng.gamma(1 / spread**2, spread**2, (27, 3, 3)) if spread > 0.01 else np.ones((27, 3, 3))
    values[:, :, 1:] = rng.poisson(3 * rates * values[:, :, :1]) * (1 - np.eye(3))
    score = EmpiricalBayesScore(3)
    at_each_shape = [_empirical_bayes.at_shape(values, base_rates(values), k) for k in score.shapes]
    assert score.evidence(table_of(values, (3, 3, 3))) == max(at_each_shape)


def test_the_prior_and_the_score_without_parents():
    score = EmpiricalBayesScore(9, penalty=2.0)
    assert score.node_score(table_of([[[3.0, 0, 5], [1.0, 6, 0]]]), 0) == 0
    assert score.prior(0) == 0
    assert score.prior(3) == pytest.approx(-(math.log(9) + math.log(84) + 6))
    table = table_of([[[3.0, 0, 50], [1.0, 6, 0]], [[3.0, 0, 5], [1.0, 6, 0]]], (2,))
    assert score.node_score(table, 0) == score.evidence(table) + score.prior(1)


@given(tables(min_states=2), st.sampled_from([2.0**-10, 2.0**10]))
def test_neither_the_unit_of_time_nor_rows_left_out_change_the_evidence(table, unit):
    score = EmpiricalBayesScore(2)
    scaled = table.values.copy()
    scaled[:, :, 0] *= unit
    expected = score.evidence(table)
    assert score.evidence(table_of(scaled, table.parent_cardinalities)) == pytest.approx(expected, rel=1e-12)
    assert score.evidence(without_empty_rows(table)) == expected


def test_evidence_is_positive_only_if_rates_vary():
    rng = np.random.default_rng(8)
    score = EmpiricalBayesScore(6)
    for low, high, positive in ((3.0, 3.0, False), (1.0, 5.0, True)):
        values = np.zeros((729, 2, 3))
        values[:, :, 0] = rng.exponential(2.0, (729, 2))
        q = rng.uniform(low, high, (729, 2, 2))
        values[:, :, 1:] = rng.poisson(q * values[:, :, :1]) * (1 - np.eye(2))
        assert (score.node_score(table_of(values, (3,) * 6), 0) > 0) == positive


@pytest.mark.parametrize(
    "wrong", [{"shapes": ()}, {"shapes": (0.0,)}, {"penalty": -1}, {"penalty": math.nan}]
)
def test_bad_parameters_are_refused(wrong):
    with pytest.raises(InputError):
        EmpiricalBayesScore(3, **wrong)
