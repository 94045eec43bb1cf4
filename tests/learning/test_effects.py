"""Effects of arcs: strata against plain loops, simulated truths, units, orders, and the smallest effect."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given

import ctbnlab
from ctbnlab.cli.main import main
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.learning.clocked_nodes import own_clock_statistics
from ctbnlab.learning.contract import Evidence, NodeResult
from ctbnlab.learning.effects import effects_of, strata_of, with_effects
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.model.roles import Roles
from tests.support.sample_tables import tables, without_empty_rows
from tests.support.sample_trajectories import times_multiplied


def graph_of(data, parents, why="dependent", roles=None):
    """Return a graph with these parents, and evidence on every pair."""
    nodes = tuple(
        NodeResult(
            i,
            tuple(sorted(chosen)),
            tuple(Evidence(j, j in chosen, why, gain=1.0) for j in range(data.n_variables) if j != i),
        )
        for i, chosen in enumerate(parents)
    )
    return LearnedGraph(data.variables, nodes, roles=data.roles if roles is None else roles)


def effects(graph):
    """Return the effects of the arcs kept, by the names of their ends."""
    return {
        (graph.names[entry.candidate], graph.names[node.target]): entry.effect
        for node in graph.nodes
        for entry in node.evidence
        if entry.kept
    }


def network_of(rates, parents, states=2):
    """Return a network of A, B, C, …: `rates[name]` is a function of the parents' states and x, x'."""
    names = [chr(ord("A") + i) for i in range(len(parents))]
    cims = {}
    for name, chosen in zip(names, parents, strict=True):
        matrices = []
        for u in product(range(states), repeat=len(chosen)):
            q = np.array(
                [[rates[name](u, x, y) if x != y else 0 for y in range(states)] for x in range(states)]
            )
            matrices.append(q - np.diag(q.sum(axis=1)))
        cims[name] = matrices if chosen else matrices[0]
    return ctbnlab.Network.build(
        [(name, [str(x) for x in range(states)]) for name in names],
        {name: [names[j] for j in chosen] for name, chosen in zip(names, parents, strict=True)},
        cims,
    )


CONSTANT = lambda u, x, y: 1.0  # noqa: E731


@given(tables(min_states=2))
def test_strata_by_plain_loops(table):
    """One row per rest of the parents and transition with events and time in two states of the parent."""
    c = table.n_states
    cards = table.parent_cardinalities
    values = table.values.reshape(*cards, c, c + 1)
    for axis, parent in enumerate(table.parents):
        expected = []
        others = [range(n) for k, n in enumerate(cards) if k != axis]
        for rest, x, y in product(product(*others), range(c), range(c)):
            cells = [values[(*rest[:axis], state, *rest[axis:], x)] for state in range(cards[axis])]
            moves, time = [cell[1 + y] for cell in cells], [cell[0] for cell in cells]
            if x != y and sum(moves) and sum(t > 0 for t in time) > 1:
                expected.append((moves, time))
        for found in (strata_of(table, parent), strata_of(without_empty_rows(table), parent)):
            assert found.moves.tolist() == [moves for moves, _ in expected]
            assert found.time.tolist() == [time for _, time in expected]


def test_a_sparse_table_stays_sparse():
    """Three parents of 200 states have 8 million configurations; the effect needs those that occur."""
    rng = np.random.default_rng(1)
    rows = np.unique(np.concatenate([rng.integers(0, 200**3, 50), np.arange(100)]))
    values = np.concatenate([np.ones((len(rows), 2, 1)), rng.poisson(2, (len(rows), 2, 2))], -1).astype(float)
    values[:, [0, 1], [1, 2]] = 0
    table = SufficientStatistics(0, (1, 2, 3), (200,) * 3, values, rows)
    found = effects_of(table, table.parents)
    assert found[3] is not None
    assert strata_of(table, 3).moves.shape == (2, 200)


def test_a_known_ratio_and_an_arc_that_does_nothing():
    """A doubles B's rate of rising and nothing else; C is independent of both."""
    network = network_of(
        {"A": CONSTANT, "B": lambda u, x, y: 2.0 if u[0] and y else 1.0, "C": CONSTANT}, [(), (0,), ()]
    )
    data = ctbnlab.simulate(network, trajectories=50, duration=200.0, seed=4)
    found = effects(with_effects(graph_of(data, [(), (0, 2), ()]), data))
    true, false = found["A", "B"], found["C", "B"]
    assert true.low < 2 < true.high
    # Some 1,700 and 830 transitions in the two cells: a standard error of 0.042 on the logarithmic scale.
    assert true.low < true.rate_ratio < true.high
    assert math.log(true.high / true.low) == pytest.approx(2 * 1.96 * 0.042, rel=0.2)
    # Two rates of four differ, by 1/√2 of their mean of 1.5 as a standard deviation.
    assert true.variation == pytest.approx(math.sqrt((1 / math.sqrt(2) / 1.5) ** 2 / 2), rel=0.15)
    assert true.information > 0.9
    assert false.rate_ratio < 1.1
    assert false.low < 1.0 < false.high
    assert false.variation < 0.05
    assert false.information < 0.1


