"""The simulator: equal to the plain reference event by event, and distributed as the network implies."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ctbnlab.cli.main import main
from ctbnlab.data import arrow_file
from ctbnlab.errors import InputError
from ctbnlab.model._rates import philox_block
from ctbnlab.model.cims import DrawnCims, Law
from ctbnlab.model.network import Network
from ctbnlab.simulation import simulate as simulate_module
from ctbnlab.simulation.simulate import simulate, simulate_to
from tests.support import reference_simulation as reference, small_networks
from tests.support.against_reference import same_as_reference
from tests.support.small_networks import eating, mixed, network_of, networks, random_network

# --- equal to the reference, bit for bit ----------------------------------------------------------------


@given(st.integers(0, 2**64 - 1), st.tuples(*[st.integers(0, 2**32 - 1)] * 4))
def test_reference_and_kernel_have_the_same_random_numbers(key, counter):
    assert reference.philox(key, counter) == philox_block(key, *counter)


@settings(max_examples=150)
@given(networks(), st.integers(0, 2**70), st.sampled_from([0, 3, 2**32 - 1, 2**40]), st.booleans(), st.data())
def test_events_equal_the_reference(network, seed, first, by_time, data):
    if by_time:
        length = {"duration": data.draw(st.sampled_from([0.0, 0.3, 1.5]))}
    else:
        length = {"transitions": data.draw(st.integers(0, 40))}
    same_as_reference(network, seed=seed, first=first, **length)


@pytest.mark.parametrize("n", [1, 8, 9, 64, 65, 300])
def test_any_number_of_variables(n):
    data = same_as_reference(random_network(n, 2, min(0.9, 2 / n)), trajectories=1, transitions=60)
    assert data.variable.dtype == (np.uint16 if n > 256 else np.uint8)
    assert n < 300 or data.variable.max() > 255


def test_tables_filled_in_chunks_are_the_same():
    network = random_network(6, 3, 0.5)
    with mock.patch("ctbnlab.simulation.layout._CHUNK", 20):
        same_as_reference(network, transitions=50)


def test_255_states_and_a_variable_without_transitions():
    wide = DrawnCims(Law("split"), 11, (2,), 255)
    still = np.zeros((255, 2, 2))
    data = same_as_reference(network_of((255, 2), [(1,), (0,)], [wide, still]), trajectories=2, duration=40.0)
    assert set(data.variable.tolist()) == {0}
    assert len(np.unique(data.new)) > 80


def test_a_node_with_too_many_configurations_for_a_table():
    center = DrawnCims(Law(), 3, (4,) * 30, 4)
    rates = [center] + [np.full((1, 4, 4), 2.0)] * 30
    network = network_of((4,) * 31, [tuple(range(1, 31))] + [()] * 30, rates)
    data = same_as_reference(network, trajectories=1, transitions=200)
    assert (data.variable == 0).any()


def test_waits_too_short_for_the_clock_still_advance_it():
    slow = [[[0, 0.05], [0, 0]]]
    fast = [[[0, 0], [0, 0]], [[0, 1e20], [1e20, 0]]]
    data = same_as_reference(network_of((2, 2), [(), (0,)], [slow, fast]), trajectories=3, transitions=50)
    steps = np.diff(data.time[data.begin[0] : data.stop[0]])
    assert (steps > 0).all()
    assert data.n_events > 50


def test_an_infinite_wait_is_no_event():
    network = network_of((2,), [()], [[[[0, 5e-324], [5e-324, 0]]]])
    assert same_as_reference(network, transitions=3).n_events == 0


# --- independent of how the work is split ----------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("piece", [1, 97, 1 << 18])
def test_no_split_changes_a_byte(tmp_path, jobs, piece):
    network = mixed()
    options = {"duration": 30.0, "seed": 9, "initial": {"X1": "0"}}
    whole = simulate(network, trajectories=25, **options)
    arrow_file.write(whole, tmp_path / "whole.arrow")
    reported = []
    with (
        mock.patch.object(simulate_module, "_PIECE_EVENTS", piece),
        mock.patch.object(simulate_module, "_BATCH_EVENTS", 200),
    ):
        assert simulate(network, trajectories=25, jobs=jobs, progress=reported.append, **options).equals(
            whole
        )
        events = simulate_to(tmp_path / "to.arrow", network, trajectories=25, jobs=jobs, **options)
        parts = [
            simulate(network, trajectories=count, first=first, jobs=jobs, **options)
            for first, count in ((0, 1), (1, 17), (18, 7))
        ]
    assert sum(reported) == 25
    assert events == whole.n_events
    assert (tmp_path / "to.arrow").read_bytes() == (tmp_path / "whole.arrow").read_bytes()
    assert parts[1].equals(whole.subset(slice(1, 18)))
    assert parts[2].equals(whole.subset(slice(18, 25)))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["to.arrow", "whole.arrow"]


def test_seeds_and_numbers_give_different_trajectories():
    parts = [simulate(eating(), trajectories=50, transitions=1, seed=seed) for seed in (1, 2)]
    assert len({time for part in parts for time in part.time}) == 100


def test_given_initial_states_do_not_change_the_waits():
    drawn = simulate(eating(), duration=5, seed=3)
    labels = {v.name: v.states[x] for v, x in zip(drawn.variables, drawn.initial[0], strict=True)}
    assert simulate(eating(), duration=5, seed=3, initial=labels).equals(drawn)


def test_a_failed_simulation_leaves_no_file(tmp_path):
    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate_to(tmp_path / "x.arrow", eating(), trajectories=9, duration=5, seed=1, progress=stop, jobs=2)
    assert not list(tmp_path.iterdir())


# --- refused input, and the command -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either a duration or"),
        ({"duration": 1.0, "transitions": 1}, "either a duration or"),
        ({"duration": -1.0}, "duration must be"),
        ({"duration": float("nan")}, "duration must be"),
        ({"duration": float("inf")}, "duration must be"),
        ({"transitions": -1}, "transitions must be"),
        ({"duration": 1.0, "trajectories": 0}, "trajectories must be"),
        ({"duration": 1.0, "first": -1}, "the number of the first trajectory"),
        ({"duration": 1.0, "seed": -1}, "seed must be"),
        ({"duration": 1.0, "jobs": 0}, "jobs must be"),
        ({"duration": 1.0, "initial": {"Sleeping": "no"}}, "unknown variable 'Sleeping'"),
        ({"duration": 1.0, "initial": {"Hungry": "very"}}, "no state 'very'; its states are 'no', 'yes'"),
    ],
)
def test_bad_requests_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        simulate(eating(), **{"seed": 1, **options})


def test_inconsistent_networks_are_refused():
    good = eating()
    for parents, initial, message in (
        (((1, 2), (0,), (1,)), good.initial, "'Eating': its intensity matrices"),
        (good.parents, small_networks.uniform_initial((2, 2, 3)), "'Hungry': its initial"),
    ):
        with pytest.raises(InputError, match=message):
            simulate(Network(good.variables, parents, good.cims, initial), duration=1.0, seed=1)
    for rate in (-1, float("nan"), float("inf"), 1.7e308):
        network = network_of((3,), [()], [[[[0, 1e308, rate], [1, 0, 1], [1, 1, 0]]]])
        with pytest.raises(InputError, match="negative, infinite"):
            simulate(network, duration=1.0, seed=1)


@pytest.mark.parametrize("jobs", [1, 2])
def test_rates_too_large_to_add_up_are_refused(jobs):
    huge = [[[0, 1e308], [1e308, 0]]]
    network = network_of((2, 2, 1), [()] * 3, [huge, huge, [[[0]]]])
    with pytest.raises(InputError, match="the sum of all rates overflows in trajectory 0"):
        simulate(network, trajectories=50, transitions=1000, seed=1, jobs=jobs)


def test_the_package_exports_the_function_not_the_module():
    import ctbnlab
    import ctbnlab.simulation.simulate

    assert ctbnlab.simulate is ctbnlab.simulation.simulate.simulate
    assert callable(ctbnlab.simulate)


@pytest.fixture
def network_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    eating().write("network.json")


def test_command_writes_the_result_of_the_function(network_file, tmp_path, capsys):
    output = tmp_path / "data.arrow"
    arguments = ["simulate", "network.json", "--trajectories", "7", "--duration", "4", "--seed", "2"]
    arguments += ["--initial", "Hungry=yes,Full stomach=no", "--first", "3", "--jobs", "2", "-o", str(output)]
    assert main(arguments) == 0
    expected = simulate(
        eating(),
        trajectories=7,
        duration=4.0,
        seed=2,
        first=3,
        initial={"Hungry": "yes", "Full stomach": "no"},
    )
    assert arrow_file.read(output).equals(expected)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--initial", "Hungry"], "--initial must be A=x,B=y"),
        (["--initial", "Hungry=no,Hungry=yes"], "each variable once"),
        (["-o", "nowhere/data.arrow"], "the folder nowhere does not exist"),
        (["--trajectories", "0"], "trajectories must be from 1 to 1,000,000,000,000, not 0"),
    ],
)
def test_command_refuses_in_one_line(network_file, tmp_path, capsys, arguments, message):
    base = ["simulate", "network.json", "--duration", "4", "--seed", "2", "-o", "data.arrow"]
    assert main([*base, *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["network.json"]
