"""Metrics: confusion counts by brute force, and the conventions for denominators of zero."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

from ctbnlab.errors import InputError
from ctbnlab.evaluation.metrics import Confusion, compare, delta_bic, micro_average

NAMES = ["C", "A", "D", "B"]
PAIRS = [(a, b) for a in NAMES for b in NAMES if a != b]
GRAPHS = st.sets(st.sampled_from(PAIRS))


@given(GRAPHS, GRAPHS)
def test_confusion_is_a_classification_of_all_pairs(true, learned):
    result = compare(true, learned, NAMES)
    pairs = [(arc in true, arc in learned) for arc in PAIRS]
    assert result.whole == Confusion(
        true_positives=pairs.count((True, True)),
        false_positives=pairs.count((False, True)),
        false_negatives=pairs.count((True, False)),
        true_negatives=pairs.count((False, False)),
    )
    assert result.missed == tuple(arc for arc in PAIRS if arc in true - learned)
    assert result.invented == tuple(arc for arc in PAIRS if arc in learned - true)
    assert result.whole.shd == len(result.missed) + len(result.invented) == len(true ^ learned)
    assert list(result.nodes) == NAMES
    assert micro_average(result.nodes.values()) == result.whole
    for name, node in result.nodes.items():
        assert node.shd == sum(target == name for _, target in true ^ learned)


@given(GRAPHS, GRAPHS)
def test_f1_is_the_papers_formula(true, learned):
    whole = compare(true, learned, NAMES).whole
    assert 0 <= whole.precision <= 1
    assert 0 <= whole.recall <= 1
    if whole.precision + whole.recall > 0:
        harmonic = 2 * whole.precision * whole.recall / (whole.precision + whole.recall)
        assert whole.f1 == pytest.approx(harmonic)
    else:
        assert whole.f1 == 0
    swapped = compare(learned, true, NAMES).whole
    assert (swapped.precision, swapped.recall, swapped.f1) == (whole.recall, whole.precision, whole.f1)


@pytest.mark.parametrize(
    ("true", "learned", "expected"),
    [
        ([], [], (1, 1, 1, 0)),
        ([("A", "B")], [], (1, 0, 0, 1)),
        ([], [("A", "B")], (0, 1, 0, 1)),
        ([("A", "B")], [("B", "A")], (0, 0, 0, 2)),  # wrong direction: missed and invented
        ([("A", "B"), ("B", "A")], [("A", "B")], (1, 0.5, 2 / 3, 1)),
    ],
)
def test_conventions(true, learned, expected):
    whole = compare(true, learned, NAMES).whole
    assert (whole.precision, whole.recall, whole.f1, whole.shd) == pytest.approx(expected)


def test_micro_average_sums_counts():
    good, bad = Confusion(8, 0, 0, 4), Confusion(0, 2, 2, 8)
    assert micro_average([good, bad]) == Confusion(8, 2, 2, 12)
    assert micro_average([good, bad]).f1 == pytest.approx(0.8)
    assert micro_average([]) == Confusion()


def test_delta_bic():
    assert delta_bic(-200.0, -210.0) == pytest.approx(-5)
    assert delta_bic(200.0, 190.0) == pytest.approx(5)
    assert math.isnan(delta_bic(0.0, -3.0))


def test_one_variable_has_no_pair():
    assert compare([], [], ["A"]).whole == Confusion()


@pytest.mark.parametrize("arc", [("A", "E"), ("E", "A"), ("A", "A")])
def test_arcs_of_unknown_variables_and_self_loops_are_refused(arc):
    with pytest.raises(InputError, match="the learned arc"):
        compare([], [arc], NAMES)
    with pytest.raises(InputError, match="the true arc"):
        compare([arc], [], NAMES)
