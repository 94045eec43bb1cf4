"""What users of networkx, pgmpy, pyAgrum and lifelines try with networks and graphs, and what it gives."""

from __future__ import annotations

import copy
import pickle

import networkx
import numpy as np
import pandas as pd
import pytest

import ctbnlab
from ctbnlab.learning.graph_like import named_graph

TRUE = "[('Hungry', 'Eating'), ('Eating', 'Full'), ('Full', 'Hungry')]"
CALLS = {
    # Comparing graphs of any kind
    "ctbnlab.compare(network, graph).f1": 1.0,
    "ctbnlab.compare(network, learner).f1": 1.0,
    "ctbnlab.compare(network, ctbnlab.learn(data, ctbnlab.Ctss())).f1": 1.0,
    "ctbnlab.compare(network, graph.to_networkx()).shd": 0,
    "ctbnlab.compare(nx.DiGraph(arcs), graph).recall": 1.0,
    "ctbnlab.compare(nx.MultiDiGraph(arcs + arcs), graph).shd": 0,
    "ctbnlab.compare(network, arcs).precision": 1.0,
    "ctbnlab.compare(arcs, ['Hungry->Eating', 'Eating -> Full']).missed": (("Full", "Hungry"),),
    "ctbnlab.compare(network, []).whole.true_negatives": 3,
    "ctbnlab.compare(network, {'Eating': ['Hungry'], 'Full': 'Eating', 'Hungry': ()}).shd": 1,
    "ctbnlab.compare(network, learner.probabilities_ > 0.5).f1": 1.0,
    "ctbnlab.compare(network, nx.to_pandas_adjacency(nx.DiGraph(arcs))).f1": 1.0,
    "ctbnlab.compare([('A', 'B')], [('B', 'A')], ['A', 'B', 'C']).whole.true_negatives": 4,
    "ctbnlab.compare(network.arcs, graph.arcs, network.names).whole.f1": 1.0,
    "ctbnlab.compare(network, graph).to_dataframe().loc['all', 'true_positives']": 3,
    "ctbnlab.compare(network, graph).to_pandas().index.tolist()": ["all", "Eating", "Full", "Hungry"],
    # Rates of a given graph
    "ctbnlab.fit_parameters(data, graph).network.arcs == network.arcs": True,
    "ctbnlab.fit_parameters(graph, data).network.arcs == network.arcs": True,
    "ctbnlab.fit_parameters(frame, learner).network.arcs == network.arcs": True,
    "ctbnlab.fit_parameters(data, nx.DiGraph(arcs)).n_parameters": 12,
    "ctbnlab.fit_parameters(data, arcs).n_parameters": 12,
    "ctbnlab.fit_parameters(data, []).n_parameters": 6,
    "ctbnlab.fit_parameters(data, {'Full': ['Eating']}).n_parameters": 8,
    "ctbnlab.fit_parameters(data, network.parents).n_parameters": 12,
    "type(ctbnlab.fit_parameters(data, graph).rates).__name__": "DataFrame",
    "ctbnlab.bootstrap(frame, ctbnlab.Ctss(), 2, seed=1).to_pandas()['frequency'].max()": 1.0,
    # Networks
    "len(network.simulate(7, duration=1.0, seed=1))": 7,
    "network.simulate(7, 1.0, seed=1).equals(network.simulate(trajectories=7, duration=1.0, seed=1))": True,
    "network.log_likelihood(data) == network.log_likelihood(frame)": True,
    "learner.network_.log_likelihood(data) > network.log_likelihood(data)": True,
    "network.query({'Hungry': 'yes'}).at(0.0).select(variable='Hungry', state='yes')": [1.0],
    "network.query(do={'Hungry': 'yes'}).long_run().to_pandas().columns.tolist()": [
        "variable",
        "state",
        "probability",
    ],
    "sorted(network.to_networkx().edges) == sorted(arcs)": True,
    "network.parents_of('Full')": ("Eating",),
    "network.children_of('Full')": ("Hungry",),
    "network.markov_blanket('Full')": ("Eating", "Hungry"),
    # Learned graphs
    "graph.parents_of('Full')": ("Eating",),
    "graph.children_of('Full')": ("Hungry",),
    "sorted(graph.to_networkx().edges) == sorted(arcs)": True,
    "nx.is_directed_acyclic_graph(graph.to_networkx())": False,
    "graph.to_dataframe()['kept'].sum()": 3,
    "graph.to_pandas().equals(learner.log_)": True,
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_a_call(call, scope):
    assert eval(call, dict(scope)) == CALLS[call]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("ctbnlab.compare(network, [('X', 'Full')])", "unknown variable 'X'"),
        ("ctbnlab.compare(network, nx.Graph(arcs))", "not directed"),
        ("ctbnlab.compare(network, nx.DiGraph([('A', 'B')]))", "'A' is in only one of the two graphs"),
        ("ctbnlab.compare(network, 7)", "expected a graph, not int"),
        ("ctbnlab.compare(network, [('A', 'B', 'C')])", "write an arc as"),
        ("ctbnlab.compare(network, learner.probabilities_)", "values other than 0 and 1"),
        ("ctbnlab.compare(network, frame)", "must be the same variables"),
        ("ctbnlab.compare(network, ctbnlab.Ctss())", "call fit first"),
        ("ctbnlab.fit_parameters(data, nx.DiGraph([('A', 'B')]))", "variable 'A', which the data lack"),
        ("ctbnlab.fit_parameters(data, np.zeros((3, 3)))", "expected a graph, not ndarray"),
        ("graph.parents_of('X')", "unknown variable 'X'; the variables are Eating"),
        ("graph.children_of('X')", "unknown variable 'X'"),
        ("ctbnlab.generate(2, 2, 0, seed=1).log_likelihood(data)", "must have the same variables"),
    ],
)  # fmt: skip
def test_what_is_refused(call, message, scope):
    with pytest.raises(ValueError, match=message):
        eval(call, dict(scope))


