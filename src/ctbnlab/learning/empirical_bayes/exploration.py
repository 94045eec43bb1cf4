"""The parent sets of one node that the data leave possible, each with its evidence.

From the sets that the search proposes, sets are extended by every candidate and reduced by every parent, the
most likely first, until no set is left that is within `WINDOW` nats of the best. If there are few sets in
all, all are visited. The sums of their evidence, by the number of parents, are all that is needed for the
probability of each arc under any density of arcs (`learning.probabilities`).
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Iterable
from math import prod

import numpy as np

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.learning.contract import ParentPosterior
from ctbnlab.learning.empirical_bayes.set_evidence import set_evidence
from ctbnlab.learning.knowledge import NodeKnowledge

Members = tuple[int, ...]
# Returns the candidates to extend a set by.
Undecided = Callable[[Members], list[int]]

# Sets less likely than the best by more than this factor, in nats, are not followed further.
WINDOW = 7.0
MAX_SETS = 4000
# Limits up to which all sets are visited: their number, and that of the numbers in all their tables.
MAX_ALL_SETS, MAX_ALL_NUMBERS = 64, 200_000
# Results are rounded, because the last digits depend on the order of columns.
DIGITS = 6


class Budget:
    """CPU seconds of this thread, and scores; `spent` stays True once either is used up."""

    def __init__(self, seconds: float | None, scores: int | None):
        self._began = time.thread_time()
        self._max_seconds = seconds
        self._max_scores = scores
        self.scores = 0
        self.spent = False

    def is_spent(self) -> bool:
        """Return whether to stop."""
        if self._max_seconds is not None and time.thread_time() - self._began > self._max_seconds:
            self.spent = True
        if self._max_scores is not None and self.scores >= self._max_scores:
            self.spent = True
        return self.spent


class ParentSets:
    """What sets of one target's parents have in common: the required ones, and a density of arcs."""

    def __init__(self, statistics: NodeStatistics, knowledge: NodeKnowledge, budget: Budget):
        self.statistics = statistics
        self.knowledge = knowledge
        self.budget = budget
        self.base: Members = tuple(sorted(knowledge.required))
        # Before other nodes are known: two parents per node, or one candidate in five.
        self.density = min(0.2, 2 / max(len(knowledge.candidates), 1))
        self.log_odds = math.log(self.density / (1 - self.density))
        self.out_of_sets = False
        self._cardinalities = [int(c) for c in statistics.cardinalities]

    def table_size(self, parents: Iterable[int]) -> int:
        """Return how many numbers the table of a parent set has if all configurations occur."""
        c = self._cardinalities[self.statistics.target]
        return prod(self._cardinalities[p] for p in parents) * c * (c + 1)

    def by_name(self, members: Iterable[int]) -> list[int]:
        """Return variables in the order of their names, which does not depend on the order of columns."""
        return sorted(members, key=self.statistics.name)

    def optional(self, members: Iterable[int]) -> list[int]:
        """Return the members that are not required, in the order of their names."""
        return self.by_name(set(members) - set(self.base))

    def evidence_on(self, table: SufficientStatistics) -> float:
        """Return the evidence for a table's parents against none."""
        self.budget.scores += 1
        return set_evidence(table, self.knowledge.clocks, self.by_name(table.parents))

    def evidence_beyond_required(self, table: SufficientStatistics) -> float:
        """Return how much better than the required parents alone a table's parents explain its data."""
        return self.evidence_on(table) - self.evidence_on(table.marginal(self.base))


