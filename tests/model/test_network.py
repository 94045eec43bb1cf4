"""The model: construction is checked, views match the arrays, the joint process is correct."""

from __future__ import annotations

from itertools import product

import networkx
import numpy as np
import pytest
from hypothesis import given

from ctbnlab.errors import InputError
from ctbnlab.model.gallery import get
from ctbnlab.model.initial import InitialDistribution
from ctbnlab.model.network import Network
from tests.support.network_strategies import networks

YES_NO = ("no", "yes")
FLIP = [[-1.0, 1.0], [1.0, -1.0]]


def two(**changes):
    """Build A → B with one thing changed."""
    arguments = {
        "variables": [("A", YES_NO), ("B", YES_NO)],
        "parents": {"B": ["A"]},
        "cims": {"A": FLIP, "B": [FLIP, FLIP]},
    }
    return Network.build(**(arguments | changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"variables": []}, "there are no variables"),
        ({"variables": [("A", YES_NO), ("A", YES_NO)]}, "'A' appears twice"),
        ({"parents": {"B": ["C"]}}, "variable 'B': its parent 'C' is not a variable"),
        ({"parents": {"C": ["A"]}}, "parents are given for 'C'"),
        ({"parents": {"B": ["B"]}}, "variable 'B': is its own parent"),
        ({"parents": {"B": ["A", "A"]}}, "variable 'B': has the parent 'A' twice"),
        ({"parents": {}}, "variable 'B': has 2 intensity matrices; its parents have 1"),
        ({"cims": {"A": FLIP}}, "variable 'B': has no intensity matrices"),
        ({"cims": {"A": FLIP, "B": [FLIP]}}, "variable 'B': has 1 intensity matrices"),
        ({"cims": {"A": [[0.0]], "B": [FLIP] * 2}}, "variable 'A': has 2 states, but its matrices have 1"),
        ({"cims": {"A": [[0.0, 0.0]], "B": [FLIP] * 2}}, "not square"),
        (
            {"cims": {"A": FLIP, "B": [FLIP, [[-1.0, 1.1], [1.0, -1.0]]]}},
            "variable 'B', A=yes, row 'no': sums to 0.1, not 0",
        ),
        (
            {"cims": {"A": FLIP, "B": [[[-1.0, 1.0], [-1.0, 1.0]], FLIP]}},
            "variable 'B', A=no, row 'yes': has a negative rate, -1",
        ),
        (
            {"cims": {"A": [[-np.inf, np.inf], [1, -1]], "B": [FLIP] * 2}},
            "variable 'A', row 'no': has an entry that is not finite",
        ),
        (
            {"cims": {"A": [[0, 0], [np.nan, -1]], "B": [FLIP] * 2}},
            "variable 'A', row 'yes': has an entry that is not finite",
        ),
        ({"cims": {"A": [[-1e101, 1e101], [1, -1]], "B": [FLIP] * 2}}, "row 'no': has a rate above 1e+100"),
        ({"cims": {"A": [[-1e99, 1e99], [1e99, 1e99]], "B": [FLIP] * 2}}, "row 'yes': sums to 2e+99"),
        ({"initial": {"A": "no"}}, "variable 'B': has no initial state"),
        ({"initial": {"A": "no", "B": "maybe"}}, "variable 'B': unknown initial state 'maybe'"),
        (
            {"initial": {"A": "no", "B": "no", "C": "no"}},
            "an initial state is given for 'C', which is not a variable",
        ),
    ],
)
def test_errors_name_variable_and_configuration(changes, message):
    with pytest.raises(InputError) as caught:
        two(**changes)
    assert message in str(caught.value)


def test_row_sums_are_checked_relative_to_the_row():
    assert two(cims={"A": [[-1e-6, 1e-6], [0, 0]], "B": [FLIP] * 2})
    with pytest.raises(InputError, match="sums to"):
        two(cims={"A": [[-1e-6, 1.1e-6], [0, 0]], "B": [FLIP] * 2})
    network = two(cims={"A": [[-0.3, 0.1 + 0.2], [0, 0]], "B": [FLIP] * 2})
    assert network.cim("A")[0].tolist() == [-0.3, 0.1 + 0.2]


@pytest.mark.parametrize(
    ("parents", "tables", "message"),
    [
        ([(1,), (0,)], [[[0.5, 0.5]] * 2] * 2, "cycle among A, B"),
        (
            [(0,), ()],
            [[[0.5, 0.5]] * 2, [[0.5, 0.5]]],
            "the variable is its own parent, or has a parent twice",
        ),
        ([(), ()], [[[0.5, 0.4]], [[0.5, 0.5]]], "initial distribution of 'A': its probabilities sum to 0.9"),
        ([(), (0,)], [[[0.5, 0.5]], [[1, 0], [1.5, -0.5]]], "initial distribution of 'B', A=yes: has a prob"),
        ([(), (0,)], [[[0.5, 0.5]], [[1, 0], [np.nan, 1]]], "'B', A=yes: has a probability that is negative"),
        ([(), ()], [[[0.5, 0.5]] * 2, [[0.5, 0.5]]], "shape"),
    ],
)
def test_initial_distribution_is_checked(parents, tables, message):
    with pytest.raises(InputError) as caught:
        InitialDistribution.build(two().variables, parents, tables)
    assert message in str(caught.value)


