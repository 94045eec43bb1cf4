"""Tables of counts, a row of numbers for each parent configuration; and a cache bounded by bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._marginals import projected, sum_axes, sum_rows

Number = TypeVar("Number", np.int64, np.float64)
Kept = TypeVar("Kept")


@dataclass(eq=False, slots=True)
class CountTable(Generic[Number]):
    """Rows of `block` numbers, one after the other, for the configurations of some parents.

    Configurations are numbered in C order, the first parent slowest. `configurations` has the numbers of
    those present, increasing; None stands for all of them.
    """

    parents: tuple[int, ...]
    cardinalities: tuple[int, ...]
    block: int
    numbers: NDArray[Number]
    configurations: NDArray[np.int64] | None = None

    @property
    def nbytes(self) -> int:
        """The bytes of the numbers, and of the configurations where they are listed."""
        return self.numbers.nbytes + (0 if self.configurations is None else self.configurations.nbytes)

    def marginal(self, keep: Sequence[int], *, dense: bool = False) -> CountTable[Number]:
        """Return the table of fewer parents, in this table's order.

        One of listed configurations stays so, unless `dense`: those that occur are listed.
        """
        stays = [parent in keep for parent in self.parents]
        parents = tuple(compress(self.parents, stays))
        states = tuple(compress(self.cardinalities, stays))
        if self.configurations is None:
            numbers = sum_axes(self.numbers, self.cardinalities, stays, self.block)
            return CountTable(parents, states, self.block, numbers)
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
        return CountTable(parents, states, self.block, numbers, configurations)


class BoundedCache(Generic[Kept]):
    """What was last used, as far as its bytes together stay within a bound."""

    def __init__(self, bound: int):
        self._bound = bound
        self._bytes = 0
        self._items: OrderedDict[tuple[int, ...], tuple[Kept, int]] = OrderedDict()

    def get(self, parents: tuple[int, ...]) -> Kept | None:
        """Return what is kept for these parents."""
        found = self._items.get(parents)
        if found is None:
            return None
        self._items.move_to_end(parents)
        return found[0]

    def put(self, parents: tuple[int, ...], item: Kept, nbytes: int) -> None:
        """Keep an item, and let go of those not used for longest; one above the bound is not kept."""
        if nbytes > self._bound or parents in self._items:
            return
        self._items[parents] = (item, nbytes)
        self._bytes += nbytes
        while self._bytes > self._bound:
            _, (_, freed) = self._items.popitem(last=False)
            self._bytes -= freed

    def containing(self, parents: tuple[int, ...]) -> Kept | None:
        """Return the smallest item kept for these parents or more of them."""
        wanted = set(parents)
        found = [(nbytes, key) for key, (_, nbytes) in self._items.items() if wanted.issubset(key)]
        return self._items[min(found)[1]][0] if found else None
