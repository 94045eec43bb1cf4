"""Random networks: number of arcs, connectivity, reproducible bytes, and little memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from functools import partial

import networkx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from ctbnlab import seeds
from ctbnlab.cli.commands import generate as command
from ctbnlab.cli.main import main
from ctbnlab.errors import InputError
from ctbnlab.model.cims import Law
from ctbnlab.model.gallery import get
from ctbnlab.model.generate import generate, generate_scattered, scattered
from ctbnlab.model.network import Network
from ctbnlab.model.network_json import RATES, to_json
from ctbnlab.model.random_graph import CONNECTIVITIES, COUNTS, random_tree

densities = st.floats(0, 1)
seed_numbers = st.integers(0, 2**63)


@given(st.integers(1, 25), densities, seed_numbers)
def test_exact_connected_graphs(n, density, seed):
    graph = generate(n, 2, density, seed=seed).to_networkx()
    assert graph.number_of_edges() == max(round(density * n * (n - 1)), n - 1)
    assert networkx.number_of_selfloops(graph) == 0
    assert networkx.is_weakly_connected(graph)


@given(st.integers(1, 12), densities, seed_numbers)
def test_exact_graphs_without_constraints(n, density, seed):
    network = generate(n, 2, density, connectivity="none", seed=seed)
    assert network.n_arcs == round(density * n * (n - 1))
    assert network.n_arcs == network.adjacency().sum()


@given(st.integers(2, 8), st.floats(0.2, 1), st.sampled_from(COUNTS), seed_numbers)
def test_no_isolated_variable(n, density, count, seed):
    network = generate(n, 2, density, count=count, connectivity="no-isolated", seed=seed)
    assert all(degree > 0 for _, degree in network.to_networkx().degree)
    if count == "exact":
        assert network.n_arcs == max(round(density * n * (n - 1)), (n + 1) // 2)


@given(st.integers(1, 10), st.floats(0.3, 1), seed_numbers)
def test_probability_and_connected(n, density, seed):
    network = generate(n, 2, density, count="probability", seed=seed)
    assert networkx.is_weakly_connected(network.to_networkx())


def test_arcs_with_a_given_probability():
    """900 graphs with 90 possible arcs, p = 0.3: the mean number is within 5 standard errors of 27."""
    counts = [
        generate(10, 2, 0.3, count="probability", connectivity="none", seed=seed).n_arcs
        for seed in range(900)
    ]
    assert abs(np.mean(counts) - 27) < 5 * np.sqrt(90 * 0.3 * 0.7 / 900)
    assert len(set(counts)) > 10


def test_trees_are_uniform_over_labels():
    """χ² test of 12,500 draws over the 125 trees with 5 labels, at level 1e-4."""
    from scipy import stats

    rng = seeds.generator(1, "trees")
    trees = Counter(frozenset(frozenset(edge) for edge in random_tree(5, rng)) for _ in range(12_500))
    assert len(trees) == 125
    assert stats.chisquare(list(trees.values())).pvalue > 1e-4


@pytest.mark.parametrize("connectivity", ["connected", "none"])
def test_every_arc_is_equally_likely(connectivity):
    """Each of 20 arcs is among the 7 of a graph with probability 0.35: binomial tests, joint level 1e-4."""
    from scipy import stats

    total = np.zeros((5, 5), int)
    for seed in range(1500):
        total += generate(5, 2, 0.35, connectivity=connectivity, seed=seed).adjacency()
    counts = total[~np.eye(5, dtype=bool)]
    assert counts.sum() == 7 * 1500
    assert min(stats.binomtest(int(k), 1500, 0.35).pvalue for k in counts) > 1e-4 / 20


@given(st.integers(1, 6), st.lists(st.integers(2, 5), min_size=1, max_size=4), seed_numbers)
def test_states_are_taken_in_turn_and_seeds_determine_networks(n, states, seed):
    network = generate(n, states, 0.2, seed=seed)
    assert network.cardinalities.tolist() == [states[i % len(states)] for i in range(n)]
    assert to_json(network) == to_json(generate(n, states, 0.2, seed=seed))
    assert network.variables[0].states == tuple(map(str, range(states[0])))
    other = generate(n, states, 0.2, seed=seed + 1)
    assert not network.equals(other)


def test_published_seeds_keep_their_networks():
    """A change here would break the reproduction of published results."""
    network = generate(4, 2, 0.3, seed=1)
    assert network.arcs == [("X1", "X2"), ("X1", "X4"), ("X2", "X3"), ("X2", "X4")]
    assert [cims.key for cims in network.cims] == [seeds.key64(1, "rates", i) for i in range(4)]
    assert network.cim("X1").tolist() == [
        [-3.250418229112785, 3.250418229112785],
        [2.298548738815459, -2.298548738815459],
    ]


def test_names_sort_in_their_order():
    for n in (1, 9, 10, 100):
        names = generate(n, 2, 0.0, connectivity="none").names
        assert list(names) == sorted(names)
        assert len(set(names)) == n
    assert generate(1).names == ("X1",)


def test_options_are_recorded():
    about = generate(3, [2, 4], 0.5, law=Law("additive", 1, 2, 0.3), seed=9).about
    assert about["generator"].startswith("ctbnlab ")
    assert {key: about[key] for key in ("nodes", "states", "density", "count", "connectivity", "seed")} == {
        "nodes": 3,
        "states": [2, 4],
        "density": 0.5,
        "count": "exact",
        "connectivity": "connected",
        "seed": 9,
    }
    assert about["rates"] == {"law": "additive", "low": 1.0, "high": 2.0, "effect": 0.3}


def test_scattered_networks_are_unions():
    network = generate_scattered(4, 5, [2, 3], 0.3, seed=3)
    graph = network.to_networkx()
    parts = [sorted(part) for part in networkx.weakly_connected_components(graph)]
    assert sorted(parts) == [[f"X{k:02d}" for k in range(5 * i + 1, 5 * i + 6)] for i in range(4)]
    assert len({cims.key for cims in network.cims}) == 20
    assert network.about["scattered"] == 4
    assert network.about["seed"] == 3


def test_union_keeps_matrices_and_initial_distributions():
    drug, eating = get("drug"), get("eating")
    union = scattered([drug, eating, drug])
    assert union.names[0] == "1.Eating"
    assert union.names[-1] == "3.Drowsy"
    assert union.parents_of("3.JointPain") == ("3.Barometer", "3.Concentration")
    for i in range(8):
        assert np.array_equal(union.cims[i + 11].table(), drug.cims[i].table())
        assert np.array_equal(union.initial.tables[i + 11], drug.initial.tables[i])
    chain = get("chain")
    assert scattered([chain, eating]).names == chain.names + eating.names


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--nodes", 0], "at least 1 variable, not 0"),
        (["--nodes", -3], "at least 1 variable"),
        (["--nodes", 5000], "at most 4096 variables"),
        (["--nodes", 5, "--density", 1.1], "the density must be between 0 and 1, not 1.1"),
        (["--nodes", 5, "--density", -0.1], "the density must be between 0 and 1"),
        (["--nodes", 5, "--density", "nan"], "the density must be between 0 and 1"),
        (["--nodes", 5, "--states", 1], "2 to 255 states, not 1"),
        (["--nodes", 5, "--states", "2,256"], "2 to 255 states"),
        (["--nodes", 5, "--low", 0], "0 < low"),
        (["--nodes", 5, "--effect", 1], "an effect requires the rate law 'additive'"),
        (["--nodes", 5, "--scattered", 0], "at least 1 part"),
        (["--nodes", 50, "--density", 0.01, "--count", "probability"], "random graphs was connected; raise"),
        (["--nodes", 60, "--density", 0, "--connectivity", "no-isolated"], "without an isolated variable"),
        (["--nodes", 300, "--density", 1, "--states", 2], "at most 2^62"),
        (["--nodes", 12, "--states", 4, "--density", 1, "--rates", "explicit"], "too many to write out"),
        (["--nodes", 5, "-o", "nowhere/network.json"], "the folder nowhere does not exist"),
    ],
)
def test_invalid_requests(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert main(["generate", *map(str, arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err
    assert not list(tmp_path.iterdir())


def test_a_seed_below_0(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["generate", "--nodes", "5", "--seed", "-1"])
    assert caught.value.code == 2
    assert "--seed: must be a whole number from 0" in capsys.readouterr().err
    for draw in (generate, partial(generate_scattered, 2)):
        with pytest.raises(InputError, match="the seed must be 0 or more"):
            draw(5, seed=-1)


@pytest.mark.parametrize("states", ["x", "2,,3", "2.5"])
def test_states_that_are_not_integers(capsys, states):
    with pytest.raises(SystemExit) as caught:
        main(["generate", "--nodes", "3", "--states", states])
    assert caught.value.code == 2
    assert "must be a number, or several as in 2,3,4" in capsys.readouterr().err


def test_command_writes_what_it_prints(tmp_path, capsys):
    options = ["--nodes", "6", "--states", "2,3", "--density", "0.3", "--law", "split", "--seed", "5"]
    assert main(["generate", *options]) == 0
    printed = capsys.readouterr().out
    path = tmp_path / "network.json"
    path.write_text("something old")
    assert main(["generate", *options, "-o", str(path)]) == 0
    assert path.read_text() == printed
    assert capsys.readouterr().out == ""
    expected = generate(6, [2, 3], 0.3, law=Law("split"), seed=5)
    assert Network.read(path).equals(expected)
    assert json.loads(printed)["about"]["seed"] == 5


def test_command_choices_match_the_library():
    assert command.COUNTS == COUNTS
    assert command.CONNECTIVITIES == CONNECTIVITIES
    assert command.RATES == RATES
    assert all(Law(kind).kind == kind for kind in command.LAWS)


def test_dense_networks_need_little_memory(tmp_path):
    program = """
import sys
from ctbnlab.cli.main import main
options = "generate --nodes 20 --states 4 --density 0.4 -o".split()
assert main([*options, sys.argv[1]]) == 0
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak) // 1024)
"""
    command_line = [sys.executable, "-c", program, str(tmp_path / "network.json")]
    megabytes = subprocess.run(command_line, capture_output=True, text=True, check=True).stdout
    assert int(megabytes) < 200
    assert Network.read(tmp_path / "network.json").n_parameters > 10_000_000
