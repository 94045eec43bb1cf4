"""The contract of a score: how well one parent set explains one target, as a logarithm."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.subsets import SubsetTables
from ctbnlab.counting.sufficient import SufficientStatistics


class Score(Protocol):
    """Scores the parent sets of one target: higher is better. Frozen.

    Scores of one target's parent sets are comparable with each other. A table may leave out configurations
    that never occur: the number of configurations is the product of `statistics.parent_cardinalities`, not
    the number of rows.
    """

    def node_score(self, statistics: SufficientStatistics, n_events: int) -> float:
        """Return the score of `statistics.parents`; `n_events` counts all variables' transitions (ψ)."""


@runtime_checkable
class ManyAtOnce(Protocol):
    """A score that can also take many parent sets in one call, for exhaustive searches."""

    def subset_scores(self, sets: SubsetTables) -> NDArray[np.float64]:
        """Return the scores of the sets, each as `node_score` gives it."""
