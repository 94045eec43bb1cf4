"""Nodes of data with clocks: which clocks a target's rates follow, and its parents given those.

A clock has many states, and as one more candidate it would make every joint table as many times larger. So
each clock is tested first, on its own: if the target's rates change with it, the learner has to keep it as a
parent, and everything else is found given the clock; otherwise the learner never sees it. Rates may seem to
change with a clock only because parents do: a clock that adds nothing to the parents found is dropped, and
the node is learned again without it. Many states also make it harder to find parents that matter only
together: those found without clocks are handed to a learner that takes hints.

The own clock of a target is the time since its last change. It is a variable of data made for this target
alone, and a mark on the node instead of an arc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.tuning import MEMORY
from ctbnlab.data.clocks import with_own_clock
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.learning.answers import checked
from ctbnlab.learning.contract import Evidence, NodeResult
from ctbnlab.learning.independence.dirichlet_multinomial import DirichletMultinomial
from ctbnlab.learning.knowledge import NodeKnowledge
from ctbnlab.learning.scores.empirical_bayes import EmpiricalBayesScore

# Nats of evidence above which rates change with a clock: by chance in at most e^−3 = 5% of nodes.
THRESHOLD = 3.0
OWN_CLOCK = "time since its own last change"
FOLLOWS, IGNORES = "rates change with this clock", "rates do not change with this clock"

LearnNode = Callable[[NodeStatistics, NodeKnowledge], object]


@dataclass(frozen=True)
class ClockedNode:
    """One target of data with clocks: `learn` finds its parents with a learner's own function."""

    statistics: NodeStatistics
    knowledge: NodeKnowledge  # without the clocks
    clocks: tuple[int, ...]
    own_clock: int | None  # the index of the target's own clock, after all variables of the data

    def learn(self, learn_node: LearnNode, *, hints: bool = False) -> NodeResult:
        """Return the parents, the clocks among them, and the strength of the own clock.

        `hints`: the learner uses the parents found without clocks.
        """
        strength = {clock: self.strength(clock, ()) for clock in self._tested}
        needed = {clock for clock in strength if strength[clock] > THRESHOLD}
        hint = self._learned(learn_node, set()).parents if hints and needed else ()
        while True:
            result = self._learned(learn_node, needed, hint)
            given = {clock: self.strength(clock, result.parents) for clock in needed}
            weakest = min(sorted(given), key=lambda clock: given[clock], default=None)
            if weakest is None or given[weakest] > THRESHOLD:
                return self._without_own_clock(self._with_evidence(result, needed, strength | given))
            strength |= given
            needed.discard(weakest)

    @property
    def _tested(self) -> tuple[int, ...]:
        return self.clocks if self.own_clock is None else (*self.clocks, self.own_clock)

    def strength(self, clock: int, parents: Iterable[int]) -> float:
        """Return how much the clock explains beside the parents: the larger of two log Bayes factors."""
        others = tuple(p for p in parents if p != clock)
        table = self.statistics.table((*others, clock))
        score = EmpiricalBayesScore(len(table.parents), penalty=0.0)
        gain = score.node_score(table, 0) - score.node_score(table.marginal(others), 0)
        return max(gain, DirichletMultinomial(THRESHOLD).log_bayes_factor(table, clock))

    def _learned(self, learn_node: LearnNode, needed: set[int], hint: tuple[int, ...] = ()) -> NodeResult:
        known = self.knowledge
        limit = None if known.max_parents is None else known.max_parents + len(needed)
        given = replace(
            known,
            required=tuple(sorted({*known.required, *needed})),
            max_parents=limit,
            clocks=tuple(sorted(needed)),
            hint=hint,
        )
        answer = learn_node(self.statistics, given)
        return checked(answer, self.statistics.target, given, len(self.statistics.variables))

    def _with_evidence(self, result: NodeResult, needed: set[int], strength: dict[int, float]) -> NodeResult:
        evidence = {entry.candidate: entry for entry in result.evidence}
        for clock in self.clocks:
            why = FOLLOWS if clock in needed else IGNORES
            evidence[clock] = Evidence(clock, clock in needed, why, gain=strength[clock])
        return replace(result, evidence=tuple(evidence[j] for j in sorted(evidence)))

    def _without_own_clock(self, result: NodeResult) -> NodeResult:
        own = self.own_clock
        if own is None:
            return result
        evidence = tuple(
            replace(entry, separating_set=_less(entry.separating_set, own))
            for entry in result.evidence
            if entry.candidate != own
        )
        kept = own in result.parents
        strength = self.strength(own, result.parents) if kept else None
        parents = tuple(p for p in result.parents if p != own)
        return replace(result, parents=parents, evidence=evidence, own_clock=strength)


def _less(members: tuple[int, ...] | None, own: int) -> tuple[int, ...] | None:
    return None if members is None else tuple(j for j in members if j != own)


def clocked_node(
    data: Trajectories, statistics: NodeStatistics, knowledge: NodeKnowledge
) -> ClockedNode | None:
    """Return the node with its clocks; None if the data have none for it."""
    roles = data.roles
    names = set(roles.clock_names)
    clocks = tuple(j for j in knowledge.candidates if data.names[j] in names)
    own = None
    extended = own_clock_statistics(data, statistics.target, statistics.memory)
    if extended is not None:
        statistics, own = extended, data.n_variables
    if not clocks and own is None:
        return None
    others = tuple(j for j in knowledge.candidates if j not in clocks)
    return ClockedNode(statistics, replace(knowledge, candidates=others), clocks, own)


def own_clock_statistics(data: Trajectories, target: int, memory: int = MEMORY) -> NodeStatistics | None:
    """Return statistics with the target's own clock as last variable; None if the data do not ask for one."""
    if data.roles.own_clock is None:
        return None
    extended = with_own_clock(data, target, data.roles.own_clock, _unused(OWN_CLOCK, data.names))
    return None if extended is None else NodeStatistics(extended, target, memory=memory)


def _unused(name: str, names: Iterable[str]) -> str:
    while name in names:
        name += "'"
    return name
