"""Hidden spells and coarse dates: equal to a plain reference, reproducible, and as distributed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

import ctbnlab
from ctbnlab.cli.main import main
from ctbnlab.data import arrow_file
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.model.roles import Clock, Roles
from ctbnlab.simulation.degrade import Spells, coarsen, draw_spells, hide, hide_spells, rounded_up
from ctbnlab.simulation.simulate import simulate
from tests.support import reference_degrading as reference
from tests.support.role_networks import cohort
from tests.support.small_networks import mixed
from tests.support.strategies import trajectories


def seen(data, t):
    """Return the initial codes and the events (time, variable, code) of a trajectory."""
    part = slice(int(data.begin[t]), int(data.stop[t]))
    columns = (data.time[part].tolist(), data.variable[part].tolist(), data.new[part].tolist())
    return data.initial[t].tolist(), list(zip(*columns, strict=True))


# --- equal to the reference -------------------------------------------------------------------------------


@st.composite
def hidden_spells(draw, data):
    """Draw spells of any variables: overlapping, at moments of events, before the start, after the end."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    result = []
    for _ in range(draw(st.integers(0, 8))):
        t = int(rng.integers(len(data)))
        moments = [data.start[t], data.end[t], *data.time[data.begin[t] : data.stop[t]]]
        moments += rng.uniform(data.start[t] - 1, data.end[t] + 1, 3).tolist()
        begin, end = sorted(rng.choice(moments, 2).tolist())
        result.append((t, int(rng.integers(data.n_variables)), begin, end))
    return result


@settings(max_examples=200)
@given(trajectories(rough=True, max_variables=3), st.data())
def test_hidden_spells_equal_the_reference(data, choice):
    spells = choice.draw(hidden_spells(data))
    columns = [
        np.array([spell[k] for spell in spells], kind) for k, kind in enumerate((int, int, float, float))
    ]
    result = hide_spells(data, Spells(*columns))
    assert all(result.gaps)
    assert np.array_equal(result.end, data.end)
    for t in range(len(data)):
        assert seen(result, t) == reference.hidden(data, t, spells)


@settings(max_examples=200)
@given(trajectories(rough=True, max_variables=4), st.sampled_from([0.01, 0.1, 0.7, 1.0, 3.0, 50.0]))
def test_coarse_dates_equal_the_reference(data, step):
    result = coarsen(data, step)
    assert result.gaps == data.gaps
    assert np.array_equal(result.start, data.start)
    for t in range(len(data)):
        end, *expected = reference.coarse(data, t, step)
        assert result.end[t] == end
        assert seen(result, t) == tuple(expected)
    assert coarsen(result, step).equals(result)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e3))
def test_multiples_are_not_rounded(time, step):
    (result,) = rounded_up(np.array([time]), step)
    assert result == reference.multiple(time, step)
    assert rounded_up(np.array([result]), step) == [result]


def test_changes_within_a_step_come_together():
    """A goes to 1 and 2, B to 1 and back, C to 1: at time 1 A becomes 2, C becomes 1, and B stays."""
    data = Trajectories.from_arrays(
        [("A", "012"), ("B", "01"), ("C", "01")],
        offsets=[0, 6], start=[0.0], end=[1.2], initial=[[0, 0, 0]],
        time=[0.1, 0.2, 0.3, 0.5, 0.6, 1.1], variable=[0, 1, 2, 0, 1, 1], new=[1, 1, 1, 2, 0, 1],
    )  # fmt: skip
    result = coarsen(data, 1.0)
    assert seen(result, 0) == ([0, 0, 0], [(1.0, 0, 2), (1.0, 2, 1), (2.0, 1, 1)])
    assert result.tied
    assert result.end.tolist() == [2.0]


# --- roles ------------------------------------------------------------------------------------------------


def test_clocks_stay_exact_and_go_on_to_the_rounded_end():
    data = simulate(cohort(), trajectories=500, duration=4.0, seed=5)
    result = coarsen(data, 0.6)
    assert result.roles == data.roles
    clock = data.index("clock")
    rows = result.variable == clock
    assert set(result.time[rows].tolist()) == {1.0, 2.5}
    for cut, period in ((1.0, 1), (2.5, 2)):
        changed = np.searchsorted(result.stop, np.flatnonzero(rows & (result.new == period)), side="right")
        assert np.array_equal(changed, np.flatnonzero(result.end > cut))
    assert (result.end > data.end).sum() > 300
    late = (data.end < 2.5) & (result.end > 2.5)
    assert late.any(), "no trajectory tests the last period"
    # Death is on the last day of those who died, and only there.
    died = np.flatnonzero(result.variable == data.index("T"))
    assert np.array_equal(result.time[died], result.end[np.searchsorted(result.stop, died, side="right")])


def test_static_variables_and_clocks_stay_observed():
    data = simulate(cohort(), trajectories=200, duration=4.0, seed=5)
    result = hide(data, 0.5, 0.3, seed=1)
    assert result.gaps == (False, False, True, True, True)
    for variable in (0, 1):
        assert np.array_equal(result.initial[:, variable], data.initial[:, variable])
        assert np.array_equal(result.time[result.variable == variable], data.time[data.variable == variable])
    first = np.array([0])
    for variable in (0, 1):
        with pytest.raises(InputError, match="is static or a clock, and cannot be hidden"):
            hide_spells(data, Spells(first, np.array([variable]), np.zeros(1), np.ones(1)))


