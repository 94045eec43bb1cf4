"""Example of an independence test: the likelihood ratio of rates with and without the candidate.

Use it in CTPC with `ctbnlab learn data.csv --learner ctpc-chi2 --option test=<this file>`, or as the option
`test` of a learner in a config.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from ctbnlab import Outcome


@dataclass(frozen=True)
class LikelihoodRatio:
    """Compares 2·(ln L with the candidate − ln L without) with a χ² distribution."""

    alpha: float = 0.001

    def test(self, statistics, candidate):
        """Test whether the target is independent of `candidate` given the other parents of the table."""
        others = [j for j in statistics.parents if j != candidate]
        without = statistics.marginal(others)
        statistic = 2 * (log_likelihood(statistics) - log_likelihood(without))
        c = statistics.n_states
        degrees = (len(statistics.values) - len(without.values)) * c * (c - 1)
        p_value = float(chi2.sf(statistic, degrees))
        independent = p_value > self.alpha
        why = "rates do not depend on the candidate" if independent else "rates depend on the candidate"
        return Outcome(independent, statistic, degrees, p_value, why)


def log_likelihood(table):
    """Return Σ M ln(M/T) − M, the log-likelihood at its maximum, where the rates are M/T."""
    moves = table.transitions
    rates = moves / np.maximum(table.time, 1e-300)[..., None]
    return float((moves * np.log(np.where(moves > 0, rates, 1.0)) - moves).sum())
