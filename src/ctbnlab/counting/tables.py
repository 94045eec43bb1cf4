"""Tables of whole numbers: by parent configuration, by joint state of several variables; and a cache."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from math import prod
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._joint import joint_counts
from ctbnlab.counting._marginals import joint_table, projected, sum_axes, sum_rows
from ctbnlab.counting._scan import EventScan

MAX_EVENTS = 1 << 32  # joint states count transitions in 32 bits

Number = TypeVar("Number", np.int64, np.float64)
Kept = TypeVar("Kept")


@dataclass(eq=False, slots=True)
class CountTable(Generic[Number]):
    """Rows of `block` numbers, one after the other, for the configurations of some parents.

    Configurations are numbered in C order, the first parent slowest. `configurations` lists those that have
    a row, in increasing order; None means all of them.
    """

    parents: tuple[int, ...]
    cardinalities: tuple[int, ...]
    block: int
    numbers: NDArray[Number]
    configurations: NDArray[np.int64] | None = None

    @property
    def nbytes(self) -> int:
        """The bytes of the numbers, and of the configurations if they are listed."""
        return self.numbers.nbytes + (0 if self.configurations is None else self.configurations.nbytes)

    def marginal(self, parents: Sequence[int], *, dense: bool = False) -> CountTable[Number]:
        """Return the table of a subset of the parents, in this table's order.

        The marginal of a table that lists its configurations lists them too, unless `dense`.
        """
        stays = [parent in parents for parent in self.parents]
        kept = tuple(compress(self.parents, stays))
        cardinalities = tuple(compress(self.cardinalities, stays))
        if self.configurations is None:
            numbers = sum_axes(self.numbers, self.cardinalities, stays, self.block)
            return CountTable(kept, cardinalities, self.block, numbers)
        steps = np.zeros(len(self.parents), np.int64)
        rows = 1
        for axis in reversed(range(len(stays))):
            if stays[axis]:
                steps[axis] = rows
                rows *= self.cardinalities[axis]
        keys = projected(self.configurations, np.array(self.cardinalities, np.int64), steps)
        configurations = None
        if not dense:
            configurations, keys = np.unique(keys, return_inverse=True)
            rows = len(configurations)
        numbers = sum_rows(self.numbers, self.block, keys, rows)
        return CountTable(kept, cardinalities, self.block, numbers, configurations)


@dataclass(frozen=True, eq=False)
class JointStates:
    """The time that some variables spend in each joint state, and where targets among them go from there.

    Times do not depend on which variable is the target, so one table of times serves several targets.
    """

    variables: Sequence[int]  # in increasing order
    cardinalities: Sequence[int]  # of all variables of the data
    times: NDArray[np.int64]
    moves: dict[int, NDArray[np.uint32]]  # by target

    def table(self, target: int, parents: Sequence[int]) -> NDArray[np.int64]:
        """Return a target's joint table in the layout of `_scan`."""
        stays = [variable == target or variable in parents for variable in self.variables]
        cardinalities = [self.cardinalities[variable] for variable in self.variables]
        c = self.cardinalities[target]
        before = prod(self.cardinalities[p] for p in parents if p < target)
        after = prod(self.cardinalities[p] for p in parents if p > target)
        if all(stays):
            return joint_table(self.times, self.moves[target], before, c, after)
        times = sum_axes(self.times, cardinalities, stays, 1)
        moves = sum_axes(self.moves[target].astype(np.int64), cardinalities, stays, c - 1)
        return joint_table(times, moves, before, c, after)


def joint_table_of(
    scan: EventScan, target: int, parents: Sequence[int], cardinalities: Sequence[int]
) -> NDArray[np.int64]:
    """Return the joint table of one target, from a scan for it alone."""
    variables = sorted((target, *parents))
    ((times, (moves,)),) = joint_counts(scan, [(variables, [target])])
    return JointStates(variables, cardinalities, times, {target: moves}).table(target, parents)


class BoundedCache(Generic[Kept]):
    """The most recently used items whose bytes together stay within a bound."""

    def __init__(self, max_bytes: int):
        self._max_bytes = max_bytes
        self._bytes = 0
        self._items: OrderedDict[tuple[int, ...], tuple[Kept, int]] = OrderedDict()

    def get(self, parents: tuple[int, ...]) -> Kept | None:
        """Return the item of these parents, if it is still there."""
        found = self._items.get(parents)
        if found is None:
            return None
        self._items.move_to_end(parents)
        return found[0]

    def put(self, parents: tuple[int, ...], item: Kept, nbytes: int) -> None:
        """Add an item and drop the least recently used ones; an item above the bound is not kept."""
        if nbytes > self._max_bytes or parents in self._items:
            return
        self._items[parents] = (item, nbytes)
        self._bytes += nbytes
        while self._bytes > self._max_bytes:
            _, (_, freed) = self._items.popitem(last=False)
            self._bytes -= freed

    def keep_subsets(self, parents: Iterable[int]) -> None:
        """Drop the items of sets that are not subsets of these parents."""
        chosen = set(parents)
        for key in [key for key in self._items if not chosen.issuperset(key)]:
            self._bytes -= self._items.pop(key)[1]
