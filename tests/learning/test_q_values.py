"""q-values: against scipy, and the same for one job and for merged parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import false_discovery_control

import ctbnlab
from ctbnlab.learning.completion import merge
from ctbnlab.learning.contract import Evidence, NodeFailure, NodeResult
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.q_values import q_values, with_q_values
from tests.support.sample_tables import plain_variables

DATA = ctbnlab.simulate(ctbnlab.generate(5, 3, 0.4, seed=3), trajectories=20, duration=20.0, seed=4)


@given(st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.02, 1.0]), max_size=40))
def test_q_values_equal_those_of_scipy(p):
    assert q_values(p) == pytest.approx(false_discovery_control(p) if p else [], rel=1e-12, abs=0)


@pytest.mark.parametrize("test", ["chi2", "pooled"])
def test_every_p_value_of_a_whole_graph_has_a_q_value(test):
    graph = ctbnlab.learn(DATA, ctbnlab.Ctpc(test)).graph
    entries = [entry for node in graph.nodes for entry in node.evidence if entry.p_value is not None]
    assert len(entries) > 10
    expected = false_discovery_control([entry.p_value for entry in entries])
    assert [entry.q_value for entry in entries] == pytest.approx(expected)
    assert all(entry.q_value >= entry.p_value for entry in entries)
    assert LearnedGraph.from_json(graph.to_json()) == graph


def test_parts_have_no_q_values_and_merged_parts_those_of_the_whole():
    learner = ctbnlab.Ctpc("pooled")
    whole = ctbnlab.learn(DATA, learner).graph
    parts = [ctbnlab.learn(DATA, learner, nodes=names).graph for names in (DATA.names[:2], DATA.names[2:])]
    for part in parts:
        assert all("q_value" not in row for row in part.evidence)
    assert merge(parts) == whole
    assert merge([whole]) == whole


def test_scores_and_strange_p_values_have_no_q_value():
    strange = (None, -0.5, 1.5, float("nan"), 0.25)
    evidence = tuple(Evidence(j + 1, True, "why", p_value=p) for j, p in enumerate(strange))
    variables = plain_variables([2] * 6)
    nodes = (NodeResult(0, (1, 2, 3, 4, 5), evidence),)
    failures = tuple(NodeFailure(j, "failed", "reason") for j in range(1, 6))
    graph = LearnedGraph(variables, nodes, failures=failures)
    found = with_q_values(graph).nodes[0].evidence
    assert [entry.q_value for entry in found] == [None, None, None, None, 0.25]
    part = replace(graph, failures=())
    assert with_q_values(part) is part


def test_the_false_discovery_rate_is_the_one_asked_for():
    """Of 200 independent tests 20 see an effect; at q ≤ 0.1 a tenth of what is found is false, at most."""
    rng = np.random.default_rng(11)
    shares = []
    for _ in range(400):
        p = rng.random(200)
        p[:20] **= 12
        kept = q_values(p) <= 0.1
        shares.append(kept[20:].sum() / max(kept.sum(), 1))
    error = np.std(shares) / 20
    assert 0.9 * 0.1 - 3 * error < np.mean(shares) < 0.1 + 3 * error
