"""A table sorted for tests of one candidate y given the other parents: the rows (s, y) of each s together."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.sufficient import SufficientStatistics


@dataclass(frozen=True, eq=False)
class Strata:
    """Which rows of `values` belong to which s, and the y of each (see `_stratified`)."""

    values: NDArray[np.float64]
    order: NDArray[np.int64]
    value: NDArray[np.int64]
    starts: NDArray[np.int64]
    states: int

    @classmethod
    def from_table(cls, statistics: SufficientStatistics, candidate: int) -> Strata:
        """Sort a table for tests of the candidate, one of its parents."""
        axis = statistics.parents.index(candidate)
        states = statistics.parent_cardinalities[axis]
        inner = prod(statistics.parent_cardinalities[axis + 1 :])
        values = np.ascontiguousarray(statistics.values)
        listed = statistics.configurations
        if listed is None:
            rows = len(values)
            order = np.arange(rows).reshape(-1, states, inner).transpose(0, 2, 1).reshape(-1)
            value = np.tile(np.arange(states), rows // states)
            return cls(values, order, value, np.arange(0, rows + 1, states), states)
        s = listed // (states * inner) * inner + listed % inner
        order = np.argsort(s, kind="stable")
        changes = np.flatnonzero(np.diff(s[order])) + 1
        starts = np.concatenate([[0], changes, [len(s)]]).astype(np.int64)
        return cls(values, order, (listed // inner % states)[order], starts, states)
