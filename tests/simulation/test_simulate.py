"""The simulator: event for event the plain reference, and in law the network it simulates."""

from __future__ import annotations

from functools import partial
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats
from scipy.linalg import expm

from ctbnlab import seeds
from ctbnlab.cli.main import main
from ctbnlab.data import arrow_file
from ctbnlab.errors import InputError
from ctbnlab.model._rates import philox_block
from ctbnlab.model.cims import DrawnCims, Law
from ctbnlab.model.network import InitialDistribution, Network
from ctbnlab.simulation import simulate as simulate_module
from ctbnlab.simulation.layout import plan
from ctbnlab.simulation.simulate import simulate, simulate_to
from tests.support import reference_simulation as reference, small_networks
from tests.support.small_networks import eating, mixed, network_of, networks, random_network

without_tables = partial(mock.patch.object, simulate_module, "plan", partial(plan, table_bytes=0))


def reference_of(network, seed, number, given=None, **length):
    """Return initial state and events of one trajectory, from the plain reference."""
    state = reference.initial_state(network, seeds.key64(seed, "initial states"), number, given or {})
    pairs = reference.uniform_pairs(seeds.key64(seed, "trajectories"), number)
    return state, reference.trajectory(network, state, pairs, **length)


def events_of(data, t):
    part = slice(int(data.begin[t]), int(data.stop[t]))
    return [
        tuple(row)
        for row in zip(
            data.time[part].tolist(),
            data.variable[part].tolist(),
            data.old[part].tolist(),
            data.new[part].tolist(),
            strict=True,
        )
    ]


def same_as_reference(network, *, seed=5, trajectories=2, first=0, **length):
    data = simulate(network, trajectories=trajectories, first=first, seed=seed, **length)
    data.check()
    with without_tables():
        assert simulate(network, trajectories=trajectories, first=first, seed=seed, **length).equals(data)
    for t in range(trajectories):
        state, events = reference_of(network, seed, first + t, **length)
        assert data.ids[t] == str(first + t)
        assert data.initial[t].tolist() == state
        assert events_of(data, t) == events
        assert data.end[t] == (length.get("duration", events[-1][0] if events else 0.0))
    return data


# --- number for number -------------------------------------------------------------------------------


@given(st.integers(0, 2**64 - 1), st.tuples(*[st.integers(0, 2**32 - 1)] * 4))
def test_the_references_random_numbers_are_ours(key, counter):
    assert reference.philox(key, counter) == philox_block(key, *counter)


@settings(max_examples=150)
@given(networks(), st.integers(0, 2**70), st.sampled_from([0, 3, 2**32 - 1, 2**40]), st.booleans(), st.data())
def test_events_are_the_references(network, seed, first, by_time, data):
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


def test_tables_filled_by_stretches_are_the_same():
    network = random_network(6, 3, 0.5)
    with mock.patch("ctbnlab.simulation.layout._CHUNK", 20):
        same_as_reference(network, transitions=50)


def test_255_states_and_a_variable_without_transitions():
    wide = DrawnCims(Law("split"), 11, (2,), 255)
    still = np.zeros((255, 2, 2))
    data = same_as_reference(network_of((255, 2), [(1,), (0,)], [wide, still]), trajectories=2, duration=40.0)
    assert set(data.variable.tolist()) == {0}
    assert len(np.unique(data.new)) > 80


def test_a_node_with_more_configurations_than_any_table_could_have():
    center = DrawnCims(Law(), 3, (4,) * 30, 4)
    rates = [center] + [np.full((1, 4, 4), 2.0)] * 30
    network = network_of((4,) * 31, [tuple(range(1, 31))] + [()] * 30, rates)
    data = same_as_reference(network, trajectories=1, transitions=200)
    assert (data.variable == 0).any()


def test_waits_too_short_for_the_clock_still_move_it():
    slow = [[[0, 0.05], [0, 0]]]
    fast = [[[0, 0], [0, 0]], [[0, 1e20], [1e20, 0]]]
    data = same_as_reference(network_of((2, 2), [(), (0,)], [slow, fast]), trajectories=3, transitions=50)
    steps = np.diff(data.time[data.begin[0] : data.stop[0]])
    assert (steps > 0).all()
    assert data.n_events > 50


