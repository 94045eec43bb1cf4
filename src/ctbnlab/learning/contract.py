"""The contract of a learner: the parents of one node, and the evidence for each arc kept or dropped."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, TypeGuard

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.learning.knowledge import NodeKnowledge


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


Steps = Generator[None, None, NodeResult]


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


class InSteps(Learner, Protocol):
    """A learner may find a node's parents step by step; its `learn_node` is then `last_of` the steps.

    Between steps the joint tables that `focus` has asked for are counted for many nodes together.
    """

    def learn_in_steps(self, statistics: NodeStatistics, knowledge: NodeKnowledge) -> Steps:
        """Yield whenever `focus` has been told what comes next, and return the parents at last."""


def is_in_steps(learner: Learner) -> TypeGuard[InSteps]:
    """Tell whether the steps are the learner's last word: a subclass may have its own `learn_node`."""
    for kind in type(learner).__mro__:
        if "learn_in_steps" in vars(kind) or "learn_node" in vars(kind):
            return "learn_in_steps" in vars(kind)
    return False


def one_step(steps: Steps) -> tuple[NodeResult, ...]:
    """Go one step; return nothing, or after the last one the result."""
    try:
        next(steps)
    except StopIteration as end:
        return (end.value,)
    return ()


def last_of(steps: Steps) -> NodeResult:
    """Go through all steps for one node alone, and return its result."""
    while not (ended := one_step(steps)):
        pass
    return ended[0]
