"""The truth of a data set, from a network, a learned graph or a list of arcs."""

from __future__ import annotations

import re

import numpy as np
import pytest

from ctbnlab.errors import InputError
from ctbnlab.learning.ctss.learner import Ctss
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.nodes import learn
from ctbnlab.learning.truth import network_of, read_true_graph, true_parents, truth_for
from ctbnlab.model import gallery
from tests.support.simulated_data import simulated

PARENTS = [(), (0,), (0, 1)]
DATA = simulated(np.random.default_rng(1), [2, 2, 3], PARENTS, 3, 20)
ARCS = "from,to\nX0,X1\nX0,X2\nX1,X2\n"


def test_a_list_of_arcs_becomes_a_graph_over_the_data(tmp_path):
    (tmp_path / "arcs.csv").write_text(ARCS + "")
    truth = truth_for(tmp_path / "arcs.csv", DATA, "data.csv")
    assert [node.parents for node in truth.nodes] == PARENTS
    assert truth.data == {"trajectories": 3, "events": 60, "time": DATA.total_time}
    truth.write(tmp_path / "truth.json")
    assert read_true_graph(tmp_path / "truth.json") == truth
    assert truth_for(tmp_path / "truth.json", DATA, "data.csv") == truth


def test_dropped_arcs_of_a_list_are_not_true(tmp_path):
    (tmp_path / "arcs.csv").write_text("from,to,kept\nX0,X1,true\nX1,X0,false\n")
    assert true_parents(tmp_path / "arcs.csv", DATA.names, "data.csv") == [(), (0,), ()]


def test_variables_of_a_network_may_have_another_order(tmp_path):
    network = gallery.get("eating")
    network.write(tmp_path / "network.json")
    names = tuple(reversed(network.names))
    found = true_parents(tmp_path / "network.json", names, "data.csv")
    assert {(names[j], names[i]) for i in range(len(names)) for j in found[i]} == set(network.arcs)


def test_a_learned_graph_is_a_truth(tmp_path):
    graph = learn(DATA, Ctss()).graph
    graph.write(tmp_path / "graph.json")
    assert true_parents(tmp_path / "graph.json", DATA.names, "d") == [node.parents for node in graph.nodes]


def test_other_variables_and_failures_are_refused(tmp_path):
    gallery.get("eating").write(tmp_path / "network.json")
    with pytest.raises(InputError, match=r"data.csv: lacks the variable 'Eating', which .*network.json has"):
        true_parents(tmp_path / "network.json", DATA.names, "data.csv")
    graph = learn(DATA, Ctss()).graph.to_json()
    failed = {**graph, "nodes": graph["nodes"][1:]}
    failed["failures"] = [{"name": "X0", "status": "failed", "reason": "x"}]
    LearnedGraph.from_json(failed).write(tmp_path / "graph.json")
    with pytest.raises(InputError, match=r"graph.json: has no parents of 'X0', on which its learner failed"):
        true_parents(tmp_path / "graph.json", DATA.names, "data.csv")


def test_sources_of_networks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert network_of("drug").equals(gallery.get("drug"))
    gallery.get("eating").write("my.json.gz")
    assert network_of("my.json.gz").equals(gallery.get("eating"))
    with pytest.raises(
        InputError, match=re.escape("drugs: is neither a file nor in the gallery, which has eating")
    ):
        network_of("drugs")
    with pytest.raises(InputError, match="is a folder"):
        network_of(str(tmp_path))
