"""BDe: the marginal likelihood of the data under Gamma and Dirichlet priors, as the paper prints it.

For one target, with α = α_{x|u}, α' = α_{xx'|u} = α / (c − 1) and τ = τ_{x|u}:

    ln ML = Σ_{u,x} ln Γ(α + M_x + 1) − ln Γ(α + 1) + (α + 1) ln τ − (α + M_x + 1) ln(τ + T_x)
                    + ln Γ(α) − ln Γ(α + M_x) + Σ_{x'≠x} [ln Γ(α' + M_xx') − ln Γ(α')]

The hyperparameters are either the same for every row, or spread over the rows so that their sums
over (u, x) do not grow with the number of parents:

    constant   α_{x|u} = alpha            τ_{x|u} = tau
    spread     α_{x|u} = alpha / (c·|u|)  τ_{x|u} = tau / (c·|u|)     with |u| configurations

Rows that were never visited contribute 0, and so does a target with one state.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.subsets import SubsetTables
from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.errors import InputError
from ctbnlab.learning.scores import _scores
from ctbnlab.model.cims import n_configurations

PRIORS = ("constant", "spread")
# Beyond these, ln Γ(α + M) − ln Γ(α) loses the digits that distinguish parent sets.
MIN_PSEUDO, MAX_PSEUDO = 1e-12, 1e6


@dataclass(frozen=True)
class Hyperparameters:
    """The priors' pseudo-count `alpha` and pseudo-time `tau`, and whether they are constant or spread."""

    alpha: float = 1.0
    tau: float = 1.0
    prior: str = "constant"

    def __post_init__(self) -> None:
        for name, value in (("alpha", self.alpha), ("tau", self.tau)):
            if not MIN_PSEUDO <= value <= MAX_PSEUDO:
                raise InputError(f"{name} must be between {MIN_PSEUDO:g} and {MAX_PSEUDO:g}, not {value}")
        if self.prior not in PRIORS:
            raise InputError(f"unknown prior {self.prior!r}; choose {', '.join(PRIORS)}")

    def per_row(self, statistics: SufficientStatistics) -> tuple[float, float]:
        """Return α_{x|u} and τ_{x|u}, the same for all rows of one table."""
        if self.prior == "constant":
            return self.alpha, self.tau
        rows = statistics.n_states * n_configurations(statistics.parent_cardinalities)
        return self.alpha / rows, self.tau / rows


@dataclass(frozen=True)
class Bde:
    """The BDe score (see the module's text)."""

    hyperparameters: Hyperparameters = Hyperparameters()

    def node_score(self, statistics: SufficientStatistics, n_events: int) -> float:  # noqa: ARG002
        """Return the logarithm of the target's marginal likelihood."""
        alpha, tau = self.hyperparameters.per_row(statistics)
        return _scores.bde(np.ascontiguousarray(statistics.values), alpha, tau)

    def subset_scores(self, sets: SubsetTables) -> NDArray[np.float64]:
        """Return the scores of many parent sets at once, each as `node_score` gives it."""
        rows = np.diff(sets.first) * sets.values.shape[1]
        spread = self.hyperparameters.prior == "spread"
        alpha, tau = (
            value / rows if spread else np.full(len(rows), value)
            for value in (self.hyperparameters.alpha, self.hyperparameters.tau)
        )
        return _scores.bde_of_tables(sets.values, sets.first, alpha, tau)