def test_parents_that_matter_only_together():
    network = network_of(
        {"A": CONSTANT, "B": CONSTANT, "C": lambda u, x, y: 3.0 if u[0] != u[1] else 1.0}, [(), (), (0, 1)]
    )
    data = ctbnlab.simulate(network, trajectories=20, duration=200.0, seed=4)
    for arc, effect in effects(with_effects(graph_of(data, [(), (), (0, 1)]), data)).items():
        assert effect.low < 3 < effect.high, arc
        assert effect.information > 0.9, arc
    alone = effects(with_effects(graph_of(data, [(), (), (0,)]), data))["A", "C"]
    assert alone.rate_ratio < 1.15


NETWORK = ctbnlab.generate(5, [2, 3], 0.3, seed=5)
DATA = ctbnlab.simulate(NETWORK, trajectories=20, duration=10.0, seed=5)


@pytest.mark.parametrize("factor", [1024.0, 1000.0])
def test_the_unit_of_time_does_not_matter(factor):
    before = effects(with_effects(graph_of(DATA, NETWORK.parents), DATA))
    after = effects(with_effects(graph_of(DATA, NETWORK.parents), times_multiplied(DATA, factor)))
    assert len(before) == NETWORK.n_arcs
    for arc, effect in before.items():
        for name in ("rate_ratio", "low", "high", "variation", "information"):
            assert getattr(after[arc], name) == pytest.approx(getattr(effect, name), rel=1e-9), (arc, name)


def test_order_of_columns_does_not_matter():
    order = [3, 0, 4, 2, 1]
    names = [DATA.names[i] for i in order]
    frame = ctbnlab.to_dataframe(DATA)
    keys = [c for c in frame.columns if c not in DATA.names]
    states = {name: list(labels) for name, labels in DATA.variables}
    other = ctbnlab.from_dataframe(frame[[*keys, *names]], states=states)
    parents = [[names.index(DATA.names[p]) for p in NETWORK.parents[i]] for i in order]
    before = effects(with_effects(graph_of(DATA, NETWORK.parents), DATA))
    assert effects(with_effects(graph_of(other, parents), other)) == before


def test_a_single_parent_has_all_the_information():
    i, parent = next((i, p) for i, ps in enumerate(NETWORK.parents) for p in ps)
    table = NodeStatistics(DATA, i).table([parent])
    assert effects_of(table, [parent])[parent].information == pytest.approx(1)


def test_levels_are_nested():
    narrow, wide = (
        effects(with_effects(graph_of(DATA, NETWORK.parents), DATA, level)) for level in (0.5, 0.95)
    )
    for arc in narrow:
        assert wide[arc].low < narrow[arc].low < narrow[arc].high < wide[arc].high


def test_nothing_to_compare_is_no_effect():
    """A never changes: there is only one state of it to see."""
    data = Trajectories.from_arrays(
        [("A", "01"), ("B", "01")],
        offsets=[0, 2], start=[0], end=[3], initial=[[0, 0]], time=[1, 2], variable=[1, 1], new=[1, 0],
    )  # fmt: skip
    graph = with_effects(graph_of(data, [(), (0,)]), data)
    assert effects(graph) == {("A", "B"): None}
    filtered = with_effects(graph_of(data, [(), (0,)]), data, min_ratio=1.0)
    assert filtered.arcs == []
    assert filtered.nodes[1].evidence[0].why == "effect unknown"


def test_a_network_without_other_states_or_arcs():
    graph = graph_of(DATA, [()] * 5)
    assert with_effects(graph, DATA, min_ratio=2.0) == graph


