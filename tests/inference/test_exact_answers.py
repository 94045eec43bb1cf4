"""Exact answers agree with SciPy's matrix exponential, with closed forms and with linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.linalg import expm

import ctbnlab
from ctbnlab import Query
from ctbnlab.inference import propagation
from tests.support.reference_inference import joint_networks, smoothed, start_of, states_of
from tests.support.small_networks import joint_intensity, network_of

TOLERANCE = 1e-9
seeds = st.integers(0, 2**32 - 1)


def joint_table(network, answer, time):
    """Return an answer's joint probabilities at a time, in C order."""
    rows = [row for row in answer.rows() if row["time"] == time]
    return np.array([row["probability"] for row in rows])


@settings(max_examples=40, deadline=None)
@given(joint_networks(), st.sampled_from([1e-3, 0.3, 2.0, 50.0]))
def test_joint_probabilities_are_those_of_the_matrix_exponential(network, time):
    answer = Query(network).at([0.0, time / 3, time], joint=True)
    start, q = start_of(network), joint_intensity(network)
    for t in (0.0, time / 3, time):
        assert joint_table(network, answer, t) == pytest.approx(start @ expm(q * t), abs=TOLERANCE)
    assert answer.about["engine"] == "exact"
    assert answer.about["error"] <= TOLERANCE


@pytest.mark.parametrize("joint", [False, True])
def test_sums_are_the_same_before_and_after_looking(joint, monkeypatch):
    network = ctbnlab.gallery.get("drug")
    ask = lambda: Query(network).at(np.linspace(0, 30, 9), ["Drowsy", "JointPain"], joint=joint).values  # noqa: E731
    whole = ask()
    monkeypatch.setattr(propagation, "_WHOLE_OF_MANY", 0)
    assert ask() == pytest.approx(whole, abs=1e-12)


@settings(max_examples=15, deadline=None)
@given(joint_networks(max_joint=64), st.sampled_from([1e3, 1e6]))
def test_long_times_are_those_of_the_matrix_exponential(network, time):
    """SciPy's own error grows with the largest rate times the time."""
    found = Query(network).at(time, joint=True)
    assert found.about["engine"] == "exact"
    answer = joint_table(network, found, time)
    q = joint_intensity(network)
    step = expm(q * time / 1024)
    for _ in range(10):
        step = step @ step
        step /= step.sum(axis=1, keepdims=True)
    assert answer == pytest.approx(start_of(network) @ step, abs=1e-8)


@settings(max_examples=30, deadline=None)
@given(joint_networks(max_joint=128))
def test_marginals_depend_on_ancestors_only(network):
    whole = Query(network).at([0.4, 1.1])
    for name in network.names:
        own = Query(network).at([0.4, 1.1], [name])
        assert own.values == pytest.approx(whole.select(variable=name), abs=TOLERANCE)
        assert own.about["joint_states"] <= max(whole.about["joint_states"], 1)


@settings(max_examples=25, deadline=None)
@given(joint_networks(max_joint=64), seeds)
def test_occupancy_is_the_integral(network, seed):
    """Van Loan: the integral of exp(Qs) is a block of the exponential of a larger matrix."""
    rng = np.random.default_rng(seed)
    begin, end = np.sort(rng.uniform(0, 3, 2)).tolist()
    answer = Query(network).expect(begin, end)
    q, states = joint_intensity(network), states_of(network)
    n = len(q)
    block = np.zeros((2 * n, 2 * n))
    block[:n, :n], block[:n, n:] = q, np.eye(n)
    area = start_of(network) @ expm(q * begin) @ expm(block * (end - begin))[:n, n:]
    for i, (name, labels) in enumerate(network.variables):
        for x, label in enumerate(labels):
            (time,) = answer.select(quantity="time", variable=name, state=label)
            assert time == pytest.approx(area[states[:, i] == x].sum(), abs=TOLERANCE * max(1, end))
            for y, other in enumerate(labels):
                if x != y:
                    jumps = (states[:, None, i] == x) & (states[None, :, i] == y)
                    expected = (area[:, None] * q * jumps).sum()
                    (found,) = answer.select(quantity="transitions", variable=name, state=label, to=other)
                    assert found == pytest.approx(expected, rel=1e-8, abs=TOLERANCE)


