"""The calibrated tests: sums over strata equal plain ones, and real levels equal nominal ones."""

from __future__ import annotations

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from ctbnlab.errors import InputError
from ctbnlab.learning.ctpc.learner import Ctpc
from ctbnlab.learning.independence import _stratified
from ctbnlab.learning.independence.dirichlet_multinomial import (
    CONCENTRATIONS,
    DirichletMultinomial,
    interaction,
    log_rank,
    main_effect,
)
from ctbnlab.learning.independence.pooled import Pooled
from ctbnlab.learning.independence.strata import Strata
from tests.support.sample_tables import table_of, tables, without_empty_rows

mp.mp.dps = 40


@st.composite
def tables_with_a_candidate(draw):
    """Draw a table and one of its parents."""
    table = draw(tables(min_states=2).filter(lambda t: t.parent_cardinalities))
    return table, draw(st.sampled_from(table.parents))


def strata_of(table, candidate):
    """Yield x, x', the transitions and the shares of time of each stratum that has transitions."""
    axis = table.parents.index(candidate)
    cardinalities = table.parent_cardinalities
    c = table.n_states
    values = table.values.reshape(*cardinalities, c, c + 1)
    for s in itertools.product(*(range(k) for i, k in enumerate(cardinalities) if i != axis)):
        rows = values[(*s[:axis], slice(None), *s[axis:])]
        for x, y in itertools.permutations(range(c), 2):
            time, moves = rows[:, x, 0], rows[:, x, 1 + y]
            if moves.sum() > 0:
                yield x, y, moves, time / time.sum()


@given(tables_with_a_candidate())
def test_bayes_factors_of_interaction_equal_their_formula(case):
    table, candidate = case
    strata = Strata.from_table(table, candidate)
    found = _stratified.log_bayes_factors(strata.values, strata.order, strata.starts, CONCENTRATIONS)
    for k, value in zip(CONCENTRATIONS, found, strict=True):
        exact = mp.mpf(0)
        for _, _, moves, shares in strata_of(table, candidate):
            exact += mp.loggamma(k) - mp.loggamma(k + moves.sum())
            for m, w in zip(moves, shares, strict=True):
                if m > 0:
                    exact += mp.loggamma(k * mp.mpf(w) + m) - mp.loggamma(k * mp.mpf(w)) - m * mp.log(w)
        assert abs(value - exact) <= 1e-9 * max(1, abs(exact), table.transitions.sum())


@given(tables_with_a_candidate())
def test_pooled_sums_equal_plain_sums(case):
    table, candidate = case
    strata = Strata.from_table(table, candidate)
    found = _stratified.pooled(strata.values, strata.order, strata.starts)
    square = excess = variance = 0.0
    degrees = cells = small_cells = transitions = 0
    for _, _, moves, shares in strata_of(table, candidate):
        moves, shares = moves[shares > 0], shares[shares > 0]
        if len(moves) < 2:
            continue
        n = moves.sum()
        square += ((moves - n * shares) ** 2 / (n * shares)).sum()
        excess += (moves * (moves - 1) / (n * shares)).sum() - (n - 1)
        variance += 2 * (len(moves) - 1) * (n - 1) / n
        degrees += len(moves) - 1
        cells += len(moves)
        small_cells += (n * shares < 5).sum()
        transitions += n
    assert found[:4] == pytest.approx((square, degrees, excess, variance), rel=1e-9, abs=1e-6)
    assert found[4] == cells
    assert abs(found[5] - small_cells) <= 1  # an expected count of exactly 5 may round either way
    assert found[6] == transitions


@given(tables_with_a_candidate())
def test_main_effects_equal_the_log_rank_sums(case):
    table, candidate = case
    strata = Strata.from_table(table, candidate)
    c, k = table.n_states, strata.states
    difference, covariance = np.zeros((c, c, k)), np.zeros((c, c, k, k))
    for x, y, moves, shares in strata_of(table, candidate):
        n = moves.sum()
        difference[x, y] += moves - n * shares
        covariance[x, y] += n * (np.diag(shares) - np.outer(shares, shares))
    found = _stratified.main_effects(strata.values, strata.order, strata.value, strata.starts, k)
    scale = max(1.0, table.transitions.sum())
    assert np.allclose(found[0], difference, atol=1e-10 * scale)
    assert np.allclose(found[1], covariance, atol=1e-10 * scale)


@given(tables_with_a_candidate())
def test_rows_that_never_occur_can_be_left_out(case):
    table, candidate = case
    sparse = without_empty_rows(table)
    for test in (Pooled(0.05), DirichletMultinomial(), DirichletMultinomial(main_effects=False)):
        dense_outcome, outcome = test.test(table, candidate), test.test(sparse, candidate)
        assert outcome.independent == dense_outcome.independent
        assert outcome.p_value == pytest.approx(dense_outcome.p_value, rel=1e-9, abs=1e-300)


