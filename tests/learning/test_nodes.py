"""Every built-in learner: prior knowledge is honoured, degenerate data are learned, options are read."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Optional

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.learning.answers import checked
from ctbnlab.learning.conformance import checks
from ctbnlab.learning.knowledge import Knowledge, LiteralName
from ctbnlab.learning.nodes import LearnerError, learn, registry
from ctbnlab.model.variables import Variable
from tests.support.strategies import plain_variables, random_trajectories, trajectories

EVERY = list(registry.LEARNERS)


@st.composite
def arcs_known(draw, names):
    """Draw required and forbidden arcs that do not contradict each other, and no limit or one that fits."""
    pairs = [(a, b) for a in names for b in names if a != b]
    marks = draw(st.lists(st.sampled_from("rf--"), min_size=len(pairs), max_size=len(pairs)))
    required = [pair for pair, mark in zip(pairs, marks, strict=True) if mark == "r"]
    forbidden = [pair for pair, mark in zip(pairs, marks, strict=True) if mark == "f"]
    most_required = max((sum(b == name for _, b in required) for name in names), default=0)
    limit = draw(st.none() | st.integers(most_required, len(names)))
    return Knowledge.from_arcs(map(literal, required), map(literal, forbidden), limit)


def literal(arc):
    """Return an arc in which a variable called `*` does not stand for all of them."""
    return tuple(LiteralName(name) if name == "*" else name for name in arc)


@pytest.mark.parametrize("name", EVERY)
@given(data=trajectories(max_events=60), drawn=st.data())
@settings(max_examples=40)
def test_prior_knowledge_is_honoured(name, data, drawn):
    knowledge = drawn.draw(arcs_known(data.names))
    graph = learn(data, registry.make(name), knowledge=knowledge).graph
    arcs = set(graph.arcs)
    arcs = {literal(arc) for arc in arcs}
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
def test_empty_lists_of_arcs_equal_no_knowledge(name, data):
    learner = registry.make(name)
    assert learn(data, learner, knowledge=Knowledge.from_arcs([], [])).graph == learn(data, learner).graph


@pytest.mark.parametrize("name", EVERY)
def test_every_learner_passes_the_conformance_checks(name):
    for title, check in checks(registry.make(name)):
        check()
        assert title


def degenerate_data():
    """Return data sets in which something is missing that a learner might rely on."""
    rng = np.random.default_rng(1)
    variables = plain_variables([3] * 4)
    two = random_trajectories(rng, variables, [200, 150])
    return {
        "a variable never changes": _with_constant(random_trajectories(rng, variables[:3], [200])),
        "a variable has one state": random_trajectories(
            rng, [*variables[:2], Variable("one", ("x",))], [100]
        ),
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
        "one trajectory": two.subset([0]),
        "no trajectory": two.subset([0]).subset([]),
        "trajectories without events": random_trajectories(rng, variables, [0, 0]),
        "one variable": random_trajectories(rng, variables[:1], [50]),
    }


def _with_constant(data):
    """Return the data with one more variable, which never leaves its first state."""
    initial = np.concatenate([data.initial, np.zeros((data.n_trajectories, 1), np.uint8)], axis=1)
    return Trajectories.from_arrays(
        [*data.variables, Variable("constant", ("only", "never"))],
        offsets=data.offsets,
        start=data.start,
        end=data.end,
        initial=initial,
        time=data.time,
        variable=data.variable,
        new=data.new,
    )


@pytest.mark.parametrize("name", EVERY)
@given(data=trajectories(max_events=60))
@settings(max_examples=20)
def test_checking_the_answers_of_built_in_learners_changes_nothing(name, data):
    for node, known in zip(
        learn(data, registry.make(name)).graph.nodes, Knowledge().for_nodes(data.names), strict=True
    ):
        assert checked(node, node.target, known, data.n_variables) is node


def test_an_error_does_not_wait_for_other_threads():
    """A thread may be inside a kernel for minutes; the command is to report the error now."""
    data = random_trajectories(np.random.default_rng(1), plain_variables([2] * 3), [50])
    release = threading.Event()

    @dataclass(frozen=True)
    class Uneven:
        citation = "none"

        def learn_node(self, statistics, knowledge):
            if statistics.target:
                release.wait(60)
            raise KeyError("rate")

    began = time.monotonic()
    try:
        with pytest.raises(LearnerError, match="X0: KeyError: 'rate'"):
            learn(data, Uneven(), jobs=3)
        assert time.monotonic() - began < 30
    finally:
        release.set()


@pytest.mark.parametrize(("isolated", "error"), [(False, KeyboardInterrupt), (True, LearnerError)])
def test_an_interrupt_is_the_user_s_unless_the_learner_is_alone(isolated, error):
    data = random_trajectories(np.random.default_rng(1), plain_variables([2] * 2), [50])

    @dataclass(frozen=True)
    class Interrupted:
        citation = "none"

        def learn_node(self, statistics, knowledge):
            raise KeyboardInterrupt

    with pytest.raises(error):
        learn(data, Interrupted(), isolated=isolated)


@pytest.mark.parametrize("case", degenerate_data())
@pytest.mark.parametrize("name", EVERY)
def test_degenerate_data_give_a_graph_and_notes(name, case):
    data = degenerate_data()[case]
    graph = learn(data, registry.make(name)).graph
    assert graph.is_whole
    if case in ("a variable never changes", "no trajectory", "trajectories without events"):
        assert graph.notes, "notes must report what could not be tested"


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
        (float, 1.5, 1.5),
        (float | None, None, None),
        (float | None, "1.5", 1.5),
        (Optional[int], "NULL", None),  # noqa: UP045
        (bool, True, True),
        (str | float, "1.5", "1.5"),
        (float | str, "1.5", 1.5),
        (float | str, "x", "x"),
    ],
)
def test_options_are_read_by_their_type(hint, text, value):
    assert registry.coerced(text, hint, "x") == value


@pytest.mark.parametrize(
    ("hint", "value", "wanted"),
    [
        (int, "x", "a whole number"),
        (int, "1.5", "a whole number"),
        (int, 1.5, "a whole number"),
        (int, True, "a whole number"),
        (float, "much", "a number"),
        (float, None, "a number"),
        (float, False, "a number"),
        (bool, "maybe", "true or false"),
        (bool, 1, "true or false"),
        (type(None), "x", "none"),
        (type(None), 0, "none"),
        (str, 3, "text"),
        (str, None, "text"),
        (float | None, "x", "a number or none"),
        (bool | int | str, 1.5, "true or false or a whole number or text"),
        (list, "x", "list"),
    ],
)
def test_options_of_another_type_are_refused(hint, value, wanted):
    with pytest.raises(InputError) as caught:
        registry.coerced(value, hint, "the option")
    assert str(caught.value) == f"the option must be {wanted}, not {value!r}"