# ---- The smallest effect ----


def noisy():
    """A changes the rates of B by 20%, C by 200%, D by nothing."""
    network = network_of(
        {
            "A": CONSTANT,
            "B": lambda u, x, y: (1.2 if u[0] else 1.0) * (3.0 if u[1] else 1.0),
            "C": CONSTANT,
            "D": CONSTANT,
        },
        [(), (0, 2), (), ()],
    )
    return ctbnlab.simulate(network, trajectories=40, duration=100.0, seed=9)


def test_the_smallest_effect():
    data = noisy()
    whole = graph_of(data, [(), (0, 2, 3), (), ()])
    graph = with_effects(whole, data, min_ratio=2.0)
    assert graph.parents["B"] == ("C",)
    by_name = {graph.names[entry.candidate]: entry for entry in graph.nodes[1].evidence}
    for name in ("A", "D"):
        assert (by_name[name].kept, by_name[name].why) == (False, "effect below 2")
        assert 1 <= by_name[name].effect.rate_ratio < 2
        assert by_name[name].gain == 1.0
    # What is left has the effect of the smaller graph.
    assert by_name["C"].effect == effects(with_effects(graph_of(data, [(), (2,), (), ()]), data))["C", "B"]
    assert with_effects(whole, data, min_ratio=1.0).arcs == whole.arcs
    assert LearnedGraph.from_json(graph.to_json()) == graph


def test_required_arcs_and_clocks_stay():
    data = noisy()
    graph = with_effects(graph_of(data, [(), (0, 2, 3), (), ()], why="required"), data, min_ratio=50.0)
    assert graph.parents["B"] == ("A", "C", "D")
    assert all(effect is not None for effect in effects(graph).values())
    network = ctbnlab.generate(3, 2, 0.3, seed=2, clock_cuts=[1.0])
    clocked = ctbnlab.simulate(network, trajectories=30, duration=3.0, seed=2)
    clock = clocked.index(clocked.roles.clock_names[0])
    parents = [[j for j in range(4) if j != i] if i != clock else [] for i in range(4)]
    filtered = with_effects(graph_of(clocked, parents), clocked, min_ratio=1e6)
    assert set(filtered.arcs) == {(clocked.names[clock], clocked.names[i]) for i in range(4) if i != clock}


def test_the_own_clock_is_one_of_the_other_parents():
    data = DATA.with_roles(Roles(own_clock=4))
    target, parents = next((i, tuple(p)) for i, p in enumerate(NETWORK.parents) if p)
    graph = graph_of(data, [parents if i == target else () for i in range(5)])
    node = replace(graph.nodes[target], own_clock=7.0)
    graph = replace(graph, nodes=tuple(node if n.target == target else n for n in graph.nodes))
    table = own_clock_statistics(data, target).table((*parents, 5))
    found = {data.index(a): effect for (a, _), effect in effects(with_effects(graph, data)).items()}
    assert found == effects_of(table, parents)
    assert found != effects_of(NodeStatistics(data, target).table(parents), parents)


@pytest.mark.parametrize("ratio", [0.9, -1.0, math.nan, math.inf])
def test_a_smallest_effect_below_one_is_refused(ratio):
    with pytest.raises(InputError, match="must be a rate ratio of at least 1"):
        with_effects(graph_of(DATA, NETWORK.parents), DATA, min_ratio=ratio)


def test_other_data_are_refused():
    with pytest.raises(InputError, match="must have the same variables"):
        with_effects(graph_of(DATA, NETWORK.parents), noisy())


# ---- The command ----


def test_learn_prints_effects_and_drops_small_ones(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ctbnlab.write(noisy(), "data.arrow")
    assert main(["learn", "data.arrow"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["A -> B", "C -> B"]
    assert "rates ×3" in lines[1]
    assert main(["learn", "data.arrow", "--no-checks", "-o", "all.json"]) == 0
    assert main(["learn", "data.arrow", "--min-effect", "2", "-o", "few.json"]) == 0
    assert main(["learn", "data.arrow", "--part", "1/1", "-o", "part.json"]) == 0
    every, few, part = (LearnedGraph.read(name) for name in ("all.json", "few.json", "part.json"))
    assert few.arcs == [("C", "B")]
    assert every == with_effects(part, ctbnlab.read("data.arrow"))
    assert not any("effect" in row for row in part.evidence)