def test_views_of_the_graph():
    network = Network.build(
        variables=[(name, YES_NO) for name in "ABCD"],
        parents={"B": ["A"], "C": ["D", "A"], "A": ["C"]},
        cims={"A": [FLIP] * 2, "B": [FLIP] * 2, "C": [FLIP] * 4, "D": FLIP},
    )
    assert network.parents_of("C") == ("D", "A")
    assert network.children_of("A") == ("B", "C")
    assert network.markov_blanket("D") == ("A", "C")
    assert network.markov_blanket("B") == ("A",)
    assert network.arcs == [("A", "B"), ("A", "C"), ("C", "A"), ("D", "C")]
    assert network.n_arcs == 4
    assert network.density == 4 / 12
    assert network.n_parameters == 2 * (2 + 2 + 4 + 1)
    graph = network.to_networkx()
    assert list(graph.edges) == network.arcs
    assert np.array_equal(networkx.to_numpy_array(graph, dtype=bool), network.adjacency())
    assert graph.nodes["A"]["states"] == YES_NO
    with pytest.raises(InputError, match="unknown variable 'Z'; the variables are A, B, C, D"):
        network.parents_of("Z")


def test_cim_by_labels():
    eating = get("eating")
    assert eating.cim("Hungry", Full="yes").tolist() == [[-0.01, 0.01], [5.0, -5.0]]
    assert eating.cim("Hungry", {"Full": "no"}).tolist() == [[-10.0, 10.0], [0.01, -0.01]]
    with pytest.raises(InputError, match="its parents are Full"):
        eating.cim("Hungry", Eating="yes")
    with pytest.raises(InputError, match="'Full': has no state 'perhaps'"):
        eating.cim("Hungry", Full="perhaps")
    mixed = get("drug")
    for uptake, stomach in product(range(2), range(3)):
        matrix = mixed.cim("Concentration", Uptake=YES_NO[uptake], FullStomach=str(stomach))
        assert np.array_equal(matrix, mixed.cims[4].table()[3 * uptake + stomach])


@given(networks(max_variables=4, max_states=3, plain=True))
def test_joint_process_matches_all_pairs_of_states(network):
    cardinalities = network.cardinalities
    joint = list(product(*(range(c) for c in cardinalities)))
    expected = np.zeros((len(joint), len(joint)))
    for a, state in enumerate(joint):
        for b, other in enumerate(joint):
            changed = [i for i in range(len(cardinalities)) if state[i] != other[i]]
            if len(changed) == 1:
                (i,) = changed
                given_states = {network.names[j]: str(state[j]) for j in network.parents[i]}
                expected[a, b] = network.cim(network.names[i], given_states)[state[i], other[i]]
        expected[a, a] = -expected[a].sum()
    np.testing.assert_allclose(network.amalgamated(), expected, rtol=1e-12)
    start = network.joint_initial()
    assert start.sum() == pytest.approx(1)
    for a, state in enumerate(joint):
        probability = 1.0
        for i, row in enumerate(network.initial.parents):
            shape = [int(cardinalities[j]) for j in row]
            table = network.initial.tables[i].reshape(*shape, -1)
            probability *= table[(*(state[j] for j in row), state[i])]
        assert start[a] == pytest.approx(probability, rel=1e-12)


def test_large_joint_processes_are_refused():
    with pytest.raises(InputError, match="8,192 joint states"):
        get("chain", nodes=13).amalgamated()
    assert get("chain", nodes=12).joint_initial().shape == (4096,)


def test_order_of_the_initial_network_has_parents_first():
    variables = [(name, YES_NO) for name in "ABCD"]
    half = [0.5, 0.5]
    initial = InitialDistribution.build(
        two(variables=variables, cims=dict.fromkeys("ABCD", FLIP), parents={}).variables,
        [(3, 2), (), (1,), ()],
        [[half] * 4, [half], [half] * 2, [half]],
    )
    assert initial.order == (1, 2, 3, 0)


def test_replacing_the_initial_state():
    network = two().with_initial({"A": "yes", "B": "no"})
    assert network.initial.fixed == (1, 0)
    assert network.joint_initial().tolist() == [0, 0, 1, 0]
    assert not network.equals(two())
    with pytest.raises(InputError, match="does not match the states of the variables"):
        two().with_initial(get("drug").initial)
