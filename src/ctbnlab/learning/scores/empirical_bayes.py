"""The empirical-Bayes score: the evidence that a target's rates vary with a parent set at all.

Without parents the rates are q⁰_xx' = M_xx' / T_x, and a cell (u, x, x') expects E = q⁰_xx' T_{x|u}
transitions. Let the cell's rate be Gamma-distributed around q⁰ with one shape k for all cells: the smaller
k, the more rates vary. Integrated over the rates, the log-likelihood ratio against rates that do not vary
is

    D(U; k) = Σ_{u,x,x'≠x} ln Γ(k + M) − ln Γ(k) − M ln k − (k + M) ln(1 + E/k) + E

over the cells with E > 0, and

    score(U) = max_k D(U; k) − ln(number of shapes) − ln C(n − 1, |U|) − penalty · |U|,   score(∅) = 0.

BDe's fixed prior charges about ½ ln M per cell and finds nothing if there are many cells; here the spread
of all cells together is estimated, so that many cells with few transitions each still carry evidence. The
score does not change with the unit of time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.errors import InputError
from ctbnlab.learning.scores import _empirical_bayes


@dataclass(frozen=True)
class EmpiricalBayesScore:
    """The empirical-Bayes score of parent sets among `candidates` variables.

    `shapes` are the values of k tried: from rates that vary by 140% of their mean (0.5) to 0.5% (32768),
    which no realistic amount of data can detect; steps of 4 lose less than a nat. `penalty` is a prior
    against each parent, in nats: 1 makes a set of p parents e^p times less likely a priori.
    """

    candidates: int
    shapes: tuple[float, ...] = tuple(0.5 * 4.0**i for i in range(9))
    penalty: float = 1.0

    def __post_init__(self) -> None:
        if not self.shapes or any(not 0 < k < math.inf for k in self.shapes):
            raise InputError(f"shapes must be numbers above 0, not {self.shapes}")
        if not 0 <= self.penalty < math.inf:
            raise InputError(f"the penalty must be a number of at least 0, not {self.penalty}")

    @cached_property
    def _shapes(self) -> NDArray[np.float64]:
        return np.array(sorted(self.shapes))

    def node_score(self, statistics: SufficientStatistics, n_events: int) -> float:  # noqa: ARG002
        """Return the score of `statistics.parents`."""
        if not statistics.parents:
            return 0.0
        return self.evidence(statistics) + self.prior(len(statistics.parents))

    def evidence(self, statistics: SufficientStatistics) -> float:
        """Return max_k D."""
        values = np.ascontiguousarray(statistics.values)
        return _empirical_bayes.best_shape(values, base_rates(values), self._shapes)[0]

    def prior(self, size: int) -> float:
        """Return the log prior of the choice of the shape and of this many parents."""
        choice = math.log(math.comb(self.candidates, size)) if size <= self.candidates else math.inf
        return -(math.log(len(self.shapes)) + choice + self.penalty * size) if size else 0.0


def base_rates(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return q⁰[x, x'] = M_xx' / T_x summed over all configurations; 0 if there is no time."""
    total = values.sum(axis=0)
    time = total[:, :1]
    rates: NDArray[np.float64] = np.zeros(total[:, 1:].shape)
    np.divide(total[:, 1:], time, out=rates, where=time > 0)
    return rates
