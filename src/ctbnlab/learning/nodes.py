"""Learning a graph: node by node, in any order, on any number of threads, with the same result.

Only the learner is timed, identically for every learner: not importing, not reading, not writing.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from ctbnlab.counting import tuning
from ctbnlab.counting.batch import share_joints
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.pairs import Map, Share, batches
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError, described, one_line
from ctbnlab.io.limits import MAX_JOBS, MAX_MEGABYTES, require_between
from ctbnlab.learning import registry
from ctbnlab.learning.answers import InvalidAnswer, checked
from ctbnlab.learning.clocked_nodes import clocked_node
from ctbnlab.learning.completion import completed
from ctbnlab.learning.contract import (
    NO_TARGET,
    Evidence,
    Learner,
    NodeFailure,
    NodeResult,
    Skip,
    has_two_stages,
)
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.knowledge import Knowledge, NodeKnowledge
from ctbnlab.learning.plugins import LoadError

_log = logging.getLogger(__name__)

Answer = NodeResult | NodeFailure


class LearnerError(RuntimeError):
    """A learner raised an error, or returned something that is not a valid answer."""


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
    isolated: bool = False,
) -> Learned:
    """Learn the parents of all nodes, or of the named ones; `progress` is called with each finished name.

    A learner's error is raised as LearnerError, or with `record_failures` recorded in the graph. `isolated`
    means that Ctrl-C does not reach this process: a KeyboardInterrupt is the learner's own error.
    """
    require_between(jobs, 1, MAX_JOBS, "the number of jobs")
    if memory is not None:
        require_between(memory, 0, MAX_MEGABYTES << 20, "the number of bytes for tables")
    known = (knowledge or Knowledge()).for_nodes(data.names, data.roles)
    targets = sorted(range(data.n_variables) if nodes is None else {data.index(name) for name in nodes})
    allowed = max(tuning.MEMORY if memory is None else memory, _table_memory(learner))

    work = _Work(data, learner, known, allowed, record_failures, progress, isolated)
    fixed = {i: _without_parents(data, i) for i in targets if data.names[i] in data.roles.never_targets}
    targets = [i for i in targets if i not in fixed]
    answers: list[tuple[Answer, float]] = [(answer, 0.0) for answer in fixed.values()]
    _log.info(
        "learning with %s: nodes %d, threads %d, at most %d MB of tables per node",
        *(label or type(learner).__name__, len(targets), jobs, allowed >> 20),
    )
    began = time.perf_counter()
    with _mapping(jobs) as run:
        shares: Iterable[list[Share]] = [[Share(target) for target in targets]]
        if _attribute(learner, "wants_pairs", True):
            shares = batches(data, targets, memory=allowed, jobs=jobs, run=run)
        for batch in shares:
            answers.extend(work.answers(batch, jobs, run))
    wall_seconds = time.perf_counter() - began
    _log.info("learned: nodes %d; %.2f s, CPU %.2f s", len(answers), wall_seconds, sum(s for _, s in answers))
    answers.sort(key=lambda each: each[0].target)
    recorded = description(data, learner, label)
    graph = LearnedGraph(
        variables=data.variables,
        nodes=tuple(answer for answer, _ in answers if isinstance(answer, NodeResult)),
        failures=tuple(answer for answer, _ in answers if isinstance(answer, NodeFailure)),
        roles=data.roles,
        learner=recorded["learner"],
        data=recorded["data"],
    )
    seconds = {data.names[answer.target]: s for answer, s in answers}
    return Learned(completed(graph), seconds, wall_seconds)


def _without_parents(data: Trajectories, target: int) -> NodeResult:
    """Return the answer for a variable that is never a target."""
    why = NO_TARGET[str(data.roles.role_of(data.names[target]))]
    others = (j for j in range(data.n_variables) if j != target)
    return NodeResult(target, (), tuple(Evidence(j, False, why) for j in others))


def description(data: Trajectories, learner: Learner, label: str | None) -> dict[str, dict[str, Any]]:
    """Return what a graph's file records about its learner and its data."""
    try:
        parameters = registry.parameters(learner)
    except Exception as error:  # a field that is not set, or cannot be shown
        raise LearnerError(f"its options cannot be read: {described(error)}") from error
    return description_of(data, label or type(learner).__name__, parameters)


