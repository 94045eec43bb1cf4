"""Scores: equal to the paper's formulas, evaluated term by term with forty digits."""

from __future__ import annotations

import math
from functools import cache

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from ctbnlab.errors import InputError
from ctbnlab.learning.scores.bde import Bde, Hyperparameters
from ctbnlab.learning.scores.information import Aic, Bic, LogLikelihood, max_log_likelihood, n_parameters
from tests.support.sample_tables import table_of, tables, without_empty_rows

mp.mp.dps = 40
loggamma = cache(mp.loggamma)

PRIOR_STRENGTHS = st.one_of(st.sampled_from([1.0, 0.1, 2.0]), st.floats(1e-3, 1e3))


def marginal_likelihoods(table, alpha, tau, prior):
    """Return ln ML(q) + ln ML(θ) of the paper, from Γ functions in multiple precision."""
    c = table.n_states
    rows = c * math.prod(table.parent_cardinalities)
    spread = rows if prior == "spread" else 1
    a, t = mp.mpf(alpha) / spread, mp.mpf(tau) / spread
    ml_q, ml_theta = mp.mpf(0), mp.mpf(0)
    for u in range(len(table.values)):
        for x in range(c):
            T = mp.mpf(table.time[u, x])
            M = [int(table.transitions[u, x, y]) for y in range(c) if y != x]
            a_each = a / len(M)
            ml_q += loggamma(a + sum(M) + 1) + (a + 1) * mp.log(t)
            ml_q -= loggamma(a + 1) + (a + sum(M) + 1) * mp.log(t + T)
            ml_theta += loggamma(a) - loggamma(a + sum(M))
            ml_theta += mp.fsum(loggamma(a_each + m) - loggamma(a_each) for m in M)
    return ml_q + ml_theta


def bde(table, alpha=1.0, tau=1.0, prior="constant"):
    return Bde(Hyperparameters(alpha, tau, prior)).node_score(table, 0)


@given(tables(min_states=2), PRIOR_STRENGTHS, PRIOR_STRENGTHS, st.sampled_from(["constant", "spread"]))
def test_bde_is_the_product_of_the_papers_marginal_likelihoods(table, alpha, tau, prior):
    exact = marginal_likelihoods(table, alpha, tau, prior)
    assert abs(bde(table, alpha, tau, prior) - exact) <= 1e-9 * max(1, abs(exact))


@pytest.mark.parametrize("prior", ["constant", "spread"])
@pytest.mark.parametrize("count", [0, 1, 2, 11, 12, 13, 14, 100, 10**4, 10**6])
def test_bde_over_the_range_of_counts(count, prior):
    table = table_of([[[3.5, 0, count], [0.25, 7, 0]]] * 3, (3,))
    exact = marginal_likelihoods(table, 1, 1, prior)
    assert bde(table, prior=prior) == pytest.approx(float(exact), rel=1e-9)


def test_bde_against_an_integral():
    """Integrate the likelihood of a binary target over the prior density q^α e^{−τq}."""
    alpha, tau, count, time = 1.5, 0.7, 3, 2.2
    table = table_of([[[time, 0, count], [0, 0, 0]]])
    density = lambda q: tau ** (alpha + 1) / mp.gamma(alpha + 1) * q**alpha * mp.exp(-tau * q)  # noqa: E731
    integral = mp.quad(lambda q: density(q) * q**count * mp.exp(-q * time), [0, 1, 5, 20, mp.inf])
    assert math.exp(bde(table, alpha, tau)) == pytest.approx(float(integral), rel=1e-9)


@given(tables(), PRIOR_STRENGTHS, PRIOR_STRENGTHS, st.sampled_from(["constant", "spread"]))
def test_rows_that_never_occur_can_be_left_out(table, alpha, tau, prior):
    sparse = without_empty_rows(table)
    for score in (Bde(Hyperparameters(alpha, tau, prior)), LogLikelihood(), Aic(), Bic()):
        assert score.node_score(sparse, 50) == score.node_score(table, 50)


def test_an_empty_table_has_marginal_likelihood_1():
    for prior in ("constant", "spread"):
        assert bde(table_of(np.zeros((6, 3, 4)), (2, 3)), alpha=0.3, tau=0.1, prior=prior) == 0
    assert bde(table_of([[[12.5, 0]]])) == 0  # a variable of one state


@given(tables())
@example(table_of(np.zeros((1, 1, 2))))
def test_information_scores_equal_their_formulas(table):
    c = table.n_states
    likelihood = mp.mpf(0)
    for u, x, y in np.argwhere(table.transitions > 0).tolist():
        m, time = mp.mpf(table.transitions[u, x, y]), mp.mpf(table.time[u, x])
        likelihood += m * mp.log(m / time) - m
    tolerance = 1e-9 * max(1, abs(likelihood))
    k = c * (c - 1) * math.prod(table.parent_cardinalities)
    assert n_parameters(table) == k
    assert abs(max_log_likelihood(table) - likelihood) <= tolerance
    assert abs(LogLikelihood().node_score(table, 9) - likelihood) <= tolerance
    assert abs(Aic().node_score(table, 9) - (likelihood - k)) <= tolerance
    assert abs(Bic().node_score(table, 9) - (likelihood - mp.mpf(k) / 2 * mp.log(9))) <= tolerance
    assert Bic().node_score(table, 0) == LogLikelihood().node_score(table, 0)


@pytest.mark.parametrize(
    "wrong",
    [{"alpha": 0}, {"tau": -1}, {"alpha": math.nan}, {"tau": math.inf}, {"alpha": 1e7}, {"prior": "flat"}],
)
def test_bad_hyperparameters_are_refused(wrong):
    with pytest.raises(InputError):
        Hyperparameters(**wrong)


def test_255_states():
    rng = np.random.default_rng(5)
    values = rng.integers(0, 3, (1, 255, 256)).astype(float)
    values[0, np.arange(255), 1 + np.arange(255)] = 0
    values[:, :, 0] += 0.5
    table = table_of(values)
    assert bde(table) == pytest.approx(float(marginal_likelihoods(table, 1, 1, "constant")), rel=1e-9)
