"""Rates that vary around a common rate, each shrunken towards it as far as the data ask for.

The cells of a stratum share one transition x → x' and differ in the state of a parent, or in the whole
configuration. Cell j has time T_j, M_j transitions, and a rate that is Gamma-distributed around the rate q of
its stratum with a shape k that all strata share: its coefficient of variation is 1/√k. Given k and q the
posterior is

    q_j ~ Gamma(k + M_j, k/q + T_j)

The shape is not chosen but averaged over, with a prior that is uniform in the coefficient of variation, and
the likelihood of the counts (negative binomial) in which q is profiled out with the correction of Cox and
Reid (1987): without it, two cells around their own mean would seem to vary half as much as they do.

The posterior of a rate takes the noise of its count into account, so that it can be compared after looking
for the largest: the largest of many raw ratios M_j T_i / (M_i T_j) is mostly noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.learning.credible_intervals import ratio_interval

# From rates that vary by 140% of their mean to 0.1%, which takes millions of transitions to see.
SHAPES = tuple(0.5 * 2.0**i for i in range(22))
# Shapes that are this much less likely than others have no part in the result.
MIN_WEIGHT = 1e-9
_STRIDE = 4
_MAX_STEPS = 50
_PRECISION = 1e-9

Floats = NDArray[np.float64]


class LargestRatio(NamedTuple):
    """The largest ratio of two rates, the bounds of its interval, and the cells that it compares."""

    ratio: float
    low: float
    high: float
    stratum: int
    numerator: int
    denominator: int


@dataclass(frozen=True, eq=False)
class Strata:
    """Transitions and times [stratum, cell]; a cell without time has no part in its stratum.

    `rows` numbers the strata among those that `comparable` was given.
    """

    moves: Floats
    time: Floats
    rows: NDArray[np.intp]

    @classmethod
    def comparable(cls, moves: Floats, time: Floats) -> Strata:
        """Keep the strata that have transitions, and time in two cells or more."""
        useful = np.flatnonzero((moves.sum(axis=1) > 0) & ((time > 0).sum(axis=1) > 1))
        # Strata are many and cells few: sums over cells are fastest in this order.
        return cls(np.asfortranarray(moves[useful]), np.asfortranarray(time[useful]), useful)

    def __len__(self) -> int:
        return len(self.moves)

    @cached_property
    def pooled(self) -> Floats:
        """The rate of each stratum as a whole."""
        rates: Floats = self.moves.sum(axis=1) / self.time.sum(axis=1)
        return rates

    def variation(self) -> float:
        """Return the coefficient of variation of the rates within strata, without that of Poisson noise.

        Given the N transitions of a stratum, of which the share w_j is expected in cell j, M_j has the
        variance N w_j (1 − w_j) if the rates are equal. What the squared residuals exceed this by, relative
        to what rates of variance 1 would add, is the variance of the rates; 0 if they do not exceed it.
        """
        total = self.moves.sum(axis=1, keepdims=True)
        share = self.time / self.time.sum(axis=1, keepdims=True)
        excess = (self.moves - total * share) ** 2 / total - share * (1 - share)
        spread = share**2 * (1 - 2 * share + (share**2).sum(axis=1, keepdims=True))
        scale = math.fsum(((total - 1) * spread).ravel().tolist())
        if scale <= 0:
            return 0.0
        return math.sqrt(max(0.0, math.fsum(excess.ravel().tolist()) / scale))


@dataclass(frozen=True, eq=False)
class ShrunkenRates:
    """The posterior of the rates of some strata: for each shape its weight and the rate of each stratum."""

    strata: Strata
    shapes: tuple[float, ...]
    weights: tuple[float, ...]
    centres: tuple[Floats, ...]

    @classmethod
    def fit(cls, strata: Strata) -> ShrunkenRates:
        """Return the posterior given the counts."""
        posterior = _Shapes(strata)
        # The likelihood has one peak. Shapes far apart find it; its neighbours follow, as far as they count.
        best = max(range(0, len(SHAPES), _STRIDE), key=posterior.evidence)
        near = [best]
        for direction in (-1, 1):
            i = best + direction
            while 0 <= i < len(SHAPES):
                near.append(i)
                highest = max(map(posterior.evidence, near))
                if posterior.evidence(i) < highest + math.log(MIN_WEIGHT):
                    break
                i += direction
        near.sort()
        evidence = np.array([posterior.evidence(i) for i in near])
        weights = np.exp(evidence - evidence.max())
        weights /= weights.sum()
        return cls(
            strata,
            tuple(SHAPES[i] for i in near),
            tuple(weights.tolist()),
            tuple(posterior.centre(i) for i in near),
        )

    def _means(self, i: int) -> Floats:
        """Return the mean of each rate given one of the shapes."""
        k, strata = self.shapes[i], self.strata
        means: Floats = (k + strata.moves) / (k / self.centres[i][:, None] + strata.time)
        return means

    @cached_property
    def mean(self) -> Floats:
        """The posterior mean of each rate."""
        weighted = (weight * self._means(i) for i, weight in enumerate(self.weights))
        return np.asarray(sum(weighted), np.float64)

    def information(self) -> float:
        """Return the log-likelihood, in nats, expected from knowing the cell rather than the stratum only."""
        rates, pooled, time = self.mean, self.strata.pooled[:, None], self.strata.time
        return math.fsum((time * (rates * np.log(rates / pooled) - rates + pooled)).ravel().tolist())

    def largest_ratio(self, level: float) -> LargestRatio:
        """Return the largest ratio of two rates of one stratum.

        It is the largest after shrinking; the ratio is averaged over the shapes on the logarithmic scale.
        """
        logs = np.asarray(
            sum(weight * np.log(self._means(i)) for i, weight in enumerate(self.weights)), np.float64
        )
        seen = self.strata.time > 0
        high = np.where(seen, logs, -np.inf).argmax(axis=1)
        low = np.where(seen, logs, np.inf).argmin(axis=1)
        rows = np.arange(len(logs))
        distance = logs[rows, high] - logs[rows, low]
        # Of equal distances, one that does not depend on the order of the strata.
        equal = np.flatnonzero(distance == distance.max()).tolist()
        row = min(equal, key=lambda r: (self.strata.moves[r].tolist(), self.strata.time[r].tolist()))
        j, i = int(high[row]), int(low[row])
        moves, time = self.strata.moves[row], self.strata.time[row]
        components = [
            (weight, k + moves[j], k / centre[row] + time[j], k + moves[i], k / centre[row] + time[i])
            for weight, k, centre in zip(self.weights, self.shapes, self.centres, strict=True)
        ]
        return LargestRatio(math.exp(distance[row]), *ratio_interval(components, level), row, j, i)


def _centre(strata: Strata, shape: float, start: Floats) -> Floats:
    """Return the most likely rate of each stratum given the shape, by Newton's method on its logarithm."""
    logarithm = np.log(start)
    for _ in range(_MAX_STEPS):
        expected = np.exp(logarithm)[:, None] * strata.time
        damped = 1 + expected / shape
        slope = ((strata.moves - expected) / damped).sum(axis=1)
        curve = (expected * (1 + strata.moves / shape) / damped**2).sum(axis=1)
        step = np.clip(slope / curve, -2, 2)
        logarithm = logarithm + step
        if np.abs(step).max() < _PRECISION:
            break
    centre: Floats = np.exp(logarithm)
    return centre


