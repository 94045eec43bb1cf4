"""Curves of ranked arcs: each network's curve by brute force, and what the figures show of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ctbnlab.evaluation.ranking import RankingCurve
from ctbnlab.presentation import style
from ctbnlab.presentation.figures.catalogue import NETWORK_FIGURES
from ctbnlab.presentation.figures.ranking_curves import GRID, precision_at, recall_at
from tests.support import synthetic_metrics
from tests.support.pictures import faults

ORDERS = st.lists(st.booleans(), min_size=2, max_size=30).filter(lambda order: len(set(order)) == 2)


def corners_of(order):
    """Return the corners of the curve of arcs without ties: True is a true arc."""
    curve = RankingCurve(
        tuple(int(n) for n in np.cumsum(order)), tuple(int(n) for n in np.cumsum(np.logical_not(order)))
    ).corners()
    return np.array(curve.true_positives, float), np.array(curve.false_positives, float)


@given(ORDERS)
def test_precision_is_that_at_which_the_recall_is_reached(order):
    total = sum(order)
    found = precision_at(GRID, *corners_of(order))
    for recall, precision in zip(GRID, found, strict=True):
        needed = max(1, int(np.ceil(recall * total - 1e-9)))
        walked = next(n for n in range(1, len(order) + 1) if sum(order[:n]) == needed)
        assert precision == pytest.approx(needed / walked)


@given(ORDERS)
def test_recall_is_that_before_more_false_arcs_are_met(order):
    n_false = len(order) - sum(order)
    shares = np.arange(n_false + 1) / n_false
    found = recall_at(shares, *corners_of(order))
    for met, recall in enumerate(found):
        walked = max(n for n in range(len(order) + 1) if n - sum(order[:n]) == met)
        assert recall == pytest.approx(sum(order[:walked]) / sum(order))


def test_ties_are_mixed_evenly():
    true, false = np.array([4.0]), np.array([12.0])
    assert precision_at(GRID, true, false) == pytest.approx(0.25)
    assert recall_at(GRID, true, false) == pytest.approx(GRID)


@pytest.mark.parametrize("name", ["curves_precision_recall", "curves_roc"])
def test_curves_are_means_over_the_largest_networks(name):
    rows = synthetic_metrics.main(replicates=2)
    rows = [r for r in rows if r["density"] in (0.1, 0.4) and r["states"] in ("2", "3")]
    metrics = synthetic_metrics.frame(rows)
    figure = NETWORK_FIGURES[name](metrics)
    assert len(figure.axes) == 4
    assert all("20 nodes" in [text.get_text() for text in axes.texts] for axes in figure.axes)
    assert faults(figure) == []
    shown = metrics[(metrics["nodes"] == 20) & (metrics["states"] == "2") & (metrics["density"] == 0.4)]
    shown = shown[shown["learner"] == "ctpc-chi2"]
    curve, point = [line for line in figure.axes[1].get_lines() if line.get_color() == style.VERMILLION][:2]
    at = precision_at if name == "curves_precision_recall" else recall_at
    expected = [
        at(GRID, np.array(true, float), np.array(false, float))
        for true, false in zip(shown["curve_true_positives"], shown["curve_false_positives"], strict=True)
    ]
    assert np.asarray(curve.get_ydata()) == pytest.approx(np.mean(expected, axis=0))
    own = "precision" if name == "curves_precision_recall" else "recall"
    assert point.get_ydata()[0] == pytest.approx(shown[own].mean())


@pytest.mark.parametrize("name", ["curves_precision_recall", "curves_roc"])
def test_rows_without_curves_give_no_figure(name):
    with pytest.raises(style.AbsentData, match="no learner's arcs are ranked"):
        NETWORK_FIGURES[name](synthetic_metrics.frame([synthetic_metrics.row()]))
