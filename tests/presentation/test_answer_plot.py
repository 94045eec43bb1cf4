"""Figures and tables of answers: every kind is drawn, with the same bytes each time."""

from __future__ import annotations

import pytest

import ctbnlab
from ctbnlab import InputError, Query, plot_answer
from ctbnlab.presentation.answer_table import answer_lines, engine_line

NETWORK = ctbnlab.gallery.get("drug")
TIMES = [0.0, 0.5, 1.0, 2.0]
ANSWERS = {
    "curves": lambda: Query(NETWORK).at(TIMES, ["Drowsy", "Concentration"]),
    "joint": lambda: Query(NETWORK).at(TIMES, ["Drowsy", "JointPain"], joint=True),
    "comparison": lambda: Query(NETWORK, do={"Uptake": "no"}, compare=True).at(TIMES, ["Drowsy"]),
    "simulated": lambda: Query(NETWORK, engine="simulation", samples=500).at(TIMES, ["Drowsy"]),
    "one time": lambda: Query(NETWORK).at(1.0, ["Drowsy", "Concentration"]),
    "long run": lambda: Query(NETWORK).long_run(["Concentration"]),
    "expected": lambda: Query(NETWORK).expect(0, 3, ["Drowsy", "Concentration"]),
    "passage": lambda: Query(NETWORK).until(["Drowsy=yes", "Concentration=2"], TIMES),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_are_drawn(name, tmp_path):
    answer = ANSWERS[name]()
    for suffix in ("svg", "png", "pdf"):
        plot_answer(answer, tmp_path / f"a.{suffix}")
        plot_answer(answer, tmp_path / f"b.{suffix}")
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()
    assert answer_lines(answer)
    assert engine_line(answer).startswith("Engine: ")


def test_occupancy_is_stacked():
    figure = plot_answer(ANSWERS["curves"](), kind="stacked")
    assert [len(axes.collections) for axes in figure.axes] == [2, 3]


def test_curves_have_bands_and_a_line_without():
    figure = plot_answer(ANSWERS["simulated"]())
    assert len(figure.axes[0].collections) == 1
    assert len(plot_answer(ANSWERS["comparison"]()).axes[0].lines) == 2


def test_what_cannot_be_drawn_is_refused(tmp_path):
    with pytest.raises(InputError, match="unknown kind of figure 'pie'"):
        plot_answer(ANSWERS["curves"](), kind="pie")
    with pytest.raises(InputError, match="at least two times"):
        plot_answer(Query(NETWORK).until("Drowsy=yes", [1.0]))
    with pytest.raises(InputError, match="at most 24 panels"):
        plot_answer(Query(ctbnlab.gallery.get("chain", nodes=30)).at([0.5, 1.0]))
    with pytest.raises(InputError):
        plot_answer(ANSWERS["curves"](), tmp_path / "x.doc")


def test_long_tables_are_cut():
    lines = answer_lines(Query(NETWORK).at([t / 10 for t in range(20)]))
    assert lines[-1] == "… and 320 more rows: write them with -o"
