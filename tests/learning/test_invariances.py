"""What must not change a graph: the unit of time, the order of columns, threads, memory, parts."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from ctbnlab.learning.completion import merge
from ctbnlab.learning.ctpc.learner import Ctpc
from ctbnlab.learning.ctss.learner import Ctss
from ctbnlab.learning.empirical_bayes import search
from ctbnlab.learning.empirical_bayes.learner import EmpiricalBayes
from ctbnlab.learning.nodes import learn
from ctbnlab.model.generate import generate
from ctbnlab.simulation.simulate import simulate
from tests.support.sample_trajectories import columns_permuted, times_multiplied

# Learners whose graphs depend neither on the unit of time nor (CTPC: with `stable` or hiton) on the order of
# columns.
INVARIANT = {
    "empirical-bayes": EmpiricalBayes(),
    "empirical-bayes, sampled": EmpiricalBayes(),
    "pooled": Ctpc(test="pooled"),
    "dm": Ctpc(test="dm"),
    "corrected": Ctpc(conventions="corrected"),
    "hiton": Ctpc(conventions="corrected", search="hiton"),
    "hiton, pooled": Ctpc(test="pooled", search="hiton"),
}
EVERY = {
    **INVARIANT,
    "chi2": Ctpc(),
    "chi2, 2021": Ctpc(conventions="paper-2021"),
    "ks": Ctpc(test="ks"),
    "hiton, 2020": Ctpc(search="hiton"),
    "ctss": Ctss(),
    "exhaustive": Ctss(search="exhaustive", max_parents=2),
}
# Mixed cardinalities, and parent sets of few and of many joint states.
NETWORK = generate(8, [2, 3, 4], 0.35, count="probability", connectivity="no-isolated", seed=21)


@pytest.fixture
def learner(request, monkeypatch):
    """Return a learner by its name in `EVERY`; "sampled" turns the exact search off."""
    if request.param.endswith("sampled"):
        monkeypatch.setattr(search, "MAX_EXACT_WORK", 0)
    return EVERY[request.param]


invariant_learners = pytest.mark.parametrize("learner", INVARIANT, indirect=True)
every_learner = pytest.mark.parametrize("learner", EVERY, indirect=True)


@pytest.fixture(scope="module", params=[2, 25], ids=["few events", "many events"])
def data(request):
    return simulate(NETWORK, trajectories=request.param, duration=40.0, seed=21)


def arcs(data, learner, **options):
    return set(learn(data, learner, **options).graph.arcs)


def as_bytes(data, learner, **options) -> bytes:
    """Return a learned graph as in its file, evidence included."""
    return json.dumps(learn(data, learner, **options).graph.to_json()).encode()


@pytest.mark.parametrize("unit", [1e-3, 1e3, 3e7])
@invariant_learners
def test_the_unit_of_time_changes_no_graph(data, learner, unit):
    assert arcs(times_multiplied(data, unit), learner) == arcs(data, learner)


def test_the_unit_of_time_changes_the_papers_graphs(data):
    """Pseudo-times make them depend on the unit; if they did not, the test above would show nothing."""
    assert arcs(times_multiplied(data, 1e-3), Ctpc()) != arcs(data, Ctpc())


@pytest.mark.parametrize("seed", [1, 2])
@invariant_learners
def test_the_order_of_columns_changes_no_graph(data, learner, seed):
    if isinstance(learner, Ctpc) and learner.search == "pc":
        learner = replace(learner, stable=True)
    order = np.random.default_rng(seed).permutation(data.n_variables)
    assert arcs(columns_permuted(data, order), learner) == arcs(data, learner)


# Little memory makes tables sparse and leaves none for shared ones.
@pytest.mark.parametrize("memory", [None, 1 << 12], ids=["dense", "sparse"])
@every_learner
def test_threads_change_no_byte_of_a_graph(data, learner, memory):
    if memory is not None and isinstance(learner, EmpiricalBayes):
        learner = replace(learner, memory=memory)
    expected = as_bytes(data, learner, memory=memory)
    for jobs in (1, 2, 8):
        for _ in range(3):
            assert as_bytes(data, learner, memory=memory, jobs=jobs) == expected


@every_learner
def test_memory_changes_no_byte_of_a_graph(data, learner):
    expected = as_bytes(data, learner)
    for memory in (0, 1 << 12, 1 << 16, 1 << 30):
        assert as_bytes(data, learner, memory=memory) == expected


@every_learner
def test_learning_in_parts_changes_no_byte_of_a_graph(data, learner):
    expected = learn(data, learner).graph.to_json()
    three_parts = [data.names[:3], data.names[3:7], data.names[7:]]
    for division in ([[name] for name in data.names], three_parts):
        parts = [learn(data, learner, nodes=list(names)).graph for names in division]
        assert merge(parts).to_json() == expected
