"""The empirical-Bayes learner: parents found by pairs of events that agree, then judged one by one.

1. Search. Many parents together can matter where none does alone: climbing from no parents sees nothing
   then. Pairs of events judge all sets at once (`agreement`), from one table where candidates have few
   joint states, and else by cheap looks that home in on the parents (`agreement_search`). A set that
   stands out gets its exact empirical-Bayes score, and is taken if the evidence outweighs the number of
   sets there are.
2. Judging. From the set found, or from none, candidates join while the strongest is strong enough, then
   parents leave while the weakest is too weak (`judge`), until nothing changes. Weak effects that add up,
   as in log-linear rates, come in here.

Nothing depends on the order of columns (the order of names stands for it), on the unit of time, on other
nodes, or on the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.errors import InputError
from ctbnlab.learning.contract import Evidence, NodeResult
from ctbnlab.learning.empirical_bayes.search import HOPE, SOME_HOPE, AgreementSearch, Looks, WholeSearch
from ctbnlab.learning.empirical_bayes.strength import Budget, Judge, Members
from ctbnlab.learning.estimator import Estimator
from ctbnlab.learning.independence.dirichlet_multinomial import DirichletMultinomial
from ctbnlab.learning.knowledge import NodeKnowledge
from ctbnlab.learning.scores.empirical_bayes import EmpiricalBayesScore

# More candidates than these are ranked by their own strength first: a look holds 2^20 sets at most.
MOST_SEARCHED = 24
# Judging every candidate exactly is worth a table of this many numbers for all of them together; beyond,
# only those that the pairs do not speak against.
CHEAP_NUMBERS = 8_000_000
# A parent raises Z by √c, another variable lowers it by as much: what lowers it this far is none.
PAIRS_AGAINST = 0.75
MOST_DOUBTFUL = 3


@dataclass(frozen=True)
class EmpiricalBayes(Estimator):
    """Finds parents by pairs of events that agree and by Bayes factors.

    `threshold` is the strength, in nats, below which a parent is dropped; a candidate must exceed it by
    ln(number of candidates) to join, so that about e^−3 = .05 candidates a node, at the very most, join by
    chance; and a set found by the search must exceed it after paying for the number of sets. `penalty` is
    the score's for each parent. `looks`, `pairs` and `ratio` are of the search (`agreement_search.Looks`):
    more of each find parent sets of a dozen and more, for more time; 14 looks of 8 million pairs take
    about a seventh of a second. `largest_table` is the largest table that is scored, in numbers (24
    million are 190 MB): ten parents of four states or thirteen of three; `memory`, in bytes, is what
    counting may use: tables are counted several times faster where they fit a quarter of it. After
    `budget_seconds` of CPU time or `budget_scores` scores a node, the best found so far is returned, with
    a note that says so.
    """

    threshold: float = 3.0
    penalty: float = 1.0
    looks: int = 14
    pairs: float = 8e6
    ratio: float = 3.0
    largest_table: int = 24_000_000
    memory: int = 256 << 20
    budget_seconds: float | None = None
    budget_scores: int | None = None

    # Few nodes ask for pairs: those without parents and those of many candidates.
    wants_pairs: ClassVar[bool] = False
    citation: ClassVar[str] = "ctbnlab: the empirical-Bayes learner of continuous-time Bayesian networks"

    def __post_init__(self) -> None:
        for name in ("threshold", "penalty", "pairs", "ratio", "budget_seconds"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise InputError(f"{name} must be a number of at least 0, not {value!r}")
        for name in ("looks", "largest_table", "memory", "budget_scores"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
                raise InputError(f"{name} must be a whole number of at least 0, not {value!r}")
        if self.ratio < 1:
            raise InputError(f"ratio must be at least 1 control an event, not {self.ratio}")

    def learn_node(self, statistics: NodeStatistics, knowledge: NodeKnowledge) -> NodeResult:
        """Return the parents of `statistics.target`, with the strength of every arc."""
        room = max(statistics.memory, self.memory)
        node = _Node(self, NodeStatistics(statistics.data, statistics.target, memory=room), knowledge)
        return node.learn()


class _Node:
    """The search for one node's parents."""

    def __init__(self, how: EmpiricalBayes, statistics: NodeStatistics, knowledge: NodeKnowledge):
        self.how = how
        self.statistics = statistics
        self.knowledge = knowledge
        self.budget = Budget(how.budget_seconds, how.budget_scores)
        allowed = (*knowledge.required, *knowledge.candidates)
        score = EmpiricalBayesScore(len(allowed), penalty=how.penalty)
        test = DirichletMultinomial(how.threshold)
        self.judge = Judge(statistics, knowledge, score, test, self.budget)
        self.allowed = tuple(self.judge.by_name(allowed))
        self.most = len(knowledge.required) + knowledge.room
        self.joining = how.threshold + math.log(max(len(knowledge.candidates), 1))
        self.whole = bool(self.allowed) and WholeSearch.fits(statistics, self.allowed)
        if self.whole:
            statistics.focus(self.allowed)
        self.search: AgreementSearch | WholeSearch | None = None
        self.looks = 0
        self.found: Members = ()
        self.unjudged: set[int] = set()

    def learn(self) -> NodeResult:
        """Search, judge, and say what was found."""
        parents = tuple(sorted(self.knowledge.required))
        if not self.statistics.of(()).transitions.any():
            return self._result(parents, judged=False)
        if self.knowledge.room and self.how.looks:
            if len(self.allowed) > MOST_SEARCHED:
                parents = self._judged(parents)
            self._look(parents)
            if self.found:
                parents = self._within_limit(self.found)
        return self._result(self._judged(parents), judged=True)

    def _look(self, known: Members) -> None:
        """Search all candidates, or those that seem most promising beside the known parents."""
        searched: Sequence[int] = self.allowed
        if len(searched) > MOST_SEARCHED:
            others = [j for j in searched if j not in known]
            strength = self.judge.of_candidates(known, others)
            ranked = sorted(others, key=lambda j: -strength[j])
            chosen = {*known, *ranked[: MOST_SEARCHED - len(known)]}
            searched = [j for j in searched if j in chosen]
        first = Looks(self.how.ratio, self.how.pairs, self.how.looks)
        if self.whole:
            self.search = WholeSearch(self.statistics, searched, self.knowledge.required, first)
            self.search.run(self._accepted, self.budget.enough)
            self.looks += self.search.looks
            return
        hope = math.inf
        for how, least in ((first, 0.0), (first.closer(), SOME_HOPE), (first.closer().longer(), HOPE)):
            if self.found or hope <= least or self.budget.enough():
                break
            self.search = AgreementSearch(self.statistics, searched, self.knowledge.required, how)
            self.search.run(self._accepted, self.budget.enough)
            self.looks += self.search.looks
            hope = self.search.hope

    def _accepted(self, members: Members) -> bool:
        """Tell whether the exact evidence for a set outweighs the number of sets; remember it if so."""
        if self.judge.numbers(members) > self.how.largest_table:
            return False
        table = self.statistics.of(members)
        if self.judge.numbers(members) * len(members) <= CHEAP_NUMBERS:
            table = self.judge.trimmed(table)
        evidence = self.judge.value(table) - self.judge.score.prior(len(table.parents))
        sets = min(-self.judge.score.prior(len(table.parents)), len(self.allowed) * math.log(2))
        if evidence - sets <= self.how.threshold:
            return False
        self.found = table.parents
        return True

    def _within_limit(self, parents: Members) -> Members:
        """Drop the weakest parents while there are more than allowed."""
        while len(parents) > self.most:
            parents = self._without_weakest(parents)
        return parents

    def _without_weakest(self, parents: Members) -> Members:
        strength = self.judge.of_parents(parents)
        weakest = min(self.judge.by_name(strength), key=lambda j: strength[j])
        return tuple(p for p in parents if p != weakest)

    def _judged(self, parents: Members) -> Members:
        """Let candidates join and parents leave, until a set comes back or the budget is spent."""
        seen = set()
        while parents not in seen and not self.budget.enough():
            seen.add(parents)
            parents = self._shrunk(self._grown(parents))
        return parents

    def _grown(self, parents: Members) -> Members:
        while len(parents) < self.most and not self.budget.enough():
            strength = self.judge.of_candidates(parents, self._doubtful(parents))
            if not strength:
                break
            strongest = max(self.judge.by_name(strength), key=lambda j: strength[j])
            if strength[strongest] <= self.joining:
                break
            parents = tuple(sorted((*parents, strongest)))
        return parents

    def _shrunk(self, parents: Members) -> Members:
        while not self.budget.enough():
            strength = self.judge.of_parents(parents)
            if not strength or min(strength.values()) >= self.how.threshold:
                break
            parents = self._without_weakest(parents)
        return parents

    def _doubtful(self, parents: Members) -> list[int]:
        """Return the candidates worth an exact judgement: all, or those that pairs do not speak against."""
        absent = [j for j in self.knowledge.candidates if j not in parents]
        self.unjudged = set()
        largest = max((self.judge.numbers((*parents, j)) for j in absent), default=0)
        if largest * len(absent) <= CHEAP_NUMBERS or not self._can_look_around(parents):
            return absent
        assert self.search is not None
        lattice = self.search.around(parents)
        level = PAIRS_AGAINST * lattice.of(parents)
        z = {j: lattice.of((*parents, j)) for j in self.judge.by_name(absent) if j in lattice.free}
        ranked = sorted((j for j in z if z[j] > level), key=lambda j: -z[j])[:MOST_DOUBTFUL]
        chosen = [j for j in ranked if self.judge.numbers((*parents, j)) <= self.how.largest_table]
        self.unjudged = set(absent) - set(chosen)
        return sorted(chosen)

    def _can_look_around(self, parents: Members) -> bool:
        """Tell whether pairs within a block of the parents are few enough."""
        return (
            self.search is not None
            and len(set(parents) & set(self.search.candidates)) >= self.search.block_size
        )

    def _result(self, parents: Members, *, judged: bool) -> NodeResult:
        kept = self.judge.of_parents(parents) if judged and not self.budget.spent else {}
        absent = {}
        if judged and not self.budget.spent:
            absent = self.judge.of_candidates(parents, self._doubtful(parents))
        evidence = tuple(self._evidence(j, parents, kept, absent) for j in self.statistics.candidates)
        return NodeResult(
            target=self.statistics.target,
            parents=parents,
            evidence=evidence,
            counts={"scores": self.budget.scores, "tests": self.judge.tests, "looks": self.looks},
            notes=self._notes(judged),
        )

    def _evidence(
        self, j: int, parents: Members, kept: dict[int, float], absent: dict[int, float]
    ) -> Evidence:
        if j in self.knowledge.required:
            return Evidence(j, True, "required")
        if j not in self.allowed:
            return Evidence(j, False, "forbidden")
        if j in parents:
            return Evidence(
                j, True, "dependent" if j in kept else "found before the budget was spent", gain=kept.get(j)
            )
        if j in absent:
            full = absent[j] > self.joining and len(parents) >= self.most
            why = "shut out by the limit on parents" if full else "independent given the parents"
            return Evidence(j, False, why, gain=absent[j], separating_set=parents)
        why = "pairs of events speak against it" if j in self.unjudged else "not judged"
        return Evidence(j, False, why)

    def _notes(self, judged: bool) -> tuple[str, ...]:
        if not judged:
            return ("the variable never changes: the data do not tell its parents",)
        return ("the budget was spent: this is the best found until then",) if self.budget.spent else ()
