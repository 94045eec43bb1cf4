"""Figures of swept options: which options are found, where their values stand, and what is drawn."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from ctbnlab.presentation import style
from ctbnlab.presentation.figures.option_effects import sweep
from ctbnlab.presentation.figures.swept_options import sweeps
from tests.support import synthetic_metrics
from tests.support.pictures import faults
from tests.support.synthetic_metrics import cells_of, row


def swept(algorithm, values, labels=True, **design):
    """Return rows of a learner for each combination of the values of its options."""
    rows = [{}]
    for name, choices in values.items():
        rows = [chosen | {name: choice} for chosen in rows for choice in choices]
    return [
        row(
            learner=algorithm + "".join(f"_{k}={i}{v}" if labels else f"-{i}" for k, v in chosen.items()),
            algorithm=algorithm, options=json.dumps(chosen), replicate=replicate,
            false_negatives=replicate + i % 2, **design,
        )
        for i, chosen in enumerate(rows)
        for replicate in range(2)
    ]  # fmt: skip


def series(axes):
    """Return the labelled lines of a facet: label → (x, y)."""
    return {
        container.get_label(): tuple(np.asarray(data) for data in container.lines[0].get_data())
        for container in axes.containers
    }


def test_the_significance_level_is_a_logarithmic_axis_with_the_papers_value():
    rows = [r for r in synthetic_metrics.significance() if r["algorithm"] == "ctpc-chi2"]
    cells = cells_of(rows)
    figure = sweep(cells)
    assert len(figure.axes) == 4
    assert [axes.get_title() for axes in figure.axes[:2]] == [
        "10 nodes,\ndensity 0.1",
        "10 nodes,\ndensity 0.3",
    ]
    assert all(axes.get_xscale() == "log" for axes in figure.axes)
    drawn = series(figure.axes[0])
    assert set(drawn) == {"CTPC χ², F1", "CTPC χ², precision", "CTPC χ², recall"}
    x, y = drawn["CTPC χ², recall"]
    assert x == pytest.approx([1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.2], rel=0.1)
    expected = cells[(cells["metric"] == "recall") & (cells["states"] == "2") & (cells["density"] == 0.1)]
    expected = expected.assign(alpha=[json.loads(text)["alpha"] for text in expected["options"]])
    assert y == pytest.approx(expected.sort_values("alpha")["value"])
    assert any(list(line.get_xdata()) == [0.1, 0.1] for line in figure.axes[0].get_lines())
    assert "the paper's value" in figure.legends[0].get_title().get_text()
    assert figure.get_suptitle() == "Effect of the significance level α"
    assert faults(figure) == []


def test_several_learners_have_a_row_per_metric():
    figure = sweep(cells_of(synthetic_metrics.significance()))
    assert len(figure.axes) == 12
    assert [axes.get_ylabel() for axes in figure.axes[:6:2]] == [
        "Binary\nF1", "Binary\nprecision", "Binary\nrecall"
    ]  # fmt: skip
    assert set(series(figure.axes[0])) == {"CTPC χ²", "CTPC KS"}
    assert faults(figure) == []


def test_a_narrow_range_of_numbers_is_a_linear_axis():
    (found,) = sweeps(cells_of(swept("mine.py", {"penalty": [0.5, 1.0, 2.5]})))
    assert (found.option, found.log, found.names) == ("penalty", False, ())
    assert sorted(set(found.cells["x"])) == [0.5, 1.0, 2.5]
    assert found.step == 0.5
    assert sweeps(cells_of(swept("mine.py", {"penalty": [1, 9]})))[0].step == 2.0
    assert sweeps(cells_of(swept("mine.py", {"penalty": [1, 10]})))[0].log
    assert not sweeps(cells_of(swept("mine.py", {"penalty": [0, 100]})))[0].log
    figure = sweep(cells_of(swept("mine.py", {"penalty": [0.5, 1.0, 2.5]})))
    assert figure.axes[0].get_xscale() == "linear"
    assert figure.axes[0].get_xlabel() == "Option penalty"
    assert not any(list(line.get_xdata()) == [0.1, 0.1] for line in figure.axes[0].get_lines())


@pytest.mark.parametrize(
    "values", [[0.01, 0.1], [1, 2], [1, 2, 3, 4, 5, 6, 7, 8], [1e-9, 1e-8, 0.5], [-1, 0, 1]]
)
def test_all_points_are_within_the_axes(values):
    for learners in (["ctss"], ["ctss", "ctpc-chi2", "a.py", "b.py", "c.py"]):
        rows = [r for learner in learners for r in swept(learner, {"x": values})]
        for axes in sweep(cells_of(rows)).axes:
            low, high = axes.get_xlim()
            drawn = [x for x, _ in series(axes).values()]
            assert drawn
            assert all((low < x).all() and (x < high).all() for x in drawn)


def test_files_and_words_stand_side_by_side():
    values = ["chi2", "tests/my_$test.py:Mine", "other.py"]
    figure = sweep(cells_of(swept("ctpc-chi2", {"test": values})))
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["chi2", "my_$test:Mine", "other"]
    assert {line.get_linestyle() for line in axes.get_lines()} == {"None"}
    assert faults(figure) == []


def test_truth_values_are_not_numbers():
    (found,) = sweeps(cells_of(swept("ctpc-chi2", {"stable": [True, False]})))
    assert found.names == ("false", "true")


def test_a_default_without_a_number_is_left_out_of_a_numeric_axis():
    plain = row(learner="plain", algorithm="ctpc-chi2", options=json.dumps({"alpha": None}))
    rows = [*swept("ctpc-chi2", {"alpha": [0.01, 0.1]}), plain]
    (found,) = sweeps(cells_of(rows))
    assert sorted(set(found.cells["x"])) == [0.01, 0.1]


def test_every_option_has_its_rows_and_the_others_make_series():
    cells = cells_of(swept("ctpc-chi2", {"alpha": [0.001, 0.1], "stable": [True, False]}))
    alpha, stable = sweeps(cells)
    assert [name for name, _ in alpha.series] == ["CTPC χ² (stable = false)", "CTPC χ² (stable = true)"]
    assert [name for name, _ in stable.series] == ["CTPC χ² (alpha = 0.001)", "CTPC χ² (alpha = 0.1)"]
    figure = sweep(cells)
    assert len(figure.axes) == 6
    assert figure.axes[0].get_xscale() == "log"
    assert figure.axes[5].get_xscale() == "linear"
    assert faults(figure) == []


def test_learners_may_sweep_different_options():
    rows = swept("ctpc-chi2", {"alpha": [0.01, 0.1]}) + swept("empirical-bayes", {"threshold": [1, 3, 5]})
    assert [(one.option, one.series[0][1]) for one in sweeps(cells_of(rows))] == [
        ("alpha", "ctpc-chi2"),
        ("threshold", "empirical-bayes"),
    ]


def test_labels_of_a_sweep_decide_which_options_are_meant():
    rows = swept("ctpc-chi2", {"alpha": [0.01, 0.1]})
    both = {alpha: json.dumps({"alpha": alpha, "stable": alpha > 0.05}) for alpha in (0.01, 0.1)}
    rows = [r | {"options": both[json.loads(r["options"])["alpha"]]} for r in rows]
    assert [one.option for one in sweeps(cells_of(rows))] == ["alpha"]
    unlabelled = [r | {"learner": f"learner {r['options']}"} for r in rows]
    assert [one.option for one in sweeps(cells_of(unlabelled))] == ["alpha", "stable"]


def test_given_networks_are_columns():
    cells = cells_of(swept("ctpc-chi2", {"alpha": [0.01, 0.1]}))
    both = [cells.assign(network=name, nodes=n) for name, n in (("yeast", 9), ("drug", 8))]
    figure = sweep(pd.concat(both, ignore_index=True))
    assert [axes.get_title() for axes in figure.axes] == ["drug", "yeast"]
    assert faults(figure) == []


def test_without_a_sweep_there_is_no_figure():
    with pytest.raises(style.AbsentData, match="no learner's option takes several values"):
        sweep(cells_of([row(), row(learner="ctpc-chi2")]))
