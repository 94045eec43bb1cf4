"""Sufficient statistics of one target and parent set: all that tests, scores and rates need of the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.tables import CountTable
from ctbnlab.errors import InputError
from ctbnlab.model.variables import MAX_STATES


@dataclass(frozen=True, eq=False)
class SufficientStatistics:
    """T[u, x], the time a target spends in x while its parents are in u, and M[u, x, x'], its transitions.

    `values[u, x]` holds T[u, x] and then M[u, x, 0], M[u, x, 1], … (0 on the diagonal), side by side, so that
    a marginal table is a sum of blocks. Configurations u are numbered in C order over `parents`, the first
    slowest. Counts are whole numbers in float64, exact up to 2^53.

    A table with very many configurations has rows only for those that occur. `configurations` then lists
    them in increasing order, and all others are zero; None means that every configuration has a row.
    """

    target: int
    parents: tuple[int, ...]
    parent_cardinalities: tuple[int, ...]
    values: NDArray[np.float64]
    configurations: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        """Refuse a table of another shape than its parents imply: compiled loops rely on it."""
        values, occurring = self.values, self.configurations
        if len(self.parents) != len(self.parent_cardinalities):
            raise InputError("there is not one cardinality per parent")
        if values.dtype != np.float64 or values.ndim != 3 or values.shape[2] != values.shape[1] + 1:
            raise InputError("`values` must be float64 numbers [configuration, x, time and transitions]")
        if not 1 <= values.shape[1] <= MAX_STATES:
            raise InputError(f"a variable has 1 to {MAX_STATES} states, not {values.shape[1]}")
        count = prod(self.parent_cardinalities)
        if occurring is None:
            if len(values) != count:
                raise InputError(f"there are {len(values)} rows for {count} parent configurations")
        elif occurring.dtype != np.int64 or occurring.shape != (len(values),):
            raise InputError("there is not one whole number per row in `configurations`")
        elif len(occurring) and not (
            occurring[0] >= 0 and occurring[-1] < count and (occurring[1:] > occurring[:-1]).all()
        ):
            raise InputError("the configurations are not in increasing order, or there are no such ones")

    @property
    def time(self) -> NDArray[np.float64]:
        """T[u, x]."""
        return self.values[:, :, 0]

    @property
    def transitions(self) -> NDArray[np.float64]:
        """M[u, x, x']."""
        return self.values[:, :, 1:]

    @property
    def n_states(self) -> int:
        """The number of states of the target."""
        return int(self.values.shape[1])

    def dense(self) -> SufficientStatistics:
        """Return the statistics with a row for every configuration; those that never occur are 0."""
        if self.configurations is None:
            return self
        values = np.zeros((prod(self.parent_cardinalities), *self.values.shape[1:]))
        values[self.configurations] = self.values
        return SufficientStatistics(self.target, self.parents, self.parent_cardinalities, values)

    def marginal(self, parents: Iterable[int]) -> SufficientStatistics:
        """Return the statistics for a subset of the parents, in this table's order, by summing out the rest.

        Transitions are exact. Times are sums of rounded times, and may differ in the last bits from those
        that `NodeStatistics.table` counts.
        """
        c = self.n_states
        table = CountTable(
            self.parents,
            self.parent_cardinalities,
            c * (c + 1),
            np.ascontiguousarray(self.values).reshape(-1),
            self.configurations,
        ).marginal(tuple(parents))
        return SufficientStatistics(
            target=self.target,
            parents=table.parents,
            parent_cardinalities=table.cardinalities,
            values=table.numbers.reshape(-1, c, c + 1),
            configurations=table.configurations,
        )