def description_of(data: Trajectories, name: str, parameters: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what a graph's file records about a learner with these parameters and its data."""
    return {
        "learner": {"name": name, "parameters": parameters},
        "data": {"trajectories": data.n_trajectories, "events": data.n_events, "time": data.total_time},
    }


@contextmanager
def _mapping(jobs: int) -> Iterator[Map]:
    """Yield `map`, or that of a pool of threads; after an error, do not wait for what they still do."""
    if jobs == 1:
        yield map
        return
    pool = ThreadPoolExecutor(jobs)
    try:
        yield pool.map
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _attribute(learner: Learner, name: str, default: Any) -> Any:
    """Return an optional attribute of a learner, which may be a property that fails."""
    try:
        return getattr(learner, name, default)
    except Exception as error:
        raise LearnerError(f"its attribute {name} cannot be read: {described(error)}") from error


def _table_memory(learner: Learner) -> int:
    memory = _attribute(learner, "table_memory", 0)
    if isinstance(memory, bool) or not isinstance(memory, int):
        raise LearnerError(f"its attribute table_memory must be a whole number, not {memory!r}")
    return memory


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
    isolated: bool

    def answers(self, batch: list[Share], jobs: int, run: Map) -> Iterator[tuple[Answer, float]]:
        """Yield each node's answer and seconds; what nodes share is counted with the first of them.

        Takes the shares out of the batch, so that their pairs are released one by one.
        """
        two_stages = has_two_stages(self.learner)
        together = max(1, len(batch))
        if two_stages:
            together = max(jobs, tuning.TABLES_UNDER_WAY // self.data.n_variables)
        batch.reverse()
        while batch:
            nodes = list(run(self.begin, (batch.pop() for _ in range(min(together, len(batch))))))
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
            clocked = clocked_node(self.data, *given) if self._has_clocks else None
            if clocked is not None:
                hints = bool(_attribute(self.learner, "takes_hints", False))
                node.finish = partial(clocked.learn, self.learner.learn_node, hints=hints)
            elif has_two_stages(self.learner):
                node.finish = self._call(node, partial(self._prepared, *given))
            else:
                node.finish = partial(self._learned, *given)
        return node

    def finish(self, node: _Node) -> _Node:
        """Finish a node, and check the answer."""
        if node.answer is None and node.finish is not None:
            with self._timed(node):
                node.answer = self._call(node, partial(self._checked, node.target, node.finish))
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
            node.answer = NodeFailure(node.target, status, one_line(str(error)))
            node.statistics = None
        node.seconds += time.thread_time() - began

    def _call(self, node: _Node, step: Callable[[], Any]) -> Any:
        """Call the learner; report whatever it raises, sys.exit() included, with the name of this node."""
        try:
            return step()
        except BaseException as error:
            if self._passes(error):
                raise
            what = str(error) if isinstance(error, InvalidAnswer) else described(error)
            raise LearnerError(f"{self.data.names[node.target]}: {what}") from error

    def _passes(self, error: BaseException) -> bool:
        """Return whether an exception is not a failure of the learner on one node."""
        if isinstance(error, KeyboardInterrupt):
            return not self.isolated
        if isinstance(error, InputError) and type(self.learner).__module__.startswith("ctbnlab."):
            # The user's mistake; but code in a file that an option names may fail as a learner may.
            return not (isinstance(error, LoadError) and self.record_failures)
        return isinstance(error, Skip)

    def _prepared(self, statistics: NodeStatistics, knowledge: NodeKnowledge) -> Callable[[], object]:
        assert has_two_stages(self.learner)
        finish = self.learner.prepare(statistics, knowledge)
        if not callable(finish):
            raise InvalidAnswer(f"prepare returned {type(finish).__name__}, not a function")
        return finish

    def _learned(self, statistics: NodeStatistics, knowledge: NodeKnowledge) -> object:
        return self.learner.learn_node(statistics, knowledge)

    @property
    def _has_clocks(self) -> bool:
        return bool(self.data.roles.clocks) or self.data.roles.own_clock is not None

    def _checked(self, target: int, finish: Callable[[], object]) -> NodeResult:
        answer = finish()
        if self._has_clocks and isinstance(answer, NodeResult):
            return answer  # checked before the clocks were added to it
        return checked(answer, target, self.known[target], self.data.n_variables)
