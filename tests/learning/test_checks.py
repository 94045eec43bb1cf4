"""Model checks: their statistics against references, their level by simulation, and what each sees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import ctbnlab
from ctbnlab.counting.residuals import Cuts, residuals_of
from ctbnlab.data.prepare import prepare
from ctbnlab.data.role_request import RoleRequest
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.learning.check_statistics import (
    NO_SPREAD,
    period_test,
    shared_factor_test,
    trajectory_test,
    trajectory_weights,
)
from ctbnlab.learning.check_times import common_step
from ctbnlab.learning.checks import model_checks
from ctbnlab.learning.contract import Check
from ctbnlab.presentation.check_lines import warning_lines
from ctbnlab.simulation.degrade import coarsen


def learned(data):
    return ctbnlab.learn(data, ctbnlab.EmpiricalBayes()).graph


def warned(data, graph=None):
    """Return the checks that warn, by name, with the variables."""
    found = {}
    for check in model_checks(data, graph or learned(data)):
        if check.warns:
            found.setdefault(check.name, []).append(check.variable)
    return found


def one_way(times, end=5.0, start=None):
    """Return people in whom each variable changes once, at its time since entry."""
    people, count = times.shape
    start = np.zeros(people) if start is None else start
    seen = times <= end
    person, variable = np.nonzero(seen)
    moment = times[seen] + start[person]
    order = np.lexsort((moment, person))
    return Trajectories.from_arrays(
        [(f"X{i}", ("no", "yes")) for i in range(count)],
        offsets=np.concatenate([[0], np.cumsum(seen.sum(axis=1))]), start=start, end=start + end,
        initial=np.zeros((people, count)), time=moment[order], variable=variable[order],
        new=np.ones(len(order)),
    )  # fmt: skip


def renewal(rng, draw, variables=3, trajectories=40, duration=20.0, factors=None, start=None):
    """Return binary variables that change independently, after waits drawn by `draw`."""
    factors = np.ones(trajectories) if factors is None else factors
    start = np.zeros(trajectories) if start is None else start
    time, variable, new, offsets = [], [], [], [0]
    for t in range(trajectories):
        moments = []
        for i in range(variables):
            waits = np.cumsum(draw(rng, 400)) / factors[t]
            moments += [(w + start[t], i, (k + 1) % 2) for k, w in enumerate(waits[waits < duration])]
        moments.sort()
        time += [m[0] for m in moments]
        variable += [m[1] for m in moments]
        new += [m[2] for m in moments]
        offsets.append(len(time))
    return Trajectories.from_arrays(
        [(f"X{i}", "01") for i in range(variables)], offsets=offsets, start=start, end=start + duration,
        initial=np.zeros((trajectories, variables)), time=time, variable=variable, new=new,
    )  # fmt: skip


def exponential(rng, n):
    return rng.exponential(1.0, n)


# ---- The statistics ----


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
def test_periods_of_one_cell_are_pearsons_test(seed, periods):
    rng = np.random.default_rng(seed)
    exposure = rng.uniform(0.5, 2, periods)
    observed = rng.multinomial(200, exposure / exposure.sum()).astype(float)
    found = period_test(np.array([[observed], [exposure]]))
    wanted = stats.chisquare(observed, 200 * exposure / exposure.sum())
    assert found.statistic == pytest.approx(wanted.statistic)
    assert found.degrees_of_freedom == periods - 1
    assert found.p_value == pytest.approx(wanted.pvalue)


def test_periods_of_two_are_the_stratified_test_of_mantel_and_haenszel():
    rng = np.random.default_rng(1)
    exposure = rng.uniform(1, 3, (5, 2))
    observed = rng.poisson(20 * exposure).astype(float)
    total, share = observed.sum(axis=1), exposure[:, 0] / exposure.sum(axis=1)
    z = (observed[:, 0] - total * share).sum() / np.sqrt((total * share * (1 - share)).sum())
    assert period_test(np.array([observed, exposure])).statistic == pytest.approx(z**2)


def test_few_transitions_are_not_compared():
    assert period_test(np.array([[[5.0, 4.0]], [[1.0, 1.0]]])).p_value == 1
    assert period_test(np.zeros((2, 3, 4))).p_value == 1
    one_period = np.array([[[50.0, 0.0]], [[1.0, 0.0]]])
    assert period_test(one_period).degrees_of_freedom == 0


def simulated(k, trajectories=20, duration=10.0):
    network = ctbnlab.generate(3, states=2, density=0.4, connectivity="none", seed=k)
    data = ctbnlab.simulate(network, trajectories=trajectories, duration=duration, seed=1000 + k)
    cuts = Cuts.of(data)
    return [residuals_of(data, i, parents, cuts) for i, parents in enumerate(network.parents)]


def test_p_values_are_uniform_where_the_model_holds():
    sets = [simulated(k) for k in range(150)]
    p_values = {
        "own": [period_test(found[0].own).p_value for found in sets],
        "entry": [period_test(found[0].entry).p_value for found in sets],
        "trajectories": [trajectory_test(found[0]).p_value for found in sets],
        "shared": [shared_factor_test([each.counts for each in found]).p_value for found in sets],
    }
    for name, each in p_values.items():
        assert stats.kstest(each, "uniform").pvalue > 0.01, name
    z = [trajectory_test(found[1]).statistic for found in sets]
    assert abs(np.mean(z)) < 4 / np.sqrt(150)
    assert 0.8 < np.std(z) < 1.25


def test_variation_between_trajectories_is_estimated():
    rng = np.random.default_rng(2)
    factors = rng.gamma(4, 1 / 4, 200)
    data = renewal(rng, exponential, trajectories=200, factors=factors)
    found = [residuals_of(data, i, (), Cuts.of(data)) for i in range(3)]
    true = factors.std() / factors.mean()
    counts = [each.counts for each in found]
    assert shared_factor_test(counts).variation == pytest.approx(true, abs=0.06)
    assert trajectory_test(found[0]).variation == pytest.approx(true, abs=0.08)
    weights = trajectory_weights(counts, true)
    assert np.corrcoef(weights, factors)[0, 1] > 0.9


def test_one_event_a_trajectory_cannot_show_that_trajectories_differ():
    data = one_way(np.random.default_rng(3).weibull(0.6, (300, 2)))
    found = [residuals_of(data, i, (), Cuts.of(data)) for i in range(2)]
    assert trajectory_test(found[0]) == NO_SPREAD
    assert shared_factor_test([found[0].counts]) == NO_SPREAD


@given(
    st.sets(st.integers(-1000, 1000), min_size=30, max_size=60),
    st.sampled_from([0.1, 1.0, 7.0, 1 / 3, 1e-3, 30.4375]),
)
def test_the_step_of_a_grid_is_found(numbers, step):
    counts = np.array(sorted(numbers))
    expected = np.gcd.reduce(np.diff(counts)) * step
    assert common_step(counts * step + 0.25) == pytest.approx(expected, rel=1e-6)


def test_times_that_are_not_on_a_grid():
    rng = np.random.default_rng(4)
    assert common_step(rng.uniform(0, 100, 5000)) == 0
    assert common_step(np.append(np.arange(200.0), 3.14159)) < 0.01
    assert common_step(np.arange(5.0)) == 0
    assert common_step(np.full(100, 2.0)) == 0


# ---- What the checks see ----


def test_nothing_is_wrong_where_the_model_holds():
    data = ctbnlab.simulate(ctbnlab.generate(5, density=0.3, seed=5), trajectories=60, duration=30.0, seed=6)
    graph = learned(data)
    checks = model_checks(data, graph)
    assert not [check for check in checks if check.warns]
    assert {check.name for check in checks} == {
        "waiting times", "time since entry", "trajectories", "ties", "grid", "scarce",
    }  # fmt: skip
    assert ctbnlab.LearnedGraph.from_json(replace(graph, checks=checks).to_json()).checks == checks


@pytest.mark.parametrize(("shape", "word"), [(2.0, "less"), (5.0, "less"), (0.4, "more")])
def test_waits_that_are_not_exponential(shape, word):
    data = renewal(np.random.default_rng(7), lambda rng, n: rng.gamma(shape, 1 / shape, n))
    found = [check for check in model_checks(data, learned(data)) if check.warns]
    assert {check.name for check in found} == {"waiting times"}
    assert {check.variable for check in found} == set(data.names)
    assert all(f"vary {word} than" in check.message and check.advice == "--clock own" for check in found)


def test_own_clocks_explain_waits():
    data = renewal(np.random.default_rng(7), lambda rng, n: rng.gamma(4, 1 / 4, n))
    data, _ = prepare(data, RoleRequest(clocks=("own",)))
    graph = learned(data)
    assert graph.own_clocks
    assert not warned(data, graph)


@pytest.mark.parametrize("shape", [0.5, 0.7, 1.5, 3.0])
def test_rates_that_change_with_time_since_entry(shape):
    data = one_way(3 * np.random.default_rng(8).weibull(shape, (2000, 3)))
    assert warned(data) == {"time since entry": ["X0", "X1", "X2"]}
    clocked, _ = prepare(data, RoleRequest(clocks=("entry",)))
    assert not warned(clocked)


def test_a_variable_may_have_the_name_of_a_clock():
    data = one_way(3 * np.random.default_rng(8).weibull(0.5, (2000, 3)))
    names = ["A", "B", "time since entry"]
    variables = [(name, states) for name, (_, states) in zip(names, data.variables, strict=True)]
    data = Trajectories.from_arrays(
        variables, offsets=data.offsets, start=data.start, end=data.end, initial=data.initial,
        time=data.time, variable=data.variable, new=data.new,
    )  # fmt: skip
    assert warned(data)["time since entry"] == names


def test_rates_that_change_at_a_date():
    rng = np.random.default_rng(9)
    start = rng.uniform(0, 10, 400)
    data = renewal(rng, exponential, trajectories=400, duration=10.0, start=start)
    date = np.where(data.time < 10, data.time, 10 + (data.time - 10) / 2)
    end = np.where(data.end < 10, data.end, 10 + (data.end - 10) / 2)
    data = Trajectories.from_arrays(
        data.variables, offsets=data.offsets, start=start, end=end, initial=data.initial, time=date,
        variable=data.variable, new=data.new,
    )  # fmt: skip
    found = warned(data)
    assert found.pop("calendar time") == ["X0", "X1", "X2"]
    assert not found


def test_trajectories_that_differ():
    rng = np.random.default_rng(10)
    data = renewal(rng, exponential, factors=rng.gamma(4, 1 / 4, 40))
    assert warned(data) == {"trajectories": [None]}


def test_one_variable_differs_between_trajectories():
    rng = np.random.default_rng(11)
    same = renewal(rng, exponential, variables=1)
    other = renewal(rng, exponential, variables=1, factors=rng.gamma(4, 1 / 4, 40))
    trajectory = np.concatenate([np.repeat(np.arange(40), np.diff(d.offsets)) for d in (same, other)])
    time = np.concatenate([same.time, other.time])
    order = np.lexsort((time, trajectory))
    data = Trajectories.from_arrays(
        [("A", "01"), ("B", "01")], offsets=same.offsets + other.offsets, start=same.start, end=same.end,
        initial=np.zeros((40, 2)), time=time[order], new=np.concatenate([same.new, other.new])[order],
        variable=np.repeat([0, 1], [len(same.time), len(other.time)])[order],
    )  # fmt: skip
    found = warned(data)
    assert found.pop("trajectories") == ["B"]
    assert not found


def test_times_at_visits():
    data = renewal(np.random.default_rng(12), exponential)
    assert set(warned(coarsen(data, 0.5))) == {"ties", "grid"}
    assert set(warned(coarsen(data, 0.05))) <= {"ties"}


def test_too_few_events():
    data = renewal(np.random.default_rng(13), exponential, trajectories=1, duration=3.0)
    checks = model_checks(data, learned(data))
    assert [check.variable for check in checks if check.warns] == list(data.names)
    assert "too few events to learn from" in checks[-1].message


def test_no_events_at_all():
    data = Trajectories.from_arrays(
        [("A", "01"), ("B", "01")], offsets=[0, 0], start=[0.0], end=[1.0], initial=[[0, 1]], time=[],
        variable=[], new=[],
    )  # fmt: skip
    assert set(warned(data)) == {"scarce"}


def test_the_order_of_columns_does_not_matter():
    rng = np.random.default_rng(14)
    data = renewal(rng, lambda rng, n: rng.gamma(2, 1 / 2, n))
    order = np.array([2, 0, 1])
    place = np.argsort(order)
    other = Trajectories.from_arrays(
        [data.variables[i] for i in order], offsets=data.offsets, start=data.start, end=data.end,
        initial=data.initial[:, order], time=data.time, variable=place[data.variable], new=data.new,
    )  # fmt: skip
    one, two = (model_checks(each, learned(each)) for each in (data, other))
    assert set(one) == set(two)


# ---- As text ----


def test_lines_list_the_strongest_first():
    def check(k):
        return Check("waiting times", f"X{k}", float(k), True, f"waits vary ({k} to 9)", "--clock own")

    checks = [check(k) for k in range(8)] + [Check("ties", None, 0.1, False)]
    assert warning_lines(checks) == ["waits vary: X7 (7 to 9), X6, X5, X4, X3 and 3 more; try --clock own"]
    whole = Check("ties", None, 0.5, True, "50% tied", "arcs are lost")
    assert warning_lines([whole]) == ["50% tied; arcs are lost"]


def test_checks_are_made_when_they_are_asked_for():
    data = renewal(np.random.default_rng(7), lambda rng, n: rng.gamma(3, 1 / 3, n))
    learner = ctbnlab.Ctss().fit(data)
    assert learner.graph_.checks is None
    assert any(check.warns for check in learner.checks_)
    assert learner.graph_.checks is learner.checks_
