"""Learning a graph: node by node, in any order, on any number of threads, with the same result.

Only the learner is timed, identically for every learner: not importing, not reading, not writing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from ctbnlab.counting.node import MEMORY, NodeStatistics
from ctbnlab.counting.shared_joints import share_joints
from ctbnlab.counting.shared_pairs import Run, Share, shares_of
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.learning import registry
from ctbnlab.learning.contract import Learner, NodeFailure, NodeResult, Skip, Steps, is_in_steps, one_step
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.knowledge import Knowledge, NodeKnowledge

Answer = NodeResult | NodeFailure

# Nodes that have begun keep the tables of their single candidates; so many together take a few MB.
_TABLES_TOGETHER = 8192


class LearnerError(RuntimeError):
    """A learner raised an error, or what it returned is no parent set."""


@dataclass(frozen=True)
class Learned:
    """A graph and what learning it took: CPU seconds a node, and wall seconds for all of them."""

    graph: LearnedGraph
    seconds: dict[str, float]
    wall_seconds: float


def learn(
    data: Trajectories,
    learner: Learner,
    *,
    label: str | None = None,
    knowledge: Knowledge | None = None,
    nodes: Iterable[str] | None = None,
    jobs: int = 1,
    memory: int | None = None,
    record_failures: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Learned:
    """Learn the parents of all nodes, or of those named; `progress` is called with each finished name.

    A learner's error is raised as LearnerError, or with `record_failures` noted in the graph.
    """
    if jobs < 1:
        raise InputError(f"the number of jobs must be at least 1, not {jobs}")
    known = (knowledge or Knowledge()).for_nodes(data.names)
    targets = sorted(range(data.n_variables) if nodes is None else {data.index(name) for name in nodes})
    room = MEMORY if memory is None else memory

    work = _Work(data, learner, known, room, record_failures, progress)
    answers: list[tuple[Answer, float]] = []
    began = time.perf_counter()
    with ExitStack() as stack:
        run: Run = map if jobs == 1 else stack.enter_context(ThreadPoolExecutor(jobs)).map
        batches: Iterable[list[Share]] = [[Share(target) for target in targets]]
        if getattr(learner, "wants_pairs", True):
            batches = shares_of(data, targets, memory=room, jobs=jobs, run=run)
        for batch in batches:
            answers.extend(work.answers(batch, jobs, run))
    wall_seconds = time.perf_counter() - began
    graph = LearnedGraph(
        variables=data.variables,
        nodes=tuple(answer for answer, _ in answers if isinstance(answer, NodeResult)),
        failures=tuple(answer for answer, _ in answers if isinstance(answer, NodeFailure)),
        **about(data, learner, label),
    )
    return Learned(graph, {data.names[answer.target]: s for answer, s in answers}, wall_seconds)


def about(data: Trajectories, learner: Learner, label: str | None) -> dict[str, dict[str, Any]]:
    """Return what a graph's file says of its learner and its data."""
    return {
        "learner": {"name": label or type(learner).__name__, "parameters": registry.parameters(learner)},
        "data": {"trajectories": data.n_trajectories, "events": data.n_events, "time": data.total_time},
    }


@dataclass
class _Node:
    """One node on its way: what it has cost, where its learner stands, and at last the answer."""

    target: int
    seconds: float
    statistics: NodeStatistics | None = None
    steps: Steps | None = None
    answer: Answer | None = None


@dataclass(frozen=True)
class _Work:
    """Learns nodes of one data set, timed one by one: CPU time of the thread that has the node alone."""

    data: Trajectories
    learner: Learner
    known: Sequence[NodeKnowledge]
    memory: int
    record_failures: bool
    progress: Callable[[str], None] | None

    def answers(self, batch: Sequence[Share], jobs: int, run: Run) -> Iterator[tuple[Answer, float]]:
        """Yield the answer for each node and its seconds; what nodes share is counted with the first."""
        few = max(1, len(batch))
        if is_in_steps(self.learner):
            few = max(jobs, _TABLES_TOGETHER // self.data.n_variables)
        for first in range(0, len(batch), few):
            nodes = list(run(self.begin, batch[first : first + few]))
            waiting = [node for node in nodes if node.answer is None]
            while waiting:
                statistics = [node.statistics for node in waiting if node.statistics is not None]
                waiting[0].seconds += share_joints(self.data, statistics, self.memory, jobs, run)
                waiting = [node for node in run(self.go_on, waiting) if node.answer is None]
            for node in nodes:
                assert node.answer is not None
                yield node.answer, node.seconds

    def begin(self, share: Share) -> _Node:
        """Make a node's statistics and go the first step."""
        node = _Node(share.target, share.seconds)
        with self._timed(node):
            node.statistics = share.statistics(self.data, self.memory)
            if is_in_steps(self.learner):
                known = self.known[node.target]
                node.steps = self._call(node, self.learner.learn_in_steps, node.statistics, known)
        return self.go_on(node)

    def go_on(self, node: _Node) -> _Node:
        """Go one step, or all of them where there are none; after the last see that the answer is one."""
        with self._timed(node):
            if node.answer is not None:
                pass
            elif node.steps is None:
                known = self.known[node.target]
                result = self._call(node, self.learner.learn_node, node.statistics, known)
                node.answer = self._checked(node, result)
            else:
                ended = self._call(node, one_step, node.steps)
                if ended:
                    node.answer = self._checked(node, ended[0])
        if node.answer is not None:
            node.statistics = node.steps = None
            if self.progress is not None:
                self.progress(self.data.names[node.target])
        return node

    @contextmanager
    def _timed(self, node: _Node) -> Iterator[None]:
        """Add to a node's seconds; a failure that is to be recorded is the answer."""
        began = time.thread_time()
        try:
            yield
        except (LearnerError, Skip) as error:
            if not self.record_failures:
                raise
            status = "skipped" if isinstance(error, Skip) else "failed"
            node.answer = NodeFailure(node.target, status, str(error))
        node.seconds += time.thread_time() - began

    def _call(self, node: _Node, method: Callable[..., Any], *arguments: Any) -> Any:
        """Call the learner; whatever it raises is said to be of this node."""
        try:
            return method(*arguments)
        except (Skip, InputError, MemoryError):
            raise
        except Exception as error:
            name = self.data.names[node.target]
            raise LearnerError(f"{name}: {type(error).__name__}: {error}") from error

    def _checked(self, node: _Node, result: object) -> NodeResult:
        name = self.data.names[node.target]
        if not isinstance(result, NodeResult):
            raise LearnerError(f"{name}: the learner returned {type(result).__name__}, not a NodeResult")
        fault = _fault(result, node.target, self.known[node.target], self.data.n_variables)
        if fault is not None:
            raise LearnerError(f"{name}: {fault}")
        return result


def _fault(result: NodeResult, target: int, known: NodeKnowledge, n_variables: int) -> str | None:
    """Say what is wrong with a learner's answer: no parent set, or one that breaks what the user knows."""
    parents = result.parents
    if result.target != target:
        return f"the learner answered for node {result.target}"
    if list(parents) != sorted(set(parents)) or not set(parents) <= set(range(n_variables)) - {target}:
        return f"the parents {parents} are no set of other variables in increasing order"
    if not set(known.required) <= set(parents) <= set(known.required) | set(known.candidates):
        return f"the parents {parents} break the required or forbidden arcs"
    if known.max_parents is not None and len(parents) > known.max_parents:
        return f"the parents {parents} are more than {known.max_parents}"
    return None
