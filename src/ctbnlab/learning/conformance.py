"""Does a learner keep the contract? The questions that its author should be able to answer with yes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.learning.contract import Learner, NodeResult, Skip
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.knowledge import Knowledge
from ctbnlab.learning.nodes import LearnerError, learn
from ctbnlab.simulation.simulate import simulate

Check = tuple[str, Callable[[], None]]


class Nonconformance(Exception):
    """What a learner did that the contract does not allow."""


def checks(learner: Learner) -> Iterator[Check]:
    """Yield questions and functions that raise where the answer is no."""
    for name, data in _data_sets().items():
        yield f"learns {name}", partial(_learns, learner, data)
    data = _data_sets()["mixed cardinalities"]
    yield "gives the same graph twice", lambda: _same(_learn(learner, data), _learn(learner, data))
    yield "learns nodes in any order and packing alike", lambda: _packing(learner, data)
    yield "learns nodes side by side in threads", lambda: _threads(learner, data)
    yield "keeps required and forbidden arcs", lambda: _knowledge(learner, data)
    yield "keeps a limit on parents", lambda: _limit(learner, data)


def _data_sets() -> dict[str, Trajectories]:
    from ctbnlab.model.gallery import get
    from ctbnlab.model.generate import generate

    mixed = generate(5, states=[2, 3, 4, 2, 3], density=0.3, seed=1)
    whole = simulate(mixed, trajectories=20, duration=20.0, seed=1)
    # A thousandth of a time unit: hardly an event, many states and configurations never seen.
    nothing = simulate(mixed, trajectories=1, duration=1e-9, seed=2)
    return {
        "mixed cardinalities": whole,
        "the paper's example": simulate(get("eating"), trajectories=20, duration=50.0, seed=1),
        "one trajectory": whole.subset([0]),
        "data with hardly an event": simulate(mixed, trajectories=3, duration=0.01, seed=1),
        "data without any event": nothing,
        "a single variable": simulate(generate(1, states=3, density=0.1, seed=1), duration=5.0, seed=1),
    }


def _learn(
    learner: Learner, data: Trajectories, knowledge: Knowledge | None = None, jobs: int = 1
) -> LearnedGraph:
    try:
        return learn(data, learner, knowledge=knowledge, jobs=jobs).graph
    except (LearnerError, Skip) as error:
        raise Nonconformance(str(error)) from error


def _learns(learner: Learner, data: Trajectories) -> None:
    for node in _learn(learner, data).nodes:
        listed = [entry.candidate for entry in node.evidence]
        expected = [j for j in range(data.n_variables) if j != node.target]
        if listed != expected:
            raise Nonconformance(f"evidence must be of every other variable in order, not of {listed}")
        if {entry.candidate for entry in node.evidence if entry.kept} != set(node.parents):
            raise Nonconformance("the evidence marks other arcs as kept than the parents")


def _same(first: LearnedGraph, second: LearnedGraph) -> None:
    if first.to_json() != second.to_json():
        raise Nonconformance("two runs on the same data differ")


def _packing(learner: Learner, data: Trajectories) -> None:
    whole = {node.target: node for node in _learn(learner, data).nodes}
    for name in reversed(data.names):
        part: tuple[NodeResult, ...] = learn(data, learner, nodes=[name]).graph.nodes
        if part[0] != whole[part[0].target]:
            raise Nonconformance(f"the node {name} alone has another result than among all")


def _threads(learner: Learner, data: Trajectories) -> None:
    alone = _learn(learner, data)
    with ThreadPoolExecutor(4) as pool:
        for graph in pool.map(lambda _: _learn(learner, data, jobs=2), range(4)):
            _same(alone, graph)


def _knowledge(learner: Learner, data: Trajectories) -> None:
    names = data.names
    required, forbidden = {(names[0], names[1])}, {(names[2], "*"), ("*", names[3])}
    graph = _learn(learner, data, Knowledge.from_arcs(required, forbidden))
    if not required <= set(graph.arcs):
        raise Nonconformance("a required arc is missing")
    if any(arc[0] == names[2] or arc[1] == names[3] for arc in graph.arcs):
        raise Nonconformance("a forbidden arc is there")
    _same(_learn(learner, data, Knowledge.from_arcs()), _learn(learner, data))


def _limit(learner: Learner, data: Trajectories) -> None:
    for limit in (0, 1):
        graph = _learn(learner, data, Knowledge.from_arcs(max_parents=limit))
        if any(len(node.parents) > limit for node in graph.nodes):
            raise Nonconformance(f"a node has more than {limit} parents")
