"""Searching the parent sets of one target for the best score: exhaustively, or by hill climbing.

Ties are broken the same way everywhere: fewest parents first, then the lexicographic order of their indices.
Scores closer than `tolerance` count as equal, because the same table summed in another order differs in its
last digits.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.subsets import tables_of_subsets
from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.errors import InputError
from ctbnlab.learning.knowledge import NodeKnowledge
from ctbnlab.learning.scores.base import ManyAtOnce, Score

ParentSet = tuple[int, ...]  # in increasing order

MAX_PARENT_SETS = 5_000_000


def tolerance(score: float) -> float:
    """Return by how much another score must exceed this one to count as higher."""
    return 1e-10 * max(1.0, abs(score))


def best(scores: Mapping[ParentSet, float]) -> ParentSet:
    """Return the parent set of the highest score; of equal ones, the smallest, then the first."""
    highest = max(scores.values())
    enough = highest - tolerance(highest)
    return min((parents for parents, score in scores.items() if score >= enough), key=lambda p: (len(p), p))


def n_occurring(table: SufficientStatistics) -> int:
    """Return the number of parent configurations that occur."""
    return _n_occurring(table.time)


def _n_occurring(time: NDArray[np.float64]) -> int:
    return int((time.sum(axis=1) > 0).sum())


class ParentSetScores:
    """The scores of one target's parent sets, each computed once; `penalty` is subtracted per parent.

    `states_seen` has the number of states of each candidate that occur; the searches fill it in.
    """

    def __init__(self, statistics: NodeStatistics, score: Score, penalty: float = 0.0):
        self.statistics = statistics
        self.score = score
        self.penalty = penalty
        # With gaps, parent sets cover different times: each is compared with no parents in its own time.
        self._relative = any(statistics.gaps)
        self.known: dict[ParentSet, float] = {}
        self.states_seen: dict[int, int] = {}

    def score_table(self, table: SufficientStatistics) -> float:
        """Return the score of the parent set whose table this is."""
        if table.parents not in self.known:
            value = self.score.node_score(table, self.statistics.n_events)
            if self._relative:
                value -= self.score.node_score(table.marginal(()), self.statistics.n_events)
            self.known[table.parents] = value - self.penalty * len(table.parents)
        return self.known[table.parents]

    def score_of(self, parents: ParentSet) -> float:
        """Return the score of any parent set."""
        return (
            self.known[parents] if parents in self.known else self.score_table(self.statistics.table(parents))
        )

    def score_marginal(self, table: SufficientStatistics, parents: ParentSet) -> float:
        """Return the score of a subset of a table's parents."""
        return self.known[parents] if parents in self.known else self.score_table(table.marginal(parents))

    def score_subsets(self, max_size: int) -> bool:
        """Score all subsets of the focus up to a size, many at a time; return False if that is impossible."""
        if not isinstance(self.score, ManyAtOnce):
            return False
        found = tables_of_subsets(self.statistics, max_size)
        if found is None:
            return False
        for sets in found:
            values = self.score.subset_scores(sets)
            if self.penalty:
                values = values - self.penalty * np.array([len(parents) for parents in sets.parents])
            self.known.update(zip(sets.parents, values.tolist(), strict=True))
            for k, parents in enumerate(sets.parents):
                if len(parents) == 1:
                    time = sets.values[sets.first[k] : sets.first[k + 1], :, 0]
                    self.states_seen[parents[0]] = _n_occurring(time)
        return True

    def extend(self, parents: ParentSet, candidates: Iterable[int]) -> dict[int, SufficientStatistics]:
        """Score the parents together with each candidate, from one scan; return the tables."""
        wanted = [j for j in candidates if j not in parents]
        if not wanted:
            return {}
        tables: dict[int, SufficientStatistics] = self.statistics.extensions(parents, wanted)
        for j, table in tables.items():
            self.score_table(table)
            self.see(j, table)
        return tables

    def see(self, candidate: int, table: SufficientStatistics) -> None:
        """Note how many states of a candidate occur, from any table that has it."""
        if candidate not in self.states_seen:
            self.states_seen[candidate] = n_occurring(table.marginal((candidate,)))


