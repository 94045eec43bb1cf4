"""Learning a graph: node by node, in any order, on any number of threads, with the same result.

Only the learner is timed, identically for every learner: not importing, not reading, not writing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from ctbnlab import learners
from ctbnlab.errors import InputError
from ctbnlab.graph import LearnedGraph
from ctbnlab.knowledge import Knowledge, NodeKnowledge
from ctbnlab.learners.base import Learner, NodeFailure, NodeResult, Skip
from ctbnlab.shared_scan import Run, Share, shares_of
from ctbnlab.statistics import MEMORY, NodeStatistics
from ctbnlab.trajectories import Trajectories


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

    def one(share: Share) -> tuple[NodeResult | NodeFailure, float]:
        # CPU time of this thread alone: other threads and a busy machine do not count. What nodes share
        # is counted with the first of them.
        began = time.thread_time() - share.seconds
        answer: NodeResult | NodeFailure
        try:
            answer = _learn_one(learner, share.statistics(data, room), known[share.target], data)
        except (LearnerError, Skip) as error:
            if not record_failures:
                raise
            answer = NodeFailure(share.target, "skipped" if isinstance(error, Skip) else "failed", str(error))
        seconds = time.thread_time() - began
        if progress is not None:
            progress(data.names[share.target])
        return answer, seconds

    answers: list[tuple[NodeResult | NodeFailure, float]] = []
    began = time.perf_counter()
    with ExitStack() as stack:
        run: Run = map if jobs == 1 else stack.enter_context(ThreadPoolExecutor(jobs)).map
        batches: Iterable[list[Share]] = [[Share(target) for target in targets]]
        if getattr(learner, "wants_pairs", True):
            batches = shares_of(data, targets, memory=room, jobs=jobs, run=run)
        for batch in batches:
            answers.extend(run(one, batch))
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
        "learner": {"name": label or type(learner).__name__, "parameters": learners.parameters(learner)},
        "data": {"trajectories": data.n_trajectories, "events": data.n_events, "time": data.total_time},
    }


def _learn_one(
    learner: Learner, statistics: NodeStatistics, known: NodeKnowledge, data: Trajectories
) -> NodeResult:
    name = data.names[statistics.target]
    try:
        result = learner.learn_node(statistics, known)
    except (Skip, InputError, MemoryError):
        raise
    except Exception as error:
        raise LearnerError(f"{name}: {type(error).__name__}: {error}") from error
    if not isinstance(result, NodeResult):
        raise LearnerError(f"{name}: the learner returned {type(result).__name__}, not a NodeResult")
    fault = _fault(result, statistics.target, known, data.n_variables)
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
