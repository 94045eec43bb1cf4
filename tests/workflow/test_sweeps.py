"""Sweeps: every combination is a learner whose label is a readable, distinct name of a folder."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from ctbnlab.errors import InputError
from ctbnlab.workflow.config import LearnerSection
from ctbnlab.workflow.sweeps import LABEL, swept


def learners(**sweep):
    return dict(swept({"a": LearnerSection(algorithm="ctss", options={"tau": 2}, sweep=sweep)}))


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([0.00001, 0.1, True, "text"], ["1e-05", "0.1", "true", "text"]),
        (["chi2", "a.py", "b/c.py:Class"], ["chi2", "a", "c.Class"]),
        (["x/t.py", "y/t.py", "u.py"], ["x-t", "y-t", "u"]),
        (["x/t.py", "t.py"], ["x-t", "t"]),
        (["p/x/t.py", "q/x/t.py"], ["p-x-t", "q-x-t"]),
        (["t.py:A", "t.py:B"], ["t.A", "t.B"]),
        (["my test.py", "my-test.py"], ["my-test", "my-test-2"]),
        (["{word}", "../x", "", "-"], ["word", "x", "value", "value-2"]),
        (["a b", "a-b", "a-b-2"], ["a-b", "a-b-3", "a-b-2"]),
        (["models/one.txt", "models/two.txt"], ["one.txt", "two.txt"]),
    ],
)
def test_labels(values, names):
    assert list(learners(x=values)) == [f"a_x={name}" for name in names]


def test_every_combination_is_a_learner():
    made = learners(score=["bic", "mine.py"], tau=[1, 3])
    assert list(made) == [
        "a_score=bic_tau=1",
        "a_score=bic_tau=3",
        "a_score=mine_tau=1",
        "a_score=mine_tau=3",
    ]
    assert made["a_score=mine_tau=3"].options == {"score": "mine.py", "tau": 3}


@given(
    st.lists(
        st.text(max_size=90) | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
        min_size=1,
        unique_by=str,
    )
)
def test_any_values_make_distinct_names_of_folders(values):
    made = learners(x=values)
    assert [entry.options["x"] for entry in made.values()] == values
    assert all(re.fullmatch(LABEL, label) and len(label) <= 200 for label in made)
    assert made == learners(x=values)


def test_the_same_value_twice_is_refused():
    with pytest.raises(InputError) as caught:
        learners(x=["1", 1])
    assert str(caught.value) == "config: learners.a.sweep: the value '1' appears twice"


def test_labels_of_different_learners_may_not_collide():
    entry = LearnerSection(algorithm="ctss", sweep={"x": [1]})
    with pytest.raises(InputError, match="the label 'a_x=1' appears twice"):
        dict(swept({"a": entry, "a_x=1": LearnerSection(algorithm="ctss")}))