def test_a_wait_without_end_is_none():
    network = network_of((2,), [()], [[[[0, 5e-324], [5e-324, 0]]]])
    assert same_as_reference(network, transitions=3).n_events == 0


# --- the same, however the work is split -----------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("piece", [1, 97, 1 << 18])
def test_no_split_changes_a_byte(tmp_path, jobs, piece):
    network = mixed()
    options = {"duration": 30.0, "seed": 9, "initial": {"X1": "0"}}
    whole = simulate(network, trajectories=25, **options)
    arrow_file.write(whole, tmp_path / "whole.arrow")
    told = []
    with (
        mock.patch.object(simulate_module, "_PIECE", piece),
        mock.patch.object(simulate_module, "_SHARE", 200),
    ):
        assert simulate(network, trajectories=25, jobs=jobs, progress=told.append, **options).equals(whole)
        events = simulate_to(tmp_path / "to.arrow", network, trajectories=25, jobs=jobs, **options)
        parts = [
            simulate(network, trajectories=count, first=first, jobs=jobs, **options)
            for first, count in ((0, 1), (1, 17), (18, 7))
        ]
    assert sum(told) == 25
    assert events == whole.n_events
    assert (tmp_path / "to.arrow").read_bytes() == (tmp_path / "whole.arrow").read_bytes()
    assert parts[1].equals(whole.subset(slice(1, 18)))
    assert parts[2].equals(whole.subset(slice(18, 25)))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["to.arrow", "whole.arrow"]


def test_seeds_and_numbers_give_different_trajectories():
    parts = [simulate(eating(), trajectories=50, transitions=1, seed=seed) for seed in (1, 2)]
    assert len({time for part in parts for time in part.time}) == 100


def test_given_initial_states_leave_the_waits_alone():
    drawn = simulate(eating(), duration=5, seed=3)
    labels = {v.name: v.states[x] for v, x in zip(drawn.variables, drawn.initial[0], strict=True)}
    assert simulate(eating(), duration=5, seed=3, initial=labels).equals(drawn)


def test_a_failed_simulation_leaves_no_file(tmp_path):
    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate_to(tmp_path / "x.arrow", eating(), trajectories=9, duration=5, seed=1, progress=stop, jobs=2)
    assert not list(tmp_path.iterdir())


# --- the law: each test rejects a right simulator once in a thousand seeds; the seeds are fixed -------------

LEVEL = 1e-3


def rejected(p_values):
    """Tell whether any of the hypotheses is rejected, at LEVEL for all of them together (Bonferroni)."""
    assert len(p_values) > 0
    return min(p_values) < LEVEL / len(p_values)


def chi_square(observed, expected):
    """Return the p-value of counts against expectations, with rare cells (below 5) put together."""
    assert not observed[expected == 0].any()
    rare = expected < 5
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    observed, expected = observed[expected > 0], expected[expected > 0]
    return stats.chisquare(observed, expected * (observed.sum() / expected.sum())).pvalue


def joint_states(data):
    """Return for every event its wait, and the joint state (C order) before and after."""
    cards = data.cardinalities
    weights = np.append(np.cumprod(cards[:0:-1])[::-1], 1).astype(np.int64)
    change = weights[data.variable] * (data.new.astype(np.int64) - data.old)
    waits, before = np.empty(data.n_events), np.empty(data.n_events, np.int64)
    for a, b, x in zip(data.begin, data.stop, data.initial @ weights, strict=True):
        waits[a:b] = np.diff(data.time[a:b], prepend=0.0)
        before[a:b] = x + np.cumsum(change[a:b]) - change[a:b]
    return waits, before, before + change


def state_at(data, time):
    """Return the joint state (C order) of every trajectory at a time."""
    states = data.initial.copy()
    for t, (a, b) in enumerate(zip(data.begin, data.stop, strict=True)):
        last = a + np.searchsorted(data.time[a:b], time, side="right")
        states[t, data.variable[a:last]] = data.new[a:last]
    return np.ravel_multi_index(states.T, data.cardinalities)


@pytest.fixture(scope="module", params=[eating, mixed], ids=["eating", "mixed"])
def network(request):
    return request.param()


