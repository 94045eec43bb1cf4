"""Probabilities of arcs from all nodes: the density, the choice of a graph, and bounds on false arcs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import beta

from ctbnlab.learning.completion import merge
from ctbnlab.learning.contract import OVER_LIMIT, Evidence, NodeResult, ParentPosterior
from ctbnlab.learning.empirical_bayes.learner import EmpiricalBayes
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.nodes import learn
from ctbnlab.learning.probabilities import TOO_MANY_FALSE, UNLIKELY, ArcProbabilities, decided
from ctbnlab.model.generate import generate
from ctbnlab.simulation.simulate import simulate


def posterior_of(candidates, factors, limit=None):
    """Return the sums of sets whose Bayes factor is the product of those of their arcs."""
    limit = len(candidates) if limit is None else limit
    totals = np.full(limit + 1, -np.inf)
    arcs = np.full((len(candidates), limit + 1), -np.inf)
    for chosen in product((False, True), repeat=len(candidates)):
        size = sum(chosen)
        if size <= limit:
            value = sum(f for f, c in zip(factors, chosen, strict=True) if c)
            totals[size] = np.logaddexp(totals[size], value)
            for i in np.flatnonzero(chosen):
                arcs[i, size] = np.logaddexp(arcs[i, size], value)
    return ParentPosterior(tuple(candidates), limit, tuple(totals), tuple(map(tuple, arcs)))


def test_a_given_density_is_the_prior_of_each_arc():
    posterior = posterior_of((1, 2, 3), (0.0, 2.0, -1.0))
    found = ArcProbabilities([posterior], 0.3).of(posterior)
    odds = np.exp([0.0, 2.0, -1.0]) * 0.3 / 0.7
    assert found == pytest.approx(odds / (1 + odds), abs=1e-6)


def test_without_data_the_density_keeps_its_prior():
    posteriors = [posterior_of((1, 2, 3), (0.0, 0.0, 0.0)), posterior_of((0, 2), (0.0, 0.0), limit=1)]
    assert ArcProbabilities(posteriors).mean_density == pytest.approx(beta(1, 4).mean(), abs=0.002)


def test_the_density_follows_what_all_nodes_show():
    """With arcs certain one way or the other, it has the Beta posterior of their number."""
    certain = [posterior_of((1, 2, 3, 4), (40.0, -40.0, -40.0, -40.0)) for _ in range(10)]
    expected = beta(1 + 10, 4 + 30).mean()
    assert ArcProbabilities(certain).mean_density == pytest.approx(expected, abs=0.003)


def test_a_doubtful_arc_is_likelier_in_a_dense_graph():
    doubtful = posterior_of((1, 2, 3, 4), (0.0,) * 4)
    dense = [posterior_of((1, 2, 3, 4), (40.0,) * 4) for _ in range(6)]
    sparse = [posterior_of((1, 2, 3, 4), (-40.0,) * 4) for _ in range(6)]
    in_dense = ArcProbabilities([*dense, doubtful]).of(doubtful)
    in_sparse = ArcProbabilities([*sparse, doubtful]).of(doubtful)
    assert in_dense.min() > 0.7 and in_sparse.max() < 0.1


def node(target, factors, limit=None):
    candidates = tuple(j for j in range(len(factors) + 1) if j != target)
    evidence = tuple(Evidence(j, False, UNLIKELY) for j in candidates)
    return NodeResult(target, (), evidence, posterior=posterior_of(candidates, factors, limit))


def test_arcs_more_likely_than_not_are_kept():
    (found,) = decided([node(0, (5.0, 0.0, -5.0))], density=0.5)
    assert found.parents == (1,) and found.posterior is None
    assert [entry.kept for entry in found.evidence] == [True, False, False]
    assert [entry.probability for entry in found.evidence] == pytest.approx([0.993307, 0.5, 0.006693])


def test_a_bound_on_false_arcs_leaves_out_the_least_probable():
    # Probabilities 0.95, 0.9, 0.6, 0.4: expected shares of false arcs 0.05, 0.075, 0.183.
    factors = np.log([0.95 / 0.05, 0.9 / 0.1, 0.6 / 0.4, 0.4 / 0.6])
    kept = {}
    for bound in (0.01, 0.05001, 0.1, 0.2, None):
        (found,) = decided([node(0, factors)], density=0.5, max_fdr=bound)
        kept[bound] = found.parents
    assert kept == {0.01: (), 0.05001: (1,), 0.1: (1, 2), 0.2: (1, 2, 3), None: (1, 2, 3)}
    (found,) = decided([node(0, factors)], density=0.5, max_fdr=0.1)
    assert found.evidence[2].why == TOO_MANY_FALSE and found.evidence[3].why == UNLIKELY


def test_a_limit_on_parents_keeps_the_most_probable():
    (found,) = decided([node(0, (6.0, 6.5, 0.0), limit=1)], density=0.5)
    assert found.parents == (2,)
    (found,) = decided([node(0, (50.0, 50.0, 0.0), limit=2)], density=0.5)
    assert found.parents == (1, 2) and found.evidence[2].why in (UNLIKELY, OVER_LIMIT)


def test_parts_give_the_probabilities_of_the_whole(tmp_path):
    data = simulate(generate(5, 2, 0.3, seed=1), trajectories=8, duration=10.0, seed=1)
    learner = EmpiricalBayes(max_fdr=0.2)
    whole = learn(data, learner).graph
    parts = []
    for name in data.names:
        path = tmp_path / f"{name}.json"
        learn(data, learner, nodes=[name]).graph.write(path)
        parts.append(LearnedGraph.read(path))
    assert all(part.nodes[0].posterior is not None for part in parts)
    assert merge(parts).to_json() == whole.to_json()
    assert all(row["probability"] is not None for row in whole.evidence)


def test_probabilities_are_a_table_of_parents_and_children():
    data = simulate(generate(4, 2, 0.3, seed=1), trajectories=8, duration=10.0, seed=1)
    learner = EmpiricalBayes().fit(data)
    table = learner.probabilities_
    assert list(table.index) == list(table.columns) == list(data.names)
    for row in learner.graph_.evidence:
        assert table.loc[row["from"], row["to"]] == row["probability"]
    assert np.isnan(np.diag(table)).all()
