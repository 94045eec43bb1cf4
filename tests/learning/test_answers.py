"""What a learner answers is checked against the variables and against prior knowledge, before it is used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from ctbnlab.learning.contract import NodeResult
from ctbnlab.learning.knowledge import Knowledge
from ctbnlab.learning.nodes import LearnerError, learn
from tests.support.strategies import plain_variables, random_trajectories


@dataclass(frozen=True)
class Fixed:
    """Answers the same parents for node 1, whatever the data and the knowledge are."""

    parents: tuple[int, ...]
    target: int = 1

    def learn_node(self, statistics, knowledge):
        if statistics.target != 1:
            return NodeResult(statistics.target, (), ())
        return NodeResult(self.target, self.parents, ())


@pytest.fixture(scope="module")
def data():
    return random_trajectories(np.random.default_rng(3), plain_variables([2] * 4), [30])


KNOWN = Knowledge.from_arcs(required=[("X0", "X1")], forbidden=[("X3", "X1")], max_parents=2)
FAULTS = {
    "forbidden": (KNOWN, (0, 3), 1, "X1: the parents (0, 3) violate the required or forbidden arcs"),
    "not required": (KNOWN, (2,), 1, "X1: the parents (2,) violate the required or forbidden arcs"),
    "too many": (Knowledge(max_parents=1), (0, 2), 1, "X1: the parents (0, 2) are more than the 1 allowed"),
    "itself": (None, (0, 1), 1, "X1: the parents (0, 1) are not distinct other variables"),
    "unknown": (None, (4,), 1, "X1: the parents (4,) are not distinct other variables"),
    "negative": (None, (-1,), 1, "X1: the parents (-1,) are not distinct other variables"),
    "twice": (None, (0, 0), 1, "X1: the parents (0, 0) are not distinct other variables"),
    "unsorted": (None, (2, 0), 1, "X1: the parents (2, 0) are not distinct other variables"),
    "another node": (None, (0,), 2, "X1: the learner answered for node 2"),
}


@pytest.mark.parametrize(("known", "parents", "target", "message"), FAULTS.values(), ids=FAULTS)
def test_an_invalid_answer_is_an_error_with_the_name_of_the_node(data, known, parents, target, message):
    with pytest.raises(LearnerError) as raised:
        learn(data, Fixed(parents, target), knowledge=known, nodes=["X1"])
    assert str(raised.value).startswith(message)
    graph = learn(data, Fixed(parents, target), knowledge=known, nodes=["X1"], record_failures=True).graph
    assert [failure.status for failure in graph.failures] == ["failed"]
    assert not graph.nodes


def test_an_answer_that_just_fits_is_accepted(data):
    graph = learn(data, Fixed((0, 2)), knowledge=KNOWN, nodes=["X1"]).graph
    assert graph.arcs == [("X0", "X1"), ("X2", "X1")]
