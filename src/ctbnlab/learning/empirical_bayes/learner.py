"""The empirical-Bayes learner: coincidences of events propose parents, the evidence for sets of them decides.

1. Search. Many parents together can matter when none does alone: climbing from the empty set then finds
   nothing. Coincidences of events evaluate all sets at once (`coincidence`), from one table if candidates
   have few joint states, otherwise by cheap passes that converge on the parents (`search`). A set that
   stands out gets its exact evidence (`set_evidence`), and is taken if that outweighs the number of sets
   there are.
2. Exploration. From the set found and from the empty one, all likely sets are visited (`exploration`). Their
   evidence gives each arc its probability when all nodes are learned (`learning.probabilities`).

Nothing depends on the order of columns (names are sorted instead), on the unit of time, on other nodes but
for the density of arcs, or on the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.errors import InputError
from ctbnlab.learning.contract import NEVER_CHANGES, Evidence, NodeResult
from ctbnlab.learning.empirical_bayes.exploration import MAX_SETS, Budget, Exploration, Members
from ctbnlab.learning.empirical_bayes.search import (
    ExactSearch,
    SampledSearch,
    SearchSettings,
)
from ctbnlab.learning.empirical_bayes.stepwise import Stepwise
from ctbnlab.learning.estimator import Estimator
from ctbnlab.learning.knowledge import NodeKnowledge
from ctbnlab.learning.probabilities import UNLIKELY, decided

# More candidates than this are ranked by their own evidence first: a pass evaluates at most 2^20 sets.
MAX_SEARCHED = 24
# A set that the search proposes is taken if its evidence exceeds the logarithm of the number of sets by this.
MIN_EVIDENCE = 3.0
# Every candidate is tried up to this many numbers in all their tables together; beyond that, only those that
# the pair statistic does not rule out.
MAX_CHEAP_NUMBERS = 8_000_000
# A parent raises Z by a factor √c and any other variable lowers it by √c: below this factor it is ruled out.
MIN_Z_FACTOR = 0.75
MAX_UNDECIDED = 3
RULED_OUT = "ruled out by the pair statistic"


@dataclass(frozen=True, repr=False)
class EmpiricalBayes(Estimator):
    """Finds parents by coincidences of events, and gives every arc its probability.

    Arcs that are more likely than not are kept; with `max_fdr`, the most probable of them, as long as the
    expected share of false ones is at most that. `density` is the share of arcs that are present beforehand;
    by default it is estimated from all nodes. `passes`, `pairs` and `ratio` control the search: the number of
    passes, the pairs of points per pass, and the controls per event. More of each find parent sets of a dozen
    and more, for more time; 14 passes of 8 million pairs take about a seventh of a second. `largest_table` is
    the largest table that is scored, in numbers (24 million are 190 MB): ten parents of four states or
    thirteen of three. `memory`, in bytes, is what counting may use: tables are counted several times faster
    if they fit a quarter of it. After `budget_seconds` of CPU time or `budget_scores` scores per node, the
    best set so far is returned, with a note.
    """

    max_fdr: float | None = None
    density: float | None = None
    passes: int = SearchSettings.passes
    pairs: float = SearchSettings.pairs
    ratio: float = SearchSettings.ratio
    largest_table: int = 24_000_000
    memory: int = 256 << 20
    budget_seconds: float | None = None
    budget_scores: int | None = None

    # Few nodes ask for pairs: those without parents and those with many candidates.
    wants_pairs: ClassVar[bool] = False
    takes_hints: ClassVar[bool] = True
    citation: ClassVar[str] = "ctbnlab: the empirical-Bayes learner of continuous-time Bayesian networks"

    def __post_init__(self) -> None:
        for name in ("max_fdr", "density"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1:
                raise InputError(f"{name} must be a number between 0 and 1, not {value!r}")
        for name in ("pairs", "ratio", "budget_seconds"):
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
        """Return the parents of `statistics.target`, and what the probability of each arc depends on."""
        return _Node(self, statistics, knowledge).learn()


class _Node:
    """The search for one node's parents."""

    def __init__(self, learner: EmpiricalBayes, statistics: NodeStatistics, knowledge: NodeKnowledge):
        self.learner = learner
        self.statistics = statistics
        self.knowledge = knowledge
        self.budget = Budget(learner.budget_seconds, learner.budget_scores)
        gaps = any(statistics.gaps[j] for j in (*knowledge.required, *knowledge.candidates))
        self.sets = (Stepwise if gaps else Exploration)(statistics, knowledge, self.budget)
        self.allowed = tuple(self.sets.by_name((*knowledge.required, *knowledge.candidates)))
        self.max_parents = len(knowledge.required) + knowledge.max_additions
        self.exact = bool(self.allowed) and ExactSearch.fits(statistics, self.allowed)
        if self.exact:
            statistics.focus(self.allowed)
        self.search: SampledSearch | ExactSearch | None = None
        self.passes = 0
        self.found: Members = ()
        self.ruled_out: set[int] = set()

    def learn(self) -> NodeResult:
        """Search, explore, and report."""
        if not self.statistics.table(()).transitions.any():
            return self._result(changes=False)
        if self.knowledge.max_additions and self.learner.passes:
            if len(self.allowed) > MAX_SEARCHED:
                self._explore()
            self._search(self.sets.best)
            if self.found:
                self.sets.include(self._within_limit(self.found))
        if self.knowledge.hint:
            self.sets.include(self._within_limit(tuple(sorted({*self.sets.base, *self.knowledge.hint}))))
        self._explore()
        return self._result(changes=True)

    def _explore(self) -> None:
        self.sets.run(self.max_parents, self._undecided)

    def _search(self, known: Members) -> None:
        """Search all candidates, or the strongest ones beside the known parents."""
        searched: Sequence[int] = self.allowed
        if len(searched) > MAX_SEARCHED:
            others = [j for j in searched if j not in known]
            ranked = sorted(others, key=lambda j: -self.sets.strength(known, j))
            chosen = {*known, *ranked[: MAX_SEARCHED - len(known)]}
            searched = [j for j in searched if j in chosen]
        first = SearchSettings(self.learner.ratio, self.learner.pairs, self.learner.passes)
        if self.exact:
            self._run(ExactSearch(self.statistics, searched, self.knowledge.required, first))
            return
        closer = first.with_more_controls()
        search = self._sample(searched, first)
        more_controls, more_passes = search.signal_levels
        if self._is_open and search.signal_ratio > more_controls:
            search = self._sample(searched, closer)
        if self._is_open and search.signal_ratio > more_passes:
            self._sample(searched, closer.with_more_passes())

    def _sample(self, searched: Sequence[int], settings: SearchSettings) -> SampledSearch:
        """Make the passes of these settings."""
        search = SampledSearch(self.statistics, searched, self.knowledge.required, settings)
        self._run(search)
        return search

    @property
    def _is_open(self) -> bool:
        """Whether nothing was found yet, and the budget is not spent."""
        return not self.found and not self.budget.is_spent()

    def _run(self, search: SampledSearch | ExactSearch) -> None:
        self.search = search
        search.run(self._accept, self.budget.is_spent)
        self.passes += search.passes

    def _accept(self, members: Members) -> bool:
        """Return whether the exact evidence for a set outweighs the number of sets; remember it if so."""
        size = self.sets.table_size(members)
        if size > self.learner.largest_table:
            return False
        table = self.statistics.table(members)
        if size * len(members) <= MAX_CHEAP_NUMBERS:
            table = self._trimmed(table)
        if self._excess(table) <= MIN_EVIDENCE:
            return False
        self.found = table.parents
        return True

    def _excess(self, table: SufficientStatistics) -> float:
        """Return the evidence less the logarithm of the number of sets, each parent costing a nat more."""
        n, additions = len(self.knowledge.candidates), len(table.parents) - len(self.knowledge.required)
        log_number = min(math.log(math.comb(n, additions)) + additions, len(self.allowed) * math.log(2))
        return self.sets.evidence_beyond_required(table) - log_number

    def _trimmed(self, table: SufficientStatistics) -> SufficientStatistics:
        """Drop the worst parent while the evidence gains by it; required ones stay."""
        excess = self._excess(table)
        while True:
            smaller = [
                table.marginal(p for p in table.parents if p != j) for j in self.sets.optional(table.parents)
            ]
            values = [self._excess(each) for each in smaller]
            if not values or max(values) <= excess:
                return table
            excess = max(values)
            table = smaller[values.index(excess)]

    def _within_limit(self, parents: Members) -> Members:
        """Drop the weakest parents while there are more than allowed."""
        while len(parents) > self.max_parents:
            parents = self.sets.without_weakest(parents)
        return parents

    def _undecided(self, parents: Members) -> list[int]:
        """Return the candidates to try: all, or those that the pair statistic does not rule out."""
        absent = [j for j in self.knowledge.candidates if j not in parents]
        largest = max((self.sets.table_size((*parents, j)) for j in absent), default=0)
        if largest * len(absent) <= MAX_CHEAP_NUMBERS or not self._fills_block(parents):
            return absent
        assert self.search is not None
        lattice = self.search.around(parents)
        level = MIN_Z_FACTOR * lattice.z_of(parents)
        z = {j: lattice.z_of((*parents, j)) for j in self.sets.by_name(absent) if j in lattice.free}
        ranked = sorted((j for j in z if z[j] > level), key=lambda j: -z[j])[:MAX_UNDECIDED]
        largest_table = self.learner.largest_table
        chosen = [j for j in ranked if self.sets.table_size((*parents, j)) <= largest_table]
        self.ruled_out |= set(absent) - set(chosen)
        return sorted(chosen)

    def _fills_block(self, parents: Members) -> bool:
        """Return whether the parents fill a block, so that there are few enough pairs within it."""
        search = self.search
        return search is not None and len(set(parents) & set(search.candidates)) >= search.block_size

    def _result(self, *, changes: bool) -> NodeResult:
        """Return the node as it would be if nothing were known about other nodes."""
        required, met = set(self.knowledge.required), self.sets.met
        evidence = []
        for j in self.statistics.candidates:
            if j in required:
                evidence.append(Evidence(j, True, "required"))
            elif j not in self.allowed:
                evidence.append(Evidence(j, False, "forbidden"))
            elif not changes:
                evidence.append(Evidence(j, False, "not scored"))
            else:
                why = UNLIKELY if j in met else RULED_OUT if j in self.ruled_out else "not scored"
                evidence.append(Evidence(j, False, why, gain=self.sets.log_bayes_factor(j)))
        counts = {"scores": self.budget.scores, "sets": self.sets.n_sets, "passes": self.passes}
        node = NodeResult(
            self.statistics.target, self.sets.base, tuple(evidence), counts, tuple(self._notes(changes))
        )
        if not changes:
            return node
        posterior = self.sets.posterior()
        (alone,) = decided([replace(node, posterior=posterior)], density=self.sets.density)
        return replace(alone, posterior=posterior)

    def _notes(self, changes: bool) -> list[str]:
        if not changes:
            return [NEVER_CHANGES]
        notes = []
        if self.budget.spent:
            notes.append("the budget was spent: these are the best parents found")
        if self.sets.out_of_sets:
            notes.append(f"probabilities are sums over {MAX_SETS} parent sets; less likely ones are left out")
        return notes