class _Shapes:
    """The log posterior of each shape, up to a constant, computed when it is asked for."""

    def __init__(self, strata: Strata):
        self._strata = strata
        self._counts, where = np.unique(strata.moves, return_inverse=True)
        self._where = where.reshape(strata.moves.shape)
        self._found: dict[int, tuple[float, Floats]] = {}

    def evidence(self, i: int) -> float:
        """Return the logarithm of likelihood and prior of a shape."""
        return self._at(i)[0]

    def centre(self, i: int) -> Floats:
        """Return the rate of each stratum given a shape."""
        return self._at(i)[1]

    def _at(self, i: int) -> tuple[float, Floats]:
        if i not in self._found:
            centre = _centre(self._strata, SHAPES[i], self._strata.pooled)
            # Uniform in 1/√k, on a grid of k that is uniform in ln k.
            self._found[i] = (self._likelihood(SHAPES[i], centre) - 0.5 * math.log(SHAPES[i]), centre)
        return self._found[i]

    def _likelihood(self, shape: float, centre: Floats) -> float:
        moves = self._strata.moves
        gammas = np.array([math.lgamma(shape + count) for count in self._counts]) - math.lgamma(shape)
        expected = centre[:, None] * self._strata.time
        moved = moves > 0
        powers = moves * np.log(expected / shape, where=moved, out=np.zeros_like(expected))
        cells = gammas[self._where] + powers - (shape + moves) * np.log1p(expected / shape)
        precision = (expected / (1 + expected / shape)).sum(axis=1)
        return math.fsum((cells.sum(axis=1) - 0.5 * np.log(precision)).tolist())
