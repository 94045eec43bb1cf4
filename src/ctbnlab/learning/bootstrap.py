"""The bootstrap: learn again from halves of the trajectories, and see which arcs come back.

Replicate b draws half of the trajectories, each at most once, by a random generator of (seed, b) alone, so
that the result is the same in one run and in batches. Drawn trajectories share their events with the data: a
replicate takes no copy of them. Estimates from halves vary around that from all data about as much as
estimates from data of the full size vary around the truth.

With `replacement`, a replicate draws as many trajectories as there are. Those that are drawn twice count as
two, so that chance dependence looks about twice as strong, and arcs that do not exist are found too often.

A bootstrap shows how much depends on which trajectories happened to be observed. It repeats the bias of a
model that does not hold: a false arc can be in every replicate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab import seeds
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.data.formats.reading import trajectories_of
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.io.limits import MAX_JOBS, require_between
from ctbnlab.learning.bootstrap_result import Bootstrap, Ratio, Replicate
from ctbnlab.learning.contract import Learner
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.knowledge import Knowledge
from ctbnlab.learning.nodes import learn
from ctbnlab.learning.rate_ratio import rate_ratio, strongest_contrast

MIN_TRAJECTORIES = 10
MAX_REPLICATES = 1_000_000


def bootstrap(
    data: Any,
    learner: Learner | None = None,
    n: int = 200,
    *,
    seed: int = 1,
    replacement: bool = False,
    knowledge: Knowledge | None = None,
    label: str | None = None,
    graph: LearnedGraph | None = None,
    which: Iterable[int] | None = None,
    jobs: int = 1,
    memory: int | None = None,
    progress: Callable[[], None] | None = None,
) -> Bootstrap:
    """Learn from `n` samples of the trajectories, and return how often each arc is found.

    The data are trajectories, a list of them, a DataFrame or the path of a file. By default the learner is
    the empirical-Bayes one, and each sample is half of the trajectories; with `replacement`, as many as there
    are, drawn with replacement. `graph` is what the learner found in all data, if that is known. `which` asks
    for some of the replicates 1 to n only. `progress` is called after each replicate.
    """
    data = trajectories_of(data)
    require_enough(data)
    require_between(n, 1, MAX_REPLICATES, "the number of replicates")
    require_between(jobs, 1, MAX_JOBS, "the number of jobs")
    if seed < 0:
        raise InputError(f"the seed must be at least 0, not {seed}")
    if learner is None:
        from ctbnlab.learning.empirical_bayes.learner import EmpiricalBayes

        learner = EmpiricalBayes()
    options: dict[str, Any] = {"knowledge": knowledge, "label": label, "memory": memory}
    if graph is None:
        graph = learn(data, learner, jobs=jobs, **options).graph
    else:
        require_same(graph, data)
        graph = _as_learned(graph)
    ratios = _ratios(data, graph)

    def replicate(number: int) -> Replicate:
        sample = data.subset(drawn(data, seed, number, replacement=replacement))
        found = Replicate(number, _arcs(sample, learner, options), _ratios_again(sample, graph, ratios))
        if progress is not None:
            progress()
        return found

    numbers = list(range(1, n + 1)) if which is None else sorted(set(which))
    if jobs == 1:
        replicates = tuple(map(replicate, numbers))
    else:
        with ThreadPoolExecutor(jobs) as pool:
            try:
                replicates = tuple(pool.map(replicate, numbers))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    return Bootstrap(n, seed, replacement, graph, ratios, replicates)


def _as_learned(graph: LearnedGraph) -> LearnedGraph:
    """Return a graph without what was added after learning: effects and model checks."""
    nodes = (
        replace(node, evidence=tuple(replace(entry, effect=None) for entry in node.evidence))
        for node in graph.nodes
    )
    return replace(graph, nodes=tuple(nodes), checks=None)


def drawn(data: Trajectories, seed: int, number: int, *, replacement: bool = False) -> NDArray[np.int64]:
    """Return the trajectories of a replicate, in order; with `replacement`, some repeatedly."""
    size = data.n_trajectories
    random = seeds.generator(seed, "bootstrap", number)
    return np.sort(random.integers(0, size, size) if replacement else random.permutation(size)[: size // 2])


def require_enough(data: Trajectories) -> None:
    """Refuse data with too few trajectories to resample."""
    if data.n_trajectories < MIN_TRAJECTORIES:
        only = "only one trajectory" if data.n_trajectories == 1 else f"{data.n_trajectories} trajectories"
        raise InputError(
            f"has {only}; a bootstrap draws whole trajectories and needs at least {MIN_TRAJECTORIES}"
        )


def require_same(graph: LearnedGraph, data: Trajectories) -> None:
    """Refuse a graph from other data, and a part of a graph."""
    summary = {"trajectories": data.n_trajectories, "events": data.n_events, "time": data.total_time}
    if graph.variables != data.variables or dict(graph.data) != summary:
        raise InputError("was learned from other data")
    if not graph.is_whole:
        raise InputError("is a part of a graph; join all parts with `ctbnlab merge`")


def _arcs(data: Trajectories, learner: Learner, options: dict[str, Any]) -> tuple[tuple[int, int], ...]:
    graph = learn(data, learner, **options).graph
    return tuple((parent, node.target) for node in graph.nodes for parent in node.parents)


def _ratios(data: Trajectories, graph: LearnedGraph) -> tuple[Ratio, ...]:
    """Return the rate ratio of each arc of the graph, for the contrast in which it is clearest."""
    found = []
    for node in graph.nodes:
        if not node.parents:
            continue
        table = NodeStatistics(data, node.target).table(node.parents)
        for parent in node.parents:
            contrast = strongest_contrast(table, parent)
            value = None if contrast is None else rate_ratio(table, parent, contrast)
            found.append(Ratio(parent, node.target, contrast, value))
    return tuple(found)


def _ratios_again(
    sample: Trajectories, graph: LearnedGraph, ratios: tuple[Ratio, ...]
) -> tuple[float | None, ...]:
    """Return the rate ratios of the same arcs and contrasts in a replicate."""
    tables = {
        node.target: NodeStatistics(sample, node.target).table(node.parents)
        for node in graph.nodes
        if node.parents
    }
    return tuple(
        None if ratio.contrast is None else rate_ratio(tables[ratio.target], ratio.parent, ratio.contrast)
        for ratio in ratios
    )
