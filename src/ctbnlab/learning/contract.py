"""The contract of a learner: the parents of one node, and the evidence for each arc kept or dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, TypeGuard

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.learning.knowledge import NodeKnowledge

# A note on a target without transitions.
NEVER_CHANGES = (
    "the variable never changes, so the data cannot show its parents; declare it static if it cannot change"
)
# Why a variable has no parents, by its role.
NO_TARGET = {"static": "static: it has no parents", "clock": "a clock: it has no parents"}
# Why an arc that the evidence supports is not in the graph.
OVER_LIMIT = "dropped: max_parents reached"


@dataclass(frozen=True)
class Effect:
    """How much an arc changes the target's rates, given the other parents.

    `rate_ratio` is the largest ratio of a rate in two states of the parent, all else the same, with the
    95% interval from `low` to `high`; `variation` the coefficient of variation of the rates that the arc
    makes; `information` its share of all that the parents explain, from 0 to 1.
    """

    rate_ratio: float
    low: float
    high: float
    variation: float
    information: float


@dataclass(frozen=True)
class Check:
    """What one check of the model came to, for one variable or (None) for the data as a whole.

    If it `warns`, `message` says in one line what is wrong, and `advice` which option helps, if any.
    """

    name: str
    variable: str | None
    statistic: float
    warns: bool
    message: str = ""
    advice: str = ""


@dataclass(frozen=True, slots=True)  # a large graph has millions
class Evidence:
    """Why the arc candidate → target is in the graph or not.

    Tests give `p_value`, `statistic`, `degrees_of_freedom` and, for a dropped arc, the `separating_set`;
    scores give `gain`, the score lost without the arc (kept) or gained with it (dropped: ≤ 0). `probability`
    is that of the arc given the data. `why` is a word or a short sentence for people: "required",
    "independent", "never changes", …

    When all nodes are learned, p-values get a `q_value` (the false discovery rate if all arcs up to this one
    are kept), and `learning.effects` adds the `effect` of each arc kept.
    """

    candidate: int
    kept: bool
    why: str
    statistic: float | None = None
    degrees_of_freedom: float | None = None
    p_value: float | None = None
    separating_set: tuple[int, ...] | None = None
    gain: float | None = None
    probability: float | None = None
    q_value: float | None = None
    effect: Effect | None = None


@dataclass(frozen=True)
class ParentPosterior:
    """What is needed for the probability of each arc into a node, whatever the density of arcs.

    `totals[m]` is the logarithm of the summed Bayes factors of all sets of m candidates beside the required
    parents, against the required parents alone; `arcs[i][m]` that of the sets with `candidates[i]` among
    them. Sets have at most `limit` candidates.
    """

    candidates: tuple[int, ...]
    limit: int
    totals: tuple[float, ...]
    arcs: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class NodeResult:
    """The parents of one target, how they were found, and what the data could not decide."""

    target: int
    parents: tuple[int, ...]  # in increasing order
    evidence: tuple[Evidence, ...]  # one for each other variable, in increasing order
    counts: Mapping[str, int] = field(default_factory=dict)  # {"tests": 12} or {"scores": 40}, …
    notes: tuple[str, ...] = ()  # what could not be tested, a budget that ran out, …
    # How much the time since its own last change explains, in nats; None if that is not a parent.
    own_clock: float | None = None
    # Until all nodes are known, which decide how dense the graph is and which arcs are probable enough.
    posterior: ParentPosterior | None = None


@dataclass(frozen=True)
class NodeFailure:
    """A node whose parents a learner did not find: it failed, timed out or was skipped, and why."""

    target: int
    status: str  # "failed", "timed out" or "skipped"
    reason: str


class Skip(Exception):
    """Raised by a learner that declines a node, with the reason: a row in the results, not an error."""


class Learner(Protocol):
    """Finds the parents of one node at a time; frozen, so that a node's result depends on nothing else.

    Three attributes are optional. `wants_pairs = False` says that the tables of single candidates need not
    be counted for all nodes beforehand. `table_memory` is the number of bytes that the tables of a node
    should be given, if that is more than the user's bound. `takes_hints = True` has nodes with clocks
    learned without them first, for `knowledge.hint`.
    """

    citation: ClassVar[str]

    def learn_node(self, statistics: NodeStatistics, knowledge: NodeKnowledge) -> NodeResult:
        """Return the parents of `statistics.target`."""


Finish = Callable[[], NodeResult]


class TwoStage:
    """A learner whose nodes can share the counting of joint tables: it implements `prepare` alone.

    `prepare` does what needs single candidates only, calls `statistics.focus` with the candidates whose
    subsets it will ask for, and returns the function that finishes the node. In between, the joint tables
    of many nodes are counted together (`counting.batch`). The result is the same without that.
    """

    def prepare(self, statistics: NodeStatistics, knowledge: NodeKnowledge) -> Finish:
        """Begin a node, and return the function that finishes it."""
        raise NotImplementedError

    def learn_node(self, statistics: NodeStatistics, knowledge: NodeKnowledge) -> NodeResult:
        """Return the parents of `statistics.target`, with the evidence for each arc."""
        return self.prepare(statistics, knowledge)()


def has_two_stages(learner: object) -> TypeGuard[TwoStage]:
    """Return whether to call `prepare`; a subclass may have overridden `learn_node` instead."""
    return getattr(type(learner), "learn_node", None) is TwoStage.learn_node
