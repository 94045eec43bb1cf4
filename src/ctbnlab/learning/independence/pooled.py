"""The pooled test: one calibrated test of all strata together, instead of one test per cell.

Given the total N of a stratum (s, x, x'), its transitions fall on the values y of the candidate in
proportion to time, w_y = T_y / T_s, if the candidate does not matter. With enough transitions

    X² = Σ (M_y − N w_y)² / (N w_y)

has a χ² distribution with Σ (values of y visited − 1) degrees of freedom. With few it does not: cells with
almost no time make it heavy-tailed. The test then uses pairs alone,

    excess = Σ [Σ_y M_y (M_y − 1) / (N w_y) − (N − 1)],

which is X² without the part that single transitions decide. In each stratum this is the limit of the
Dirichlet–multinomial Bayes factor (`dirichlet_multinomial`) for slight dependence. Its mean is 0 and its
variance 2ν, with ν = Σ (values − 1)(N − 1) / N, exactly, for N of any size. Over many transitions excess +
ν is compared with χ² of ν degrees of freedom; over few, the p-value is found by redistributing the
transitions over the values at random, as often as it takes to separate p from `alpha`. Ties with the
observed table count half. Where Cantelli's inequality, p ≤ 2ν / (2ν + excess²), gives a p-value as small as
if none of those tables were as far out as the observed one, nothing is drawn, and the bound is the p-value.

A handful of transitions has only a handful of outcomes: the level is then at most about the nominal one;
from a few dozen transitions on it is the nominal one. The outcome does not change with the unit of time or
the order of variables: random numbers are keyed by the counts, and strata are taken in the order of their
counts.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.learning.independence import _stratified
from ctbnlab.learning.independence._special import chi2_sf
from ctbnlab.learning.independence.base import Outcome
from ctbnlab.learning.independence.strata import Strata
from ctbnlab.learning.independence.table_test import NOTHING, checked_level

# Cochran's rule: χ² is trusted if at most a fifth of the cells expect fewer than 5.
_MAX_SPARSE_CELLS = 0.2
# Up to this many transitions of sparse tables are redistributed, 20/α and at least 1000 times: the standard
# error of p at α is then less than a quarter of α.
_MAX_RANDOMISED = 3000
_DRAWS_TIMES_ALPHA = 20.0
_MIN_DRAWS = 999


@dataclass(frozen=True)
class Pooled:
    """Rejects independence at level `alpha`."""

    alpha: float = 0.01

    def __post_init__(self) -> None:
        checked_level(self.alpha, "the level of the pooled test")

    def test(self, statistics: SufficientStatistics, candidate: int) -> Outcome:
        """Test the candidate against the rest of `statistics.parents`."""
        strata = Strata.from_table(statistics, candidate)
        square, degrees, excess, variance, cells, few, transitions = _stratified.pooled(
            strata.values, strata.order, strata.starts
        )
        if not degrees:
            return Outcome(True, None, None, 1.0, NOTHING)
        if few <= _MAX_SPARSE_CELLS * cells:
            p = chi2_sf(square, degrees)
            return Outcome(p > self.alpha, square, degrees, p, f"pooled X²({degrees:g})")
        if transitions <= _MAX_RANDOMISED:
            why = f"pooled pairs of {transitions:g} transitions"
            bound = variance / (variance + excess * excess) if excess > 0 else 1.0
            if bound <= 0.5 / (self._draws + 1):
                return Outcome(False, excess, None, bound, why)
            p, drawn = self._by_randomising(strata)
            return Outcome(p > self.alpha, excess, None, p, why, drawn=drawn * int(transitions))
        freedom = variance / 2
        p = chi2_sf(max(excess + freedom, 0.0), freedom)
        return Outcome(p > self.alpha, excess + freedom, freedom, p, f"pooled pairs, χ²({freedom:.4g})")

    @property
    def _draws(self) -> int:
        return max(_MIN_DRAWS, round(_DRAWS_TIMES_ALPHA / self.alpha) - 1)

    def _by_randomising(self, strata: Strata) -> tuple[float, int]:
        """Return the p-value of the excess among randomised tables with the same totals, and their number.

        Drawing stops once p certainly exceeds alpha; p is then the share so far.
        """
        kinds, moves, shares = _stratified.informative(
            strata.values, strata.order, strata.starts, strata.states
        )
        order = np.lexsort([*shares.T, *moves.T, kinds])
        moves, shares = moves[order], np.ascontiguousarray(shares[order])
        draws = self._draws
        enough = self.alpha * (draws + 1)
        key = zlib.crc32(np.ascontiguousarray(moves).tobytes())
        drawn, above, equal = _stratified.drawn_again(np.ascontiguousarray(moves), shares, key, draws, enough)
        # The observed table is one of those that could have been drawn, and ties with itself.
        return float(above + (equal + 1) / 2) / (drawn + 1), drawn