@settings(max_examples=30, deadline=None)
@given(joint_networks(max_joint=64, unequal=False), seeds)
def test_first_passage_solves_the_linear_equations(network, seed):
    rng = np.random.default_rng(seed)
    movable = [v for v in network.variables if len(v.states) > 1] or list(network.variables)
    names = [movable[k] for k in rng.permutation(len(movable))[:2]]
    goal = {v.name: v.states[int(rng.integers(len(v.states)))] for v in names}
    answer = Query(network).until(goal, times=[0.5, 2.0])
    states, q, start = states_of(network), joint_intensity(network), start_of(network)
    inside = np.ones(len(states), bool)
    for v in names:
        inside &= states[:, network.index(v.name)] == v.states.index(goal[v.name])
    stopped = q.copy()
    stopped[inside] = 0
    by = dict(zip(answer.columns["time"], answer.values, strict=True))
    for t in (0.5, 2.0):
        assert by[t] == pytest.approx((start @ expm(stopped * t))[inside].sum(), abs=TOLERANCE)
    late = expm(stopped * 1e5)
    ever = late[:, inside].sum(axis=1)
    (found,) = answer.select(quantity="ever reached")
    assert found == pytest.approx(start @ ever, abs=1e-7)
    # The mean: integrate the probability of being under way and of arriving later.
    outside = np.flatnonzero(~inside & (ever > 1e-9))
    waits = np.zeros(len(states))
    waits[outside] = np.linalg.solve(-q[np.ix_(outside, outside)], ever[outside])
    mean = next(v for k, v in zip(answer.columns["quantity"], answer.values, strict=True) if "mean" in k)
    if start @ ever > 1e-6:
        assert mean == pytest.approx(start @ waits / (start @ ever), rel=1e-6, abs=1e-9)
    for level in (0.25, 0.5, 0.75):
        (quantile,) = answer.select(quantity=f"quantile {level:g}")
        if np.isfinite(quantile):
            reached = (start @ expm(stopped * quantile))[inside].sum()
            assert reached >= level - 1e-7
            if quantile > 0:
                assert reached == pytest.approx(level, abs=1e-7)
        else:
            assert found < level + 1e-9


def test_competing_targets_share_what_arrives():
    network = ctbnlab.gallery.get("eating")
    start = dict.fromkeys(network.names, "no")
    answer = Query(network, start=start).until(["Eating=yes,Full=yes", "Full=yes"], times=[1.0])
    assert sum(answer.select(quantity="ever reached")) == pytest.approx(1)


def test_one_event_has_an_exponential_time():
    network = network_of([2], [()], [[[[0, 0.7], [0, 0]]]]).with_initial({"X0": "0"})
    answer = Query(network).until("X0=1", times=[0.0, 2.0], quantiles=[0.5])
    assert answer.values == pytest.approx([0, 1 - np.exp(-1.4), 1, 1 / 0.7, np.log(2) / 0.7])
    back = Query(network.with_initial({"X0": "1"})).until("X0=0", times=[3.0], quantiles=[0.5])
    assert back.values == [0, 0, np.inf, np.inf]


def test_slow_events_keep_their_accuracy():
    """A rate of 10⁻⁶ beside one of 10⁴: doubling must not lose the slow one."""
    rates = [[[[0, 1e4], [1e4, 0]]], [[[0, 1e-6], [0, 0]], [[0, 3e-6], [0, 0]]]]
    network = network_of([2, 2], [(), (0,)], rates).with_initial({"X0": "0", "X1": "0"})
    (mean,) = Query(network).until("X1=1", quantiles=[]).select(quantity="mean time")
    assert mean == pytest.approx(5e5, rel=1e-6)
    for t in (1e3, 1e6):
        (found,) = Query(network).at(t, ["X1"]).select(state="1")
        assert found == pytest.approx(-np.expm1(-2e-6 * t), rel=1e-6)


@settings(max_examples=20, deadline=None)
@given(joint_networks(max_joint=100, unequal=False))
def test_the_long_run_is_late(network):
    q = joint_intensity(network)
    step = expm(q)
    for _ in range(60):
        step = step @ step
        step /= step.sum(axis=1, keepdims=True)
    answer = Query(network).long_run(joint=True)
    assert answer.values == pytest.approx(start_of(network) @ step, abs=1e-8)


def test_the_engines_by_steps_agree_with_those_by_matrices(monkeypatch):
    network = ctbnlab.generate(5, states=3, density=0.3, seed=4)
    goal = {"X1": "2", "X4": "0"}
    query = Query(network)
    dense = query.until(goal, times=[0.5, 40.0]), query.long_run(), query.at(300.0)
    monkeypatch.setattr("ctbnlab.inference.exact.DENSE_STATES", 1)
    monkeypatch.setattr("ctbnlab.inference.first_passage.DENSE_STATES", 1)
    monkeypatch.setattr("ctbnlab.inference.propagation._DENSE_FROM", 1)
    by_steps = query.until(goal, times=[0.5, 40.0]), query.long_run(), query.at(300.0)
    for a, b in zip(dense, by_steps, strict=True):
        assert a.values == pytest.approx(b.values, abs=1e-8, rel=1e-8)


def test_threads_do_not_change_a_bit():
    network = ctbnlab.generate(15, states=2, density=0.15, seed=2)
    one = Query(network, jobs=1).at([0.2, 0.5])
    assert one.about["joint_states"] == 2**15
    assert Query(network, jobs=3).at([0.2, 0.5]).values == one.values


def test_smoothed_with_no_evidence_is_the_distribution():
    network = ctbnlab.generate(3, states=3, density=0.4, seed=1)
    joint, likelihood = smoothed(network, 0.7)
    assert likelihood == pytest.approx(1)
    assert Query(network).at(0.7, joint=True).values == pytest.approx(joint, abs=TOLERANCE)
