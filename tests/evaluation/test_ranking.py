"""The ranking of arcs: areas by brute force over pairs, by scipy, and by hand; ties; what is left out."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import trapezoid
from scipy.stats import mannwhitneyu

import ctbnlab
from ctbnlab.evaluation.metrics import compare
from ctbnlab.evaluation.ranking import RankingCurve, curve_of, ranking_curve
from ctbnlab.evaluation.row import evaluate
from ctbnlab.learning.contract import Evidence, NodeFailure, NodeResult
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.nodes import learn
from ctbnlab.model.variables import Variable

# Few distinct numbers, so that ties are common.
STRENGTHS = st.tuples(st.booleans(), st.booleans(), st.sampled_from([-math.inf, -0.5, 0.0, 1.0, math.inf]))
ARCS = st.lists(st.tuples(STRENGTHS, st.booleans()), max_size=25)


def made(arcs):
    return curve_of([strength for strength, _ in arcs], [is_true for _, is_true in arcs])


@given(ARCS)
def test_roc_area_is_the_share_of_pairs_in_the_right_order(arcs):
    true = [strength for strength, is_true in arcs if is_true]
    false = [strength for strength, is_true in arcs if not is_true]
    area = made(arcs).roc_auc
    if not true or not false:
        assert area is None
        return
    points = [2 * (a > b) + (a == b) for a in true for b in false]
    assert area == pytest.approx(sum(points) / (2 * len(points)), abs=1e-15)
    # scipy knows ties too, but only of numbers.
    place = {strength: rank for rank, strength in enumerate(sorted({*true, *false}))}
    u = mannwhitneyu([place[s] for s in true], [place[s] for s in false]).statistic
    assert area == pytest.approx(u / (len(true) * len(false)))


@given(ARCS)
def test_average_precision_is_the_mean_precision_at_the_true_arcs(arcs):
    total = sum(is_true for _, is_true in arcs)
    area = made(arcs).average_precision
    if not total:
        assert area is None
        return
    expected = Fraction(0)
    for strength, is_true in arcs:
        if is_true:
            reached = [other_is_true for other, other_is_true in arcs if other >= strength]
            expected += Fraction(sum(reached), len(reached) * total)
    assert area == pytest.approx(float(expected), abs=1e-15)


@given(ARCS)
def test_corners_draw_the_same_curve_with_fewer_points(arcs):
    curve = made(arcs)
    corners = curve.corners()
    assert set(zip(*vars(corners).values(), strict=True)) <= set(zip(*vars(curve).values(), strict=True))
    if curve.roc_auc is not None:
        assert corners.roc_auc == pytest.approx(curve.roc_auc, abs=1e-15)
        steps = np.diff([[0, 0], *zip(*vars(corners).values(), strict=True)], axis=0)
        turns = steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0]
        assert (turns != 0).all()
        false, true = (np.array([0, *counts]) for counts in (corners.false_positives, corners.true_positives))
        assert corners.roc_auc == pytest.approx(float(trapezoid(true / true[-1], false / false[-1])))


def test_a_curve_of_many_corners_is_thinned_evenly():
    curve = RankingCurve(tuple((i + 1) // 2 for i in range(1, 2001)), tuple(i // 2 for i in range(1, 2001)))
    assert curve.corners(limit=2000) == curve
    few = curve.corners()
    assert len(few.true_positives) == 500
    assert (few.true_positives[0], few.true_positives[-1]) == (1, 1000)
    assert few.roc_auc == pytest.approx(curve.roc_auc, abs=0.002)


# ---- From the evidence of a graph ----

VARIABLES = tuple(Variable(name, ("0", "1")) for name in "ABCD")


TRUTH = (("B", "A"), ("A", "C"), ("D", "C"))


def points(curve):
    return list(zip(curve.true_positives, curve.false_positives, strict=True))


def graph_of(name, evidence):
    """Return a graph of A to D from text such as "B>A": (kept, number), or a reason instead of the number."""
    nodes: dict[int, list[Evidence]] = {target: [] for target in range(4)}
    for arc, (kept, number) in sorted(evidence.items()):
        source, target = ("ABCD".index(end) for end in arc.split(">"))
        numbers = {} if isinstance(number, str) else {name: number}
        nodes[target].append(Evidence(source, kept, number if isinstance(number, str) else "", **numbers))
    results = [
        NodeResult(target, tuple(entry.candidate for entry in entries if entry.kept), tuple(entries))
        for target, entries in nodes.items()
    ]
    return LearnedGraph(VARIABLES, tuple(results))


def test_gains_order_arcs_and_kept_ones_come_first():
    graph = graph_of(
        "gain",
        {
            "A>C": (True, 9.0),
            "B>A": (True, 5.0),
            "D>C": (True, "found before the budget was spent"),
            "C>A": (False, 7.0),
            "A>B": (False, -1.0),
            "C>B": (False, -1.0),
            "D>B": (False, -2.0),
            "B>C": (False, -3.0),
            "D>A": (False, "ruled out"),  # and there is no evidence at all about D
        },
    )
    curve = ranking_curve(TRUTH, graph)
    assert points(curve) == [(1, 0), (2, 0), (3, 0), (3, 1), (3, 3), (3, 4), (3, 5), (3, 9)]
    assert (curve.average_precision, curve.roc_auc) == (1.0, 1.0)
    assert points(curve.corners()) == [(3, 0), (3, 9)]


def test_small_p_values_come_first_and_zeros_are_ties():
    graph = graph_of(
        "p_value",
        {
            "B>A": (True, 0.0),
            "C>A": (True, 0.0),
            "A>C": (True, 0.05),
            "A>B": (False, 0.2),
            "D>C": (False, 0.3),
            "C>B": (False, 0.5),
            "B>C": (False, 0.5),
            "D>A": (False, 1.0),
            "D>B": (False, math.nan),
            **{f"{source}>D": (False, "forbidden") for source in "ABC"},
        },
    )
    curve = ranking_curve(TRUTH, graph)
    assert points(curve) == [(1, 1), (2, 1), (2, 2), (3, 2), (3, 4), (3, 5), (3, 6)]
    assert curve.average_precision == pytest.approx((1 / 2 + 2 / 3 + 3 / 5) / 3)
    assert curve.roc_auc == pytest.approx((5.5 + 5 + 4) / 18)


def test_required_and_forbidden_arcs_are_left_out():
    evidence = {f"{a}>{b}": (False, "forbidden") for a in "ABCD" for b in "ABCD" if a != b}
    evidence |= {"B>A": (True, "required"), "C>B": (False, -3.0), "A>B": (False, -5.0)}
    curve = ranking_curve(TRUTH, graph_of("gain", evidence))
    assert points(curve) == [(0, 1), (0, 2)]
    assert curve.average_precision is None
    assert curve.roc_auc is None
    # A reason that contradicts the decision is only a reason.
    curve = ranking_curve(TRUTH, graph_of("gain", evidence | {"D>C": (False, "required")}))
    assert points(curve) == [(0, 1), (0, 2), (1, 2)]


@pytest.mark.parametrize(
    "learner", [ctbnlab.EmpiricalBayes(), ctbnlab.Ctss(), ctbnlab.Ctpc(), ctbnlab.Ctpc(test="dm")]
)
def test_a_learned_graph_is_a_point_of_its_curve(learner):
    network = ctbnlab.generate(6, states=3, density=0.3, seed=5)
    data = ctbnlab.simulate(network, trajectories=8, duration=20.0, seed=6)
    graph = learner.fit(data).graph_
    whole = compare(network.arcs, graph.arcs, network.names).whole
    curve = ranking_curve(network.arcs, graph)
    assert (whole.true_positives, whole.false_positives) in points(curve)
    assert points(curve)[-1] == (len(network.arcs), 30 - len(network.arcs))
    assert 0 < curve.average_precision <= 1
    assert 0.5 < curve.roc_auc <= 1


def test_a_row_of_metrics_has_the_areas_and_the_curve():
    network = ctbnlab.generate(4, density=0.4, seed=2)
    data = ctbnlab.simulate(network, trajectories=2, duration=1.5, seed=3)
    graph = learn(data, ctbnlab.Ctss(), label="ctss").graph
    measured = evaluate(network, graph, data, [])
    curve = ranking_curve(network.arcs, graph)
    corners = curve.corners()
    assert measured["average_precision"] == curve.average_precision < 1
    assert measured["roc_auc"] == curve.roc_auc < 1
    assert measured["curve_true_positives"] == list(corners.true_positives)
    assert measured["curve_false_positives"] == list(corners.false_positives)
    failed = replace(graph, nodes=graph.nodes[1:], failures=(NodeFailure(0, "failed", "oops"),))
    missing = evaluate(network, failed, data, [])
    assert missing["average_precision"] is missing["curve_true_positives"] is None
    assert set(missing) == set(measured)
