"""The posterior of a variable's rates: standard errors and intervals of rates, exits and next states.

Without a prior of the user's, each quantity has the prior of Jeffreys for it alone, whose intervals cover the
truth as often as they say (benchmarks/intervals.py):

    rate          q_xx'|u ~ Gamma(M_xx'|u + ½, T_x|u)
    exit rate     q_x|u   ~ Gamma(M_x|u + ½, T_x|u)
    next state    p_xx'|u ~ Beta(M_xx'|u + ½, M_x|u − M_xx'|u + ½)

These are three views, not one model: rates with ½ each would add up to an exit rate with (c − 1)/2, whose
intervals cover less than they say. An interval begins at 0 if there is no such transition, and ends at 1 if
there is no other. With the prior of the Bayesian method the distributions are those of its posterior.

A state never visited under a configuration has no interval; one visited but never left has none of its next
state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.learning.credible_intervals import beta_interval, gamma_interval

Floats = NDArray[np.float64]
_JEFFREYS = 0.5


class Prior(NamedTuple):
    """Transitions [x, x'] and time [x] that a prior is worth, the same for all configurations."""

    transitions: Floats
    time: Floats


NO_PRIOR = Prior(np.zeros((1, 1)), np.zeros(1))


def constant_prior(n_states: int, alpha: float, tau: float) -> Prior:
    """Return the paper's prior: `alpha` transitions to all other states together, and a time `tau`."""
    transitions = np.full((n_states, n_states), alpha / max(n_states - 1, 1))
    np.fill_diagonal(transitions, 0)
    return Prior(transitions, np.full(n_states, tau))


def pooled_prior(table: SufficientStatistics, alpha: float) -> Prior:
    """Return the prior worth `alpha` transitions with the rates without parents as its mean.

    A state that is never left has no prior: its rates are 0.
    """
    moves, time = table.transitions.sum(axis=0), table.time.sum(axis=0)
    total = moves.sum(axis=1)
    left = total > 0
    scale = np.divide(alpha, total, out=np.zeros_like(total), where=left)
    return Prior(moves * scale[:, None], time * scale)


class Estimates(NamedTuple):
    """Standard errors and bounds; NaN where there are none."""

    standard_error: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class RatePosterior:
    """The transitions [u, x, x'] and times [u, x] of one variable, and the prior they are seen with."""

    transitions: Floats
    time: Floats
    prior: Prior

    @property
    def visited(self) -> NDArray[np.bool_]:
        """Whether any time was spent in [u, x]."""
        return self.time > 0

    def rates(self, level: float) -> Estimates:
        """Return those of the rates [u, x, x']; on the diagonal they have no meaning."""
        time = np.broadcast_to(self.time[:, :, None], self.transitions.shape)
        prior_time = self.prior.time[:, None]
        return _gamma(self.transitions, time, self.prior.transitions, prior_time, level)

    def exit_rates(self, level: float) -> Estimates:
        """Return those of the exit rates [u, x]."""
        prior = self.prior
        return _gamma(
            self.transitions.sum(axis=2), self.time, prior.transitions.sum(axis=1), prior.time, level
        )

    def next_states(self, level: float) -> Estimates:
        """Return those of the probabilities [u, x, x'] of the next state; on the diagonal without meaning."""
        moves = self.transitions
        others = moves.sum(axis=2, keepdims=True) - moves
        left = np.broadcast_to(moves.sum(axis=2, keepdims=True) > 0, moves.shape)
        if moves.shape[1] == 2:  # there is only one next state
            certain = np.where(left, 1.0, np.nan)
            return Estimates(np.where(left, 0.0, np.nan), certain, certain)
        own = np.broadcast_to(self.prior.transitions, moves.shape)
        rest = np.broadcast_to(self.prior.transitions.sum(axis=1)[:, None] - own, moves.shape)
        informed = (own > 0) & (rest > 0)
        a = (moves + np.where(informed, own, _JEFFREYS))[left]
        b = (others + np.where(informed, rest, _JEFFREYS))[left]
        low, high = beta_interval(a, b, level)
        jeffreys = ~informed[left]
        low = np.where(jeffreys & (moves[left] == 0), 0.0, low)
        high = np.where(jeffreys & (others[left] == 0), 1.0, high)
        error = np.sqrt(a * b / (a + b + 1)) / (a + b)
        return Estimates(*(_spread(values, left) for values in (error, low, high)))


def _gamma(moves: Floats, time: Floats, prior_moves: Floats, prior_time: Floats, level: float) -> Estimates:
    informed = np.broadcast_to(prior_moves > 0, moves.shape)
    seen = time > 0
    shape = np.where(informed, moves + prior_moves, moves + _JEFFREYS)[seen]
    total = np.where(informed, time + prior_time, time)[seen]
    low, high = gamma_interval(shape, total, level)
    low = np.where(~informed[seen] & (moves[seen] == 0), 0.0, low)
    return Estimates(*(_spread(values, seen) for values in (np.sqrt(shape) / total, low, high)))


def _spread(values: Floats, where: NDArray[np.bool_]) -> Floats:
    """Return the values at their places, and NaN elsewhere."""
    result = np.full(where.shape, np.nan)
    result[where] = values
    return result
