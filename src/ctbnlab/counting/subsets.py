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
class SubsetTables:
    """The tables of some parent sets, one after the other: set k has the rows from `first[k]` on.

    `values` is laid out as `SufficientStatistics.values`; every configuration has a row.
    """

    parents: list[tuple[int, ...]]
    first: NDArray[np.int64]
    values: NDArray[np.float64]


def tables_of_subsets(statistics: NodeStatistics, max_size: int) -> Iterator[SubsetTables] | None:
    """Return all subsets of the focus of at most `max_size` candidates, one joint table's at a time.

    None if there is no joint table, if the subsets of one take more than a quarter of the memory, or if there
    are gaps: subsets then differ in the time that they cover.
    """
    cover = statistics.cover
    c = int(statistics.cardinalities[statistics.target])
    if cover is None or not max_size or any(statistics.gaps):
        return None
    unions = []
    for union, group, serves in cover.shares():
        cardinalities = [int(statistics.cardinalities[p]) for p in union]
        rows = sum(sum_of_products(cardinalities, k) for k in range(min(max_size, len(union)) + 1))
        if not union or len(union) > 64 or rows * c * (c + 1) * 8 > statistics.memory // 4:
            return None
        unions.append(_Union(union, cardinalities, group, serves, rows))
    return (union.subsets(statistics, max_size, c) for union in unions)


@dataclass(frozen=True)
class _Union:
    """A joint table's parents, their cardinalities and groups, which subsets it serves, and their rows."""

    parents: tuple[int, ...]
    cardinalities: list[int]
    group: list[int]
    serves: list[bool]
    rows: int

    def subsets(self, statistics: NodeStatistics, max_size: int, c: int) -> SubsetTables:
        """Return the subsets that this table serves."""
        table = statistics.joint_counts(self.parents)
        assert table.shape[0] == prod(self.cardinalities) * c * c
        size = min(max_size, len(self.parents))
        kept, first, values = subset_tables(
            table,
            np.array(self.cardinalities, np.int64),
            np.array(self.group, np.int32),
            np.array(self.serves, np.uint8),
            size,
            c,
            statistics.tick,
            sum(comb(len(self.parents), k) for k in range(size + 1)),
            self.rows,
        )
        parents = [tuple(self.parents[axis] for axis in axes if axis >= 0) for axes in kept.tolist()]
        return SubsetTables(parents, first, values)
