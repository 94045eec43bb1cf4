"""Which joint tables hold every subset of some candidates: one over all of them, or unions of groups.

A set of at most s candidates touches at most s groups, so joint tables over s groups at a time hold every
such set among them. Fewer, larger groups need fewer scans of the data but larger tables.

Groups are cut from all variables, target included, and every table contains the group of the target: the
tables of targets of one group are then over the same variables, and one scan can serve them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import comb, log2, prod


@dataclass(frozen=True)
class SetCover:
    """Groups of candidates, in increasing order; each joint table is the union of `together` groups.

    `always` is the index of a group that is part of every table, if there is one.
    """

    groups: tuple[tuple[int, ...], ...]
    together: int
    always: int | None = None

    @cached_property
    def _bits(self) -> dict[int, int]:
        return {candidate: 1 << g for g, group in enumerate(self.groups) for candidate in group}

    @cached_property
    def _unions(self) -> dict[int, tuple[int, ...] | None]:
        return {}

    def union_with(self, parents: Sequence[int]) -> tuple[int, ...] | None:
        """Return the candidates of the joint table that has these parents, or None if no table has."""
        bits = self._bits
        touched = 0
        for parent in parents:
            if parent not in bits:
                return None
            touched |= bits[parent]
        if touched not in self._unions:
            self._unions[touched] = self._union(touched)
        return self._unions[touched] if len(set(parents)) == len(parents) else None

    def _union(self, touched: int) -> tuple[int, ...] | None:
        """Return the candidates of the groups touched, and of others that fill up the number."""
        if self.always is not None:
            touched |= 1 << self.always
        if touched.bit_count() > self.together:
            return None
        # Filling up with the first groups not touched keeps the number of different unions small.
        for g in range(len(self.groups)):
            if touched.bit_count() < self.together:
                touched |= 1 << g
        return self._members(g for g in range(len(self.groups)) if touched >> g & 1)

    @property
    def n_tables(self) -> int:
        """The number of joint tables."""
        fixed = self.always is not None
        return comb(len(self.groups) - fixed, min(self.together, len(self.groups)) - fixed)

    def unions(self) -> Iterator[tuple[int, ...]]:
        """Yield the candidates of each joint table."""
        return (self._members(chosen) for chosen in self._choices())

    def shares(self) -> Iterator[tuple[tuple[int, ...], list[int], list[bool]]]:
        """Yield each joint table's candidates, the group of each, and which subsets this table serves.

        A subset is served by exactly one table, chosen by the groups it has members of: bit g of an index
        stands for group g of the table.
        """
        for chosen in self._choices():
            union = self._members(chosen)
            group = [place for place, g in enumerate(chosen) for _ in self.groups[g]]
            serves = []
            for touched in range(1 << len(chosen)):
                bits = sum(1 << g for place, g in enumerate(chosen) if touched >> place & 1)
                serves.append(self._union(bits) == union)
            yield union, group, serves

    def _choices(self) -> Iterator[tuple[int, ...]]:
        for chosen in combinations(range(len(self.groups)), min(self.together, len(self.groups))):
            if self.always is None or self.always in chosen:
                yield chosen

    def _members(self, chosen: Iterable[int]) -> tuple[int, ...]:
        return tuple(chain.from_iterable(self.groups[g] for g in chosen))


def cover_subsets(
    candidates: Sequence[int],
    cardinalities: Sequence[int],
    max_size: int,
    *,
    target: tuple[int, int],
    max_cells: int,
    max_cells_in_use: int,
) -> SetCover | None:
    """Return the cover with the fewest groups whose tables have at most `max_cells` configurations.

    `target` is the target's index and cardinality. Learners go through sets in order: while the first element
    stays, all tables with its group are in use, and together should have at most `max_cells_in_use`. None if
    the table of one wanted set is too large.
    """
    if prod(cardinalities) <= max_cells:
        return SetCover((tuple(candidates),), 1)
    if prod(sorted(cardinalities)[-max_size:]) > max_cells:
        return None
    cardinality_of = dict([*zip(candidates, cardinalities, strict=True), target])
    variables = sorted(cardinality_of)
    for count in range(max_size + 2, len(variables)):
        groups, cells = _balanced_groups(variables, [cardinality_of[j] for j in variables], count)
        own = next(g for g, group in enumerate(groups) if target[0] in group)
        others = sorted(cells[:own] + cells[own + 1 :])
        own_cells = cells[own] // target[1]
        if (
            len(others) > max_size
            and own_cells * prod(others[-max_size:]) <= max_cells
            and own_cells * others[-1] * sum_of_products(others[:-1], max_size - 1) <= max_cells_in_use
        ):
            groups = [tuple(j for j in group if j != target[0]) for group in groups]
            if groups[own]:
                return SetCover(tuple(groups), max_size + 1, own)
            return SetCover(tuple(groups[:own] + groups[own + 1 :]), max_size)
    return SetCover(tuple((j,) for j in candidates), max_size)


def _balanced_groups(
    variables: Sequence[int], cardinalities: Sequence[int], count: int
) -> tuple[list[tuple[int, ...]], list[int]]:
    """Cut variables, in order, into about `count` groups of similar numbers of joint states; return both."""
    total = sum(log2(c) for c in cardinalities) or 1.0
    groups: dict[int, list[int]] = {}
    cells: dict[int, int] = {}
    before = 0.0
    for variable, cardinality in zip(variables, cardinalities, strict=True):
        g = int((before + log2(cardinality) / 2) / total * count)
        groups.setdefault(g, []).append(variable)
        cells[g] = cells.get(g, 1) * cardinality
        before += log2(cardinality)
    return [tuple(group) for group in groups.values()], list(cells.values())


def sum_of_products(factors: Sequence[int], size: int) -> int:
    """Return the sum, over all choices of `size` factors, of their product."""
    sums = [1] + [0] * size
    for factor in factors:
        for k in range(size, 0, -1):
            sums[k] += factor * sums[k - 1]
    return sums[size]
