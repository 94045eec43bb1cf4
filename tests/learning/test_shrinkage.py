"""Shrunken rates: likelihoods against SciPy, calibration on data drawn from the model, and nulls."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from scipy import optimize, stats

from ctbnlab.learning.shrinkage import MIN_WEIGHT, SHAPES, ShrunkenRates, Strata, _centre, _Shapes

tables = st.tuples(st.integers(1, 5), st.integers(2, 4)).flatmap(
    lambda shape: st.tuples(
        hnp.arrays(np.float64, shape, elements=st.integers(0, 40)),
        hnp.arrays(np.float64, shape, elements=st.floats(0.1, 20)),
        hnp.arrays(np.bool_, shape),
    )
)


def strata_of(moves, time, seen):
    return Strata.comparable(np.where(seen, moves, 0), np.where(seen, time, 0))


def negative_binomial(strata, shape, centre):
    """Return the log-likelihood of each stratum, from SciPy."""
    mean = centre[:, None] * strata.time
    return stats.nbinom.logpmf(strata.moves, shape, shape / (shape + mean)).sum(axis=1)


@given(tables)
def test_only_strata_that_can_be_compared_are_kept(table):
    moves, time, seen = table
    strata = strata_of(moves, time, seen)
    expected = [r for r in range(len(moves)) if seen[r].sum() > 1 and moves[r][seen[r]].any()]
    assert strata.rows.tolist() == expected
    assert (strata.moves[:, :] == np.where(seen, moves, 0)[expected]).all()


@given(tables, st.sampled_from(SHAPES))
def test_the_centre_is_the_most_likely_rate(table, shape):
    strata = strata_of(*table)
    if not len(strata):
        return
    centre = _centre(strata, shape, strata.pooled)
    for row, found in enumerate(centre):
        one = Strata(strata.moves[row : row + 1], strata.time[row : row + 1], np.zeros(1, int))
        best = optimize.minimize_scalar(
            lambda log, one=one: -negative_binomial(one, shape, np.exp([log]))[0],
            bracket=(math.log(found) - 0.5, math.log(found) + 0.5),
            tol=1e-10,
        )
        assert math.log(found) == pytest.approx(best.x, abs=1e-4)


@given(tables)
def test_evidence_is_the_adjusted_profile_likelihood(table):
    """NB of SciPy, minus half the log information on ln q by a numeric second derivative in expectation."""
    strata = strata_of(*table)
    if not len(strata):
        return
    found = _Shapes(strata)

    def expected(i):
        shape, centre = SHAPES[i], found.centre(i)
        mean = centre[:, None] * strata.time
        variance = mean + mean**2 / shape
        information = np.divide(mean**2, variance, out=np.zeros_like(mean), where=mean > 0).sum(axis=1)
        total = negative_binomial(strata, shape, centre) - 0.5 * np.log(information)
        return total.sum() + math.log(1 / math.sqrt(shape))

    for i in (0, 3, 9, 15):
        difference = found.evidence(i) - found.evidence(6)
        assert difference == pytest.approx(expected(i) - expected(6), rel=1e-8, abs=1e-6)


@given(tables)
def test_weights_are_those_of_all_shapes(table):
    strata = strata_of(*table)
    if not len(strata):
        return
    every = _Shapes(strata)
    evidence = np.array([every.evidence(i) for i in range(len(SHAPES))])
    weights = np.exp(evidence - evidence.max())
    weights /= weights.sum()
    fit = ShrunkenRates.fit(strata)
    assert sum(fit.weights) == pytest.approx(1)
    found = dict(zip(fit.shapes, fit.weights, strict=True))
    for shape, weight in zip(SHAPES, weights, strict=True):
        assert found.get(shape, 0) == pytest.approx(weight, abs=len(SHAPES) * MIN_WEIGHT)


def drawn(rng, shape, rates, time):
    """Draw rates of a shape around the rates of strata, and their transitions."""
    factor = rng.gamma(shape, 1 / shape, time.shape)
    true = rates[:, None] * factor
    return true, Strata.comparable(rng.poisson(true * time).astype(float), time)


def test_the_largest_ratio_is_calibrated_on_data_from_the_model():
    """Selecting the largest of 36 ratios does not bias it; raw ratios with the same choice are far off."""
    rng = np.random.default_rng(5)
    covered, raw, n = 0, 0, 500
    for _ in range(n):
        shape = 1 / rng.uniform(0.1, 1) ** 2
        true, strata = drawn(rng, shape, rng.uniform(1, 5, 12), rng.gamma(2, 1.5, (12, 3)))
        fit = ShrunkenRates.fit(strata).largest_ratio(0.9)
        row = true[strata.rows[fit.stratum]]
        covered += fit.low <= row[fit.numerator] / row[fit.denominator] <= fit.high
        rates = (strata.moves + 0.5) / strata.time
        r = int((rates.max(axis=1) / rates.min(axis=1)).argmax())
        a, b = int(rates[r].argmax()), int(rates[r].argmin())
        interval = stats.f.interval(
            0.9, 2 * strata.moves[r, a] + 1, 2 * strata.moves[r, b] + 1, scale=rates[r, a] / rates[r, b]
        )
        truth = true[strata.rows[r]]
        raw += interval[0] <= truth[a] / truth[b] <= interval[1]
    assert covered / n == pytest.approx(0.9, abs=3 * math.sqrt(0.09 / n))
    assert raw / n < 0.7


@pytest.mark.parametrize("cv", [0.0, 0.1, 0.4])
def test_variation_is_without_poisson_noise(cv):
    rng = np.random.default_rng(6)
    found = []
    for _ in range(60):
        time = rng.gamma(2, 3, (20, 3))
        shape = math.inf if not cv else 1 / cv**2
        rates = rng.uniform(1, 5, 20)[:, None]
        factor = np.ones(time.shape) if not cv else rng.gamma(shape, 1 / shape, time.shape)
        found.append(Strata.comparable(rng.poisson(rates * factor * time).astype(float), time).variation())
    if cv:
        assert np.mean(np.square(found)) == pytest.approx(cv**2, rel=0.25)
    else:
        assert np.median(found) < 0.03


@given(tables)
def test_variation_by_hand(table):
    strata = strata_of(*table)
    above, below = 0.0, 0.0
    for moves, time in zip(strata.moves, strata.time, strict=True):
        n, w = moves.sum(), time / time.sum()
        for m, share in zip(moves, w, strict=True):
            above += ((m - n * share) ** 2 - n * share * (1 - share)) / n
            below += (n - 1) * share**2 * ((1 - share) ** 2 + (w**2).sum() - share**2)
    expected = math.sqrt(max(0.0, above / below)) if below > 0 else 0.0
    assert strata.variation() == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_rates_that_do_not_differ_are_shrunken_together():
    """With a million transitions and no effect, the ratio is within one per cent of 1."""
    rng = np.random.default_rng(7)
    time = np.full((8, 2), 2e4)
    strata = Strata.comparable(rng.poisson(3 * time).astype(float), time)
    fit = ShrunkenRates.fit(strata).largest_ratio(0.95)
    assert 1 <= fit.ratio < 1.01
    assert fit.low < 1 < fit.high
    assert ShrunkenRates.fit(strata).information() < 1


def test_information_is_the_expected_gain_in_likelihood():
    strata = Strata.comparable(np.array([[4000.0, 1000.0]]), np.array([[1000.0, 1000.0]]))
    q, pooled = np.array([4, 1]), 2.5
    expected = 1000 * (q * np.log(q / pooled)).sum()
    assert ShrunkenRates.fit(strata).information() == pytest.approx(expected, rel=2e-3)
