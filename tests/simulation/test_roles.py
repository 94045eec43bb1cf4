"""Simulated clocks, static variables and terminal events: equal to the plain reference, and as distributed.

Each statistical test rejects a correct simulator for one seed in a thousand; the seeds are fixed.
"""

from __future__ import annotations

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from ctbnlab.cli.main import main
from ctbnlab.data import arrow_file
from ctbnlab.errors import InputError
from ctbnlab.model.initial import InitialDistribution
from ctbnlab.model.network import Network
from ctbnlab.model.roles import Clock, Roles
from ctbnlab.simulation import simulate as simulate_module
from ctbnlab.simulation.simulate import simulate, simulate_to
from tests.support.against_reference import same_as_reference
from tests.support.role_networks import cohort, one_way, role_networks

LEVEL = 1e-3


@settings(max_examples=200)
@given(role_networks(), st.integers(0, 2**40), st.sampled_from([0, 7]), st.booleans(), st.data())
def test_events_equal_the_reference(network, seed, first, by_time, data):
    if by_time:
        length = {"duration": data.draw(st.sampled_from([0.0, 0.4, 2.0]))}
    else:
        length = {"transitions": data.draw(st.integers(0, 12))}
    simulated = same_as_reference(network, seed=seed, first=first, trajectories=3, **length)
    assert simulated.roles == network.roles


@settings(max_examples=25, deadline=None)
@given(role_networks(), st.integers(1, 3))
def test_no_split_changes_a_byte(tmp_path_factory, network, piece):
    folder = tmp_path_factory.mktemp("data")
    options = {"duration": 2.0, "seed": 9, "trajectories": 6}
    whole = simulate(network, **options)
    arrow_file.write(whole, folder / "whole.arrow")
    with (
        mock.patch.object(simulate_module, "_PIECE_EVENTS", piece),
        mock.patch.object(simulate_module, "_BATCH_EVENTS", 5),
    ):
        assert simulate_to(folder / "to.arrow", network, jobs=2, **options) == whole.n_changes
    assert (folder / "to.arrow").read_bytes() == (folder / "whole.arrow").read_bytes()
    assert arrow_file.read(folder / "to.arrow").equals(whole)


def test_clocks_that_share_a_cut_change_together():
    clocks = (Clock("a", "entry", (1.0, 2.0)), Clock("b", "entry", (2.0,)))
    network = Network.build([("a", ["0", "1", "2"]), ("b", ["0", "1"])], {}, {}, roles=Roles(clocks=clocks))
    data = simulate(network, duration=3.0, seed=1)
    assert data.time.tolist() == [1.0, 2.0, 2.0]
    assert data.variable.tolist() == [0, 0, 1]
    assert data.tied
    assert data.n_events == 0
    # A cut at the end leaves no time for the period after it.
    assert simulate(network, duration=2.0, seed=1).time.tolist() == [1.0]
    assert not simulate(network, duration=2.0, seed=1).tied


def test_a_clock_wakes_a_variable_that_stood_still():
    network = Network.build(
        [("clock", ["0", "1"]), ("X", ["no", "yes"])],
        {"X": ["clock"]},
        {"X": [one_way(0.0), one_way(5.0)]},
        initial={"clock": "0", "X": "no"},
        roles=Roles(clocks=(Clock("clock", "entry", (3.0,)),)),
    )
    data = simulate(network, trajectories=50, duration=9.0, seed=2)
    assert (data.time[data.variable == 1] > 3.0).all()
    assert (data.variable == 1).sum() == 50
    by_count = simulate(network, trajectories=50, transitions=1, seed=2)
    assert np.array_equal(by_count.time, data.time)
    assert np.array_equal(by_count.end, data.time[data.variable == 1])


# --- distributions ----------------------------------------------------------------------------------------


def times_of(data, variable):
    """Return when an event that happens once did, for each trajectory; NaN if it did not."""
    result = np.full(len(data), np.nan)
    events = np.flatnonzero(data.variable == data.index(variable))
    result[np.searchsorted(data.stop, events, side="right")] = data.time[events]
    return result


def p_values(times, hazard, until):
    """Return p-values of event times, observed up to `until`, against an integrated hazard.

    The share with an event is binomial given how long each was observed; among those with an event, the
    integrated hazard has a truncated exponential distribution.
    """
    happened = ~np.isnan(times)
    chances = 1 - np.exp(-hazard(until))
    z = (happened.sum() - chances.sum()) / np.sqrt((chances * (1 - chances)).sum())
    uniform = (1 - np.exp(-hazard(times[happened]))) / chances[happened]
    return [2 * stats.norm.sf(abs(z)), stats.kstest(uniform, "uniform").pvalue]


