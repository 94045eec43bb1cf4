"""Roles of a network: what they require of parents and rates, their JSON, and random networks with roles."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import networkx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ctbnlab
from ctbnlab.cli.main import main
from ctbnlab.errors import InputError
from ctbnlab.model.cims import DrawnCims, Law
from ctbnlab.model.generate import generate, generate_scattered, scattered
from ctbnlab.model.network import Network
from ctbnlab.model.network_json import from_json, to_json
from ctbnlab.model.network_roles import period_labels
from ctbnlab.model.roles import Clock, Roles
from tests.support.role_networks import cohort, one_way, role_networks

SCHEMA = Path(__file__).resolve().parents[2] / "schemas/network.schema.json"
VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))


@settings(max_examples=60)
@given(role_networks(), st.sampled_from(["auto", "explicit", "recipe"]))
def test_round_trip_is_exact(network, rates):
    text = to_json(network, rates)
    back = from_json(text)
    assert back.equals(network)
    assert back.roles == network.roles
    assert to_json(back, rates) == text
    VALIDATOR.validate(json.loads(text))
    assert ("roles" in json.loads(text)) == bool(network.roles)


def test_networks_differ_by_their_roles():
    network = cohort()
    assert network.equals(cohort())
    assert not network.equals(replace(network, roles=Roles()))
    assert (
        network.with_initial({name: states[0] for name, states in network.variables}).roles == network.roles
    )


def test_static_variables_and_clocks_need_no_matrices():
    network = cohort()
    assert not network.cims[0].table().any()
    assert network.cims[1].table().shape == (1, 3, 3)
    assert network.n_parameters == 3 * 2 + 2 * 2 + 2
    with pytest.raises(InputError, match="'T': has no intensity matrices"):
        Network.build([("T", "01")], {}, {}, roles=Roles(terminal=("T",)))


def test_a_network_with_a_clock_has_no_joint_intensities():
    with pytest.raises(InputError, match="has the clock 'clock', so it has no constant joint rates"):
        cohort().amalgamated()


TREE = json.loads(to_json(cohort()))


def changed(path, value):
    """Return the example with the value at `path` replaced."""
    tree = copy.deepcopy(TREE)
    *keys, last = path
    container = tree
    for key in keys:
        container = container[key]
    container[last] = value
    return tree


def matrices(rows, states, parents=()):
    """Return the JSON of the same matrix for every state of a single parent, or of no parent."""
    given = [{parent: state} for parent in parents for state in states] or [{}]
    return [{"given": each, "intensities": rows} for each in given]


ZERO = [[0.0, 0.0], [0.0, 0.0]]
BAD = {
    "static with rates": (
        changed(("variables", 0, "cims"), matrices(one_way(1.0), ())),
        "roles: variable 'S': is static, so all its rates must be 0",
    ),
    "static with drawn rates": (
        changed(
            ("variables", 0, "cims"),
            {"drawn": {"law": "uniform", "low": 1.0, "high": 5.0, "key": "0x0123456789abcdef"}},
        ),
        "roles: variable 'S': is static, so all its rates must be 0",
    ),
    "static with a parent": (
        changed(
            ("variables", 0),
            {
                "name": "S",
                "states": ["a", "b"],
                "parents": ["D"],
                "cims": matrices(ZERO, ("no", "yes"), ("D",)),
            },
        ),
        "roles: variable 'S': is static, so it cannot have parents",
    ),
    "clock with rates": (
        changed(("variables", 1, "cims", 0, "intensities", 0), [-1.0, 1.0, 0.0]),
        "roles: variable 'clock': is a clock, so all its rates must be 0",
    ),
    "clock with too few cuts": (
        changed(("roles", "clocks", 0, "cuts"), [1.0]),
        "roles: variable 'clock': has 3 states; a clock with 1 cut needs 2",
    ),
    "clock with too many cuts": (
        changed(("roles", "clocks", 0, "cuts"), [1.0, 2.0, 3.0]),
        "roles: variable 'clock': has 3 states; a clock with 3 cuts needs 4",
    ),
    "cuts out of order": (
        changed(("roles", "clocks", 0, "cuts"), [2.0, 1.0]),
        "roles: the periods of the clock 'clock' must be increasing numbers",
    ),
    "a huge cut": (changed(("roles", "clocks", 0, "cuts"), [1.0, 10**400]), "roles"),
    "terminal parent": (
        changed(("roles", "terminal"), ["T", "S"]) | {"roles": {"terminal": ["S"]}},
        "roles: variable 'D': its parent 'S' is terminal: nothing follows it",
    ),
    "a later tier": (
        changed(("roles", "tiers"), [["D"], ["S"]]),
        "roles: variable 'D': its parent 'S' is in a later tier",
    ),
    "two roles": (
        changed(("roles", "terminal"), ["S"]),
        "roles: the variable 'S' cannot have two roles",
    ),
    "an unknown variable": (changed(("roles", "static"), ["sex"]), "roles: static: no variable 'sex'"),
    "an unknown kind": (
        changed(("roles", "clocks", 0, "kind"), "moon"),
        "roles: unknown kind of clock 'moon'",
    ),
    "an unknown role": (
        changed(("roles", "hidden"), ["S"]),
        "roles: the description of the roles is damaged",
    ),
    "no object": (changed(("roles",), ["S"]), "roles: the description of the roles is damaged"),
    "NaN": (changed(("roles", "clocks", 0, "cuts"), [float("nan"), 1]), "roles.clocks[0].cuts[0]: must be"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_gives_one_line(tmp_path, capsys, case):
    tree, message = BAD[case]
    path = tmp_path / "network.json"
    path.write_text(json.dumps(tree))
    assert main(["show", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"ctbnlab: {path}: ")
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_the_schema_refuses_unknown_roles():
    for path, value in ((("roles", "hidden"), ["S"]), (("roles", "clocks", 0, "kind"), "moon")):
        with pytest.raises(jsonschema.ValidationError):
            VALIDATOR.validate(changed(path, value))


def test_show_names_the_roles(tmp_path, capsys):
    cohort().write(tmp_path / "network.json")
    assert main(["show", str(tmp_path / "network.json")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert ["S", "static", "a,", "b", "1", "–"] in [line.split() for line in lines]
    assert "clock: clock of the kind entry, cut at 1, 2.5" in lines
    assert "T" in lines
    assert "S" not in lines, "a static variable has no matrix to show"
    assert main(["show", "--json", str(tmp_path / "network.json")]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["roles"] == cohort().roles.described()
    assert [entry["role"] for entry in facts["variables"]] == ["static", "clock", None, None, "terminal"]


# --- random networks --------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    st.integers(1, 8),
    st.floats(0, 1),
    st.sampled_from(["exact", "probability"]),
    st.sampled_from(["connected", "none"]),
    st.integers(0, 3),
    st.integers(0, 2),
    st.lists(st.floats(0.01, 100), max_size=3, unique=True).map(sorted),
    st.integers(0, 2**40),
)
def test_random_networks_with_roles(n, density, count, connectivity, static, terminal, cuts, seed):
    if count == "probability" and connectivity == "connected":
        density = max(density, 0.5)
    options = {"count": count, "connectivity": connectivity, "seed": seed}
    plain = generate(n, 2, density, **options)
    network = generate(n, 2, density, static=static, terminal=terminal, clock_cuts=cuts, **options)
    assert to_json(network) == to_json(
        generate(n, 2, density, static=static, terminal=terminal, clock_cuts=cuts, **options)
    )
    if not static and not terminal and not cuts:
        assert to_json(network) == to_json(plain)
        return
    assert network.names[:n] == plain.names
    assert np.array_equal(network.adjacency()[:n, :n], plain.adjacency())
    roles = network.roles
    assert (len(roles.static), len(roles.terminal), len(roles.clocks)) == (static, terminal, bool(cuts))
    possible = (static + bool(cuts)) * (n + terminal) + n * terminal
    added = network.n_arcs - plain.n_arcs
    required = (static + bool(cuts) + terminal) if connectivity == "connected" else 0
    assert required <= added <= possible
    if count == "exact":
        assert added == max(round(density * possible), required)
    if connectivity == "connected":
        assert networkx.is_weakly_connected(network.to_networkx())
    assert from_json(to_json(network)).equals(network)


def test_arcs_of_roles_have_the_density_as_probability():
    """400 networks with 31 possible further arcs, p = 0.3: within 5 standard errors of the mean 9.3."""
    options = {
        "count": "probability",
        "connectivity": "none",
        "static": 2,
        "terminal": 2,
        "clock_cuts": [1.0],
    }
    counts = []
    for seed in range(400):
        adjacency = generate(5, 2, 0.3, seed=seed, **options).adjacency()
        counts.append(adjacency.sum() - adjacency[:5, :5].sum())
    assert abs(np.mean(counts) - 31 * 0.3) < 5 * np.sqrt(31 * 0.21 / 400)
    assert len(set(counts)) > 8


def test_the_parts_of_a_random_network_with_roles():
    network = generate(3, 2, 0.5, static=2, terminal=10, clock_cuts=[1, 2.5], seed=4)
    assert network.names[3:8] == ("S1", "S2", "clock", "T01", "T02")
    assert network.variables[5].states == period_labels((1.0, 2.5)) == ("<1", "1-2.5", ">=2.5")
    assert network.roles.clocks == (Clock("clock", "entry", (1.0, 2.5)),)
    assert network.about["static"] == 2
    assert network.about["clock_cuts"] == [1.0, 2.5]
    for i in range(6, 16):
        rates = network.cims[i].table()
        assert not rates[:, 1].any()
        assert ((rates[:, 0, 1] >= 0.1) & (rates[:, 0, 1] <= 0.5)).all()
        assert network.initial.tables[i].tolist() == [[1.0, 0.0]]
    assert network.initial.tables[5].tolist() == [[1.0, 0.0, 0.0]]
    assert network.initial.tables[3].tolist() == [[0.5, 0.5]]
    data = ctbnlab.simulate(network, trajectories=30, duration=5.0, seed=1)
    assert (data.end < 5.0).sum() > 15


def test_rates_of_a_variable_without_new_parents_stay():
    plain, network = (generate(6, 3, 0.2, seed=8, static=k) for k in (0, 1))
    same = [i for i in range(6) if network.parents[i] == plain.parents[i]]
    assert 0 < len(same) < 6
    assert all(network.cims[i] == plain.cims[i] for i in same)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--static", -1], "the number of static variables must be 0 or more, not -1"),
        (["--terminal", -2], "the number of terminal variables must be 0 or more, not -2"),
        (["--clock-cuts", "2,1"], "the cuts of the clock must be increasing numbers above 0"),
        (["--clock-cuts", "0,1"], "the cuts of the clock must be increasing numbers above 0"),
        (["--clock-cuts", "1,1"], "the cuts of the clock must be increasing numbers above 0"),
        (["--clock-cuts", "1,inf"], "the cuts of the clock must be increasing numbers above 0"),
        (["--clock-cuts", ",".join(map(str, range(1, 201)))], "at most 200 periods, not 201"),
        (["--static", 70000], "at most 65,535 variables"),
        (["--static", 1, "--scattered", 2], "a scattered network cannot have static or terminal variables"),
        (
            ["--terminal", 1, "--density", 1, "--nodes", 30],
            "parent configurations, which are too many; lower",
        ),
    ],
)
def test_invalid_requests(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert main(["generate", "--nodes", "5", *map(str, arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_cuts_that_are_no_numbers(capsys):
    with pytest.raises(SystemExit):
        main(["generate", "--nodes", "3", "--clock-cuts", "1,x"])
    assert "must be numbers, as in 1,2.5,5, not '1,x'" in capsys.readouterr().err


def test_unions_have_no_roles():
    with pytest.raises(InputError, match="a union of networks cannot have"):
        scattered([cohort(), cohort()])
    assert not generate_scattered(2, 3, seed=1, static=0).roles


def test_command_writes_the_result_of_the_function(capsys):
    arguments = ["--nodes", "4", "--static", "1", "--terminal", "2", "--clock-cuts", "1,2", "--seed", "3"]
    assert main(["generate", *arguments]) == 0
    expected = generate(4, 3, 0.1, static=1, terminal=2, clock_cuts=[1.0, 2.0], seed=3)
    assert capsys.readouterr().out == to_json(expected)
    assert isinstance(expected.cims[0], DrawnCims)
    assert expected.cims[0].law == Law()
