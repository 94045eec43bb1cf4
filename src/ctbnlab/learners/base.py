"""The contract of a learner: the parents of one node, and the evidence for each arc kept or dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

from ctbnlab.knowledge import NodeKnowledge
from ctbnlab.statistics import NodeStatistics


@dataclass(frozen=True)
class Evidence:
    """Why the arc candidate → target is in the graph or not.

    Tests give `p_value`, `statistic`, `degrees_of_freedom` and, for an arc dropped, the `separating_set`;
    scores give `gain`, what the score loses without the arc (kept) or would gain with it (dropped: ≤ 0).
    `why` is a word or short sentence for a person: "required", "independent", "never changes", …
    """

    candidate: int
    kept: bool
    why: str
    statistic: float | None = None
    degrees_of_freedom: float | None = None
    p_value: float | None = None
    separating_set: tuple[int, ...] | None = None
    gain: float | None = None


@dataclass(frozen=True)
class NodeResult:
    """The parents of one target, how they were found, and what could not be told."""

    target: int
    parents: tuple[int, ...]  # in increasing order
    evidence: tuple[Evidence, ...]  # one for each other variable, in increasing order
    counts: Mapping[str, int] = field(default_factory=dict)  # {"tests": 12} or {"scores": 40}, …
    notes: tuple[str, ...] = ()  # what could not be tested, a budget that ran out, …


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

    A learner that has no use for the tables of all single candidates may say `wants_pairs = False`: they are
    not counted for all nodes beforehand then.
    """

    citation: ClassVar[str]

    def learn_node(self, statistics: NodeStatistics, knowledge: NodeKnowledge) -> NodeResult:
        """Return the parents of `statistics.target`."""


@runtime_checkable
class InTwoParts(Protocol):
    """A learner may find a node's parents in two parts; `learn_node` is one after the other.

    Between the two the joint tables that `focus` asked for in the first are counted for many nodes together.
    """

    def begin(self, statistics: NodeStatistics, knowledge: NodeKnowledge) -> Any:
        """Return where the search stands when it knows which candidates it will ask for together."""

    def finish(self, begun: Any) -> NodeResult:
        """Return the parents."""