@dataclass(frozen=True)
class Found:
    """The best parent set a search found, its table, and the steps it took."""

    parents: ParentSet
    table: SufficientStatistics
    steps: int


def focus_on_all(statistics: NodeStatistics, space: NodeKnowledge) -> None:
    """Announce all parent sets that `space` allows; refuse if they are too many."""
    count = sum(math.comb(len(space.candidates), k) for k in range(space.max_additions + 1))
    if count > MAX_PARENT_SETS:
        raise InputError(
            f"an exhaustive search would score {count:,} parent sets per node, above the limit of "
            f"{MAX_PARENT_SETS:,}; lower max_parents or use search=hill-climbing"
        )
    statistics.focus((*space.required, *space.candidates), max_size=len(space.required) + space.max_additions)


def exhaustive(scores: ParentSetScores, space: NodeKnowledge) -> Found:
    """Return the best of all parent sets that `space` allows, after `focus_on_all`."""
    if not space.required and scores.score_subsets(space.max_additions):
        parents = best(scores.known)
        return Found(parents, scores.statistics.table(parents), steps=0)
    for j in space.candidates if space.max_additions else ():
        scores.see(j, scores.statistics.table((j,)))
    allowed: dict[ParentSet, float] = {}

    # Depth first: consecutive sets differ in few parents, so that one joint table serves many.
    def visit(parents: ParentSet, following: ParentSet, additions: int) -> None:
        key = tuple(sorted(parents))
        allowed[key] = scores.score_of(key)
        if additions:
            for k, j in enumerate(following):
                visit((*parents, j), following[k + 1 :], additions - 1)

    visit(space.required, space.candidates, space.max_additions)
    parents = best(allowed)
    return Found(parents, scores.statistics.table(parents), steps=0)


def hill_climb(scores: ParentSetScores, space: NodeKnowledge, start: ParentSet, tabu: int = 0) -> Found:
    """Climb from `start` by the best of all single additions, removals and swaps until none is higher.

    With `tabu` > 0 the search then continues over the best sets that are not among the last `tabu` ones,
    higher or not, and ends after `tabu` steps without a new best.
    """
    current = top = start
    steps = idle = 0
    recent: deque[ParentSet] = deque(maxlen=tabu)
    while True:
        tables = scores.extend(current, space.candidates)
        moves, table = _moves(scores, space, current, tables)
        if current == top:
            top_table = table
        recent.append(current)
        highest = scores.known[top]
        higher = {p: s for p, s in moves.items() if s > highest + tolerance(highest)}
        others = {p: s for p, s in moves.items() if p not in recent} if idle < tabu else {}
        if higher:
            current = top = best(higher)
            idle = 0
        elif others:
            current = best(others)
            idle += 1
        else:
            return Found(top, top_table, steps)
        steps += 1


def _moves(
    scores: ParentSetScores,
    space: NodeKnowledge,
    current: ParentSet,
    tables: dict[int, SufficientStatistics],
) -> tuple[dict[ParentSet, float], SufficientStatistics]:
    """Return the scores of all sets one step from `current`, and the table of `current` itself.

    `tables` are those of `current` with one more candidate. Removals and swaps are marginals of them, so
    nothing is counted again.
    """
    table = next(iter(tables.values())).marginal(current) if tables else scores.statistics.table(current)
    scores.score_table(table)
    moves: dict[ParentSet, float] = {}
    if len(current) < len(space.required) + space.max_additions:
        for extended in tables.values():
            moves[extended.parents] = scores.score_table(extended)
    for gone in current:
        if gone in space.required:
            continue
        fewer = tuple(p for p in current if p != gone)
        moves[fewer] = scores.score_marginal(table, fewer)
        for extended in tables.values():
            swapped = tuple(p for p in extended.parents if p != gone)
            moves[swapped] = scores.score_marginal(extended, swapped)
    return moves, table
