"""What must not change a graph: the unit of time, the order of columns, the packing of nodes, threads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.learning.ctpc.learner import Ctpc
from ctbnlab.learning.empirical_bayes import search
from ctbnlab.learning.nodes import learn
from ctbnlab.learning.registry import make
from ctbnlab.model.generate import generate
from ctbnlab.simulation.simulate import simulate

LEARNERS = {
    "empirical-bayes": make("empirical-bayes"),
    "pooled": Ctpc(test="pooled"),
    "dm": Ctpc(test="dm"),
    "corrected": Ctpc(conventions="corrected"),
}
# Sparse tables for some nodes, dense ones for others, and mixed numbers of states.
NETWORK = generate(8, [2, 3, 4], 0.35, count="probability", connectivity="no-isolated", seed=21)


@pytest.fixture(autouse=True, params=[search.WHOLE_WORK, 0], ids=["all sets at once", "by looks"])
def _search(request, monkeypatch):
    """The empirical-Bayes learner searches in one of two ways, by the number of joint states."""
    monkeypatch.setattr(search, "WHOLE_WORK", request.param)


@pytest.fixture(scope="module", params=[2, 25], ids=["few events", "many events"])
def data(request):
    return simulate(NETWORK, trajectories=request.param, duration=40.0, seed=21)


def arcs(data, learner, **options):
    return set(learn(data, learner, **options).graph.arcs)


def permuted(data: Trajectories, order) -> Trajectories:
    """Return the same data with other columns first."""
    last = data.offsets[-1]
    return Trajectories.from_arrays(
        [data.variables[j] for j in order],
        offsets=data.offsets,
        start=data.start,
        end=data.end,
        initial=data.initial[:, order],
        time=data.time[:last],
        variable=np.argsort(order)[data.variable[:last]],
        new=data.new[:last],
    )


@pytest.mark.parametrize("unit", [1e-3, 1e3, 3e7])
@pytest.mark.parametrize("name", LEARNERS)
def test_the_unit_of_time_changes_no_graph(data, name, unit):
    scaled = replace(data, time=data.time * unit, start=data.start * unit, end=data.end * unit)
    assert arcs(scaled, LEARNERS[name]) == arcs(data, LEARNERS[name])


def test_the_unit_of_time_changes_the_papers_graphs(data):
    """Its pseudo-time does: or the tests above would show nothing."""
    scaled = replace(data, time=data.time * 1e-3, start=data.start * 1e-3, end=data.end * 1e-3)
    assert arcs(scaled, Ctpc()) != arcs(data, Ctpc())


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", LEARNERS)
def test_the_order_of_columns_changes_no_graph(data, name, seed):
    learner = LEARNERS[name]
    learner = replace(learner, stable=True) if isinstance(learner, Ctpc) else learner
    order = np.random.default_rng(seed).permutation(data.n_variables)
    assert arcs(permuted(data, order), learner) == arcs(data, learner)


@pytest.mark.parametrize("name", LEARNERS)
def test_neither_packing_nor_threads_change_a_graph(data, name):
    learner = LEARNERS[name]
    whole = arcs(data, learner)
    names = data.names
    assert set().union(*(arcs(data, learner, nodes=[name]) for name in names)) == whole
    packed = [names[:3], names[3:7], names[7:]]
    assert set().union(*(arcs(data, learner, nodes=list(pack)) for pack in packed)) == whole
    assert arcs(data, learner, jobs=3) == whole