def test_marginals_are_the_matrix_exponentials(network):
    q = small_networks.joint_intensity(network)
    initial = np.full(len(q), 1 / len(q))
    times = [0.0, 0.05, 0.2, 0.7, 2.0, 6.0]
    data = simulate(network, trajectories=20_000, duration=6.0, seed=21)
    counts = [np.bincount(state_at(data, time), minlength=len(q)) for time in times]
    right = [chi_square(c, 20_000 * initial @ expm(q * t)) for c, t in zip(counts, times, strict=True)]
    assert not rejected(right)
    wrong = [chi_square(c, 20_000 * initial @ expm(q * t * 1.1)) for c, t in zip(counts, times, strict=True)]
    assert rejected(wrong), "the test would not see rates that are 10 % off"


def test_waits_are_exponential_and_transitions_have_their_probabilities(network):
    q = small_networks.joint_intensity(network)
    # A number of transitions, not a duration: no wait is cut off, and how often a joint state is left
    # says nothing about how long it took.
    waits, before, after = joint_states(simulate(network, trajectories=2_000, transitions=60, seed=22))
    left = [s for s in range(len(q)) if (before == s).sum() >= 50]
    assert len(left) > len(q) / 2
    right = [stats.kstest(waits[before == s], "expon", args=(0, -1 / q[s, s])).pvalue for s in left]
    assert not rejected(right)
    wrong = [stats.kstest(waits[before == s], "expon", args=(0, -1.1 / q[s, s])).pvalue for s in left]
    assert rejected(wrong), "the test would not see rates that are 10 % off"
    jumps = np.zeros_like(q)
    np.add.at(jumps, (before, after), 1)
    rates = np.where(np.eye(len(q), dtype=bool), 0, q)
    assert not rejected([chi_square(jumps[s], jumps[s].sum() * rates[s] / rates[s].sum()) for s in left])
    rates = rates**1.2
    wrong = [chi_square(jumps[s], jumps[s].sum() * rates[s] / rates[s].sum()) for s in left]
    assert rejected(wrong), "the test would not see probabilities that are somewhat too unequal"


def test_next_states_follow_theta(network):
    data = simulate(network, trajectories=300, duration=50.0, seed=23)
    cards = data.cardinalities.tolist()
    _, before, _ = joint_states(data)
    states = np.array(np.unravel_index(before, cards))
    p_values = []
    for i, parents in enumerate(network.parents):
        u = (
            np.ravel_multi_index(states[list(parents)], [cards[p] for p in parents])
            if parents
            else 0 * before
        )
        q = network.cims[i].table()
        for cell in np.ndindex(q.shape[:2]):
            mine = (data.variable == i) & (u == cell[0]) & (data.old == cell[1])
            if not q[cell].any():
                assert not mine.any()
            elif cards[i] > 2 and mine.sum() >= 50:
                theta = np.maximum(q[cell], 0) / -q[cell][cell[1]]
                counts = np.bincount(data.new[mine], minlength=cards[i])
                p_values.append(chi_square(counts, mine.sum() * theta))
    assert p_values or max(cards) == 2
    assert not p_values or not rejected(p_values)


def test_absorbed_trajectories_last_to_the_end_or_stop_with_their_last_event():
    network = mixed()
    q = small_networks.joint_intensity(network)
    (absorbing,) = np.flatnonzero(np.diag(q) == 0)
    by_time = simulate(network, trajectories=200, duration=1000.0, seed=24)
    assert (by_time.end == 1000).all()
    assert (state_at(by_time, 1000.0) == absorbing).all()
    by_count = simulate(network, trajectories=200, transitions=10**6, seed=24)
    assert np.array_equal(by_count.time, by_time.time)
    moved = by_time.stop > by_time.begin
    assert 0 < (~moved).sum() < 50
    assert np.array_equal(by_count.end[moved], by_time.time[by_time.stop[moved] - 1])
    assert not by_count.end[~moved].any()


