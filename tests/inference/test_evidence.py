"""Filtering, smoothing, interventions and likelihoods agree with brute force on tiny networks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import ctbnlab
from ctbnlab import InputError, Query
from ctbnlab.learning.parameters import log_likelihood
from tests.support.reference_inference import joint_networks, smoothed
from tests.support.small_networks import network_of

TIMES = (0.0, 0.4, 0.7, 1.0, 1.6)


@st.composite
def problems(draw):
    """Draw a network, points of evidence, observed intervals, interventions, and a time to ask about."""
    network = draw(joint_networks(max_joint=36, max_variables=3, unequal=False))
    n = len(network.variables)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    points, intervals, holds = [], [], []
    for i in rng.permutation(n).tolist():
        c = len(network.variables[i].states)
        kind = rng.choice(["points", "interval", "hold", "none"])
        a, b = sorted(rng.choice(TIMES, 2, replace=False).tolist())
        x = int(rng.integers(c))
        if kind == "points":
            for t in rng.choice(TIMES, rng.integers(1, 3), replace=False).tolist():
                soft = rng.random() < 0.5
                points.append((t, i, (rng.random(c) + 0.01 if soft else np.eye(c)[rng.integers(c)]).tolist()))
        elif kind == "interval":
            intervals.append((a, b, i, x))
        elif kind == "hold":
            holds.append((a, b if rng.random() < 0.5 else math.inf, i, x))
    return network, points, intervals, holds, float(rng.choice([*TIMES, 0.2, 2.0]))


def asked(network, points, intervals, holds):
    """Return the query of a problem."""
    variables = network.variables
    observe = [
        (t, variables[i].name, dict(zip(variables[i].states, likelihood, strict=True)))
        for t, i, likelihood in points
    ]
    observe += [((a, b), variables[i].name, variables[i].states[x]) for a, b, i, x in intervals]
    do = [((a, b), variables[i].name, variables[i].states[x]) for a, b, i, x in holds]
    return Query(network, do=do, observe=observe)


@settings(max_examples=120, deadline=None)
@given(problems(), st.booleans())
def test_beliefs_are_those_of_brute_force(problem, filtering):
    network, points, intervals, holds, time = problem
    _, whole = smoothed(network, max([time, *TIMES]), points, intervals, holds)
    query = asked(network, points, intervals, holds)
    if whole == 0:
        with pytest.raises(InputError, match=r"impossible|contradicts"):
            query.at(max([time, *TIMES]))
        return
    assume(whole > 1e-12)
    joint, _ = smoothed(network, time, points, intervals, holds, filtering)
    assert query.at(time, joint=True, filtering=filtering).values == pytest.approx(joint, abs=1e-9)
    if points or intervals:
        (found,) = query.likelihood().values
        assert found == pytest.approx(math.log(whole), abs=1e-8)


def test_a_trajectory_seen_completely_has_the_likelihood_of_the_data():
    network = ctbnlab.generate(4, states=3, density=0.5, seed=5)
    data = ctbnlab.simulate(network, trajectories=1, duration=3.0, seed=6)
    observe = []
    state = data.initial[0].tolist()
    since = [0.0] * 4
    for t, i, new in zip(data.time.tolist(), data.variable.tolist(), data.new.tolist(), strict=True):
        observe.append(((since[i], t), network.names[i], network.variables[i].states[state[i]]))
        state[i], since[i] = new, t
    for i, (name, labels) in enumerate(network.variables):
        observe.append(((since[i], 3.0), name, labels[state[i]]))
    start = {v.name: v.states[x] for v, x in zip(network.variables, data.initial[0], strict=True)}
    query = Query(network, start=start, observe=observe)
    expected = math.fsum(log_likelihood(network, data))
    assert query.likelihood().values == pytest.approx([expected], abs=1e-9)
    assert query.likelihood().about["joint_states"] == 3**4  # at the end, when nothing is observed any more
    simulated = Query(network, start=start, observe=observe, engine="simulation", samples=200)
    assert simulated.likelihood().values == pytest.approx([expected], abs=1e-9)


def test_evidence_of_a_change_counts_the_rate_at_that_time():
    """Whether the hidden parent was on decides how likely the change was."""
    rates = [np.zeros((1, 2, 2)), [[[0, 1], [0, 0]], [[0, 5], [0, 0]]]]
    network = network_of([2, 2], [(), (0,)], rates)
    query = Query(network, start={"X1": "0"}, observe=["0..2:X1=0", "2..3:X1=1"])
    on, off = 5 * math.exp(-10), math.exp(-2)
    assert query.at(1.0, ["X0"]).values == pytest.approx([off / (on + off), on / (on + off)])
    assert query.likelihood().values == pytest.approx([math.log((on + off) / 2)])


def test_what_never_moves_stays_where_it_was_held():
    network = network_of([2, 2], [(), (0,)], [np.zeros((1, 2, 2)), np.full((2, 2, 2), 0.5)])
    query = Query(network.with_initial({"X0": "0", "X1": "0"}), do=["0.4..1:X0=1"])
    assert query.at([0.2, 0.7, 2.0], ["X0"]).select(state="1") == pytest.approx([0, 1, 1])


def test_very_unlikely_evidence_has_a_log_likelihood():
    network = network_of([2], [()], [[[[0, 1000.0], [0, 0]]]]).with_initial({"X0": "0"})
    assert Query(network, observe=["0..5:X0=0"]).likelihood().values == pytest.approx([-5000])


def test_holding_cuts_the_arcs_into_a_variable():
    network = ctbnlab.gallery.get("eating")
    forced = Query(network, do={"Hungry": "yes"}).at(2.0, ["Eating"])
    assert forced.about["variables"] == 2  # Eating and the held Hungry: Full does not matter
    seen = Query(network, observe=["0..2:Hungry=yes"]).at(2.0, ["Eating"])
    assert forced.values != pytest.approx(seen.values, abs=0.01)


def test_comparison_subtracts_what_would_be_without():
    network = ctbnlab.gallery.get("drug")
    answer = Query(network, do={"Uptake": "no"}, compare=True).at([1.0], ["JointPain"])
    plain = Query(network).at([1.0], ["JointPain"])
    assert answer.columns["without"] == plain.values
    assert answer.columns["difference"] == pytest.approx(np.subtract(answer.values, plain.values))
    change = [("Drowsy", {}, "no", "yes", 0.0)]
    never = Query(network, start={"Drowsy": "no"}, rates=change).at(4.0, ["Drowsy"])
    assert never.values == pytest.approx([1, 0])


def test_the_most_probable_state_has_the_highest_probability():
    network = ctbnlab.gallery.get("drug")
    query = Query(network, observe=["2:JointPain=yes"])
    answer = query.most_probable([1.0, 3.0])
    whole = query.at([1.0, 3.0])
    assert len(answer) == 2 * 8
    for row in answer.rows():
        assert row["probability"] == max(whole.select(time=row["time"], variable=row["variable"]))
    assert len(query.most_probable(1.0, ["Drowsy", "Uptake"], joint=True)) == 1


def test_paths_given_evidence_have_its_distribution():
    network = network_of(
        [2, 3], [(1,), (0,)],
        [np.full((3, 2, 2), 0.8) * [[[1.0]], [[2.0]], [[0.3]]], np.full((2, 3, 3), 0.6) * [[[1.0]], [[2.5]]]],
    )  # fmt: skip
    query = Query(network, observe=["1:X0=1", "1.5..2.5:X1=2", "3:X0=0"])
    paths = query.sample(2000, 3.0)
    assert paths.n_trajectories == 2000
    exact = query.at([0.5, 2.0, 2.8])
    for t in (0.5, 2.0, 2.8):
        states = np.array([state_at(paths, p, t) for p in range(2000)])
        for i, (name, labels) in enumerate(network.variables):
            for x, label in enumerate(labels):
                (p,) = exact.select(time=t, variable=name, state=label)
                assert (states[:, i] == x).mean() == pytest.approx(p, abs=4.5 * math.sqrt(0.25 / 2000))
    assert all(state_at(paths, p, 1.0)[0] == 1 for p in range(2000))
    again = query.sample(2000, 3.0)
    assert np.array_equal(paths.time, again.time)
    earlier = query.sample(50, 2.0)
    assert set(earlier.end.tolist()) == {2.0}
    assert earlier.time.max() <= 2


def state_at(data, trajectory, time):
    """Return the states of a trajectory at a time."""
    state = data.initial[trajectory].astype(int).copy()
    for e in range(data.begin[trajectory], data.stop[trajectory]):
        if data.time[e] <= time:
            state[data.variable[e]] = data.new[e]
    return state
