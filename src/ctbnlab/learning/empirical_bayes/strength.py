"""The strength of single parents, from exact tables: what decides which arcs the default learner keeps.

A parent's strength given the others is the larger of two log odds: the Bayes factor of
`independence.dirichlet_multinomial`, which holds the other parents' configurations fixed, and what the
empirical-Bayes score loses without the parent, which still works if few of the configurations have two
events. By chance either exceeds t with a probability of at most about e^−t.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from math import prod

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.learning.independence.dirichlet_multinomial import DirichletMultinomial
from ctbnlab.learning.knowledge import NodeKnowledge
from ctbnlab.learning.scores.empirical_bayes import EmpiricalBayesScore

Members = tuple[int, ...]

# If the score loses this many nats without a parent, there is no doubt: the Bayes factor is not computed.
_CERTAIN = 20.0


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


class Strengths:
    """Scores of one target's parent sets, and the strength of each parent or candidate given a set."""

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
        self._cardinalities = [int(c) for c in statistics.cardinalities]
        self._c = self._cardinalities[statistics.target]
        self._scores: dict[Members, float] = {}
        self._of_parents: dict[Members, dict[int, float]] = {}
        self._of_candidates: dict[Members, dict[int, float]] = {}

    def table_size(self, parents: Iterable[int]) -> int:
        """Return how many numbers the table of a parent set has if all configurations occur."""
        return prod(self._cardinalities[p] for p in parents) * self._c * (self._c + 1)

    def score_of(self, table: SufficientStatistics) -> float:
        """Return the score of a table's parents."""
        if table.parents not in self._scores:
            self.budget.scores += 1
            self._scores[table.parents] = self.score.node_score(table, 0)
        return self._scores[table.parents]

    def trimmed(self, table: SufficientStatistics) -> SufficientStatistics:
        """Drop the worst parent while that raises the score; required ones stay."""
        while True:
            best = table
            for dropped in self.by_name(table.parents):
                if dropped not in self.knowledge.required:
                    fewer = table.marginal(p for p in table.parents if p != dropped)
                    best = fewer if self.score_of(fewer) > self.score_of(best) else best
            if best is table:
                return table
            table = best

    def of_parents(self, parents: Members) -> dict[int, float]:
        """Return the strength of each parent that is not required, given the others."""
        if parents not in self._of_parents:
            table = self.statistics.table(parents)
            self._of_parents[parents] = {
                j: self._strength(table, j, table.marginal(p for p in parents if p != j))
                for j in parents
                if j not in self.knowledge.required
            }
        return self._of_parents[parents]

    def of_candidates(self, parents: Members, candidates: Iterable[int]) -> dict[int, float]:
        """Return the strength that each candidate would have beside the parents."""
        known = self._of_candidates.setdefault(parents, {})
        wanted = [j for j in candidates if j not in known]
        if wanted:
            tables = self.statistics.extensions(parents, wanted)
            base = self.statistics.table(parents)
            known.update({j: self._strength(table, j, base) for j, table in tables.items()})
        return {j: known[j] for j in candidates}

    def by_name(self, members: Iterable[int]) -> list[int]:
        """Return variables in the order of their names, which does not depend on the order of columns."""
        return sorted(members, key=self.statistics.name)

    def _strength(self, table: SufficientStatistics, j: int, without: SufficientStatistics) -> float:
        gain = self.score_of(table) - self.score_of(without)
        if gain > _CERTAIN:
            return gain
        self.tests += 1
        return max(gain, self.test.log_bayes_factor(table, j))
