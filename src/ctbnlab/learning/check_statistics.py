"""The statistics of model checks: do residuals depend on the period, or on the trajectory?

**Periods.** Given the transitions of a cell, its rate being constant, they are spread over periods in
proportion to the time spent in each. Summed over cells, observed less expected transitions per period have
the covariance of such multinomials, and their quadratic form is χ² (the stratified log-rank test). Cells with
few transitions are left out: a rate estimated from them is biased by them.

**Trajectories.** Let M be observed less expected transitions of a trajectory. If the model holds, M² less the
number of transitions is 2∫M dM, a martingale with variance 4∫M² dA, where A is the integrated rate; rates
estimated from the same data take away `estimated` from the mean of ΣM², and the projection on the cells'
scores from its variance. ΣM² is compared with a multiple of χ² of that mean and variance. If rates vary
between trajectories with coefficient of variation τ, ΣM² grows by τ²ΣE².

**Shared factors.** The martingales of two variables are orthogonal: ΣM_X·M_Y has mean 0 and variance
ΣE_X·E_Y. A factor that multiplies all rates of a trajectory makes it positive.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.residuals import Residuals, TrajectoryCounts
from ctbnlab.learning.independence._special import chi2_sf

Floats = NDArray[np.float64]

MIN_TRANSITIONS = 10  # of a cell, to be compared between periods


class PeriodTest(NamedTuple):
    """χ², its degrees of freedom and p-value; the size of the effect, and observed / expected by period.

    `expected` are the transitions to expect in each period, of the cells that have enough of them.
    `variation` is the coefficient of variation of the rates over periods, less what chance explains.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float
    variation: float
    ratios: Floats
    expected: Floats


NO_PERIODS = PeriodTest(0.0, 0, 1.0, 0.0, np.empty(0), np.empty(0))


def period_test(table: Floats) -> PeriodTest:
    """Compare transitions with those expected of constant rates: [observed and expected, cell, period]."""
    observed, exposure = table
    counted = observed.sum(axis=1)
    time = exposure.sum(axis=1)
    used = (counted >= MIN_TRANSITIONS) & (time > 0)
    if not used.any():
        return NO_PERIODS
    counted, shares = counted[used], exposure[used] / time[used, None]
    expected = counted @ shares
    covariance = np.diag(expected) - (shares * counted[:, None]).T @ shares
    seen = observed[used].sum(axis=0)
    values, vectors = np.linalg.eigh(covariance)
    real = values > 1e-9 * max(values[-1], 1e-300)
    parts = (vectors[:, real].T @ (seen - expected)) ** 2 / values[real]
    degrees = len(parts)
    if not degrees:
        return NO_PERIODS
    statistic = float(parts.sum())
    excess = max(0.0, statistic - degrees)
    ratios = np.divide(seen, expected, out=np.ones_like(seen), where=expected > 0)
    return PeriodTest(
        statistic,
        degrees,
        chi2_sf(statistic, degrees),
        math.sqrt(excess / counted.sum()),
        ratios,
        expected,
    )


class SpreadTest(NamedTuple):
    """z of differences between trajectories, the p-value, and the coefficient of variation of their rates."""

    statistic: float
    p_value: float
    variation: float


NO_SPREAD = SpreadTest(0.0, 1.0, 0.0)


def trajectory_test(found: Residuals) -> SpreadTest:
    """Test whether the rates of one variable differ between trajectories.

    Not if most transitions are the only one of their trajectory: then rates that differ look like rates that
    fall with time, and nothing can tell them apart.
    """
    observed, expected, estimated = found.counts
    if np.maximum(observed - 1, 0).sum() < observed.sum() / 2:
        return NO_SPREAD
    square = float(((observed - expected) ** 2).sum())
    mean = float(observed.sum()) - estimated
    total = found.transitions
    used = total > 0
    variance = 4 * (found.spread - float((found.drift[used] ** 2 / total[used]).sum()))
    return _scaled_chi_square(square, mean, variance, float((expected**2).sum()))


def _scaled_chi_square(square: float, mean: float, variance: float, scale: float) -> SpreadTest:
    if mean <= 0 or variance <= 0 or scale <= 0:
        return NO_SPREAD
    z = (square - mean) / math.sqrt(variance)
    p_value = chi2_sf(square * 2 * mean / variance, 2 * mean**2 / variance)
    return SpreadTest(z, p_value, math.sqrt(max(0.0, square - mean) / scale))


def shared_factor_test(counts: Sequence[TrajectoryCounts]) -> SpreadTest:
    """Test whether a factor per trajectory multiplies the rates of all variables."""
    if len(counts) < 2:
        return NO_SPREAD
    kept = [1 - found.estimated / max(found.observed.sum(), 1) for found in counts]
    martingales = [found.observed - found.expected for found in counts]
    products = sum(martingales) ** 2 - sum(m**2 for m in martingales)
    expected = [math.sqrt(max(k, 0)) * found.expected for k, found in zip(kept, counts, strict=True)]
    pairs = sum(expected) ** 2 - sum(e**2 for e in expected)
    total, scale = float(np.sum(products)), float(np.sum(pairs))
    if scale <= 0:
        return NO_SPREAD
    # Σ over ordered pairs of variables: each unordered pair twice, so the variance is 2 ΣΣ E_X E_Y.
    z = total / math.sqrt(2 * scale)
    # Products of few trajectories have long tails: compare with χ² that has as many degrees of freedom.
    degrees = float(np.sum(pairs)) ** 2 / float(np.sum(pairs**2))
    p_value = chi2_sf(degrees + z * math.sqrt(2 * degrees), degrees)
    return SpreadTest(z, p_value, math.sqrt(max(0.0, total) / scale))


def trajectory_weights(counts: Sequence[TrajectoryCounts], variation: float) -> Floats:
    """Return the factor of each trajectory, drawn towards 1 by what is known of their variation."""
    observed = np.sum([found.observed for found in counts], axis=0)
    expected = np.sum([found.expected for found in counts], axis=0)
    prior = 1 / max(variation, 1e-3) ** 2
    return np.asarray((observed + prior) / (expected + prior))
