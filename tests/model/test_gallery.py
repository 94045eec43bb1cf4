"""The gallery: published rates, published attractors, and families of imitators."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from ctbnlab.cli.main import main
from ctbnlab.errors import InputError
from ctbnlab.model import gallery
from ctbnlab.model.gallery.boolean import Rule, boolean_network
from ctbnlab.model.network import Network
from ctbnlab.model.network_json import to_json


def mammalian_step(s):
    """Return the next synchronous state of the mammalian cell cycle by the rules of Fauré et al. (2006)."""
    cyc_d, rb, e2f, cyc_e, cyc_a, p27, cdc20, cdh1, ubc, cyc_b = (s[name] for name in MAMMALIAN)
    return {
        "CycD": cyc_d,
        "Rb": (not cyc_a and not cyc_b and not cyc_d and not cyc_e) or (p27 and not cyc_b and not cyc_d),
        "E2F": (not rb and not cyc_a and not cyc_b) or (p27 and not rb and not cyc_b),
        "CycE": e2f and not rb,
        "CycA": (e2f and not rb and not cdc20 and not (cdh1 and ubc))
        or (cyc_a and not rb and not cdc20 and not (cdh1 and ubc)),
        "p27": (not cyc_d and not cyc_e and not cyc_a and not cyc_b)
        or (p27 and not (cyc_e and cyc_a) and not cyc_b and not cyc_d),
        "Cdc20": cyc_b,
        "Cdh1": (not cyc_a and not cyc_b) or cdc20 or (p27 and not cyc_b),
        "UbcH10": not cdh1 or (cdh1 and ubc and (cdc20 or cyc_a or cyc_b)),
        "CycB": not cdc20 and not cdh1,
    }


MAMMALIAN = ("CycD", "Rb", "E2F", "CycE", "CycA", "p27", "Cdc20", "Cdh1", "UbcH10", "CycB")


def step_of(network):
    """Return the synchronous step implied by a network's matrices (up and down must be 2, leak 1)."""

    def step(state):
        following = {}
        for i, name in enumerate(network.names):
            given = {network.names[j]: "on" if state[network.names[j]] else "off" for j in network.parents[i]}
            matrix = network.cim(name, given)
            own = int(state[name])
            changes = matrix[own, 1 - own] == 2.0
            assert changes or matrix[own, 1 - own] == 1.0
            following[name] = bool(own) != changes
        return following

    return step


def attractors(step, names):
    """Return the attractors of a synchronous network, each a set of states, and the sizes of their basins."""
    following = {}
    for values in product((False, True), repeat=len(names)):
        after = step(dict(zip(names, values, strict=True)))
        following[values] = tuple(bool(after[name]) for name in names)
    basins = Counter()
    for state in following:
        seen = {}
        while state not in seen:
            seen[state] = len(seen)
            state = following[state]
        cycle = (values for values, when in seen.items() if when >= seen[state])
        basins[frozenset(frozenset(n for n, on in zip(names, k, strict=True) if on) for k in cycle)] += 1
    return basins


def test_mammalian_rules_match_the_publication():
    network = gallery.get("mammalian-cell-cycle", up=2, down=2, leak=1)
    assert network.names == MAMMALIAN
    step = step_of(network)
    for values in product((False, True), repeat=10):
        state = dict(zip(MAMMALIAN, values, strict=True))
        assert step(state) == {name: bool(value) for name, value in mammalian_step(state).items()}


def test_mammalian_attractors_are_the_published_ones():
    found = attractors(mammalian_step, MAMMALIAN)
    fixed, cycle = sorted(found, key=len)
    assert fixed == {frozenset({"Rb", "p27", "Cdh1"})}
    assert len(cycle) == 7
    assert all("CycD" in state for state in cycle)
    assert list(found.values()) == [512, 512]


def test_budding_yeast_has_the_published_basins():
    """Li et al. (2004), table 1: seven fixed points and the sizes of their basins."""
    network = gallery.get("budding-yeast", up=2, down=2, leak=1)
    found = attractors(step_of(network), network.names)
    assert all(len(cycle) == 1 for cycle in found)
    assert {next(iter(cycle)): size for cycle, size in found.items()} == {
        frozenset({"Cdh1", "Sic1"}): 1764,
        frozenset({"SBF", "Cln1,2"}): 151,
        frozenset({"MBF", "Cdh1", "Sic1"}): 109,
        frozenset({"Sic1"}): 9,
        frozenset(): 7,
        frozenset({"MBF", "Sic1"}): 7,
        frozenset({"Cdh1"}): 1,
    }


def test_every_regulator_matters():
    """A parent that changes no rate would be an arc that cannot be learned from any data."""
    for name in ("mammalian-cell-cycle", "budding-yeast"):
        network = gallery.get(name)
        for i, row in enumerate(network.parents):
            shaped = network.cims[i].table().reshape(*(2,) * len(row), 2, 2)
            for axis in range(len(row)):
                assert not np.array_equal(shaped.take(0, axis), shaped.take(1, axis))