def piecewise(scale=1.0):
    """Return the integrated hazard of E in `cohort`."""
    return lambda t: scale * np.interp(t, [0.0, 1.0, 2.5, 100.0], [0.0, 0.5, 3.5, 3.5 + 9.75])


@pytest.fixture(scope="module")
def data():
    return simulate(cohort(), trajectories=20_000, duration=4.0, seed=31)


@pytest.fixture(scope="module")
def without_terminal():
    """The same network without its terminal event, so that all are observed for the same time."""
    network = cohort()
    cims = (*network.cims[:-1], replace(network.cims[-1], q=np.zeros((1, 2, 2))))
    return simulate(replace(network, cims=cims), trajectories=20_000, duration=4.0, seed=32)


def test_piecewise_constant_hazards(without_terminal):
    times, until = times_of(without_terminal, "E"), np.full(20_000, 4.0)
    assert min(p_values(times, piecewise(), until)) > LEVEL / 2
    assert min(p_values(times, piecewise(1.05), until)) < LEVEL / 2, "a rate that is 5% off goes unnoticed"
    constant = -np.log(np.isnan(times).mean()) / 4.0
    assert min(p_values(times, lambda t: constant * t, until)) < LEVEL / 2, "the periods make no difference"


def test_terminal_events_end_trajectories(data):
    times = times_of(data, "T")
    died = ~np.isnan(times)
    assert np.array_equal(data.end, np.where(died, times, 4.0))
    assert min(p_values(times, lambda t: 0.3 * t, np.full(20_000, 4.0))) > LEVEL / 2
    last = data.stop[died] - 1
    assert (data.variable[last] == data.index("T")).all()
    # The other events are as before, up to that time.
    cumulated = np.where(np.isnan(times_of(data, "E")), data.end, times_of(data, "E"))
    residual = (~np.isnan(times_of(data, "E"))).sum() - piecewise()(cumulated).sum()
    assert abs(residual) < stats.norm.isf(LEVEL / 2) * np.sqrt(piecewise()(cumulated).sum())


def test_clocks_change_at_their_cuts(data):
    events = np.flatnonzero(data.variable == data.index("clock"))
    assert set(data.time[events].tolist()) == {1.0, 2.5}
    for cut, period in ((1.0, 1), (2.5, 2)):
        changed = np.searchsorted(data.stop, events[data.new[events] == period], side="right")
        assert np.array_equal(changed, np.flatnonzero(data.end > cut))


def test_static_variables_have_their_frequencies_and_effects():
    network = cohort()
    tables = list(network.initial.tables)
    tables[0] = np.array([[0.3, 0.7]])
    initial = InitialDistribution.build(network.variables, [()] * 5, tables)
    data = simulate(network.with_initial(initial), trajectories=20_000, duration=4.0, seed=33)
    assert not (data.variable == 0).any()
    b = data.initial[:, 0] == 1
    assert stats.binomtest(int(b.sum()), 20_000, 0.7).pvalue > LEVEL
    assert stats.binomtest(int(b.sum()), 20_000, 0.72).pvalue < LEVEL, "the test would miss 0.02"
    times = times_of(data, "D")
    for group, rate in ((~b, 0.4), (b, 1.2)):
        exposure = np.where(np.isnan(times), data.end, times)[group].sum()
        events = (~np.isnan(times))[group].sum()
        assert abs(events - rate * exposure) < stats.norm.isf(LEVEL / 2) * np.sqrt(rate * exposure)


# --- refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        (Roles(clocks=(Clock("clock", "calendar", (1.0, 2.5)),)), "'clock' is of the kind 'calendar'; only"),
        (Roles(clocks=(Clock("clock", "column"),)), "'clock' is of the kind 'column'; only"),
        (Roles(own_clock=8), "has own clocks; only clocks of time since entry can be simulated"),
        (Roles(clocks=(Clock("clock", "entry", (1.0,)),)), "has 3 states; a clock with 1 cut needs 2"),
        (Roles(static=("E",)), "variable 'E': is static, so it cannot have parents"),
    ],
)
def test_roles_that_cannot_be_simulated(roles, message):
    with pytest.raises(InputError, match=message):
        simulate(replace(cohort(), roles=roles), duration=1.0, seed=1)


def test_a_clock_has_no_given_initial_state(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cohort().write("network.json")
    command = ["simulate", "network.json", "--duration", "1", "--seed", "1", "-o", "data.arrow"]
    assert main([*command, "--initial", "clock=1-2.5"]) == 2
    assert capsys.readouterr().err == (
        "ctbnlab: initial state: 'clock' is a clock, which always starts at time 0\n"
    )
    assert main([*command, "--initial", "S=b"]) == 0
    assert arrow_file.read("data.arrow").roles == cohort().roles