def test_a_clock_that_only_one_graph_has_is_not_compared():
    network = ctbnlab.generate(3, 2, 0.4, seed=1)
    data = network.simulate(60, duration=4.0, seed=1)
    learner = ctbnlab.EmpiricalBayes().fit(data, clock="entry", periods=3)
    found = ctbnlab.compare(network, learner)
    assert learner.graph_.roles.clock_names
    assert list(found.nodes) == list(network.names)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_networks_and_graphs_are_copied_and_pickled(copied, scope):
    assert copied(scope["network"]).equals(scope["network"])
    assert copied(scope["graph"]).to_json() == scope["graph"].to_json()


def test_every_kind_of_graph_gives_the_same_arcs(scope):
    network = scope["network"]
    names, arcs = network.names, set(network.arcs)
    table = pd.DataFrame(network.adjacency(), index=names, columns=names).iloc[::-1]
    parents = {name: network.parents_of(name) for name in names}
    for graph in (network, scope["graph"], scope["learner"], networkx.DiGraph(network.arcs), table, parents):
        found = named_graph(graph)
        assert set(found.arcs) == arcs
        assert set(found.names or ()) == set(names)
    assert named_graph(list(arcs)) == (None, list(arcs), frozenset())


def test_a_graph_of_which_a_variable_was_not_learned_says_so(scope):
    graph = ctbnlab.learn(scope["data"], ctbnlab.Ctss(), nodes=["Full"]).graph
    with pytest.raises(ctbnlab.InputError, match="the parents of 'Hungry' were not learned"):
        graph.parents_of("Hungry")
    assert repr(graph) == "<LearnedGraph: 3 variables, 1 arc, learned by Ctss>"


def test_metrics_of_a_comparison_are_those_of_all_arcs(scope):
    found = ctbnlab.compare(scope["network"], [("Hungry", "Eating"), ("Full", "Eating")])
    table = found.to_dataframe()
    assert (found.precision, found.recall, found.f1, found.shd) == (0.5, 1 / 3, 0.4, 3)
    assert table.loc["all", ["precision", "recall", "f1", "shd"]].tolist() == [0.5, 1 / 3, 0.4, 3]
    counts = ["true_positives", "false_positives", "false_negatives", "true_negatives"]
    assert np.array_equal(table.loc[table.index != "all", counts].sum(), table.loc["all", counts])
