"""Intervals against SciPy's distributions, and against draws where SciPy has none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from ctbnlab.errors import InputError
from ctbnlab.learning.credible_intervals import beta_interval, checked_level, gamma_interval, ratio_interval

shapes = st.floats(0.3, 1e5)
rates = st.floats(1e-3, 1e3)
levels = st.floats(0.01, 0.9999)


@given(st.lists(st.tuples(shapes, rates), min_size=1, max_size=5), levels)
def test_gamma(cells, level):
    a, b = np.array(cells).T
    low, high = gamma_interval(a, b, level)
    expected = stats.gamma.interval(level, a, scale=1 / b)
    assert low == pytest.approx(expected[0], rel=1e-8)
    assert high == pytest.approx(expected[1], rel=1e-8)


@given(st.lists(st.tuples(shapes, shapes), min_size=1, max_size=5), levels)
def test_beta(cells, level):
    a, b = np.array(cells).T
    low, high = beta_interval(a, b, level)
    expected = stats.beta.interval(level, a, b)
    assert low == pytest.approx(expected[0], rel=1e-7, abs=1e-12)
    assert high == pytest.approx(expected[1], rel=1e-7, abs=1e-12)


@given(shapes, rates, shapes, rates, levels)
def test_ratio_of_two_gammas_is_an_f_distribution(a, b, c, d, level):
    low, high = ratio_interval([(1.0, a, b, c, d)], level)
    scale = (a / b) / (c / d)
    expected = stats.f.interval(level, 2 * a, 2 * c, scale=scale)
    assert (low, high) == pytest.approx(expected, rel=1e-6)


def test_mixture_of_ratios_by_drawing():
    parts = [(0.3, 4.0, 2.0, 9.0, 3.0), (0.7, 50.0, 10.0, 60.0, 30.0)]
    rng = np.random.default_rng(3)
    n = 400_000
    which = rng.random(n) < 0.3
    draws = [rng.gamma(a, 1 / b, n) / rng.gamma(c, 1 / d, n) for _, a, b, c, d in parts]
    ratio = np.where(which, *draws)
    low, high = ratio_interval(parts, 0.9)
    # Shares outside within five standard errors.
    error = 5 * np.sqrt(0.05 * 0.95 / n)
    assert np.mean(ratio < low) == pytest.approx(0.05, abs=error)
    assert np.mean(ratio > high) == pytest.approx(0.05, abs=error)


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, float("nan")])
def test_a_level_is_a_probability(level):
    with pytest.raises(InputError, match="the level must be between 0 and 1"):
        checked_level(level)
