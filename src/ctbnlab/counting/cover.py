"""Which joint tables serve all subsets of some candidates: one over all, or unions of groups of them.

A set of at most s candidates touches at most s groups, so the joint tables over s groups at a time hold
every such set among them. Fewer, larger groups need fewer scans of the data but larger tables.

Groups are cut from all variables, the target among them, and a table always has the group of the target:
so the tables of targets of one group are over the same variables, and one scan can serve them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import comb, log2, prod


@dataclass(frozen=True)
class TablePlan:
    """Groups of candidates, in increasing order; a joint table is over `together` groups.

    One group may be in every table: its place is `always`.
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
        if self.always is not None:
            touched |= 1 << self.always
        if touched.bit_count() > self.together:
            return None
        # The first groups not touched fill up the number: fewer, and larger, unions are in use.
        for g in range(len(self.groups)):
            if touched.bit_count() < self.together:
                touched |= 1 << g
        return self._members(g for g in range(len(self.groups)) if touched >> g & 1)

    @property
    def n_tables(self) -> int:
        """How many joint tables there are."""
        fixed = self.always is not None
        return comb(len(self.groups) - fixed, min(self.together, len(self.groups)) - fixed)

    def tables(self) -> Iterator[tuple[int, ...]]:
        """Yield each joint table's candidates."""
        return (self._members(chosen) for chosen in self._choices())

    def unions(self) -> Iterator[tuple[tuple[int, ...], list[int], list[bool]]]:
        """Yield each joint table's candidates, the group of each, and which subsets it serves.

        Of a subset it matters which groups it has members of: bit g of an index for group g of the table.
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


def plan_tables(
    candidates: Sequence[int],
    cardinalities: Sequence[int],
    max_size: int,
    *,
    target: tuple[int, int],
    cells_of_table: int,
    cells_kept: int,
) -> TablePlan | None:
    """Return the plan with the fewest groups whose tables have at most so many configurations.

    `target` is its index and cardinality. Learners go through sets in order: while the first element stays,
    all tables with its group are in use, and together should have at most `cells_kept`. None if the table of
    one wanted set is too large.
    """
    if prod(cardinalities) <= cells_of_table:
        return TablePlan((tuple(candidates),), 1)
    if prod(sorted(cardinalities)[-max_size:]) > cells_of_table:
        return None
    states = dict([*zip(candidates, cardinalities, strict=True), target])
    everyone = sorted(states)
    for count in range(max_size + 2, len(everyone)):
        plan, cells = _balanced(everyone, [states[j] for j in everyone], count, max_size)
        own = next(g for g, group in enumerate(plan.groups) if target[0] in group)
        others = sorted(cells[:own] + cells[own + 1 :])
        with_own = cells[own] // target[1]
        if (
            len(others) > max_size
            and with_own * prod(others[-max_size:]) <= cells_of_table
            and with_own * others[-1] * sum_of_products(others[:-1], max_size - 1) <= cells_kept
        ):
            groups = [tuple(j for j in group if j != target[0]) for group in plan.groups]
            if groups[own]:
                return TablePlan(tuple(groups), max_size + 1, own)
            return TablePlan(tuple(groups[:own] + groups[own + 1 :]), max_size)
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
