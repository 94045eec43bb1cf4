"""Log-likelihood, AIC and BIC of one target, all on the paper's scale: higher is better.

    ln L̂ = Σ_{u,x,x'≠x} M_xx' ln(M_xx' / T_x) − M_xx'     (the likelihood at its maximum, q = M / T)
    AIC  = ln L̂ − k
    BIC  = ln L̂ − ½ k ln ψ

k = (c − 1)·c·|u| is the number of free rates; ψ is the number of transitions of all variables in the whole
data set, the same for every target, so that the sum over targets is the paper's BIC of a network. The
likelihood is that of the transitions, given the initial states.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.learning.scores import _scores
from ctbnlab.model.cims import n_configurations


def max_log_likelihood(statistics: SufficientStatistics) -> float:
    """Return ln L̂ of one target."""
    return _scores.log_likelihood(np.ascontiguousarray(statistics.values))


def n_parameters(statistics: SufficientStatistics) -> int:
    """Return k, the number of free rates of one target."""
    c = statistics.n_states
    return (c - 1) * c * n_configurations(statistics.parent_cardinalities)


@dataclass(frozen=True)
class LogLikelihood:
    """ln L̂, which never falls when a parent is added: use it with a limit on parents or a penalty."""

    def node_score(self, statistics: SufficientStatistics, n_events: int) -> float:  # noqa: ARG002
        """Return ln L̂."""
        return max_log_likelihood(statistics)


@dataclass(frozen=True)
class Aic:
    """Akaike's criterion as ln L̂ − k."""

    def node_score(self, statistics: SufficientStatistics, n_events: int) -> float:  # noqa: ARG002
        """Return ln L̂ − k."""
        return max_log_likelihood(statistics) - n_parameters(statistics)


@dataclass(frozen=True)
class Bic:
    """The paper's BIC; if there are no transitions, ln ψ counts as 0."""

    def node_score(self, statistics: SufficientStatistics, n_events: int) -> float:
        """Return ln L̂ − ½ k ln ψ."""
        return max_log_likelihood(statistics) - n_parameters(statistics) * math.log(max(n_events, 1)) / 2
