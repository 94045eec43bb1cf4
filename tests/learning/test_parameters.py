"""Parameters: estimates equal their definitions, and likelihoods equal sums over events."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, strategies as st

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.errors import InputError
from ctbnlab.learning.parameters import fit_parameters, goodness_of_fit, log_likelihood
from ctbnlab.model.cims import DrawnCims, Law, TabledCims
from ctbnlab.model.network import Network
from ctbnlab.model.variables import Variable
from tests.support.reference_statistics import configuration, stays
from tests.support.sample_tables import without_empty_rows
from tests.support.sample_trajectories import SMALL
from tests.support.strategies import plain_variables, random_trajectories, trajectories


@st.composite
def graphs(draw, n):
    """Draw any directed graph: the parents of each variable, in any order."""
    return [
        draw(st.lists(st.sampled_from([j for j in range(n) if j != i]), unique=True)) if n > 1 else []
        for i in range(n)
    ]


def rough_or_not(rough):
    return trajectories(max_variables=4, max_states=3, plain=True, rough=rough)


def rate(network, i, state, x, y):
    """Return the rate of variable i from x to y in the current joint state."""
    u = configuration(state, network.parents[i], [int(network.cardinalities[p]) for p in network.parents[i]])
    return float(network.cims[i].matrices([u])[0, x, y])


def event_by_event(network, data):
    """Return the log-likelihood of each variable, summed over stays and changes."""
    total = [0.0] * data.n_variables
    for state, since, until, changes in stays(data):
        seen = [
            i for i, parents in enumerate(network.parents) if not any(state[j] is None for j in (i, *parents))
        ]
        for i in seen:
            total[i] += rate(network, i, state, state[i], state[i]) * (until - since)
        for changed, new in changes:
            if changed in seen and new is not None:
                total[changed] += math.log(rate(network, changed, state, state[changed], new))
    return total


@given(st.data(), st.booleans().flatmap(rough_or_not))
def test_log_likelihood_is_the_sum_over_events(draw, data):
    parents = draw.draw(graphs(data.n_variables))
    for method in ("ml", "bayes"):
        fit = fit_parameters(data, parents, method)
        assert fit.network.parents == tuple(tuple(sorted(p)) for p in parents)
        expected = event_by_event(fit.network, data)
        assert fit.node_log_likelihood == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert log_likelihood(fit.network, data) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert fit.log_likelihood == pytest.approx(sum(expected), rel=1e-9, abs=1e-9)


@given(st.data(), trajectories(max_variables=4, max_states=3, plain=True))
def test_log_likelihood_of_given_rates_and_any_order_of_parents(draw, data):
    parents = draw.draw(graphs(data.n_variables))
    cardinalities = data.cardinalities.tolist()
    network = Network(
        data.variables,
        tuple(map(tuple, parents)),
        tuple(
            DrawnCims(Law(), 7 + i, tuple(cardinalities[p] for p in ps), cardinalities[i])
            for i, ps in enumerate(parents)
        ),
        fit_parameters(data, [()] * data.n_variables).network.initial,
    )
    assert log_likelihood(network, data) == pytest.approx(event_by_event(network, data), rel=1e-9, abs=1e-9)


@given(st.data(), trajectories(max_variables=4, max_states=3, plain=True))
def test_bic_and_number_of_parameters(draw, data):
    parents = draw.draw(graphs(data.n_variables))
    cardinalities = data.cardinalities.tolist()
    ml, bayes = fit_parameters(data, parents), fit_parameters(data, parents, "bayes", alpha=2, tau=0.5)
    k = [
        c * (c - 1) * math.prod(cardinalities[p] for p in ps)
        for c, ps in zip(cardinalities, parents, strict=True)
    ]
    assert list(ml.node_parameters) == list(bayes.node_parameters) == k
    assert ml.n_parameters == sum(k)
    penalty = math.log(data.n_events) / 2 if data.n_events else 0.0
    expected = [a - b * penalty for a, b in zip(event_by_event(ml.network, data), k, strict=True)]
    assert ml.node_bic == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert bayes.node_bic == ml.node_bic
    fit = goodness_of_fit(data, parents)
    assert (fit.bic, fit.n_parameters) == (ml.bic, ml.n_parameters)
    assert fit.log_likelihood == pytest.approx(ml.log_likelihood, rel=1e-9, abs=1e-9)
    assert ml.bic == pytest.approx(sum(expected), rel=1e-9, abs=1e-9)
    # No rates have a higher likelihood than those of maximum likelihood.
    for a, b in zip(bayes.node_log_likelihood, ml.node_log_likelihood, strict=True):
        assert a <= b + 1e-9 * max(1, abs(b))


@given(st.data(), trajectories(max_variables=4, max_states=3, plain=True))
def test_every_fit_is_a_network(draw, data):
    """Rows sum to 0, no rate is negative, and configurations and rows never visited are listed."""
    parents = draw.draw(graphs(data.n_variables))
    for fit in (fit_parameters(data, parents), fit_parameters(data, parents, "bayes", initial="empirical")):
        visits = visited_rows(data, fit.network.parents)
        for i, cims in enumerate(fit.network.cims):
            q = cims.table()
            off = q[:, ~np.eye(cims.n_states, dtype=bool)]
            assert np.isfinite(q).all()
            assert (off >= 0).all()
            assert np.abs(q.sum(axis=2)).max() < 1e-9
            rows = {(u, x) for u in range(cims.n_configurations) for x in range(cims.n_states)}
            assert set(map(tuple, fit.unseen_rows[i].tolist())) == rows - visits[i]
            assert set(fit.unseen[i].tolist()) == {u for u, _ in rows} - {u for u, _ in visits[i]}
            assert fit.network.initial.tables[i].shape == (1, cims.n_states)
            assert fit.network.initial.tables[i].sum() == pytest.approx(1)


def visited_rows(data, parents):
    """Return, for each variable, the (configuration, state) in which some time was spent."""
    visits = [set() for _ in parents]
    for state, since, until, _ in stays(data):
        for i, ps in enumerate(parents):
            if until > since:
                u = configuration(state, ps, [int(data.cardinalities[p]) for p in ps])
                visits[i].add((u, state[i]))
    return visits


def test_maximum_likelihood_by_hand():
    fit = fit_parameters(SMALL, [(), (0,)], initial="empirical")
    q = fit.network.cims[1].table()
    row_0 = [-2 / 2.5, 1 / 2.5, 1 / 2.5, 0]
    row_1 = [1, -1, 0, 0]
    # Under A = 0: state 2 is never left, state 3 never visited.
    assert q[0] == pytest.approx(np.array([row_0, row_1, [0, 0, 0, 0], [0, 0, 0, 0]]))
    # Under A = 1 only state 2 was visited: the other rows are estimated over all configurations.
    assert q[1] == pytest.approx(np.array([row_0, row_1, [0, 0, 0, 0], [0, 0, 0, 0]]))
    assert fit.unseen[1].tolist() == []
    assert fit.unseen_rows[1].tolist() == [[0, 3], [1, 0], [1, 1], [1, 3]]
    assert fit.network.cims[0].table()[0] == pytest.approx(np.array([[-1 / 5, 1 / 5], [0, 0]]))
    assert fit.network.initial.tables[1].tolist() == [[0.5, 0, 0.5, 0]]
    assert fit_parameters(SMALL, [(), ()]).network.initial.tables[1].tolist() == [[0.5, 0, 0.5, 0]]
    uniform = fit_parameters(SMALL, [(), ()], initial="uniform").network.initial
    assert uniform.tables[1].tolist() == [[0.25] * 4]
    assert uniform.parents == ((), ())


@given(st.data(), trajectories(max_variables=4, max_states=3, plain=True))
def test_configurations_that_never_occur_can_be_left_out(draw, data):
    parents = draw.draw(graphs(data.n_variables))
    dense = fit_parameters(data, parents, "bayes")
    dense_table = NodeStatistics.table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NodeStatistics, "table", lambda *key: without_empty_rows(dense_table(*key)))
        sparse = fit_parameters(data, parents, "bayes")
        assert goodness_of_fit(data, parents).bic == dense.bic
        assert log_likelihood(dense.network, data) == pytest.approx(dense.node_log_likelihood)
    for i, cims in enumerate(sparse.network.cims):
        assert np.array_equal(cims.table(), dense.network.cims[i].table())
        assert np.array_equal(sparse.unseen[i], dense.unseen[i])
    assert sparse.node_bic == dense.node_bic
    assert sparse.node_parameters == dense.node_parameters


def test_a_table_beyond_memory_is_refused(monkeypatch):
    huge = SufficientStatistics(0, (1, 2), (2**20, 2**20), np.ones((1, 2, 3)), np.array([7]))
    monkeypatch.setattr(NodeStatistics, "table", lambda *_: huge)
    with pytest.raises(InputError, match="variable 'A': a table of 1099511627776 parent configurations"):
        fit_parameters(SMALL, [(), ()])


def test_unseen_configurations_are_listed():
    fit = fit_parameters(SMALL, [(1,), ()])
    assert fit.unseen[0].tolist() == [3]
    assert fit.unseen[1].tolist() == []


@pytest.mark.parametrize("prior", ["constant", "spread"])
def test_posterior_mean_by_integration(prior):
    """Integrate prior × likelihood of one row: the paper's Gamma and Dirichlet; the mode with BDe's prior."""
    alpha, tau = 1.5, 0.4
    q = fit_parameters(SMALL, [(), (0,)], "bayes", alpha=alpha, tau=tau, prior=prior).network.cims[1].table()
    a, s = (alpha, tau) if prior == "constant" else (alpha / 8, tau / 8)
    time, moves = 2.5, 2  # of B in state 0 while A is 0: to 1 and to 2, once each
    posterior = lambda r, shape: r ** (shape - 1 + moves) * mp.exp(-(s + time) * r)  # noqa: E731
    edges = [0, 0.5, 1, 3, 10, mp.inf]
    exit_rate = mp.quad(lambda r: r * posterior(r, a), edges) / mp.quad(lambda r: posterior(r, a), edges)
    # The posterior of one next state's share, against the other two together, is a Beta distribution.
    share = lambda p: p ** (a / 3) * (1 - p) ** (2 * a / 3)  # noqa: E731  (M = 1 and 1)
    to_1 = mp.quad(lambda p: p * share(p), [0, 0.5, 1]) / mp.quad(share, [0, 0.5, 1])
    assert -q[0, 0, 0] == pytest.approx(float(exit_rate), rel=1e-9)
    assert q[0, 0, 1] == pytest.approx(float(exit_rate * to_1), rel=1e-6)
    assert q[0, 0, 3] == pytest.approx(a / 3 / (s + time))
    slope = mp.diff(lambda r: mp.log(posterior(r, a + 1)), -q[0, 0, 0])
    assert abs(slope) < 1e-9
    assert q[1, 3] == pytest.approx(np.array([a / 3 / s] * 3 + [-a / s]))  # never visited: the prior


def test_an_impossible_transition_has_likelihood_zero():
    fit = fit_parameters(SMALL, [(), ()])
    other = Network(
        SMALL.variables,
        fit.network.parents,
        (TabledCims(np.zeros((1, 2, 2))), fit.network.cims[1]),
        fit.network.initial,
    )
    assert log_likelihood(other, SMALL)[0] == -math.inf
    assert math.isfinite(log_likelihood(other, SMALL)[1])


def test_maximum_likelihood_is_close_to_the_true_rates():
    """20,000 events of a symmetric walk: each rate within five standard errors."""
    data = random_trajectories(np.random.default_rng(4), plain_variables([3, 2]), [10_000, 10_000])
    q = fit_parameters(data, [(1,), ()]).network.cims[0].table()
    off = q[:, ~np.eye(3, dtype=bool)]
    # Events occur at rate 1; half of them change A, and half of those lead to each other state.
    error = 0.25 / math.sqrt(20_000 / 24)
    assert np.abs(off - 0.25).max() < 5 * error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"graph": [()]}, "got parents for 1 variables, but the data have 2"),
        ({"graph": [(0,), ()]}, "parents of 'A': 0 is not the index of another variable"),
        ({"graph": [(), (2,)]}, "parents of 'B': 2 is not"),
        ({"graph": [(1, 1), ()]}, "a parent is repeated"),
        ({"graph": [(), ()], "method": "map"}, "unknown method 'map'"),
        ({"graph": [(), ()], "method": "bayes", "tau": 0}, "tau"),
        ({"graph": [(), ()], "initial": "stationary"}, "unknown initial distribution 'stationary'"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        fit_parameters(SMALL, **arguments)


def test_a_network_of_other_variables_is_refused():
    network = fit_parameters(SMALL, [(), ()]).network
    other = random_trajectories(np.random.default_rng(0), [Variable("A", ("0", "1"))], [3])
    with pytest.raises(InputError, match="must have the same variables and states"):
        log_likelihood(network, other)
