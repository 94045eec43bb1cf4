"""Equal-tailed credible intervals of rates (Gamma), probabilities (Beta) and ratios of rates (F).

Quantiles come from the compiled distribution functions of the tests, so that learning needs no SciPy. Those
of a Gamma distribution depend on its shape alone, up to the unit: equal shapes are computed once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.learning.independence._special import chi2_critical, f_cdf, f_critical

Floats = NDArray[np.float64]
Interval = tuple[Floats, Floats]
# One part of a mixture: its weight, then shape and rate of two Gamma distributions, first over second.
RatioComponent = tuple[float, float, float, float, float]


def checked_level(level: float) -> float:
    """Return the level of an interval; refuse one that is not a probability strictly between 0 and 1."""
    if not 0 < level < 1:
        raise InputError(f"the level must be between 0 and 1, such as 0.95, not {level}")
    return float(level)


def gamma_interval(shape: Floats, rate: Floats, level: float) -> Interval:
    """Return the bounds of Gamma(shape, rate), whose mean is shape / rate."""
    tail = (1 - level) / 2
    low = _of_unique(lambda a: chi2_critical(1 - tail, 2 * a) / 2, shape)
    high = _of_unique(lambda a: chi2_critical(tail, 2 * a) / 2, shape)
    return low / rate, high / rate


def beta_interval(a: Floats, b: Floats, level: float) -> Interval:
    """Return the bounds of Beta(a, b)."""
    tail = (1 - level) / 2

    def upper(a: float, b: float) -> float:
        odds = a / b * f_critical(tail, 2 * a, 2 * b)
        return odds / (1 + odds)

    def lower(a: float, b: float) -> float:
        odds = b / a * f_critical(tail, 2 * b, 2 * a)  # of the complement, which has its upper bound here
        return 1 / (1 + odds)

    return _of_unique(lower, a, b), _of_unique(upper, a, b)


def ratio_interval(components: Sequence[RatioComponent], level: float) -> tuple[float, float]:
    """Return the bounds of the ratio of two independent Gamma variables, or of a mixture of such ratios."""
    tail = (1 - level) / 2

    def below(ratio: float) -> float:
        return math.fsum(
            weight * f_cdf(ratio * (rate / shape) / (other_rate / other_shape), 2 * shape, 2 * other_shape)
            for weight, shape, rate, other_shape, other_rate in components
        )

    return _bisected(below, tail), _bisected(below, 1 - tail)


def _bisected(rising: Callable[[float], float], probability: float) -> float:
    """Return where a distribution function reaches a probability, between two logarithms."""
    low, high = -700.0, 700.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        if rising(math.exp(middle)) < probability:
            low = middle
        else:
            high = middle
    return math.exp((low + high) / 2)


def _of_unique(function: Callable[..., float], *arguments: Floats) -> Floats:
    """Return a function of each element, computed once for those that are equal."""
    rows = np.stack([np.ravel(values) for values in np.broadcast_arrays(*arguments)], axis=1)
    unique, where = np.unique(rows, axis=0, return_inverse=True)
    found = np.array([function(*row) for row in unique.tolist()], np.float64)
    return found[where.ravel()].reshape(np.shape(arguments[0]))
