"""Which joint tables serve all subsets of some candidates: one over all, or unions of groups of them.

A set of at most s candidates touches at most s groups, so the joint tables over s groups at a time hold
every such set among them. Fewer, larger groups need fewer scans of the data but larger tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import comb, log2, prod


@dataclass(frozen=True)
class TablePlan:
    """Groups of candidates, in increasing order; a joint table is over `together` groups."""

    groups: tuple[tuple[int, ...], ...]
    together: int

    @cached_property
    def _bits(self) -> dict[int, int]:
        return {candidate: 1 << g for g, group in enumerate(self.groups) for candidate in group}

    @cached_property
    def _unions(self) -> dict[int, tuple[int, ...] | None]:
        return {}

    def covering(self, parents: Sequence[int]) -> tuple[int, ...] | None:
        """Return the candidates whose joint table has the parents; None where there is no such table."""
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
        if touched.bit_count() > self.together:
            return None
        # The first groups not touched fill up the number: fewer, and larger, unions are in use.
        for g in range(len(self.groups)):
            if touched.bit_count() < self.together:
                touched |= 1 << g
        return tuple(chain.from_iterable(group for g, group in enumerate(self.groups) if touched >> g & 1))

    def unions(self) -> Iterator[tuple[tuple[int, ...], list[int], list[bool]]]:
        """Yield each joint table's candidates, the group of each, and which subsets it serves.

        Of a subset it matters which groups it has members of: bit g of an index for group g of the table.
        """
        for chosen in combinations(range(len(self.groups)), min(self.together, len(self.groups))):
            union = tuple(chain.from_iterable(self.groups[g] for g in chosen))
            group = [place for place, g in enumerate(chosen) for _ in self.groups[g]]
            serves = []
            for touched in range(1 << len(chosen)):
                bits = sum(1 << g for place, g in enumerate(chosen) if touched >> place & 1)
                serves.append(self._union(bits) == union)
            yield union, group, serves


def plan_tables(
    candidates: Sequence[int],
    cardinalities: Sequence[int],
    max_size: int,
    *,
    cells_of_table: int,
    cells_kept: int,
) -> TablePlan | None:
    """Return the plan with the fewest groups whose tables have at most so many configurations.

    Learners go through sets in order: while the first element stays, all tables with its group are in
    use, and together should have at most `cells_kept`. None if the table of one wanted set is too large.
    """
    if prod(cardinalities) <= cells_of_table:
        return TablePlan((tuple(candidates),), 1)
    if prod(sorted(cardinalities)[-max_size:]) > cells_of_table:
        return None
    for count in range(max_size + 1, len(candidates)):
        plan, cells = _balanced(candidates, cardinalities, count, max_size)
        largest = sorted(cells)
        if (
            len(cells) > max_size
            and prod(largest[-max_size:]) <= cells_of_table
            and largest[-1] * sum_of_products(largest[:-1], max_size - 1) <= cells_kept
        ):
            return plan
    return TablePlan(tuple((j,) for j in candidates), max_size)


def plan_marginals(union: Sequence[int], cardinalities: Sequence[int], size: int) -> TablePlan | None:
    """Return what to sum a joint table to before all its marginals of `size` candidates are summed.

    The cheapest by the cells that are read, if all such marginals are asked for; None for no step between.
    """
    whole = prod(cardinalities)
    best = None
    lowest = comb(len(union), size) * whole
    for count in range(size + 1, len(union)) if size else ():
        plan, cells = _balanced(union, cardinalities, count, size)
        between = prod(sorted(cells)[-size:])
        cost = comb(len(cells), size) * whole + comb(len(union), size) * between
        if len(cells) > size and cost < lowest:
            best, lowest = plan, cost
    return best


def _balanced(
    candidates: Sequence[int], cardinalities: Sequence[int], count: int, together: int
) -> tuple[TablePlan, list[int]]:
    """Cut the candidates, in their order, into about `count` groups of about as many configurations."""
    total = sum(log2(c) for c in cardinalities) or 1.0
    groups: dict[int, list[int]] = {}
    cells: dict[int, int] = {}
    before = 0.0
    for candidate, states in zip(candidates, cardinalities, strict=True):
        g = int((before + log2(states) / 2) / total * count)
        groups.setdefault(g, []).append(candidate)
        cells[g] = cells.get(g, 1) * states
        before += log2(states)
    return TablePlan(tuple(map(tuple, groups.values())), together), list(cells.values())


def sum_of_products(factors: Sequence[int], size: int) -> int:
    """Return the sum, over all choices of `size` factors, of their product."""
    sums = [1] + [0] * size
    for factor in factors:
        for k in range(size, 0, -1):
            sums[k] += factor * sums[k - 1]
    return sums[size]
