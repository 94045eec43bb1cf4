"""The pooled test: one calibrated test of all strata together, instead of one a cell.

Given the total N of a stratum (s, x, x'), its transitions fall on the values y of the candidate in
proportion to time, w_y = T_y / T_s, if the candidate does not matter. With enough transitions

    X² = Σ (M_y − N w_y)² / (N w_y)

has a χ² distribution with Σ (values of y visited − 1) degrees of freedom. With few it has not: cells with
almost no time make it heavy-tailed. There the test takes the pairs alone,

    excess = Σ [Σ_y M_y (M_y − 1) / (N w_y) − (N − 1)],

X² without the part that single transitions decide. In each stratum this is what the Dirichlet–multinomial
Bayes factor (`dirichlet_multinomial`) becomes for slight dependence. Its mean is 0 and its variance 2ν,
with ν = Σ (values − 1)(N − 1) / N, exactly, for N of any size. Over many transitions excess + ν is
compared with χ² of ν degrees; over few the p-value is found by throwing the transitions on the values
again and again, as often as is needed to tell p from `alpha`. What ties with the table seen counts half.

A handful of transitions has a handful of outcomes: the level is then at most the nominal one, about; it
is the nominal one from a few dozen on. The outcome does not change with the unit of time nor with the
order of variables: the random numbers are keyed by the counts, and strata are thrown in the order of
their counts.
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

# Cochran's rule: χ² is trusted while at most a fifth of the cells expect fewer than 5.
_FEW_CELLS = 0.2
# Up to so many transitions in sparse tables are thrown again, 20 times 1/α and at least 1000 times: the
# standard error of p at α is then less than a quarter of α.
_THROWN = 3000
_DRAWS = 20.0
_FEWEST_DRAWS = 999


@dataclass(frozen=True)
class Pooled:
    """Rejects independence at level `alpha`."""

    alpha: float = 0.01

    def __post_init__(self) -> None:
        checked_level(self.alpha, "the level of the pooled test")

    def test(self, statistics: SufficientStatistics, candidate: int) -> Outcome:
        """Test the candidate against the rest of `statistics.parents`."""
        strata = Strata.of(statistics, candidate)
        square, degrees, excess, variance, cells, few, transitions = _stratified.pooled(
            strata.values, strata.order, strata.starts
        )
        if not degrees:
            return Outcome(True, None, None, 1.0, NOTHING)
        if few <= _FEW_CELLS * cells:
            p = chi2_sf(square, degrees)
            return Outcome(p > self.alpha, square, degrees, p, f"pooled X²({degrees:g})")
        if transitions <= _THROWN:
            p = self._by_throwing(strata)
            return Outcome(p > self.alpha, excess, None, p, f"pooled pairs of {transitions:g} transitions")
        freedom = variance / 2
        p = chi2_sf(max(excess + freedom, 0.0), freedom)
        return Outcome(p > self.alpha, excess + freedom, freedom, p, f"pooled pairs, χ²({freedom:.4g})")

    def _by_throwing(self, strata: Strata) -> float:
        """Return the p-value of the excess among tables thrown again with the same totals.

        Once it is certain that p exceeds alpha there is no need to go on; p is then the share so far.
        """
        kinds, moves, shares = _stratified.informative(
            strata.values, strata.order, strata.starts, strata.states
        )
        order = np.lexsort([*shares.T, *moves.T, kinds])
        moves, shares = moves[order], np.ascontiguousarray(shares[order])
        draws = max(_FEWEST_DRAWS, round(_DRAWS / self.alpha) - 1)
        enough = self.alpha * (draws + 1)
        key = zlib.crc32(np.ascontiguousarray(moves).tobytes())
        drawn, above, equal = _stratified.drawn_again(np.ascontiguousarray(moves), shares, key, draws, enough)
        # The table seen is one of those that could have been drawn, and ties with itself.
        return float(above + (equal + 1) / 2) / (drawn + 1)
