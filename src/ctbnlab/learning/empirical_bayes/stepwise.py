"""Parents where candidates have gaps: one set, and the Bayes factor of each arc given the rest of it.

A table counts only while all its parents are observed, so that sets of parents with gaps are judged on
different data, and their evidence cannot be compared. What can is the evidence of one table with a candidate
and without it. Candidates join while the strongest is more likely than not, then parents leave while the
weakest is less likely than not, until nothing changes. Given that set, arcs count as independent.
"""

from __future__ import annotations

import numpy as np

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.learning.contract import ParentPosterior
from ctbnlab.learning.empirical_bayes.exploration import (
    DIGITS,
    Budget,
    Members,
    ParentSets,
    Undecided,
    as_posterior,
)
from ctbnlab.learning.knowledge import NodeKnowledge


class Stepwise(ParentSets):
    """One set of parents, and the Bayes factor of each parent, and further candidate, given the others."""

    def __init__(self, statistics: NodeStatistics, knowledge: NodeKnowledge, budget: Budget):
        super().__init__(statistics, knowledge, budget)
        self.best: Members = self.base
        self._factors: dict[Members, dict[int, float]] = {}

    @property
    def n_sets(self) -> int:
        """How many sets had each of their arcs judged."""
        return len(self._factors)

    @property
    def met(self) -> set[int]:
        """The candidates that were judged given the set."""
        return set(self._factors.get(self.best, {}))

    def include(self, members: Members) -> None:
        """Go on from this set."""
        self.best = tuple(sorted({*self.best, *members}))

    def run(self, largest: int, undecided: Undecided) -> None:
        """Let candidates join and parents leave, until a set recurs or the budget is spent."""
        seen: set[Members] = set()
        while self.best not in seen and not self.budget.is_spent():
            seen.add(self.best)
            while len(self.best) < largest and not self.budget.is_spent():
                factors = self._of_candidates(self.best, undecided(self.best))
                j = max(self.by_name(factors), key=lambda j: factors[j], default=None)
                if j is None or factors[j] + self.log_odds <= 0:
                    break
                self.best = tuple(sorted((*self.best, j)))
            while not self.budget.is_spent():
                fewer = self.without_weakest(self.best, only_unlikely=True)
                if fewer == self.best:
                    break
                self.best = fewer
        if not self.budget.is_spent():
            self._of_parents(self.best)
            self._of_candidates(self.best, undecided(self.best))

    def without_weakest(self, members: Members, *, only_unlikely: bool = False) -> Members:
        """Return the set without its weakest candidate; the whole set if that is more likely than not."""
        factors = self._of_parents(members)
        j = min(self.by_name(factors), key=lambda j: factors[j], default=None)
        if j is None or (only_unlikely and factors[j] + self.log_odds > 0):
            return members
        return tuple(p for p in members if p != j)

    def strength(self, members: Members, j: int) -> float:
        """Return the Bayes factor of a further candidate; −∞ if it was not judged."""
        return self._factors.get(members, {}).get(j, -np.inf)

    def log_bayes_factor(self, j: int) -> float | None:
        """Return how much the data speak for an arc given the other parents; None if it was not judged."""
        factor = self._factors.get(self.best, {}).get(j)
        return None if factor is None else round(factor, DIGITS)

    def posterior(self) -> ParentPosterior:
        """Return the sums over all sets whose Bayes factor is the product of those of their arcs."""
        known = self._factors.get(self.best, {})
        factors = np.array([known.get(j, -np.inf) for j in self.knowledge.candidates])
        totals = _sums_of_products(factors, self.knowledge.max_additions)
        arcs = np.full((len(factors), len(totals)), -np.inf)
        for i, factor in enumerate(factors):
            arcs[i, 1:] = (
                factor + _sums_of_products(np.delete(factors, i), len(totals) - 2)[: len(totals) - 1]
            )
        return as_posterior(self.knowledge, totals, arcs)

    def _of_parents(self, members: Members) -> dict[int, float]:
        known = self._factors.setdefault(members, {})
        wanted = [j for j in self.optional(members) if j not in known]
        if wanted:
            table = self.statistics.table(members)
            whole = self.evidence_on(table)
            for j in wanted:
                known[j] = whole - self.evidence_on(table.marginal(p for p in members if p != j))
        return {j: known[j] for j in self.optional(members)}

    def _of_candidates(self, members: Members, candidates: list[int]) -> dict[int, float]:
        known = self._factors.setdefault(members, {})
        wanted = [j for j in candidates if j not in known]
        if wanted:
            for j, table in self.statistics.extensions(members, wanted).items():
                known[j] = self.evidence_on(table) - self.evidence_on(table.marginal(members))
        return {j: known[j] for j in candidates}


def _sums_of_products(factors: np.ndarray, largest: int) -> np.ndarray:
    """Return for each size up to `largest` ln Σ over the sets of this size of Π exp(factor)."""
    sums = np.full(max(largest, 0) + 1, -np.inf)
    sums[0] = 0.0
    for factor in factors:
        sums[1:] = np.logaddexp(sums[1:], sums[:-1] + factor)
    return sums