def test_own_state_is_the_row_not_a_parent():
    rules = {
        "A": Rule(("A", "B"), lambda a, b: a != b),
        "B": Rule((), lambda: True),
    }
    network = boolean_network(rules, up=3.0, down=4.0, leak=0.5, about={})
    assert network.parents_of("A") == ("B",)
    # With B off the rule keeps A; with B on it flips A.
    assert network.cim("A", B="off").tolist() == [[-0.5, 0.5], [0.5, -0.5]]
    assert network.cim("A", B="on").tolist() == [[-3.0, 3.0], [4.0, -4.0]]
    assert network.cim("B").tolist() == [[-3.0, 3.0], [0.5, -0.5]]


def test_eating_has_the_rates_of_the_paper():
    network = gallery.get("eating")
    assert network.arcs == [("Eating", "Full"), ("Full", "Hungry"), ("Hungry", "Eating")]
    assert network.cim("Eating", Hungry="yes")[0, 0] == -2
    assert network.cim("Eating", Hungry="no")[1, 1] == -10
    assert network.cim("Full", Eating="no").tolist() == [[-0.01, 0.01], [0.4, -0.4]]
    assert network.cim("Full", Eating="yes").tolist() == [[-2.0, 2.0], [0.01, -0.01]]


def test_drug_has_the_published_graph():
    network = gallery.get("drug")
    assert set(network.arcs) == {
        ("Hungry", "Eating"),
        ("Eating", "FullStomach"),
        ("FullStomach", "Hungry"),
        ("FullStomach", "Concentration"),
        ("Uptake", "Concentration"),
        ("Concentration", "JointPain"),
        ("Barometer", "JointPain"),
        ("Concentration", "Drowsy"),
    }
    assert network.cim("Uptake")[0].tolist() == [0.0, 0.0]
    assert np.diagonal(network.cim("Concentration", Uptake="yes", FullStomach="2")).tolist() == [
        -0.51,
        -4.01,
        -0.02,
    ]


def test_families():
    chain, ring, tree = (gallery.get(name, nodes=6, states=3) for name in ("chain", "ring", "tree"))
    assert chain.arcs == [(f"X{i}", f"X{i + 1}") for i in range(1, 6)]
    assert set(ring.arcs) == {*chain.arcs, ("X6", "X1")}
    assert tree.arcs == [("X1", "X2"), ("X1", "X3"), ("X2", "X4"), ("X2", "X5"), ("X3", "X6")]
    assert chain.cim("X2", X1="1").tolist() == [[-5.5, 5.0, 0.5], [0.5, -1.0, 0.5], [0.5, 5.0, -5.5]]
    assert chain.cim("X1").tolist() == [[-2.0, 1.0, 1.0], [1.0, -2.0, 1.0], [1.0, 1.0, -2.0]]
    assert gallery.get("chain", nodes=1).n_arcs == 0
    assert gallery.get("tree", nodes=4, branches=3).children_of("X1") == ("X2", "X3", "X4")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("nobody", {}, "unknown network 'nobody'; the gallery has eating"),
        ("eating", {"nodes": 3}, "the network 'eating' has no option 'nodes'; it takes no options"),
        ("ring", {"leak": 3}, "no option 'leak'; its options are nodes, states, follow, stray"),
        ("ring", {"nodes": 1}, "a ring needs at least 2 variables"),
        ("chain", {"nodes": 0}, "at least 1 variable and 2 states"),
        ("chain", {"states": 1}, "at least 1 variable and 2 states"),
        ("chain", {"stray": -1.0}, "rates must not be negative"),
        ("tree", {"branches": 0}, "at least 1 branch"),
        ("budding-yeast", {"up": float("nan")}, "rates must not be negative"),
    ],
)
def test_invalid_requests(name, options, message, capsys):
    with pytest.raises(InputError, match=message):
        gallery.get(name, **options)
    arguments = [f"--{key}={value}" for key, value in options.items()]
    assert main(["gallery", name, *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_command_lists_and_writes(tmp_path, capsys):
    assert main(["gallery"]) == 0
    listing = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listing if line[0] != " "] == list(gallery.names())
    assert all(len(line) <= 100 for line in listing)
    assert main(["gallery", "ring", "--nodes", "4", "--states", "3", "-o", str(tmp_path / "ring.json")]) == 0
    assert Network.read(tmp_path / "ring.json").equals(gallery.get("ring", nodes=4, states=3))
    assert main(["gallery", "eating"]) == 0
    assert capsys.readouterr().out == to_json(gallery.get("eating"))
    assert main(["gallery", "--nodes", "4"]) == 2
    assert "no network given" in capsys.readouterr().err
