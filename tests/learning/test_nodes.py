"""What holds for every learner by name: prior knowledge is honoured, and no data make one fail."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.learning.conformance import checks
from ctbnlab.learning.knowledge import Knowledge
from ctbnlab.learning.nodes import learn, registry
from ctbnlab.model.variables import Variable
from tests.support.strategies import random_trajectories, trajectories

EVERY = list(registry.LEARNERS)


@st.composite
def known(draw, names):
    """Draw required and forbidden arcs that do not contradict each other, and a limit that allows them."""
    pairs = [(a, b) for a in names for b in names if a != b]
    marks = draw(st.lists(st.sampled_from("rf--"), min_size=len(pairs), max_size=len(pairs)))
    required = [pair for pair, mark in zip(pairs, marks, strict=True) if mark == "r"]
    forbidden = [pair for pair, mark in zip(pairs, marks, strict=True) if mark == "f"]
    most = max((sum(b == name for _, b in required) for name in names), default=0)
    limit = draw(st.none() | st.integers(most, len(names)))
    return Knowledge.from_arcs(required, forbidden, limit)


@pytest.mark.parametrize("name", EVERY)
@given(data=trajectories(max_events=60), drawn=st.data())
@settings(max_examples=40)
def test_prior_knowledge_is_honoured(name, data, drawn):
    knowledge = drawn.draw(known(data.names))
    graph = learn(data, registry.make(name), knowledge=knowledge).graph
    arcs = set(graph.arcs)
    assert set(knowledge.required) <= arcs
    assert not arcs & set(knowledge.forbidden)
    if knowledge.max_parents is not None:
        assert all(len(node.parents) <= knowledge.max_parents for node in graph.nodes)
    for node in graph.nodes:
        assert [entry.candidate for entry in node.evidence] == [
            j for j in range(data.n_variables) if j != node.target
        ]
        assert {entry.candidate for entry in node.evidence if entry.kept} == set(node.parents)


@pytest.mark.parametrize("name", EVERY)
@given(data=trajectories())
@settings(max_examples=20)
def test_knowing_nothing_is_no_knowledge(name, data):
    learner = registry.make(name)
    assert learn(data, learner, knowledge=Knowledge.from_arcs([], [])).graph == learn(data, learner).graph


@pytest.mark.parametrize("name", EVERY)
def test_every_learner_keeps_the_contract(name):
    for question, check in checks(registry.make(name)):
        check()
        assert question


def odd_data():
    """Data in which something that learners count on is missing."""
    rng = np.random.default_rng(1)
    plain = [Variable(f"X{i}", ("a", "b", "c")) for i in range(4)]
    whole = random_trajectories(rng, plain, [200, 150])
    still = [*plain[:3], Variable("still", ("only", "never"))]
    return {
        "a variable never changes": _with_variable_held(random_trajectories(rng, still[:3], [200]), still[3]),
        "a variable has one state": random_trajectories(rng, [*plain[:2], Variable("one", ("x",))], [100]),
        "a state is never visited": Trajectories.from_arrays(
            [("A", "012"), ("B", "01")],
            offsets=[0, 4],
            start=[0],
            end=[9],
            initial=[[0, 0]],
            time=[1, 2, 3, 4],
            variable=[0, 1, 0, 1],
            new=[1, 1, 0, 0],
        ),
        "one trajectory": whole.subset([0]),
        "no event": whole.subset([0]).subset([]),
        "trajectories without events": random_trajectories(rng, plain, [0, 0]),
        "one variable": random_trajectories(rng, plain[:1], [50]),
    }


def _with_variable_held(data, variable):
    held = np.concatenate([data.initial, np.zeros((data.n_trajectories, 1), np.uint8)], axis=1)
    return Trajectories.from_arrays(
        [*data.variables, variable],
        offsets=data.offsets,
        start=data.start,
        end=data.end,
        initial=held,
        time=data.time,
        variable=data.variable,
        new=data.new,
    )


@pytest.mark.parametrize("case", odd_data())
@pytest.mark.parametrize("name", EVERY)
def test_odd_data_give_a_graph_and_notes(name, case):
    data = odd_data()[case]
    graph = learn(data, registry.make(name)).graph
    assert graph.is_whole
    if case in ("a variable never changes", "no event", "trajectories without events"):
        assert graph.notes, "what could not be tested must be said"


@pytest.mark.parametrize(
    ("hint", "text", "value"),
    [
        (bool, "true", True),
        (bool, "no", False),
        (int, "3", 3),
        (float, "3", 3.0),
        (float | None, "none", None),
        (int | None, "7", 7),
        (str, "x", "x"),
        (float, 3, 3),
    ],
)
def test_options_are_read_by_their_type(hint, text, value):
    assert registry.coerced(text, hint, "x") == value


@pytest.mark.parametrize(
    ("hint", "value"), [(int, "x"), (int, 1.5), (bool, "maybe"), (float, None), (int, True)]
)
def test_options_of_another_type_are_refused(hint, value):
    with pytest.raises(InputError, match="must be"):
        registry.coerced(value, hint, "the option")
