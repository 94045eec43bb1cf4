"""Bayes factors for dependence: does the candidate matter in some way, or not at all?

It may matter in two ways, each with a Bayes factor against independence that does not change with the unit
of time and is valid on tables of any sparsity:

- by *interaction*: in every stratum (s, x, x') transitions prefer different values of y. With
  w_y = T_y / T_s, and preferences from a Dirichlet distribution around w with concentration k,

      ln BF(k) = Σ ln Γ(k) − ln Γ(k + N) + Σ_{y: M_y > 0} ln Γ(k w_y + M_y) − ln Γ(k w_y) − M_y ln w_y,

  averaged over concentrations from 1 (rates differ many-fold) to 16384 (by a percent);
- by a *main effect*: the preference for y is the same under all s. The stratified log-rank statistic X²
  collects it from all strata, with m degrees of freedom; for effects that are normal, g times as wide as
  the error they are known with,

      ln BF(g) = ½ X² g / (1 + g) − ½ m ln(1 + g),    averaged over g from 1 to 4^10.

The first detects random tables of rates, the second rates that are products of one factor per parent, for
which the first lacks power once s has many values. The test takes the mean of the two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.errors import InputError
from ctbnlab.learning.independence import _stratified
from ctbnlab.learning.independence.base import Outcome
from ctbnlab.learning.independence.strata import Strata

CONCENTRATIONS: NDArray[np.float64] = np.array([4.0**i for i in range(8)])
WIDTHS: NDArray[np.float64] = np.array([4.0**i for i in range(11)])


def log_mean_exp(logarithms: NDArray[np.float64]) -> float:
    """Return the logarithm of the mean of exponentials."""
    highest = float(logarithms.max())
    return highest + float(np.log(np.exp(logarithms - highest).mean()))


def interaction(strata: Strata) -> float:
    """Return the log Bayes factor for preferences of y that differ from stratum to stratum."""
    return log_mean_exp(
        _stratified.log_bayes_factors(strata.values, strata.order, strata.starts, CONCENTRATIONS)
    )


def log_rank(strata: Strata) -> tuple[float, int]:
    """Return the stratified log-rank statistic for a main effect of y, and its degrees of freedom."""
    difference, covariance = _stratified.main_effects(
        strata.values, strata.order, strata.value, strata.starts, strata.states
    )
    c, states = len(difference), strata.states
    some = [(x, y) for x in range(c) for y in range(c) if covariance[x, y].any()]
    statistic, degrees = 0.0, 0
    for x, y in some:
        spread, vectors = np.linalg.eigh(covariance[x, y])
        used = spread > 1e-9 * max(float(spread[-1]), 1e-300) * states
        along = difference[x, y] @ vectors[:, used]
        statistic += float((along * along / spread[used]).sum())
        degrees += int(used.sum())
    return statistic, degrees


def main_effect(strata: Strata) -> float:
    """Return the log Bayes factor for a preference of y that is the same in all strata."""
    statistic, degrees = log_rank(strata)
    return log_mean_exp(statistic / 2 * WIDTHS / (1 + WIDTHS) - degrees / 2 * np.log1p(WIDTHS))


@dataclass(frozen=True)
class DirichletMultinomial:
    """Independence unless the log Bayes factor exceeds `threshold`.

    At 3 an independent candidate is called dependent with a probability of at most e^−3 = 0.05. With
    `main_effects=False` only interaction is tested.
    """

    threshold: float = 3.0
    main_effects: bool = True

    def __post_init__(self) -> None:
        if not -np.inf < self.threshold < np.inf:
            raise InputError(f"the threshold must be a number, not {self.threshold!r}")

    def log_bayes_factor(self, statistics: SufficientStatistics, candidate: int) -> float:
        """Return the log Bayes factor of dependence against independence."""
        strata = Strata.from_table(statistics, candidate)
        if not self.main_effects:
            return interaction(strata)
        return log_mean_exp(np.array([interaction(strata), main_effect(strata)]))

    def test(self, statistics: SufficientStatistics, candidate: int) -> Outcome:
        """Test the candidate; the p-value is the bound that the Bayes factor sets, at most 1."""
        value = self.log_bayes_factor(statistics, candidate)
        bound = float(np.exp(-max(value, 0.0)))
        return Outcome(value <= self.threshold, value, None, bound, f"log Bayes factor {value:.4g}")
