"""What single parents are worth, from exact tables: the judge of the empirical-Bayes learner.

A parent's strength given the others is the larger of two logarithms of odds: the Bayes factor of
`independence.dirichlet_multinomial`, which holds the other parents' configurations fixed, and what the
empirical-Bayes score loses without it, which still tells where configurations are so many that few have
two events. Chance makes either of them exceed t with a probability of about e^−t at most.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from math import prod

from ctbnlab.counting.node import NodeStatistics, SufficientStatistics
from ctbnlab.learning.independence.dirichlet_multinomial import DirichletMultinomial
from ctbnlab.learning.knowledge import NodeKnowledge
from ctbnlab.learning.scores.empirical_bayes import EmpiricalBayesScore

Members = tuple[int, ...]

# A score that loses this much without a parent leaves no doubt: the Bayes factor is not computed then.
_BEYOND_DOUBT = 20.0


class Budget:
    """CPU seconds of this thread, and scores; `spent` for good once either is used up."""

    def __init__(self, seconds: float | None, scores: int | None):
        self._began = time.thread_time()
        self._seconds = seconds
        self._scores = scores
        self.scores = 0
        self.spent = False

    def enough(self) -> bool:
        """Tell whether to stop."""
        if self._seconds is not None and time.thread_time() - self._began > self._seconds:
            self.spent = True
        if self._scores is not None and self.scores >= self._scores:
            self.spent = True
        return self.spent


class Judge:
    """Scores parent sets of one target, and the strength of each parent or candidate given a set."""

    def __init__(
        self,
        statistics: NodeStatistics,
        knowledge: NodeKnowledge,
        score: EmpiricalBayesScore,
        test: DirichletMultinomial,
        budget: Budget,
    ):
        self.statistics = statistics
        self.knowledge = knowledge
        self.score = score
        self.test = test
        self.budget = budget
        self.tests = 0
        self._states = [int(c) for c in statistics.cardinalities]
        self._c = self._states[statistics.target]
        self._known: dict[Members, float] = {}
        self._kept: dict[Members, dict[int, float]] = {}
        self._added: dict[Members, dict[int, float]] = {}

    def numbers(self, parents: Iterable[int]) -> int:
        """Return how many numbers the table of a parent set has, if all configurations occur."""
        return prod(self._states[p] for p in parents) * self._c * (self._c + 1)

    def value(self, table: SufficientStatistics) -> float:
        """Return the score of a table's parents."""
        if table.parents not in self._known:
            self.budget.scores += 1
            self._known[table.parents] = self.score.node_score(table, 0)
        return self._known[table.parents]

    def trimmed(self, table: SufficientStatistics) -> SufficientStatistics:
        """Drop parents while the score rises by it, the worst first; required ones stay."""
        while True:
            best = table
            for gone in self.by_name(table.parents):
                if gone not in self.knowledge.required:
                    fewer = table.marginal(p for p in table.parents if p != gone)
                    best = fewer if self.value(fewer) > self.value(best) else best
            if best is table:
                return table
            table = best

    def of_parents(self, parents: Members) -> dict[int, float]:
        """Return the strength of each parent that is not required, given the others."""
        if parents not in self._kept:
            table = self.statistics.of(parents)
            self._kept[parents] = {
                j: self._strength(table, j, table.marginal(p for p in parents if p != j))
                for j in parents
                if j not in self.knowledge.required
            }
        return self._kept[parents]

    def of_candidates(self, parents: Members, candidates: Iterable[int]) -> dict[int, float]:
        """Return the strength that each candidate would have beside the parents."""
        known = self._added.setdefault(parents, {})
        wanted = [j for j in candidates if j not in known]
        if wanted:
            tables = self.statistics.extensions(parents, wanted)
            base = self.statistics.of(parents)
            known.update({j: self._strength(table, j, base) for j, table in tables.items()})
        return {j: known[j] for j in candidates}

    def by_name(self, members: Iterable[int]) -> list[int]:
        """Return variables in the order of their names, which the order of columns does not change."""
        return sorted(members, key=lambda j: self.statistics.data.variables[j].name)

    def _strength(self, table: SufficientStatistics, j: int, without: SufficientStatistics) -> float:
        gain = self.value(table) - self.value(without)
        if gain > _BEYOND_DOUBT:
            return gain
        self.tests += 1
        return max(gain, self.test.log_bayes_factor(table, j))
