"""The empirical-Bayes learner: the graphs it finds, their evidence, and its options."""

from __future__ import annotations

import pytest

from ctbnlab.errors import InputError
from ctbnlab.learning import conformance
from ctbnlab.learning.empirical_bayes.learner import EmpiricalBayes
from ctbnlab.learning.knowledge import Knowledge
from ctbnlab.learning.nodes import learn
from ctbnlab.learning.registry import make
from ctbnlab.model.cims import Law
from ctbnlab.model.gallery import get
from ctbnlab.model.generate import generate
from ctbnlab.simulation.simulate import simulate


def arcs(network):
    names = network.names
    return {(names[p], names[i]) for i, row in enumerate(network.parents) for p in row}


def learned(data, learner=None, **options):
    return set(learn(data, learner or EmpiricalBayes(), **options).graph.arcs)


@pytest.fixture(scope="module")
def dense():
    """Return a network of up to eight parents per node, most of which matter only together, and its data."""
    network = generate(12, 3, 0.45, count="probability", connectivity="no-isolated", seed=11)
    return network, simulate(network, trajectories=100, duration=100.0, seed=11)


def test_a_dense_network_is_found_but_not_by_ctpc(dense):
    network, data = dense
    assert max(map(len, network.parents)) >= 7
    assert learned(data) == arcs(network)
    assert len(arcs(network) - learned(data, make("ctpc-chi2"))) > 10


@pytest.mark.parametrize("states", [2, [2, 3, 4]])
def test_sparse_networks_are_found_without_false_arcs(states):
    network = generate(8, states, 0.15, count="probability", connectivity="no-isolated", seed=5)
    assert learned(simulate(network, trajectories=100, duration=100.0, seed=5)) == arcs(network)


def test_additive_effects_are_found():
    network = generate(
        8, 3, 0.4, count="probability", connectivity="no-isolated", law=Law("additive", effect=0.3), seed=2
    )
    assert learned(simulate(network, trajectories=200, duration=100.0, seed=2)) == arcs(network)


def test_the_papers_example_is_found():
    network = get("eating")
    assert learned(simulate(network, trajectories=300, duration=100.0, seed=1)) == arcs(network)


def test_prior_knowledge_is_honoured(dense):
    network, data = dense
    data = data.subset(slice(0, 40))
    names = network.names
    target = max(range(12), key=lambda i: len(network.parents[i]))
    parent = names[network.parents[target][0]]
    other = next(n for i, n in enumerate(names) if i != target and i not in network.parents[target])
    name = names[target]
    found = learned(data, knowledge=Knowledge.from_arcs({(other, name)}, {(parent, name)}), nodes=[name])
    assert (other, name) in found
    assert (parent, name) not in found
    found = learned(data, knowledge=Knowledge.from_arcs(max_parents=3), nodes=[name])
    assert len(found) <= 3
    assert found <= arcs(network)


def test_every_arc_has_a_strength(dense):
    network, data = dense
    for node in learn(data, EmpiricalBayes(), nodes=[network.names[0]]).graph.nodes:
        for entry in node.evidence:
            assert entry.gain is not None
            assert entry.kept == (entry.gain >= 3)
        assert node.counts["passes"] > 0
        assert not node.notes


@pytest.mark.parametrize("budget", [{"budget_scores": 0}, {"budget_seconds": 0.0}])
def test_a_spent_budget_is_noted(dense, budget):
    _, data = dense
    node = learn(data, EmpiricalBayes(**budget), nodes=["X01"]).graph.nodes[0]
    assert node.parents == ()
    assert any("budget" in note for note in node.notes)


def test_many_candidates_are_ranked_first():
    """A pass cannot take all 30 variables, but parents are found nevertheless."""
    network = generate(30, 2, 0.04, count="probability", connectivity="none", seed=7)
    data = simulate(network, trajectories=60, duration=100.0, seed=7)
    names = [name for name, row in zip(network.names, network.parents, strict=True) if row][:4]
    assert learned(data, nodes=names) == {arc for arc in arcs(network) if arc[1] in names}


def test_the_learner_passes_the_conformance_checks():
    for _, check in conformance.checks(EmpiricalBayes()):
        check()


@pytest.mark.parametrize(
    "options",
    [
        *({"max_fdr": 0.0}, {"max_fdr": 1.5}, {"density": 1.0}, {"ratio": 0.5}),
        *({"passes": -1}, {"passes": 1.5}, {"budget_seconds": float("nan")}),
    ],
)
def test_bad_options_are_refused(options):
    with pytest.raises(InputError):
        EmpiricalBayes(**options)
