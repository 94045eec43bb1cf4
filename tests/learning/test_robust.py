"""Learning again with what the checks ask for, and strengths with the variance taken between trajectories."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ctbnlab
from ctbnlab.counting._trajectory_sums import trajectory_sums
from ctbnlab.counting.scan import scan_of
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.learning.between_trajectories import MIN_Z, arc_z
from ctbnlab.learning.robust import learn_robustly, paced
from tests.support.reference_statistics import configuration, stays
from tests.support.strategies import trajectories


def robustly(data):
    return learn_robustly(data, lambda some: ctbnlab.learn(some, ctbnlab.EmpiricalBayes()))


def with_factors(data, factors):
    """Return trajectories that run faster by a factor, cut at a common end."""
    data = data.compact()
    end = (data.end / factors).min()
    trajectory = np.repeat(np.arange(len(data)), data.stop - data.begin)
    time = data.time / factors[trajectory]
    kept = time < end
    counts = np.bincount(trajectory[kept], minlength=len(data))
    return Trajectories.from_arrays(
        data.variables, offsets=np.concatenate([[0], np.cumsum(counts)]), start=data.start,
        end=np.full(len(data), end), initial=data.initial, time=time[kept], variable=data.variable[kept],
        new=data.new[kept],
    )  # fmt: skip


@pytest.fixture(scope="module")
def people():
    """A network whose trajectories run at very different speeds, and its true arcs."""
    network = ctbnlab.generate(6, states=2, density=0.15, connectivity="none", seed=4)
    data = ctbnlab.simulate(network, trajectories=60, duration=90.0, seed=5)
    factors = np.random.default_rng(6).gamma(1, 1, 60)
    return with_factors(data, factors / factors.max()), network.arcs


def onsets(shape, people=2000):
    """Return independent one-way events with Weibull times."""
    times = 3 * np.random.default_rng(8).weibull(shape, (people, 3))
    person, variable = np.nonzero(times <= 5)
    time = times[times <= 5]
    order = np.lexsort((time, person))
    return Trajectories.from_arrays(
        [(name, ("no", "yes")) for name in "ABC"], start=np.zeros(people), end=np.full(people, 5.0),
        offsets=np.concatenate([[0], np.cumsum(np.bincount(person, minlength=people))]),
        initial=np.zeros((people, 3)), time=time[order], variable=variable[order], new=np.ones(len(time)),
    )  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_sums_of_trajectories_equal_a_plain_count(draw):
    data = draw.draw(trajectories(max_events=20, rough=True, min_variables=2, max_variables=3, max_states=3))
    target = draw.draw(st.integers(0, data.n_variables - 1))
    parents = tuple(j for j in range(data.n_variables) if j != target)
    rng = np.random.default_rng(draw.draw(st.integers(0, 2**32 - 1)))
    c = int(data.cardinalities[target])
    codes = [int(data.events.cardinalities[p]) for p in parents]
    rows = int(np.prod(codes))
    per_time, per_transition = rng.normal(size=(rows, c)), rng.normal(size=(rows, c, c))
    found = trajectory_sums(
        scan_of(data), target, np.array(parents, np.int32), np.empty(0, np.int64), per_time, per_transition
    )
    listed = np.arange(rows)
    assert np.array_equal(
        trajectory_sums(scan_of(data), target, np.array(parents, np.int32), listed, per_time, per_transition),
        found,
    )
    states = [len(variable.states) for variable in data.variables]
    for t in range(len(data)):
        total = 0.0
        for state, since, until, changes in stays(data.subset([t])):
            x = state[target]
            if x is None:
                continue
            # Here an unobserved parent is in one more state.
            coded = [states[j] if s is None else s for j, s in enumerate(state)]
            u = configuration(coded, parents, codes)
            total += per_time[u, x] * (until - since)
            total += sum(per_transition[u, x, new] for j, new in changes if j == target and new is not None)
        assert found[t] == pytest.approx(total, abs=1e-9)


def test_sums_refuse_arrays_of_other_shapes():
    data = ctbnlab.simulate(ctbnlab.generate(3, density=0.5, seed=1), trajectories=2, duration=5.0, seed=1)
    good = [
        scan_of(data), 0, np.empty(0, np.int32), np.empty(0, np.int64), np.ones((1, 2)), np.ones((1, 2, 2)),
    ]  # fmt: skip
    trajectory_sums(*good)
    for place, wrong in (
        (1, 5), (3, np.zeros(3, np.int64)), (4, np.ones((1, 3))), (4, np.ones((2, 2))),
        (5, np.ones((1, 2, 3))),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"target|number|row"):
            trajectory_sums(*good[:place], wrong, *good[place + 1 :])


def test_strength_between_trajectories_tells_true_arcs_from_none():
    network = ctbnlab.generate(4, states=2, density=0.3, connectivity="none", seed=2)
    data = ctbnlab.simulate(network, trajectories=60, duration=30.0, seed=3)
    true = set(network.arcs)
    assert true
    for child, parents in enumerate(network.parents):
        for other in range(4):
            if other == child:
                continue
            z = arc_z(data, child, {*parents, other}, other)
            is_arc = (data.names[other], data.names[child]) in true
            assert z > 4 if is_arc else z < 3


def test_strength_between_trajectories_rarely_shows_an_arc_that_is_not_there():
    """Trajectories run at very different speeds, and yet the upper tail is no longer than a normal one."""
    found = []
    for k in range(40):
        network = ctbnlab.generate(2, states=2, density=0.0, connectivity="none", seed=k)
        data = ctbnlab.simulate(network, trajectories=40, duration=20.0, seed=k)
        factors = np.random.default_rng(k).gamma(2, 1, 40)
        found.append(arc_z(with_factors(data, factors / factors.max()), 0, (1,), 1))
    assert np.mean(found) < 0.3
    assert np.mean(np.array(found) > 1.64) <= 0.1
    assert np.mean(np.array(found) > MIN_Z) <= 0.05


def test_clocks_are_taken_in():
    result = robustly(onsets(0.7))
    graph = result.learned.graph
    assert result.taken == ("entry",)
    assert not [arc for arc in graph.arcs if arc[0] in "ABC"]
    assert result.went
    assert all(why == "explained by the time since entry" for *_, why in result.went)
    assert graph.data["adjusted_for"] == ["entry"]
    assert graph.checks == result.checks
    assert not any(check.warns for check in result.checks)
    assert result.lines[0] == "learned again with a clock of the time since entry"
    assert result.data.names == graph.names


def test_nothing_is_taken_in_where_the_model_holds():
    data = ctbnlab.simulate(ctbnlab.generate(5, density=0.3, seed=5), trajectories=60, duration=30.0, seed=6)
    result = robustly(data)
    plain = ctbnlab.learn(data, ctbnlab.EmpiricalBayes()).graph
    assert (result.taken, result.went, result.came, result.marked, result.lines) == ((), (), (), (), [])
    assert result.learned.graph.nodes == plain.nodes
    assert result.learned.graph.data == plain.data
    assert result.data is data


def test_trajectories_get_their_pace(people):
    data, true = people
    plain = set(ctbnlab.learn(data, ctbnlab.EmpiricalBayes()).graph.arcs)
    result = robustly(data)
    found = set(result.learned.graph.arcs)
    assert plain - set(true)
    assert found <= set(true)
    assert len(found) >= len(true) - 1
    assert "pace" in result.taken
    assert result.learned.graph.data["time"] == pytest.approx(data.total_time)


def test_a_pace_of_one_changes_nothing(people):
    data, _ = people
    assert paced(data, np.ones(len(data))).equals(data)


def test_few_trajectories_are_reported(people):
    data, _ = people
    result = robustly(data.subset(slice(12)))
    assert result.marked == ()
    assert any("12 are too few" in line for line in result.lines)


def test_arcs_that_do_not_survive_are_marked():
    """Six independent variables, each with its own rates in every trajectory."""
    rng = np.random.default_rng(9)
    moments = []
    for t in range(60):
        for i in range(6):
            rates = np.resize(rng.uniform(1, 5, 2) * rng.gamma(1, 1), 400)
            times = np.cumsum(rng.exponential(1 / rates))
            moments += [(t, time, i, (k + 1) % 2) for k, time in enumerate(times[times < 30])]
    moments.sort()
    counts = np.bincount([m[0] for m in moments], minlength=60)
    data = Trajectories.from_arrays(
        [(f"X{i}", "01") for i in range(6)], offsets=np.concatenate([[0], np.cumsum(counts)]),
        start=np.zeros(60), end=np.full(60, 30.0), initial=np.zeros((60, 6)), time=[m[1] for m in moments],
        variable=[m[2] for m in moments], new=[m[3] for m in moments],
    )  # fmt: skip
    result = robustly(data)
    marked = {(a, b) for a, b, _ in result.marked}
    arcs = set(result.learned.graph.arcs)
    assert marked <= arcs
    assert len(marked) >= 0.8 * len(arcs) > 0
    for row in result.learned.graph.evidence:
        noted = "not beyond differences between trajectories" in row["why"]
        assert noted == ((row["from"], row["to"]) in marked)


def test_fit_can_be_robust():
    learner = ctbnlab.EmpiricalBayes().fit(onsets(1.5), robust=True)
    assert learner.graph_.roles.clock_names == ("time since entry",)
    assert learner.network_.names == learner.graph_.names
    assert not any(check.warns for check in learner.checks_)
