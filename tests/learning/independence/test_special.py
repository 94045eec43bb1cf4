"""Distribution functions: equal to scipy's to 1e-10, or to mpmath's if the two differ."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from scipy import special, stats

from ctbnlab.learning.independence import _special as ours

DEGREES = st.one_of(
    st.floats(0, math.log(1e7)).map(math.exp),
    st.floats(0, math.log(1e7)).map(lambda u: float(round(math.exp(u)))),
    st.integers(1, 300).map(float),
)
# In standard deviations of ln F, or of χ².
DISTANCES = st.floats(-30, 30)


def exact_f(f, d1, d2, upper):
    """Return P(F > f) or P(F ≤ f), by integrating the density of ln F, scaled by its value at the end."""
    with mpmath.workdps(40):
        a, b = mpmath.mpf(d1) / 2, mpmath.mpf(d2) / 2
        if upper:
            a, b, f = b, a, 1 / mpmath.mpf(f)
        return _exact_lower(a, b, mpmath.log(mpmath.mpf(f) * a / b))


def _exact_lower(a, b, end):
    n, scale = a + b, mpmath.sqrt(1 / a + 1 / b)

    def density(s):
        u = end - s
        return mpmath.exp(-a * s - n * (mpmath.log1p(mpmath.exp(u)) - mpmath.log1p(mpmath.exp(end))))

    front = a * end - n * mpmath.log1p(mpmath.exp(end))
    front += mpmath.loggamma(n) - mpmath.loggamma(a) - mpmath.loggamma(b)
    slope = abs(a - n / (1 + mpmath.exp(-end)))
    step = min(scale, 1 / slope) if slope else scale
    ends = [0, *(step * 2**k for k in range(-2, 14))]
    return mpmath.exp(front) * mpmath.quad(density, [*ends, mpmath.inf])


def exact_chi2(x, df):
    with mpmath.workdps(40):
        a, x = mpmath.mpf(df) / 2, mpmath.mpf(x) / 2
        try:
            return mpmath.gammainc(a, x, regularized=True)
        except mpmath.libmp.NoConvergence:
            return _exact_gamma(a, x)


def _exact_gamma(a, x):
    """Do the same for large a: integrate the density above or below x, scaled by its value at x."""
    sign = 1 if x > a else -1

    def density(s):
        return mpmath.exp(sign * a * s - x * mpmath.expm1(sign * s))

    front = a * mpmath.log(x) - x - mpmath.loggamma(a)
    step = 1 / (abs(a - x) + mpmath.sqrt(a))
    tail = mpmath.exp(front) * mpmath.quad(density, [0, *(step * 2**k for k in range(-2, 10))])
    return tail if sign > 0 else 1 - tail


def agrees(value, from_scipy, exact):
    """Return whether a value equals scipy's to 1e-10 or, since scipy may be wrong, the exact one."""
    if from_scipy < 1e-300:
        return value < 1e-299
    return abs(value - from_scipy) <= 1e-10 * from_scipy or abs(value - exact()) <= 1e-10 * exact()


@given(DEGREES, DEGREES, DISTANCES)
def test_f_equals_scipy(d1, d2, z):
    f = math.exp(z * math.sqrt(2 / d1 + 2 / d2))
    assert agrees(ours.f_sf(f, d1, d2), stats.f.sf(f, d1, d2), lambda: exact_f(f, d1, d2, True))
    assert agrees(ours.f_cdf(f, d1, d2), stats.f.cdf(f, d1, d2), lambda: exact_f(f, d1, d2, False))
    p = ours.f_p_value(f, d1, d2)
    assert p == 2 * min(ours.f_sf(f, d1, d2), ours.f_cdf(f, d1, d2))


def test_f_differs_from_scipy_in_few_places():
    rng = np.random.default_rng(3)
    d1, d2 = np.exp(rng.uniform(0, math.log(1e7), (2, 4000)))
    f = np.exp(rng.normal(0, 3, 4000) * np.sqrt(2 / d1 + 2 / d2))
    expected = stats.f.sf(f, d1, d2)
    values = np.array([ours.f_sf(*arguments) for arguments in zip(f, d1, d2, strict=True)])
    defined = expected > 1e-300
    difference = np.abs(values[defined] / expected[defined] - 1)
    assert np.median(difference) < 1e-13
    assert (difference > 1e-10).mean() < 0.002


