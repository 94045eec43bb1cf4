"""The evidence for a parent set: how much better rates that vary with it explain the data.

Under a parent set U each cell (u, x, x') has its own rate, Gamma-distributed around a mean rate μ_xx'
with one shape k for all cells: the smaller k, the more rates vary. Without parents the rate is μ_xx' itself.
Nothing is known about the mean rates beforehand (their density is 1/μ), so that the unit of time does not
matter. Integrated over the rates and the mean rates, the data are more likely under U and k by the factor

    exp D(U; k) = Π_{x≠x'} ∫ Π_u Γ(k + M) / (Γ(k) k^M) · μ^M (1 + μT/k)^−(k + M) dμ/μ  /  ∫ μ^ΣM e^−μΣT dμ/μ

with the transitions M and the time T of each cell. This is averaged over shapes with the weights below. The
integrand is log-concave in ln μ: both integrals are Laplace's, so that their errors cancel as rates vary
less. In a second model each parent multiplies the rates by its own factor (`_main_effects`), which finds
effects that are too weak to be seen in every cell. The evidence is the logarithm of the mean of both factors.

The weights favour rates that vary by 35 to 70 % of their mean. Where data are many, weak effects pay only a
few nats for being unlikely beforehand; where they are few, arcs of hardly any effect would otherwise keep
their prior probability, whatever the data say.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.learning.empirical_bayes import _main_effects, _set_evidence
from ctbnlab.learning.scores.empirical_bayes import base_rates

# Rates vary by 140, 71, 35, 18, 9, 4, 2 % of their mean.
SHAPES = tuple(0.5 * 4.0**i for i in range(7))
WEIGHTS = (0.05, 0.7, 1.0, 0.1, 0.02, 0.01, 0.005)

_shapes = np.array(SHAPES)
_log_weights = np.log(WEIGHTS) - math.log(sum(WEIGHTS))

# The mode of main effects is found with the shape 8. They are not tried for tables above this work: rows ×
# parents² × pairs of states.
_START = 2
_MAX_WORK = 400_000


def set_evidence(table: SufficientStatistics) -> float:
    """Return the log Bayes factor of `table.parents` against no parents."""
    if not table.parents:
        return 0.0
    values = np.ascontiguousarray(table.values)
    moves = np.ascontiguousarray(values.sum(axis=0)[:, 1:])
    varying = _set_evidence.log_evidence(values, moves, base_rates(values), _shapes, _log_weights)
    n, c = len(table.parents), table.n_states
    if n == 1 or len(values) * n**2 * c * (c - 1) > _MAX_WORK:
        return varying
    multiplied = _main_effects.log_evidence(values, *_parameters(table), _shapes, _log_weights, _START)
    return float(np.logaddexp(varying, multiplied)) - math.log(2)


def _parameters(table: SufficientStatistics) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Return the parameter of each row and parent, and the first one of each parent; 0 is the mean rate."""
    rows = np.arange(len(table.values)) if table.configurations is None else table.configurations
    states = np.unravel_index(rows, table.parent_cardinalities)
    first = np.cumsum([1, *table.parent_cardinalities])
    codes = np.stack([state + begin for state, begin in zip(states, first[:-1], strict=True)], axis=1)
    return np.ascontiguousarray(codes, np.int32), first.astype(np.intp)
