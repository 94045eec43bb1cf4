"""The tables of all small parent sets of a target, many at a time: what an exhaustive search goes through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._subsets import subset_tables
from ctbnlab.counting.cover import sum_of_products
from ctbnlab.counting.node import NodeStatistics


@dataclass(frozen=True)
class SmallSets:
    """The tables of some parent sets, one after the other: set k has the rows from `first[k]` on.

    `values` is as `SufficientStatistics.values`; all configurations have a row.
    """

    parents: list[tuple[int, ...]]
    first: NDArray[np.int64]
    values: NDArray[np.float64]


def small_sets(statistics: NodeStatistics, size: int) -> Iterator[SmallSets] | None:
    """Return all subsets of the focus of at most `size` candidates, a joint table's at a time.

    None where there is no joint table, or where the tables of one would take more memory than a quarter
    of what the statistics may.
    """
    plan = statistics.table_plan
    c = int(statistics.cardinalities[statistics.target])
    if plan is None or not size:
        return None
    unions = []
    for union, group, wanted in plan.unions():
        states = [int(statistics.cardinalities[p]) for p in union]
        rows = sum(sum_of_products(states, k) for k in range(min(size, len(states)) + 1))
        if not union or len(union) > 64 or rows * c * (c + 1) * 8 > statistics.memory // 4:
            return None
        unions.append(_Union(union, states, group, wanted, rows))
    return (union.small_sets(statistics, size, c) for union in unions)


@dataclass(frozen=True)
class _Union:
    """A joint table's parents, their states and groups, which subsets it serves, and the rows of all."""

    parents: tuple[int, ...]
    states: list[int]
    group: list[int]
    wanted: list[bool]
    rows: int

    def small_sets(self, statistics: NodeStatistics, size: int, c: int) -> SmallSets:
        """Return the subsets that this table serves."""
        table = statistics.joint_counts(self.parents)
        assert table.shape[0] == prod(self.states) * c * c
        size = min(size, len(self.parents))
        kept, first, values = subset_tables(
            table,
            np.array(self.states, np.int64),
            np.array(self.group, np.int32),
            np.array(self.wanted, np.uint8),
            size,
            c,
            statistics.tick,
            sum(comb(len(self.parents), k) for k in range(size + 1)),
            self.rows,
        )
        parents = [tuple(self.parents[axis] for axis in axes if axis >= 0) for axes in kept.tolist()]
        return SmallSets(parents, first, values)