def test_data_of_clocks_alone_have_nothing_to_hide():
    network = cohort()
    roles = Roles(("S",), (), (Clock("clock", "entry", (1.0, 2.5)),))
    small = ctbnlab.Network.build(network.variables[:2], {}, {}, roles=roles)
    data = simulate(small, trajectories=3, duration=4.0, seed=1)
    assert hide(data, 0.3, 1.0, seed=1).equals(data)


# --- distributions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("share", "mean"), [(0.3, 2.0), (0.7, 0.5)])
def test_hidden_shares_and_lengths(share, mean):
    """Level 0.001 each: the mean share of 2,000 trajectories, hidden starts, and lengths of spells."""
    data = simulate(mixed(), trajectories=2000, duration=10.0, seed=4)
    spells = draw_spells(data, share, mean, seed=6)
    length = np.minimum(spells.end, 10.0) - spells.begin
    critical = stats.norm.isf(0.0005)
    for variable in range(4):
        mine = spells.variable == variable
        hidden = np.bincount(spells.trajectory[mine], length[mine], 2000) / 10.0
        assert abs(hidden.mean() - share) < critical * hidden.std() / np.sqrt(2000)
        assert abs(hidden.mean() - share * 1.1) > critical * hidden.std() / np.sqrt(2000)
        at_start = int((spells.begin[mine] == 0).sum())
        assert stats.binomtest(at_start, 2000, share).pvalue > 0.001
    # Those that begin early are not cut off by how spells were drawn: their whole lengths are known.
    early = spells.end[spells.begin < 1.0] - spells.begin[spells.begin < 1.0]
    assert stats.kstest(early, "expon", args=(0, mean)).pvalue > 0.001
    assert stats.kstest(early, "expon", args=(0, mean * 1.1)).pvalue < 0.001


def test_a_hidden_share_of_transitions_is_lost():
    data = simulate(ctbnlab.generate(5, 2, 0.3, seed=1), trajectories=300, duration=20.0, seed=4)
    kept = hide(data, 0.3, 1.0, seed=6).n_events / data.n_events
    assert abs(kept - 0.7) < 0.01


def test_spells_depend_on_the_seed_and_the_label_alone():
    data = simulate(mixed(), trajectories=20, duration=5.0, seed=4)
    whole = hide(data, 0.4, 0.5, seed=1)
    assert whole.equals(hide(data, 0.4, 0.5, seed=1))
    assert not whole.equals(hide(data, 0.4, 0.5, seed=2))
    assert whole.subset([3, 17]).equals(hide(data.subset([3, 17]), 0.4, 0.5, seed=1))


# --- refused, and the command -----------------------------------------------------------------------------


@pytest.fixture
def network_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cohort().write("network.json")


BASE = ["simulate", "network.json", "--trajectories", "20", "--seed", "2", "-o", "data.arrow"]


def test_command_writes_the_result_of_the_functions(network_file):
    complete = simulate(cohort(), trajectories=20, duration=4.0, seed=2)
    assert main([*BASE, "--duration", "4", "--hide", "0.3", "--round", "0.5"]) == 0
    assert arrow_file.read("data.arrow").equals(coarsen(hide(complete, 0.3, 0.4, 2), 0.5))
    assert main([*BASE, "--duration", "4", "--hide", "0.3", "--hide-mean", "2"]) == 0
    assert arrow_file.read("data.arrow").equals(hide(complete, 0.3, 2.0, 2))
    assert main([*BASE, "--duration", "4", "--round", "0.5"]) == 0
    assert arrow_file.read("data.arrow").equals(coarsen(complete, 0.5))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--duration", "4", "--hide", "0"], "the hidden share must be between 0 and 1, not 0.0"),
        (["--duration", "4", "--hide", "1"], "the hidden share must be between 0 and 1, not 1.0"),
        (["--duration", "4", "--hide", "nan"], "the hidden share must be between 0 and 1, not nan"),
        (["--duration", "4", "--hide", "0.3", "--hide-mean", "0"], "must be a positive number, not 0.0"),
        (["--duration", "4", "--hide", "0.3", "--hide-mean", "inf"], "must be a positive number, not inf"),
        (["--duration", "4", "--hide", "0.3", "--hide-mean", "1e-9"], "too many; use a longer one"),
        (["--duration", "4", "--hide-mean", "1"], "--hide-mean is for --hide"),
        (["--transitions", "4", "--hide", "0.3"], "--hide with --transitions needs --hide-mean"),
        (["--duration", "4", "--round", "0"], "the step must be a positive number, not 0.0"),
        (["--duration", "4", "--round", "nan"], "the step must be a positive number, not nan"),
        (["--duration", "4", "--round", "5e-324"], "the step 5e-324 is too small"),
        (["--duration", "4", "--round", "1", "--on-demand"], "cannot be used with --hide or --round"),
    ],
)
def test_command_refuses_in_one_line(network_file, tmp_path, capsys, options, message):
    assert main([*BASE, *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["network.json"]


def test_a_negative_seed_is_refused():
    data = simulate(mixed(), duration=1.0, seed=1)
    with pytest.raises(InputError, match="the seed must be 0 or more"):
        hide(data, 0.3, 1.0, -1)
