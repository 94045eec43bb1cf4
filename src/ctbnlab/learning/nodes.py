"""Learning a graph: node by node, in any order, on any number of threads, with the same result.

Only the learner is timed, identically for every learner: not importing, not reading, not writing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from ctbnlab.counting import tuning
from ctbnlab.counting.batch import Map, Share, batches, share_joints
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.io.limits import MAX_JOBS, MAX_MEGABYTES, require_between
from ctbnlab.learning import registry
from ctbnlab.learning.contract import Learner, NodeFailure, NodeResult, Skip, has_two_stages
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.knowledge import Knowledge, NodeKnowledge

Answer = NodeResult | NodeFailure


class LearnerError(RuntimeError):
    """A learner raised an error, or returned something that is not a valid parent set."""


@dataclass(frozen=True)
class Learned:
    """A graph and what learning it took: CPU seconds per node, and wall seconds for all of them."""

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
    """Learn the parents of all nodes, or of the named ones; `progress` is called with each finished name.

    A learner's error is raised as LearnerError, or with `record_failures` recorded in the graph.
    """
    require_between(jobs, 1, MAX_JOBS, "the number of jobs")
    if memory is not None:
        require_between(memory, 0, MAX_MEGABYTES << 20, "the number of bytes for tables")
    known = (knowledge or Knowledge()).for_nodes(data.names)
    targets = sorted(range(data.n_variables) if nodes is None else {data.index(name) for name in nodes})
    allowed = max(tuning.MEMORY if memory is None else memory, getattr(learner, "table_memory", 0))

    work = _Work(data, learner, known, allowed, record_failures, progress)
    answers: list[tuple[Answer, float]] = []
    began = time.perf_counter()
    with ExitStack() as stack:
        run: Map = map if jobs == 1 else stack.enter_context(ThreadPoolExecutor(jobs)).map
        shares: Iterable[list[Share]] = [[Share(target) for target in targets]]
        if getattr(learner, "wants_pairs", True):
            shares = batches(data, targets, memory=allowed, jobs=jobs, run=run)
        for batch in shares:
            answers.extend(work.answers(batch, jobs, run))
    wall_seconds = time.perf_counter() - began
    graph = LearnedGraph(
        variables=data.variables,
        nodes=tuple(answer for answer, _ in answers if isinstance(answer, NodeResult)),
        failures=tuple(answer for answer, _ in answers if isinstance(answer, NodeFailure)),
        **description(data, learner, label),
    )
    return Learned(graph, {data.names[answer.target]: s for answer, s in answers}, wall_seconds)


def description(data: Trajectories, learner: Learner, label: str | None) -> dict[str, dict[str, Any]]:
    """Return what a graph's file records about its learner and its data."""
    return {
        "learner": {"name": label or type(learner).__name__, "parameters": registry.parameters(learner)},
        "data": {"trajectories": data.n_trajectories, "events": data.n_events, "time": data.total_time},
    }


@dataclass
class _Node:
    """One node being learned: its cost so far, the call that finishes it, and finally the answer."""

    target: int
    seconds: float
    statistics: NodeStatistics | None = None
    finish: Callable[[], object] | None = None
    answer: Answer | None = None


@dataclass(frozen=True)
class _Work:
    """Learns nodes of one data set, each timed by the CPU time of the thread that has it."""

    data: Trajectories
    learner: Learner
    known: Sequence[NodeKnowledge]
    memory: int
    record_failures: bool
    progress: Callable[[str], None] | None

    def answers(self, batch: Sequence[Share], jobs: int, run: Map) -> Iterator[tuple[Answer, float]]:
        """Yield each node's answer and seconds; what nodes share is counted with the first of them."""
        two_stages = has_two_stages(self.learner)
        together = max(1, len(batch))
        if two_stages:
            together = max(jobs, tuning.TABLES_UNDER_WAY // self.data.n_variables)
        for first in range(0, len(batch), together):
            nodes = list(run(self.begin, batch[first : first + together]))
            if two_stages:
                statistics = [node.statistics for node in nodes if node.statistics is not None]
                nodes[0].seconds += share_joints(self.data, statistics, self.memory, jobs, run)
            for node in run(self.finish, nodes):
                assert node.answer is not None
                yield node.answer, node.seconds

    def begin(self, share: Share) -> _Node:
        """Make a node's statistics, and let a learner of two stages do the first."""
        node = _Node(share.target, share.seconds)
        with self._timed(node):
            node.statistics = share.statistics(self.data, self.memory)
            given = (node.statistics, self.known[node.target])
            if has_two_stages(self.learner):
                node.finish = self._call(node, partial(self.learner.prepare, *given))
            else:
                node.finish = partial(self.learner.learn_node, *given)
        return node

    def finish(self, node: _Node) -> _Node:
        """Finish a node, and check that the answer is a parent set."""
        if node.answer is None and node.finish is not None:
            with self._timed(node):
                node.answer = self._checked(node, self._call(node, node.finish))
        node.statistics = node.finish = None
        if self.progress is not None:
            self.progress(self.data.names[node.target])
        return node

    @contextmanager
    def _timed(self, node: _Node) -> Iterator[None]:
        """Add to a node's seconds; a failure that is to be recorded becomes the answer."""
        began = time.thread_time()
        try:
            yield
        except (LearnerError, Skip) as error:
            if not self.record_failures:
                raise
            status = "skipped" if isinstance(error, Skip) else "failed"
            node.answer = NodeFailure(node.target, status, str(error))
            node.statistics = None
        node.seconds += time.thread_time() - began

    def _call(self, node: _Node, step: Callable[[], Any]) -> Any:
        """Call the learner; report whatever it raises with the name of this node."""
        try:
            return step()
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
    """Return what is wrong with a learner's answer: not a parent set, or one that breaks prior knowledge."""
    parents = result.parents
    if result.target != target:
        return f"the learner answered for node {result.target}"
    if list(parents) != sorted(set(parents)) or not set(parents) <= set(range(n_variables)) - {target}:
        return f"the parents {parents} are not distinct other variables in increasing order"
    if not set(known.required) <= set(parents) <= set(known.required) | set(known.candidates):
        return f"the parents {parents} violate the required or forbidden arcs"
    if known.max_parents is not None and len(parents) > known.max_parents:
        return f"the parents {parents} are more than the {known.max_parents} allowed"
    return None
