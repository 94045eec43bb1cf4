"""The empirical-Bayes learner: coincidences of events propose parents, Bayes factors decide one by one.

1. Search. Many parents together can matter when none does alone: climbing from the empty set then finds
   nothing. Coincidences of events evaluate all sets at once (`coincidence`), from one table if candidates
   have few joint states, otherwise by cheap passes that converge on the parents (`search`). A set that
   stands out gets its exact empirical-Bayes score, and is taken if the evidence outweighs the number of
   sets there are.
2. Refinement. Starting from the set found, or from none, candidates join while the strongest is strong
   enough, then parents leave while the weakest is too weak (`strength`), until nothing changes. Weak
   effects that add up, as in log-linear rates, come in here.

Nothing depends on the order of columns (names are sorted instead), on the unit of time, on other nodes, or
on the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.errors import InputError
from ctbnlab.learning.contract import NEVER_CHANGES, OVER_LIMIT, Evidence, NodeResult
from ctbnlab.learning.empirical_bayes.search import (
    MIN_SIGNAL_FOR_MORE_CONTROLS,
    MIN_SIGNAL_FOR_MORE_PASSES,
    ExactSearch,
    SampledSearch,
    SearchSettings,
)
from ctbnlab.learning.empirical_bayes.strength import Budget, Members, Strengths
from ctbnlab.learning.estimator import Estimator
from ctbnlab.learning.independence.dirichlet_multinomial import DirichletMultinomial
from ctbnlab.learning.knowledge import NodeKnowledge
from ctbnlab.learning.scores.empirical_bayes import EmpiricalBayesScore

# More candidates than this are ranked by their own strength first: a pass evaluates at most 2^20 sets.
MAX_SEARCHED = 24
# Every candidate is scored exactly up to this many numbers in all their tables together; beyond that, only
# those that the pair statistic does not rule out.
MAX_CHEAP_NUMBERS = 8_000_000
# A parent raises Z by a factor √c and any other variable lowers it by √c: below this factor it is ruled out.
MIN_Z_FACTOR = 0.75
MAX_UNDECIDED = 3


@dataclass(frozen=True)
class EmpiricalBayes(Estimator):
    """Finds parents by coincidences of events and by Bayes factors.

    `threshold` is the strength, in nats, below which a parent is dropped; a candidate must exceed it by
    ln(number of candidates) to join, so that at most about e^−3 = 0.05 candidates per node join by chance;
    and a set found by the search must exceed it after paying for the number of sets. `penalty` is the
    score's penalty per parent. `passes`, `pairs` and `ratio` control the search: the number of passes, the
    pairs of points per pass, and the controls per event. More of each find parent sets of a dozen and more,
    for more time; 14 passes of 8 million pairs take about a seventh of a second. `largest_table` is the
    largest table that is scored, in numbers (24 million are 190 MB): ten parents of four states or thirteen
    of three. `memory`, in bytes, is what counting may use: tables are counted several times faster if they
    fit a quarter of it. After `budget_seconds` of CPU time or `budget_scores` scores per node, the best set
    so far is returned, with a note.
    """

    threshold: float = 3.0
    penalty: float = 1.0
    passes: int = SearchSettings.passes
    pairs: float = SearchSettings.pairs
    ratio: float = SearchSettings.ratio
    largest_table: int = 24_000_000
    memory: int = 256 << 20
    budget_seconds: float | None = None
    budget_scores: int | None = None

    # Few nodes ask for pairs: those without parents and those with many candidates.
    wants_pairs: ClassVar[bool] = False
    citation: ClassVar[str] = "ctbnlab: the empirical-Bayes learner of continuous-time Bayesian networks"

    def __post_init__(self) -> None:
        for name in ("threshold", "penalty", "pairs", "ratio", "budget_seconds"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise InputError(f"{name} must be a number of at least 0, not {value!r}")
        for name in ("passes", "largest_table", "memory", "budget_scores"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
                raise InputError(f"{name} must be a whole number of at least 0, not {value!r}")
        if self.ratio < 1:
            raise InputError(f"ratio must be at least 1 control per event, not {self.ratio}")

    @property
    def table_memory(self) -> int:
        """The bytes that counting may use for a node."""
        return self.memory

    def learn_node(self, statistics: NodeStatistics, knowledge: NodeKnowledge) -> NodeResult:
        """Return the parents of `statistics.target`, with the strength of every arc."""
        return _Node(self, statistics, knowledge).learn()


class _Node:
    """The search for one node's parents."""

    def __init__(self, learner: EmpiricalBayes, statistics: NodeStatistics, knowledge: NodeKnowledge):
        self.learner = learner
        self.statistics = statistics
        self.knowledge = knowledge
        self.budget = Budget(learner.budget_seconds, learner.budget_scores)
        allowed = (*knowledge.required, *knowledge.candidates)
        score = EmpiricalBayesScore(len(allowed), penalty=learner.penalty)
        test = DirichletMultinomial(learner.threshold)
        self.strengths = Strengths(statistics, knowledge, score, test, self.budget)
        self.allowed = tuple(self.strengths.by_name(allowed))
        self.max_parents = len(knowledge.required) + knowledge.max_additions
        self.joining = learner.threshold + math.log(max(len(knowledge.candidates), 1))
        self.exact = bool(self.allowed) and ExactSearch.fits(statistics, self.allowed)
        if self.exact:
            statistics.focus(self.allowed)
        self.search: SampledSearch | ExactSearch | None = None
        self.passes = 0
        self.found: Members = ()
        self.ruled_out: set[int] = set()

    def learn(self) -> NodeResult:
        """Search, refine, and report."""
        parents = tuple(sorted(self.knowledge.required))
        if not self.statistics.table(()).transitions.any():
            return self._result(parents, changes=False)
        if self.knowledge.max_additions and self.learner.passes:
            if len(self.allowed) > MAX_SEARCHED:
                parents = self._refined(parents)
            self._search(parents)
            if self.found:
                parents = self._within_limit(self.found)
        return self._result(self._refined(parents), changes=True)

    def _search(self, known: Members) -> None:
        """Search all candidates, or the strongest ones beside the known parents."""
        searched: Sequence[int] = self.allowed
        if len(searched) > MAX_SEARCHED:
            others = [j for j in searched if j not in known]
            strength = self.strengths.of_candidates(known, others)
            ranked = sorted(others, key=lambda j: -strength[j])
            chosen = {*known, *ranked[: MAX_SEARCHED - len(known)]}
            searched = [j for j in searched if j in chosen]
        first = SearchSettings(self.learner.ratio, self.learner.pairs, self.learner.passes)
        if self.exact:
            self._run(ExactSearch(self.statistics, searched, self.knowledge.required, first))
            return
        closer = first.with_more_controls()
        signal = math.inf
        for settings, min_signal in (
            (first, 0.0),
            (closer, MIN_SIGNAL_FOR_MORE_CONTROLS),
            (closer.with_more_passes(), MIN_SIGNAL_FOR_MORE_PASSES),
        ):
            if self.found or signal <= min_signal or self.budget.is_spent():
                break
            search = SampledSearch(self.statistics, searched, self.knowledge.required, settings)
            self._run(search)
            signal = search.signal_ratio

    def _run(self, search: SampledSearch | ExactSearch) -> None:
        self.search = search
        search.run(self._accept, self.budget.is_spent)
        self.passes += search.passes

    def _accept(self, members: Members) -> bool:
        """Return whether the exact evidence for a set outweighs the number of sets; remember it if so."""
        size = self.strengths.table_size(members)
        if size > self.learner.largest_table:
            return False
        table = self.statistics.table(members)
        if size * len(members) <= MAX_CHEAP_NUMBERS:
            table = self.strengths.trimmed(table)
        prior = self.strengths.score.prior(len(table.parents))
        evidence = self.strengths.score_of(table) - prior
        sets = min(-prior, len(self.allowed) * math.log(2))
        if evidence - sets <= self.learner.threshold:
            return False
        self.found = table.parents
        return True

    def _within_limit(self, parents: Members) -> Members:
        """Drop the weakest parents while there are more than allowed."""
        while len(parents) > self.max_parents:
            parents = self._without_weakest(parents)
        return parents

    def _without_weakest(self, parents: Members) -> Members:
        strength = self.strengths.of_parents(parents)
        weakest = min(self.strengths.by_name(strength), key=lambda j: strength[j])
        return tuple(p for p in parents if p != weakest)

    def _refined(self, parents: Members) -> Members:
        """Let candidates join and parents leave, until a set recurs or the budget is spent."""
        seen = set()
        while parents not in seen and not self.budget.is_spent():
            seen.add(parents)
            parents = self._shrunk(self._grown(parents))
        return parents

    def _grown(self, parents: Members) -> Members:
        while len(parents) < self.max_parents and not self.budget.is_spent():
            strength = self.strengths.of_candidates(parents, self._undecided(parents))
            if not strength:
                break
            strongest = max(self.strengths.by_name(strength), key=lambda j: strength[j])
            if strength[strongest] <= self.joining:
                break
            parents = tuple(sorted((*parents, strongest)))
        return parents

    def _shrunk(self, parents: Members) -> Members:
        while not self.budget.is_spent():
            strength = self.strengths.of_parents(parents)
            if not strength or min(strength.values()) >= self.learner.threshold:
                break
            parents = self._without_weakest(parents)
        return parents

    def _undecided(self, parents: Members) -> list[int]:
        """Return the candidates to score exactly: all, or those that the pair statistic does not rule out."""
        absent = [j for j in self.knowledge.candidates if j not in parents]
        self.ruled_out = set()
        largest = max((self.strengths.table_size((*parents, j)) for j in absent), default=0)
        if largest * len(absent) <= MAX_CHEAP_NUMBERS or not self._fills_block(parents):
            return absent
        assert self.search is not None
        lattice = self.search.around(parents)
        level = MIN_Z_FACTOR * lattice.z_of(parents)
        z = {j: lattice.z_of((*parents, j)) for j in self.strengths.by_name(absent) if j in lattice.free}
        ranked = sorted((j for j in z if z[j] > level), key=lambda j: -z[j])[:MAX_UNDECIDED]
        largest_table = self.learner.largest_table
        chosen = [j for j in ranked if self.strengths.table_size((*parents, j)) <= largest_table]
        self.ruled_out = set(absent) - set(chosen)
        return sorted(chosen)

    def _fills_block(self, parents: Members) -> bool:
        """Return whether the parents fill a block, so that there are few enough pairs within it."""
        search = self.search
        return search is not None and len(set(parents) & set(search.candidates)) >= search.block_size

    def _result(self, parents: Members, *, changes: bool) -> NodeResult:
        kept, absent = {}, {}
        if changes and not self.budget.spent:
            kept = self.strengths.of_parents(parents)
            absent = self.strengths.of_candidates(parents, self._undecided(parents))
        evidence = tuple(self._evidence(j, parents, kept, absent) for j in self.statistics.candidates)
        return NodeResult(
            target=self.statistics.target,
            parents=parents,
            evidence=evidence,
            counts={"scores": self.budget.scores, "tests": self.strengths.tests, "passes": self.passes},
            notes=self._notes(changes),
        )

    def _evidence(
        self, j: int, parents: Members, kept: dict[int, float], absent: dict[int, float]
    ) -> Evidence:
        if j in self.knowledge.required:
            return Evidence(j, True, "required")
        if j not in self.allowed:
            return Evidence(j, False, "forbidden")
        if j in parents:
            why = "dependent" if j in kept else "found before the budget was spent"
            return Evidence(j, True, why, gain=kept.get(j))
        if j in absent:
            full = absent[j] > self.joining and len(parents) >= self.max_parents
            why = OVER_LIMIT if full else "independent given the parents"
            return Evidence(j, False, why, gain=absent[j], separating_set=parents)
        why = "ruled out by the pair statistic" if j in self.ruled_out else "not scored"
        return Evidence(j, False, why)

    def _notes(self, changes: bool) -> tuple[str, ...]:
        if not changes:
            return (NEVER_CHANGES,)
        return ("the budget was spent: this is the best set found",) if self.budget.spent else ()
