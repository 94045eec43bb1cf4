"""Checks that a learner follows the contract, for authors of learners."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import one_line
from ctbnlab.learning.completion import merge
from ctbnlab.learning.contract import Learner, Skip
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.knowledge import Knowledge
from ctbnlab.learning.nodes import LearnerError, learn
from ctbnlab.learning.plugins import LoadError
from ctbnlab.simulation.simulate import simulate

Check = tuple[str, Callable[[], None]]


class Nonconformance(Exception):
    """A learner did something that the contract does not allow."""


def checks(learner: Learner, isolated: bool = False) -> Iterator[Check]:
    """Yield the name of each check and a function that raises `Nonconformance` if the check fails.

    `isolated` means that Ctrl-C does not reach this process, as in `learn`.
    """
    run = _Runner(learner, isolated)
    for name, data in _data_sets().items():
        yield name, partial(_learns, run, data)
    data = _data_sets()["mixed cardinalities"]
    yield "repeated runs agree", lambda: _same(run(data), run(data))
    yield "nodes in any order and packing", lambda: _packing(run, data)
    yield "nodes in parallel threads", lambda: _threads(run, data)
    yield "required and forbidden arcs", lambda: _knowledge(run, data)
    yield "maximum number of parents", lambda: _limit(run, data)


def checks_of_command(run: Callable[[Trajectories], LearnedGraph]) -> Iterator[Check]:
    """Yield the checks of an external command, which learns a whole graph without prior knowledge.

    `run` learns from data, and raises `LearnerError` if the command fails.
    """

    def graph(data: Trajectories) -> LearnedGraph:
        try:
            return run(data)
        except LearnerError as error:
            raise Nonconformance(one_line(str(error))) from error

    for name, data in _data_sets().items():
        yield name, partial(_finishes, graph, data)
    data = _data_sets()["mixed cardinalities"]
    yield "repeated runs agree", lambda: _same(graph(data), graph(data))


def _finishes(graph: Callable[[Trajectories], LearnedGraph], data: Trajectories) -> None:
    graph(data)


@dataclass(frozen=True)
class _Runner:
    """Learns a graph with the learner; whatever goes wrong is a `Nonconformance`."""

    learner: Learner
    isolated: bool

    def __call__(
        self,
        data: Trajectories,
        knowledge: Knowledge | None = None,
        jobs: int = 1,
        nodes: Iterable[str] | None = None,
    ) -> LearnedGraph:
        try:
            return learn(
                data, self.learner, knowledge=knowledge, jobs=jobs, nodes=nodes, isolated=self.isolated
            ).graph
        except (LearnerError, Skip, LoadError) as error:
            raise Nonconformance(one_line(str(error))) from error


def _data_sets() -> dict[str, Trajectories]:
    from ctbnlab.model.gallery import get
    from ctbnlab.model.generate import generate

    mixed = generate(5, states=[2, 3, 4, 2, 3], density=0.3, seed=1)
    whole = simulate(mixed, trajectories=20, duration=20.0, seed=1)
    return {
        "mixed cardinalities": whole,
        "example of the paper": simulate(get("eating"), trajectories=20, duration=50.0, seed=1),
        "single trajectory": whole.subset([0]),
        # Most states and configurations never occur.
        "few events": simulate(mixed, trajectories=3, duration=0.01, seed=1),
        "no events": simulate(mixed, trajectories=1, duration=1e-9, seed=2),
        "single variable": simulate(generate(1, states=3, density=0.1, seed=1), duration=5.0, seed=1),
    }


def _learns(run: _Runner, data: Trajectories) -> None:
    for node in run(data).nodes:
        listed = [entry.candidate for entry in node.evidence]
        expected = [j for j in range(data.n_variables) if j != node.target]
        if listed != expected:
            raise Nonconformance(f"evidence must list the candidates {expected} in order, not {listed}")
        if {entry.candidate for entry in node.evidence if entry.kept} != set(node.parents):
            raise Nonconformance("the candidates kept in the evidence differ from the parents")


def _same(first: LearnedGraph, second: LearnedGraph) -> None:
    if first.to_json() != second.to_json():
        raise Nonconformance("two runs on the same data give different graphs")


def _packing(run: _Runner, data: Trajectories) -> None:
    whole = run(data)
    merged = merge([run(data, nodes=[name]) for name in reversed(data.names)])
    for node, alone in zip(whole.nodes, merged.nodes, strict=True):
        if node != alone:
            name = data.names[node.target]
            raise Nonconformance(f"node {name} has another result when learned alone than with all nodes")


def _threads(run: _Runner, data: Trajectories) -> None:
    alone = run(data)
    with ThreadPoolExecutor(4) as pool:
        for graph in pool.map(lambda _: run(data, jobs=2), range(4)):
            _same(alone, graph)


def _knowledge(run: _Runner, data: Trajectories) -> None:
    names = data.names
    required, forbidden = {(names[0], names[1])}, {(names[2], "*"), ("*", names[3])}
    graph = run(data, Knowledge.from_arcs(required, forbidden))
    if not required <= set(graph.arcs):
        raise Nonconformance("a required arc is missing")
    if any(arc[0] == names[2] or arc[1] == names[3] for arc in graph.arcs):
        raise Nonconformance("a forbidden arc is present")
    _same(run(data, Knowledge.from_arcs()), run(data))


def _limit(run: _Runner, data: Trajectories) -> None:
    for limit in (0, 1):
        graph = run(data, Knowledge.from_arcs(max_parents=limit))
        if any(len(node.parents) > limit for node in graph.nodes):
            raise Nonconformance(f"a node has more than {limit} parents")