@pytest.mark.parametrize(
    ("f", "d1", "d2"),
    [
        (1.3471806730167641, 26, 7858672),
        (1.0057173836687199, 30, 8735450),
        (0.98, 1e6, 3e6),
        (58.7, 24.8, 5e6),
    ],
)
def test_f_equals_mpmath(f, d1, d2):
    exact = exact_f(f, d1, d2, f > 1)
    value = ours.f_sf(f, d1, d2) if f > 1 else ours.f_cdf(f, d1, d2)
    assert abs(value / exact - 1) < 1e-11


@given(DEGREES, DISTANCES)
@example(math.exp(16), -5.0)
@example(math.exp(16), 5.0)
def test_chi2_equals_scipy(df, z):
    x = df * math.exp(z * math.sqrt(2 / df))
    assert agrees(ours.chi2_sf(x, df), stats.chi2.sf(x, df), lambda: exact_chi2(x, df))


@given(st.floats(0.01, 18))
def test_kolmogorov_equals_scipy(scaled):
    expected = stats.kstwobign.sf(scaled)
    assert ours.kolmogorov_sf(scaled**2) == pytest.approx(expected, rel=1e-10, abs=1e-300)
    leading = ours.kolmogorov_sf(scaled**2, series=False)
    assert leading == min(1.0, 2 * math.exp(-2 * scaled**2))
    if expected < 5e-4:  # the second term is 2 (p/2)⁴
        assert leading == pytest.approx(expected, rel=1e-10, abs=1e-300)


@given(DEGREES, DEGREES, st.floats(1e-12, 0.9))
def test_critical_values_invert_the_tails(d1, d2, tail):
    # A function accurate to 1e-15 has an inverse accurate to 1e-15 over the slope of its logarithm.
    assert ours.f_sf(ours.f_critical(tail, d1, d2), d1, d2) == pytest.approx(tail, rel=1e-8)
    assert ours.chi2_sf(ours.chi2_critical(tail, d1), d1) == pytest.approx(tail, rel=1e-8)
    assert ours.kolmogorov_sf(ours.kolmogorov_critical(tail)) == pytest.approx(tail, rel=1e-10)
    leading = ours.kolmogorov_sf(ours.kolmogorov_critical(tail, False), False)
    assert leading == pytest.approx(tail, rel=1e-12)
    assert special.ndtr(-ours.normal_critical(tail / 2)) == pytest.approx(tail / 2, rel=1e-11)


@pytest.mark.parametrize(("tail", "d1", "d2"), [(0.05, 10, 20), (0.95, 3, 7), (1e-6, 1e5, 2e5), (0.5, 1, 1)])
def test_critical_values_equal_scipys(tail, d1, d2):
    assert ours.f_critical(tail, d1, d2) == pytest.approx(stats.f.isf(tail, d1, d2), rel=1e-10)
    assert ours.chi2_critical(tail, d1) == pytest.approx(stats.chi2.isf(tail, d1), rel=1e-10)
    assert 1 / ours.f_critical(tail, d2, d1) == pytest.approx(stats.f.ppf(tail, d1, d2), rel=1e-10)


@given(DEGREES, DEGREES, st.floats(-8, 8))
def test_cheap_bounds_contain_the_tail(d1, d2, z):
    f = math.exp(z * math.sqrt(2 / d1 + 2 / d2))
    bounds = ours.f_normal_bounds(f, d1, d2)
    if min(d1, d2) < 4:
        assert bounds is None
        return
    lower, upper = ours.f_cdf(f, d1, d2), ours.f_sf(f, d1, d2)
    zeta = -special.ndtri(lower) if lower < upper else special.ndtri(upper)
    assert bounds[0] <= zeta <= bounds[1]


def test_cheap_bounds_are_close_for_large_counts():
    for z in (-3, -1, 0.5, 2):
        f = math.exp(z * math.sqrt(2 / 2000 + 2 / 9000))
        low, high = ours.f_normal_bounds(f, 2000, 9000)
        assert high - low < 0.1


def test_ends_of_the_range():
    assert ours.f_cdf(0, 3, 4) == 0 == ours.f_sf(math.inf, 3, 4) == ours.f_p_value(0, 3, 4)
    assert (
        ours.f_sf(0, 3, 4) == 1 == ours.f_cdf(math.inf, 3, 4) == ours.chi2_sf(0, 2) == ours.kolmogorov_sf(0)
    )
    assert ours.chi2_sf(math.inf, 2) == 0 == ours.f_p_value(math.inf, 3, 4)
    for undefined in (
        ours.f_cdf(math.nan, 3, 4),
        ours.f_sf(1, 0, 4),
        ours.f_sf(1, 4, -1),
        ours.chi2_sf(1, 0),
        ours.chi2_sf(math.nan, 1),
        ours.kolmogorov_sf(math.nan),
    ):
        assert math.isnan(undefined)