class Exploration(ParentSets):
    """The sets met so far: required parents and some candidates, in increasing order."""

    def __init__(self, statistics: NodeStatistics, knowledge: NodeKnowledge, budget: Budget):
        super().__init__(statistics, knowledge, budget)
        self.evidence: dict[Members, float] = {}  # against no parents
        self._waiting: list[tuple[float, tuple[str, ...], Members]] = []
        self._best = -math.inf
        self._window = math.inf if self._are_few() else WINDOW
        self.include(self.base)

    def _are_few(self) -> bool:
        """Return whether all sets can be visited."""
        chosen = self.knowledge.candidates
        numbers = prod(1 + self._cardinalities[j] for j in chosen) * self.table_size(self.base)
        return 2 ** len(chosen) <= MAX_ALL_SETS and numbers <= MAX_ALL_NUMBERS

    @property
    def n_sets(self) -> int:
        """How many sets were met."""
        return len(self.evidence)

    @property
    def met(self) -> set[int]:
        """The candidates in any of the sets."""
        return {j for members in self.evidence for j in members}

    @property
    def best(self) -> Members:
        """The most likely set."""
        return max(self.evidence, key=lambda members: (self._weight(members), self._names(members)))

    def include(self, members: Members) -> None:
        """Add a set to those from which to go on."""
        if members not in self.evidence:
            self._meet(self.statistics.table(members))

    def run(self, largest: int, undecided: Undecided) -> None:
        """Extend and reduce the sets of up to `largest` parents that are waiting, the most likely first."""
        while self._waiting and -self._waiting[0][0] >= self._best - self._window:
            self.out_of_sets = len(self.evidence) >= MAX_SETS
            if self.out_of_sets or self.budget.is_spent():
                break
            members = heapq.heappop(self._waiting)[2]
            self._reduce(members)
            if len(members) < largest:
                wanted = [j for j in undecided(members) if _with(members, j) not in self.evidence]
                if wanted:
                    for table in self.statistics.extensions(members, wanted).values():
                        self._meet(table)

    def without_weakest(self, members: Members) -> Members:
        """Return the most likely set with one candidate less."""
        self._reduce(members)
        smaller = [_without(members, j) for j in self.optional(members)]
        return max(smaller, key=lambda fewer: self.evidence[fewer])

    def strength(self, members: Members, j: int) -> float:
        """Return how much the evidence for a set rises with a further candidate; −∞ if that was not met."""
        return self.evidence.get(_with(members, j), -math.inf) - self.evidence[members]

    def log_bayes_factor(self, j: int) -> float | None:
        """Return how much the data speak for an arc, over all sets met, in nats; None if in none of them."""
        weights = {True: -math.inf, False: -math.inf}
        for members in self.evidence:
            weights[j in members] = float(np.logaddexp(weights[j in members], self._weight(members)))
        if math.inf in map(abs, weights.values()):
            return None
        return round(weights[True] - weights[False] - self.log_odds, DIGITS)

    def posterior(self) -> ParentPosterior:
        """Return the sums of the Bayes factors of all sets met, by the number of candidates in them."""
        candidates = self.knowledge.candidates
        position = {j: i for i, j in enumerate(candidates)}
        largest = max(map(len, self.evidence)) - len(self.base)
        totals = np.full(largest + 1, -np.inf)
        arcs = np.full((len(candidates), largest + 1), -np.inf)
        for members in sorted(self.evidence, key=self._names):
            value = self.evidence[members] - self.evidence[self.base]
            size = len(members) - len(self.base)
            totals[size] = np.logaddexp(totals[size], value)
            for j in self.optional(members):
                arcs[position[j], size] = np.logaddexp(arcs[position[j], size], value)
        return as_posterior(self.knowledge, totals, arcs)

    def _reduce(self, members: Members) -> None:
        """Meet the sets with one candidate less."""
        wanted = [j for j in self.optional(members) if _without(members, j) not in self.evidence]
        if wanted:
            table = self.statistics.table(members)
            for j in wanted:
                self._meet(table.marginal(_without(members, j)))

    def _meet(self, table: SufficientStatistics) -> None:
        members = table.parents
        self.evidence[members] = self.evidence_on(table)
        weight = self._weight(members)
        self._best = max(self._best, weight)
        heapq.heappush(self._waiting, (-weight, self._names(members), members))

    def _weight(self, members: Members) -> float:
        """Return the log posterior of a set that was met, up to a constant."""
        return self.evidence[members] + self.log_odds * (len(members) - len(self.base))

    def _names(self, members: Members) -> tuple[str, ...]:
        return tuple(self.statistics.name(j) for j in self.by_name(members))


def as_posterior(
    knowledge: NodeKnowledge, totals: np.ndarray[tuple[int], np.dtype[np.float64]], arcs: np.ndarray
) -> ParentPosterior:
    """Return the sums as they are written to files."""
    rows = tuple(map(tuple, arcs.round(DIGITS).tolist()))
    return ParentPosterior(
        knowledge.candidates, knowledge.max_additions, tuple(totals.round(DIGITS).tolist()), rows
    )


def _with(members: Members, j: int) -> Members:
    return tuple(sorted((*members, j)))


def _without(members: Members, j: int) -> Members:
    return tuple(p for p in members if p != j)
