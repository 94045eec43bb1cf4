"""A start like data: answers are the mean over the trajectories' initial states, by both engines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.linalg import expm

import ctbnlab
from ctbnlab import InputError, Query
from ctbnlab.cli.main import main
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.inference.effort import efforts
from ctbnlab.model.initial import InitialDistribution
from tests.support.reference_inference import joint_networks, states_of
from tests.support.role_networks import cohort, role_networks
from tests.support.small_networks import joint_intensity

seeds = st.integers(0, 2**32 - 1)


def starting(variables, initial, gaps=()) -> Trajectories:
    """Return trajectories without events from initial codes; the number of states stands for unobserved."""
    n = len(initial)
    return Trajectories.from_arrays(
        variables,
        offsets=np.zeros(n + 1),
        start=np.zeros(n),
        end=np.ones(n),
        initial=np.array(initial).reshape(n, len(variables)),
        time=[],
        variable=[],
        new=[],
        gaps=gaps,
    )


def drawn_starts(network, seed, n=20):
    """Return codes in which variables go together: few different rows, none impossible."""
    rng = np.random.default_rng(seed)
    rows = np.stack([rng.integers(0, c, 4) for c in network.cardinalities], axis=1)
    return rows[rng.integers(0, 4, n)]


@settings(max_examples=30, deadline=None)
@given(joint_networks(), seeds)
def test_it_is_the_matrix_exponential_of_the_counts(network, seed):
    codes = drawn_starts(network, seed)
    answer = Query(network, start_like=starting(network.variables, codes)).at([0.0, 0.7], joint=True)
    share = np.array([(codes == state).all(axis=1).mean() for state in states_of(network)])
    found = np.array(answer.values).reshape(2, -1)
    assert found[0] == pytest.approx(share, abs=1e-12)
    assert found[1] == pytest.approx(share @ expm(0.7 * joint_intensity(network)), abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(role_networks(), seeds)
def test_it_is_the_mean_over_single_starts(network, seed):
    """With clocks and terminal variables, too; a terminal one starts before its change."""
    codes = drawn_starts(network, seed, n=6)
    data = starting(network.variables, codes)
    times = [0.0, 0.4, 1.1]
    clocks = network.roles.clock_names
    singles = []
    for row in codes.tolist():
        states = {name: labels[x] for (name, labels), x in zip(network.variables, row, strict=True)}
        start = {name: state for name, state in states.items() if name not in clocks}
        singles.append(Query(network, start=start).at(times).values)
    assert Query(network, start_like=data).at(times).values == pytest.approx(
        np.mean(singles, axis=0), abs=1e-9
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"observe": ["0..1.5:T=no"], "filtering": True},
        {"observe": ["0..0.5:E=no", "1:D=yes"]},
        {"do": {"D": "no"}},
        {"start": {"S": "b"}},
    ],
)
def test_simulation_is_within_its_error(options):
    network = cohort()
    filtering = options.pop("filtering", False) if "filtering" in options else False
    rng = np.random.default_rng(5)
    s = rng.integers(0, 2, 300)
    codes = np.stack([s, 0 * s, rng.random(300) < 0.2 + 0.5 * s, 0 * s, 0 * s], axis=1)
    data = starting(network.variables, codes)
    ask = lambda **more: Query(network, start_like=data, **options, **more).at(  # noqa: E731
        [0.0, 0.3, 1.2, 1.5], filtering=filtering
    )
    exact, simulated = ask(), ask(engine="simulation", samples=20_000, seed=3)
    difference = np.subtract(simulated.values, exact.values)
    error = np.array(simulated.columns["standard_error"])
    assert np.abs(difference[error == 0]).max() < 1e-12
    z = difference[error > 0] / error[error > 0]
    assert np.abs(z).max() < 4.5 and np.sqrt((z**2).mean()) < 1.6


def test_names_and_labels_decide_not_their_order():
    network = ctbnlab.gallery.get("eating")
    swapped = [("Hungry", ("yes", "no")), ("Full", ("no", "yes")), ("Eating", ("no", "yes"))]
    other = starting(swapped, [[0, 0, 1], [0, 1, 0]])
    rows = Query(network, start_like=other).at(0.0, joint=True).rows()
    likely = {(row["Eating"], row["Full"], row["Hungry"]): row["probability"] for row in rows}
    assert likely["yes", "no", "yes"] == likely["no", "yes", "yes"] == 0.5


def test_what_is_given_replaces_states():
    network = ctbnlab.gallery.get("eating")
    data = starting(network.variables, [[0, 0, 0], [1, 1, 1]])
    found = Query(network, start_like=data, start={"Full": "yes"}, do={"Hungry": "no"}).at(0.0)
    assert found.select(variable="Full", state="yes") == [1.0]
    assert found.select(variable="Hungry", state="no") == [1.0]
    assert found.select(variable="Eating", state="no") == [0.5]


def test_unobserved_states_are_drawn_given_their_parents():
    variables = [("A", ("x", "y")), ("B", ("x", "y"))]
    network = ctbnlab.Network.build(variables, {}, {"A": [[-1, 1], [1, -1]], "B": [[-1, 1], [1, -1]]})
    initial = InitialDistribution.build(
        network.variables, [(), (0,)], [[[0.5, 0.5]], [[0.9, 0.1], [0.2, 0.8]]]
    )
    codes = np.array([[0, 2], [1, 2]] * 5000)
    query = Query(network.with_initial(initial), start_like=starting(network.variables, codes, (False, True)))
    rows = query.at(0.0, joint=True).values
    assert rows == pytest.approx([0.45, 0.05, 0.1, 0.4], abs=4.5 * 0.5 / 100)
    assert rows == query.at(0.0, joint=True).values


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"variables": [("Eating", ("no", "yes"))], "initial": [[0]]}, "the data have no variable 'Full'"),
        ({"variables": None, "initial": np.zeros((0, 3))}, "no trajectories to start like"),
        ({"states": ("no", "much")}, "'Hungry' has no state 'much'"),
        ({"start": {"Full": {"no": 0.5, "yes": 0.5}}}, "a distribution is not taken"),
        ({"start": {"Full": "maybe"}}, "has no state 'maybe'"),
    ],
)
def test_what_does_not_fit_is_refused(options, words):
    network = ctbnlab.gallery.get("eating")
    states = [*network.variables[:2], ("Hungry", options.get("states", ("no", "yes")))]
    variables = options.get("variables") or states
    data = starting(variables, options.get("initial", [[1, 1, 1]]))
    with pytest.raises(InputError, match=words):
        Query(network, start_like=data, start=options.get("start"))


def test_the_command_starts_like_a_file(tmp_path, capfd):
    network = ctbnlab.gallery.get("eating")
    network.write(tmp_path / "n.json")
    data = ctbnlab.simulate(network, trajectories=40, duration=2.0, seed=1)
    ctbnlab.write(data, tmp_path / "data.csv")
    line = ["query", str(tmp_path / "n.json"), "--start-like", str(tmp_path / "data.csv"), "--at", "0,1"]
    assert main([*line, "-o", str(tmp_path / "a.csv")]) == 0
    written = (tmp_path / "a.csv").read_text()
    assert written == Query(network, start_like=data).at([0.0, 1.0]).to_csv()
    query = network.query(start_like=str(tmp_path / "data.csv"))
    assert written == query.at([0.0, 1.0]).to_csv() and "start like 40 trajectories" in repr(query)
    other = ctbnlab.simulate(ctbnlab.gallery.get("drug"), trajectories=2, duration=1.0, seed=1)
    ctbnlab.write(other.subset([0]), tmp_path / "other.arrow")
    ctbnlab.gallery.get("mammalian-cell-cycle").write(tmp_path / "c.json")
    capfd.readouterr()
    assert (
        main(["query", str(tmp_path / "c.json"), "--start-like", str(tmp_path / "other.arrow"), "--at", "1"])
        == 2
    )
    assert "other.arrow: start: the data have no variable" in capfd.readouterr().err


def test_effort_counts_every_variable_once_and_grows():
    network = ctbnlab.gallery.get("drug")
    found = efforts(Query(network), network.names, [0.0, 1.0])
    assert sorted(name for each in found for name in each.names) == sorted(network.names)
    assert [each.effort for each in found] == sorted(each.effort for each in found)
    longer = efforts(Query(network), network.names, [0.0, 100.0])
    assert all(
        b.effort > a.effort for a, b in zip(found, longer, strict=True) if len(a.names) == len(b.names)
    )
    big = ctbnlab.generate(40, states=2, density=0.3, seed=1)
    assert efforts(Query(big), big.names, [1.0])[-1].effort == np.inf