def test_main_effects_and_interactions_are_distinguished():
    """A candidate's value raises the rate in all strata, or in every other stratum only."""
    time, n = 40.0, 64
    values = np.zeros((2 * n, 2, 3))
    values[:, :, 0] = time
    for s, y in itertools.product(range(n), range(2)):
        values[2 * s + y, 0, 2] = 120 + 16 * y
        values[2 * s + y, 1, 1] = 100
    same_in_all = Strata.from_table(table_of(values, (n, 2)), 2)
    assert main_effect(same_in_all) > 10 > interaction(same_in_all)
    for s, y in itertools.product(range(n), range(2)):
        values[2 * s + y, 0, 2] = 120 + 36 * (y ^ (s & 1))
    alternating = Strata.from_table(table_of(values, (n, 2)), 2)
    assert interaction(alternating) > 10 > main_effect(alternating)
    assert DirichletMultinomial().log_bayes_factor(table_of(values, (n, 2)), 2) > 10


def test_log_rank_of_two_samples_is_the_binomial_test():
    table = table_of([[[30.0, 0, 70], [5.0, 0, 0]], [[10.0, 0, 30], [5.0, 0, 0]]], (2,))
    statistic, degrees = log_rank(Strata.from_table(table, 1))
    assert degrees == 1
    assert statistic == pytest.approx((30 - 25) ** 2 / (100 * 0.25 * 0.75))


def independent_tables(rng, c, b, time, number):
    """Yield tables with a candidate of no effect: rates depend on the b other parents, time on all."""
    for _ in range(number):
        q = rng.uniform(1, 5, (c**b, 1, c, c))
        times = rng.gamma(2.0, time, (c**b, c, c, 1))
        moves = rng.poisson(q * times) * (1 - np.eye(c))
        yield table_of(np.concatenate([times, moves], -1).reshape(-1, c, c + 1), (c,) * (b + 1))


def exact_p(strata):
    """Return the p-value of the number of pairs from all possible outcomes; ties count half."""

    def extremeness(outcome):
        pairs = square = 0.0
        for moves, (total, shares) in zip(outcome, strata, strict=True):
            moves = np.array(moves)
            pairs += (moves * (moves - 1) / (total * shares)).sum()
            square += (moves * moves / (total * shares)).sum()
        return pairs, square

    observed = extremeness([moves for moves, _ in OBSERVED])
    below = above = equal = 0.0
    choices = [[m for m in itertools.product(range(n + 1), repeat=len(w)) if sum(m) == n] for n, w in strata]
    for outcome in itertools.product(*choices):
        probability = math.prod(
            stats.multinomial.pmf(m, n, w) for m, (n, w) in zip(outcome, strata, strict=True)
        )
        drawn = extremeness(outcome)
        if drawn == pytest.approx(observed, rel=1e-9):
            equal += probability
        elif drawn[0] > observed[0] + 1e-9 or (
            abs(drawn[0] - observed[0]) <= 1e-9 and drawn[1] > observed[1]
        ):
            above += probability
        else:
            below += probability
    assert below + above + equal == pytest.approx(1)
    return above + equal / 2


OBSERVED = [((4, 1, 0), (1.5, 2.0, 1.0)), ((1, 3, 1), (1.0, 0.3, 1.2)), ((0, 1, 0), (2.0, 1.0, 1.0))]


def test_random_redistribution_finds_the_exact_p_value():
    """Three strata have so few transitions that all outcomes can be listed."""
    values = np.zeros((9, 2, 3))
    for s, (moves, time) in enumerate(OBSERVED):
        values[3 * s : 3 * s + 3, 0, 0] = time
        values[3 * s : 3 * s + 3, 0, 2] = moves
    table = table_of(values, (3, 3))
    strata = [(sum(moves), np.array(time) / sum(time)) for moves, time in OBSERVED]
    exact = exact_p(strata)
    outcome = Pooled(0.3).test(table, 2)
    assert outcome.why.startswith("pooled pairs of 11")
    assert 0.001 < exact < 0.2
    draws = 1000
    assert outcome.p_value == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / draws))


@pytest.mark.parametrize(
    ("moves", "share", "drawn"), [(6, 0.5, True), (9, 0.5, True), (40, 0.01, False), (400, 0.01, False)]
)
def test_nothing_is_drawn_if_no_drawn_table_would_reach_the_observed_one(moves, share, drawn):
    values = np.zeros((8, 2, 3))
    values[:, :, 0] = np.tile([1 - share, share], 4)[:, None]
    values[1::2, 0, 2] = moves
    table = table_of(values, (4, 2))
    outcome = Pooled(0.01).test(table, 2)
    p, tables = Pooled(0.01)._by_randomising(Strata.from_table(table, 2))
    assert not outcome.independent
    assert (p, tables) == (0.5 / 2000, 1999)
    if drawn:
        assert (outcome.p_value, outcome.drawn) == (p, 1999 * 4 * moves)
    else:
        # All transitions of a stratum are in the share w of time: M = N.
        excess = 4 * ((moves - 1) / share - (moves - 1))
        variance = 4 * 2 * (moves - 1) / moves
        assert outcome.drawn == 0
        assert outcome.p_value == pytest.approx(variance / (variance + excess**2))
        assert outcome.p_value < p


