"""Cells: computed by hand, and the marks' error rate by simulation."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from ctbnlab.errors import InputError
from ctbnlab.evaluation import summary
from ctbnlab.evaluation.published import paper_values
from tests.support.synthetic_metrics import cells_of, frame, row


def f1_cell(rows, reference):
    cells = cells_of(rows, reference)
    return cells[cells["metric"] == "f1"].iloc[0]


def test_mean_deviation_and_pooled_error():
    # Networks of four arcs: two perfect, one with an arc missed (F1 = 6/7); published .986 ± .045, n = 10.
    rows = [row(density=0.2, replicate=i, false_negatives=int(i == 2)) for i in range(3)]
    cell = f1_cell(rows, "main")
    assert cell["value"] == pytest.approx(20 / 21)
    assert cell["sd"] == pytest.approx(math.sqrt(3) / 21)
    pooled = (9 * 0.045**2 + 2 * 3 / 441) / 11
    assert cell["standard_error"] == pytest.approx(math.sqrt(pooled * (1 / 3 + 1 / 10)))
    assert cell["difference"] == pytest.approx(20 / 21 - 0.986)
    # Student's 97.5% quantile with 11 degrees of freedom, from a printed table: 2.201.
    assert cell["margin"] == pytest.approx(2.201 * cell["standard_error"], rel=1e-4)
    assert (cell["n"], cell["published_n"], cell["agreement"]) == (3, 10, summary.WITHIN)


def test_one_network_is_compared_by_the_published_spread():
    perfect = f1_cell([row(density=0.2)], "main")
    assert math.isnan(perfect["sd"])
    assert perfect["standard_error"] == pytest.approx(0.045 * math.sqrt(1 + 1 / 10))
    bad = f1_cell([row(density=0.2, false_negatives=2)], "main")
    assert bad["agreement"] == summary.BEYOND


def test_micro_average_is_from_summed_counts():
    # TP, FP, FN = 4, 0, 0 and 3, 1, 1: 2·7 / (2·7 + 1 + 1) = .875.
    rows = [
        row(learner="ctpc-ks", states="3", trajectories=100, replicate=0),
        row(
            learner="ctpc-ks", states="3", trajectories=100, replicate=1, false_negatives=1, false_positives=1
        ),
    ]
    cell = f1_cell(rows, "tests")
    assert cell["value"] == pytest.approx(0.875)
    assert cell["sd"] == pytest.approx(math.sqrt(1 / 32))
    assert cell["standard_error"] == pytest.approx(math.hypot(0.125, math.sqrt(1 / 320)))
    rows[1] |= {"n_true": 9, "true_positives": 2, "false_positives": 0, "false_negatives": 7}
    cell = f1_cell(rows, "tests")
    assert cell["value"] == pytest.approx(12 / 19)
    # a = 8, 4 and b = 8, 11: residuals (8 − 96/19) / 9.5 and its opposite.
    assert cell["sd"] == pytest.approx(math.sqrt(2) * (8 - 96 / 19) / 9.5)


def test_perfect_micro_average_still_has_one_arc_of_error():
    rows = [row(learner="ctpc-ks", states="3", trajectories=100, replicate=i) for i in range(2)]
    cell = f1_cell(rows, "tests")
    assert (cell["value"], cell["sd"], cell["published"]) == (1.0, 0.0, 0.667)
    assert cell["standard_error"] == pytest.approx(math.hypot(1 / 16, 1 / 80))
    single = f1_cell(rows[:1], "tests")
    assert single["agreement"] == summary.NOT_JUDGED
    assert math.isnan(single["margin"])


def test_learning_no_arc_is_perfect_if_there_is_none():
    empty = row() | {"n_true": 0, "true_positives": 0, "n_learned": 0}
    cell = f1_cell([empty, empty | {"replicate": 1}], "tests")
    assert (cell["value"], cell["sd"]) == (1.0, 0.0)


def test_failures_are_counted_separately():
    rows = [row(replicate=i) for i in range(3)]
    rows += [row(replicate=3, status="failed", reason="ValueError"), row(replicate=4, status="timed out")]
    cell = f1_cell(rows, "main")
    assert (cell["replicates"], cell["n"], cell["failed"], cell["timed_out"]) == (5, 3, 1, 1)
    assert summary.failure_text(cell) == "1 of 5 failed, 1 timed out"
    all_failed = f1_cell(rows[3:], "main")
    assert all_failed["n"] == 0
    assert math.isnan(all_failed["value"])
    assert all_failed["published"] == 1.0
    assert all_failed["agreement"] is None


@pytest.mark.parametrize(
    "change",
    [
        {"trajectories": 100},
        {"duration": 50.0},
        {"scattered": 5},
        {"states": "2,3"},
        {"density": 0.15},
        {"learner": "mine"},
        {"learner": "mine", "algorithm": "my.py"},
    ],
)
def test_only_cells_of_the_papers_design_are_compared(change):
    assert math.isnan(f1_cell([row(**change)], "main")["published"])
    assert f1_cell([row()], "main")["published"] == 1.0
    assert math.isnan(f1_cell([row()], None)["published"])


def test_published_values_go_by_the_algorithm_not_the_label():
    assert f1_cell([row(learner="mine", algorithm="ctpc-chi2", density=0.3)], "main")["published"] == 0.992


def test_big_networks_are_compared_in_seconds():
    rows = [
        row(learner="ctpc-chi2", nodes=40, scattered=2, n_true=20, threads=threads, wall_seconds=3.0)
        for threads in (1, 2, 4)
    ]
    cells = cells_of(rows, "big")
    seconds = cells[cells["metric"] == "wall_seconds"]
    assert seconds["published"].tolist()[:2] == [3000, 3000]
    assert math.isnan(seconds["published"].iloc[2])
    assert cells["agreement"].isna().all()


def test_given_networks_are_cells_of_their_own():
    """Two networks of one shape are averaged neither together nor with random ones."""
    rows = [
        row(network=network, replicate=i, density=0.2, false_negatives=errors)
        for network, errors in (("a", 0), ("b", 2), (None, 1))
        for i in range(3)
    ]
    cells = cells_of(rows, "main")
    found = cells[cells["metric"] == "f1"].set_index("network")
    assert found["value"].tolist() == pytest.approx([1.0, 2 / 3, 6 / 7])
    assert found.index[:2].tolist() == ["a", "b"] and pd.isna(found.index[2])
    assert found["n"].tolist() == [3, 3, 3]
    assert found["published"].notna().tolist() == [False, False, True]


def test_cells_are_in_the_papers_order():
    rows = [
        row(learner=name, states=s)
        for name in ("zeta", "ctpc-ks", "alpha", "ctss")
        for s in ("10", "2", "2,3")
    ]
    cells = cells_of(rows)
    assert list(dict.fromkeys(cells["learner"])) == ["ctss", "ctpc-ks", "alpha", "zeta"]
    assert list(dict.fromkeys(cells["states"])) == ["2", "2,3", "10"]


def test_metrics_that_cannot_be_summarised_are_refused():
    with pytest.raises(InputError, match="several experiments"):
        summary.summarise(frame([row(), row(experiment="other")]))
    with pytest.raises(InputError, match="'ctss' is used for several"):
        summary.summarise(frame([row(), row(replicate=1, options='{"search": "exhaustive"}')]))
    with pytest.raises(InputError, match="unknown published table 'mian'; known: main, tests, big"):
        summary.summarise(frame([row()]), "mian")


@pytest.mark.parametrize(("n", "m"), [(10, 10), (3, 3), (2, 10)])
def test_error_rate_of_marks_in_the_main_experiment(n, m):
    """With F1 of both sides from one distribution (mean 0.8, bounded, skewed), at most 7% are marked."""
    rng = np.random.default_rng(n)
    marks = 0
    for _ in range(3000):
        ours, theirs = rng.beta(8, 2, n), rng.beta(8, 2, m)
        value = summary._Value(float(ours.mean()), float(ours.std(ddof=1)), n)
        known = paper_values.Published(float(theirs.mean()), float(theirs.std(ddof=1)), m)
        row_ = summary._agreement(value, known)
        marks += row_["agreement"] == summary.BEYOND
    assert 0.03 < marks / 3000 < 0.07


@pytest.mark.slow
@pytest.mark.parametrize(("n", "rate"), [(10, 0.1), (3, 0.1), (3, 0.4), (10, 0.01)])
def test_error_rate_of_marks_in_the_first_experiment(n, rate):
    """With binomial numbers of arcs and errors on both sides, at most 7% are marked."""
    rng = np.random.default_rng(n)

    def networks():
        true = rng.binomial(90, 0.3, n)
        missed = rng.binomial(true, rate)
        return pd.DataFrame(
            {
                "true_positives": true - missed,
                "false_negatives": missed,
                "false_positives": rng.poisson(rate * true),
            }
        )

    marks = 0
    for _ in range(800):
        theirs = paper_values.Published(summary.micro_f1(networks()).value, None, n)
        marks += summary._agreement(summary.micro_f1(networks()), theirs)["agreement"] == summary.BEYOND
    assert marks / 800 < 0.07