def test_initial_states_follow_their_bayesian_network():
    tables = (
        np.array([[0.2, 0.5, 0.3]]),
        np.array([[0.9, 0.1], [0.5, 0.5], [0.0, 1.0]]),
        np.array([[1.0, 0.0], [0.3, 0.7], [0.6, 0.4], [0.2, 0.8], [0.5, 0.5], [0.25, 0.75]]),
    )
    initial = InitialDistribution(((), (0,), (0, 1)), tables, (0, 1, 2))
    rates = [np.zeros((1, c, c)) for c in (3, 2, 2)]
    network = network_of((3, 2, 2), [()] * 3, rates, initial)
    data = simulate(network, trajectories=20_000, duration=1.0, seed=25)
    expected = np.array(
        [tables[0][0, a] * tables[1][a, b] * tables[2][2 * a + b, c] for a, b, c in np.ndindex(3, 2, 2)]
    )
    counts = np.bincount(state_at(data, 0.0), minlength=12)
    assert not rejected([chi_square(counts, 20_000 * expected)])
    given = simulate(network, trajectories=20_000, duration=1.0, seed=25, initial={"X0": "1"})
    counts = np.bincount(state_at(given, 0.0), minlength=12)
    expected = np.where(np.arange(12) // 4 == 1, expected / 0.5, 0)
    assert not rejected([chi_square(counts, 20_000 * expected)])


# --- what is refused, and the command -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "either a duration or"),
        ({"duration": 1.0, "transitions": 1}, "either a duration or"),
        ({"duration": -1.0}, "duration must be"),
        ({"duration": float("nan")}, "duration must be"),
        ({"duration": float("inf")}, "duration must be"),
        ({"transitions": -1}, "transitions must be"),
        ({"duration": 1.0, "trajectories": 0}, "trajectories must be"),
        ({"duration": 1.0, "first": -1}, "first trajectory"),
        ({"duration": 1.0, "seed": -1}, "seed must be"),
        ({"duration": 1.0, "jobs": 0}, "jobs must be"),
        ({"duration": 1.0, "initial": {"Sleeping": "no"}}, "no variable 'Sleeping'"),
        ({"duration": 1.0, "initial": {"Hungry": "very"}}, "no state 'very'; it has 'no', 'yes'"),
    ],
)
def test_bad_requests_are_refused(options, said):
    with pytest.raises(InputError, match=said):
        simulate(eating(), **{"seed": 1, **options})


def test_networks_that_do_not_fit_are_refused():
    good = eating()
    for parents, initial, said in (
        (((0, 2), (0,), (1,)), good.initial, "'Eating': its intensity matrices"),
        (good.parents, small_networks.uniform_initial((2, 2, 3)), "'Hungry': its initial"),
    ):
        with pytest.raises(InputError, match=said):
            simulate(Network(good.variables, parents, good.cims, initial), duration=1.0, seed=1)
    for rate in (-1, float("nan"), float("inf"), 1.7e308):
        network = network_of((3,), [()], [[[[0, 1e308, rate], [1, 0, 1], [1, 1, 0]]]])
        with pytest.raises(InputError, match="negative, infinite"):
            simulate(network, duration=1.0, seed=1)


@pytest.mark.parametrize("jobs", [1, 2])
def test_rates_too_large_to_add_up_are_refused(jobs):
    huge = [[[0, 1e308], [1e308, 0]]]
    network = network_of((2, 2, 1), [()] * 3, [huge, huge, [[[0]]]])
    with pytest.raises(InputError, match="in trajectory 0 the rates are too large"):
        simulate(network, trajectories=50, transitions=1000, seed=1, jobs=jobs)


def test_the_package_gives_the_function_not_a_module():
    import ctbnlab
    import ctbnlab.simulation.simulate

    assert ctbnlab.simulate is ctbnlab.simulation.simulate.simulate
    assert callable(ctbnlab.simulate)


@pytest.fixture
def reads_eating(monkeypatch):
    monkeypatch.setattr(Network, "read", classmethod(lambda cls, path: eating()), raising=False)


def test_command_writes_what_the_function_returns(reads_eating, tmp_path, capsys):
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
    ("arguments", "said"),
    [
        (["--initial", "Hungry"], "--initial must be A=x,B=y"),
        (["--initial", "Hungry=no,Hungry=yes"], "each variable once"),
        (["-o", "nowhere/data.arrow"], "the folder nowhere does not exist"),
        (["--trajectories", "0"], "trajectories must be 1 or more"),
    ],
)
def test_command_refuses_in_one_line(reads_eating, tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    base = ["simulate", "network.json", "--duration", "4", "--seed", "2", "-o", "data.arrow"]
    assert main([*base, *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())