def test_independence_is_not_rejected_without_pairs():
    """With one transition per stratum, no outcome is more extreme than another."""
    values = np.zeros((8, 2, 3))
    values[:, :, 0] = 1.0
    values[::2, 0, 2] = 1
    assert Pooled(0.4).test(table_of(values, (4, 2)), 2).independent


@given(tables_with_a_candidate(), st.sampled_from([1e-3, 1e3, 3.2e7]), st.randoms())
def test_neither_the_unit_of_time_nor_the_order_of_parents_changes_the_pooled_test(case, unit, random):
    table, candidate = case
    expected = Pooled(0.05).test(table, candidate)
    values = table.values.copy()
    values[:, :, 0] *= unit
    cardinalities = table.parent_cardinalities
    n = len(cardinalities)
    order = list(range(n))
    random.shuffle(order)
    permuted = values.reshape(*cardinalities, *values.shape[1:]).transpose(*order, n, n + 1)
    permuted = table_of(permuted.reshape(values.shape), [cardinalities[i] for i in order])
    outcome = Pooled(0.05).test(permuted, 1 + order.index(table.parents.index(candidate)))
    assert outcome.p_value == pytest.approx(expected.p_value, rel=1e-6, abs=1e-300)


# These have so few transitions that often no outcome is rare: their real level may be below the nominal one.
FEW_TRANSITIONS = {(2, 0, 0.4), (2, 1, 0.4)}


@pytest.mark.slow
@pytest.mark.parametrize("c", [2, 3, 4])
@pytest.mark.parametrize("b", [0, 1, 2])
@pytest.mark.parametrize("time", [0.4, 2.0, 30.0], ids=["sparse", "middling", "dense"])
def test_the_pooled_level_is_the_nominal_one(c, b, time):
    """Rejections among 600 independent tables lie within the 1e-4 limits of the binomial distribution."""
    rng = np.random.default_rng([c, b, int(10 * time)])
    samples = list(independent_tables(rng, c, b, time / 2, 600))
    for alpha in (0.05, 0.1):
        rejected = sum(not Pooled(alpha).test(t, b + 1).independent for t in samples)
        assert stats.binom.sf(rejected - 1, 600, alpha) > 1e-4
        if (c, b, time) not in FEW_TRANSITIONS:
            assert stats.binom.cdf(rejected, 600, alpha) > 1e-4


@pytest.mark.slow
def test_the_pooled_level_is_the_nominal_one_if_transitions_are_too_many_to_redistribute():
    rng = np.random.default_rng(4)
    outcomes = [Pooled(0.1).test(t, 6) for t in independent_tables(rng, 3, 5, 0.3, 400)]
    assert all(outcome.why.startswith("pooled pairs, χ²") for outcome in outcomes)
    rejected = sum(not outcome.independent for outcome in outcomes)
    assert 1e-4 < stats.binom.cdf(rejected, 400, 0.1) < 1 - 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("time", [0.05, 1.0, 30.0])
def test_a_bayes_factor_exceeds_its_threshold_by_chance_with_bounded_probability(time):
    rng = np.random.default_rng(int(100 * time))
    values = np.array(
        [DirichletMultinomial().log_bayes_factor(t, 2) for t in independent_tables(rng, 3, 1, time, 800)]
    )
    for t in (1.0, 2.0, 3.0):
        assert stats.binom.sf((values > t).sum() - 1, 800, math.exp(-t)) > 1e-4


@pytest.mark.parametrize("test", [Pooled(), DirichletMultinomial()])
def test_a_table_without_data_gives_independence(test):
    outcome = test.test(table_of(np.zeros((6, 3, 4)), (2, 3)), 1)
    assert outcome.independent
    assert outcome.p_value == 1


def test_bad_parameters_are_refused():
    for make in (
        lambda: Pooled(0.0),
        lambda: DirichletMultinomial(math.inf),
        lambda: Ctpc(test="poled"),
        lambda: Ctpc(test="dm", alpha=2.0),
    ):
        with pytest.raises(InputError):
            make()


def test_ctpc_takes_the_tests_by_name():
    assert Ctpc(test="pooled").independence_test == Pooled(0.01)
    assert Ctpc(test="pooled", alpha=0.2).independence_test == Pooled(0.2)
    by_factor = Ctpc(test="dm", alpha=math.exp(-5)).independence_test
    assert isinstance(by_factor, DirichletMultinomial)
    assert by_factor.threshold == pytest.approx(5.0)
