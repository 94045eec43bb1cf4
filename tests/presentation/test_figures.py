"""Figures: the right facets and series, nothing overlaps or is cut off, the same bytes twice."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from ctbnlab.cli.main import main as run_command
from ctbnlab.evaluation import results_table
from ctbnlab.evaluation.published import paper_values
from ctbnlab.presentation import style
from ctbnlab.presentation.figures.big_networks import exponent
from ctbnlab.presentation.figures.catalogue import CELL_FIGURES, NAMES, NETWORK_FIGURES, write_figures
from ctbnlab.presentation.figures.facets import error_bars
from tests.support import synthetic_metrics
from tests.support.pictures import faults
from tests.support.synthetic_metrics import cells_of, row


@pytest.fixture(scope="module")
def main():
    """Part of the main experiment: two densities, two numbers of states, one of them our extension."""
    rows = synthetic_metrics.main(replicates=3)
    return cells_of([r for r in rows if r["density"] in (0.1, 0.4) and r["states"] in ("3", "4")], "main")


def series(axes):
    """Return the labelled lines of a facet: label → (x, y)."""
    found = {}
    for container in axes.containers:
        line = container.lines[0]
        found[container.get_label()] = (np.asarray(line.get_xdata()), np.asarray(line.get_ydata()))
    return found


@pytest.mark.parametrize("name", ["f1", "delta_bic", "delta_bic_other", "time", "shd"])
def test_facets_against_nodes(main, name):
    figure = CELL_FIGURES[name](main)
    assert len(figure.axes) == 4
    assert [axes.get_title() for axes in figure.axes] == ["Density 0.1", "Density 0.4", "", ""]
    assert figure.axes[0].get_ylabel().startswith("Ternary\n")
    assert figure.axes[2].get_ylabel().startswith("Quaternary\n")
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "", "Number of nodes", "Number of nodes"]
    assert len(figure.legends) == 1
    assert faults(figure) == []
    scales = {"time": "log", "delta_bic_other": "symlog"}
    assert figure.axes[0].get_yscale() == scales.get(name, "linear")


@pytest.mark.parametrize(
    ("name", "metrics"),
    [("precision_recall", ["precision", "recall"]), ("areas", ["average_precision", "roc_auc"])],
)
def test_two_metrics_have_a_row_each(main, name, metrics):
    figure = CELL_FIGURES[name](main)
    assert len(figure.axes) == 8
    labels = [axes.get_ylabel().replace("\n", " ") for axes in figure.axes[::2]]
    names = ["average precision", "ROC area"] if name == "areas" else metrics
    assert labels == [f"{states} {metric}" for states in ("Ternary", "Quaternary") for metric in names]
    assert faults(figure) == []
    for row_number, metric in enumerate(metrics):
        _, y = series(figure.axes[2 * row_number])["my learner"]
        cells = main[(main["learner"] == "my learner") & (main["metric"] == metric)]
        cells = cells[(cells["states"] == "3") & (cells["density"] == 0.1)]
        assert y == pytest.approx(cells["value"])
    entries = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(entries) == len(set(entries))


def test_error_bars_of_shares_end_at_0_and_1():
    rows = [row(nodes=5, replicate=i, n_true=10, false_negatives=m) for i, m in enumerate((0, 9, 9, 0))]
    rows += [row(nodes=10, replicate=i, n_true=10, false_negatives=m) for i, m in enumerate((9, 10, 9, 10))]
    cells = cells_of(rows)
    assert (cells[cells["metric"] == "recall"]["sd"] > 0).all()
    for axes in CELL_FIGURES["precision_recall"](cells).axes:
        for container in axes.containers:
            ends = np.concatenate([line.get_ydata() for line in container.lines[1]])
            assert len(ends) == 4
            assert ends.min() >= 0
            assert ends.max() <= 1
    values, spread = np.array([0.5, 0.9, 0.05]), np.array([0.2, 0.3, np.nan])
    assert error_bars(values, spread, "f1") == pytest.approx(np.array([[0.2, 0.3, 0], [0.2, 0.1, 0]]))
    assert error_bars(values, spread, "shd") == pytest.approx(np.array([[0.2, 0.3, 0], [0.2, 0.3, 0]]))


def test_bic_of_the_papers_learners_is_apart_from_others(main):
    paper, other = CELL_FIGURES["delta_bic"](main), CELL_FIGURES["delta_bic_other"](main)
    assert set(series(paper.axes[0])) == {"CTPC χ²"}
    assert set(series(other.axes[0])) == {"my learner"}
    limits = {axes.get_ylim() for axes in paper.axes}
    assert len(limits) == 2  # a scale per row
    text = other.legends[0].get_title().get_text().replace("\n", " ")
    assert "these cost more than they earn in likelihood, although the parents are true" in text
    assert "The line at 0 is CTSS" in text
    with pytest.raises(style.AbsentData):
        CELL_FIGURES["delta_bic_other"](main[main["learner"] != "my learner"])


def test_f1_has_ours_and_the_published_values(main):
    figure = CELL_FIGURES["f1"](main)
    drawn = series(figure.axes[1])
    assert set(drawn) == {"CTSS", "CTSS, published", "CTPC χ²", "CTPC χ², published", "my learner"}
    table = paper_values.main_experiment()
    x, y = drawn["CTPC χ², published"]
    assert np.round(x / 5) * 5 == pytest.approx([5, 10, 15, 20])
    assert y == pytest.approx([table["ctpc-chi2", n, "3", 0.4].value for n in (5, 10, 15, 20)])
    mine = main[
        (main["metric"] == "f1")
        & (main["learner"] == "ctss")
        & (main["states"] == "3")
        & (main["density"] == 0.4)
    ]
    assert drawn["CTSS"][1] == pytest.approx(mine["value"])
    # The paper has no quaternary networks of 20 nodes.
    assert len(series(figure.axes[3])["CTSS, published"][0]) == 3
    assert len(series(figure.axes[3])["CTSS"][0]) == 4
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "not in the paper" in labels
    assert "some replicates failed" in labels
    assert "continuous-time search and score" in figure.legends[0].get_title().get_text()


def test_no_two_series_share_a_position(main):
    for axes in CELL_FIGURES["f1"](main).axes:
        firsts = [x[0] for x, _ in series(axes).values()]
        assert len(set(np.round(firsts, 6))) == len(firsts) == 5


def test_facets_without_data_are_left_out():
    rows = [
        row(nodes=n, states=s, density=d) for n in (5, 10) for s, d in (("2", 0.1), ("3", 0.1), ("3", 0.2))
    ]
    figure = CELL_FIGURES["f1"](cells_of(rows))
    assert len(figure.axes) == 3
    assert sorted(axes.get_title() for axes in figure.axes) == ["", "Density 0.1", "Density 0.2"]
    assert all(axes.get_lines() for axes in figure.axes)
    assert faults(figure) == []


def test_trajectories():
    rows = [r for r in synthetic_metrics.first() if r["density"] < 0.3 and r["nodes"] < 20]
    figure = CELL_FIGURES["trajectories"](cells_of(rows, "tests"))
    assert len(figure.axes) == 12
    assert [axes.get_title() for axes in figure.axes[:3]] == ["5 nodes", "10 nodes", "15 nodes"]
    rows = [axes.get_ylabel().replace("\n", " ") for axes in figure.axes[::3]]
    assert rows == [f"{s}, density {d} F1 score" for s in ("Binary", "Ternary") for d in (0.1, 0.2)]
    table = paper_values.first_experiment()
    x, y = series(figure.axes[-1])["CTPC KS, published"]
    assert np.round(x / 100) * 100 == pytest.approx([100, 200, 300])
    assert y == pytest.approx([table["ctpc-ks", 15, "3", 0.2, n].value for n in (100, 200, 300)])
    assert faults(figure) == []


def test_big_networks_and_their_exponents():
    cells = cells_of(synthetic_metrics.big(), "big")
    figure = CELL_FIGURES["big_networks"](cells)
    assert len(figure.axes) == 2
    assert all(axes.get_xscale() == axes.get_yscale() == "log" for axes in figure.axes)
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert len(labels) == 4
    seconds = [paper_values.big_networks()[n, 1] for n in (20, 40, 60, 80, 100)]
    slope = exponent([20, 40, 60, 80, 100], seconds)
    assert f"the paper's CTPC, one core (p = {slope:.2f})" in labels
    assert slope == pytest.approx(3.83, abs=0.005)
    assert faults(figure) == []
    assert exponent([1.0, 2.0, 4.0], [3.0, 12.0, 48.0]) == pytest.approx(2)


def test_unknown_learners_have_different_looks():
    pairs = [("ctss", "ctss"), ("again", "ctss")] + [(f"l{i}", f"my{i}.py") for i in range(7)]
    looks = style.looks(pairs)
    assert len(set(looks.values())) == len(pairs)
    assert looks["ctss"].colour == style.BLUE


def test_same_bytes_twice(main, tmp_path):
    for name, ending in (("f1", "svg"), ("shd", "png"), ("time", "pdf")):
        for copy in "ab":
            style.save(CELL_FIGURES[name](main), tmp_path / f"{copy}.{ending}")
        one, two = ((tmp_path / f"{copy}.{ending}").read_bytes() for copy in "ab")
        assert one == two
        assert not re.search(rb"CreationDate|<dc:date>", one)


def test_command_reports_figures_without_data(tmp_path, capsys):
    rows = [row(nodes=n, replicate=i) for n in (5, 10) for i in range(2)]
    results_table.write_metrics(rows, tmp_path / "m.parquet")
    given = ["figures", str(tmp_path / "m.parquet"), "-o", str(tmp_path / "f")]
    assert run_command([*given, "--formats", "svg"]) == 0
    assert {path.name for path in (tmp_path / "f").iterdir()} == {
        "f1.svg", "networks.svg", "time.svg", "precision_recall.svg", "shd.svg"
    }  # fmt: skip
    messages = capsys.readouterr().err
    for reason in (
        "note: no data for delta_bic: no learner has a value",
        "note: no data for trajectories: the number of trajectories does not vary",
        "note: no data for big_networks: no network is a disjoint union",
        "note: no data for sweep: no learner's option takes several values",
        "note: no data for areas: no learner has a value",
        "note: no data for curves_roc: no learner's arcs are ranked",
        "Wrote 5 files to",
    ):
        assert reason in messages
    assert run_command([*given, "--formats", "gif"]) == 2
    assert "unknown picture format 'gif'; known: png, pdf, svg" in capsys.readouterr().err
    assert run_command([*given, "--only", "f2"]) == 2
    assert "unknown figure 'f2'; known: f1, " in capsys.readouterr().err


def test_single_networks_are_box_plots(tmp_path):
    rows = [
        row(learner=learner, states=states, density=density, nodes=nodes, replicate=i, false_negatives=i)
        for learner in ("ctss", "ctpc-chi2")
        for states, density in (("2", 0.1), ("3", 0.1), ("3", 0.4))
        for nodes in (5, 10)
        for i in range(4)
    ]
    results_table.write_metrics(rows, tmp_path / "m.parquet")
    metrics = results_table.read_metrics(tmp_path / "m.parquet")
    figure = NETWORK_FIGURES["networks"](metrics)
    assert len(figure.axes) == 3
    assert faults(figure) == []
    quartiles = np.quantile(metrics["f1"].unique(), [0.25, 0.75])
    boxes = [
        patch.get_extents().transformed(figure.axes[0].transData.inverted())
        for patch in figure.axes[0].patches
    ]
    assert len(boxes) == 4
    for box in boxes:
        assert [box.y0, box.y1] == pytest.approx(quartiles)
    style.save(figure, tmp_path / "a.svg")
    style.save(NETWORK_FIGURES["networks"](metrics), tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    with pytest.raises(style.AbsentData):
        NETWORK_FIGURES["networks"](metrics[metrics["replicate"] == 0])


def test_given_networks_can_be_drawn(tmp_path):
    rows = [
        row(learner=learner, network=network, nodes=nodes, density=density, states=states, replicate=i)
        for learner in ("ctss", "ctpc-chi2")
        for network, nodes, density, states in (("a", 5, 0.1, "2"), ("b", 5, 0.1, "2"), ("c", 8, 0.3, "2,3"))
        for i in range(2)
    ]
    results_table.write_metrics(rows, tmp_path / "m.parquet")
    metrics = results_table.read_metrics(tmp_path / "m.parquet")
    written, _ = write_figures(metrics, None, tmp_path, ["svg"])
    assert {path.stem for path in written} >= {"f1", "precision_recall", "shd", "time"}


def test_failures_alone_give_no_figure():
    cells = cells_of([row(status="failed"), row(status="skipped", replicate=1)])
    for name, draw in CELL_FIGURES.items():
        with pytest.raises(style.AbsentData):
            draw(cells)
            pytest.fail(name)


def test_every_figure_has_a_caption():
    captions = {path.stem for path in (Path(__file__).resolve().parents[2] / "workflow/report").glob("*.rst")}
    assert {*NAMES} | {"example", "heatmap", "tables"} <= captions


def test_a_figure_without_data_can_become_a_placeholder(tmp_path):
    metrics = synthetic_metrics.frame(synthetic_metrics.main(replicates=2))
    written, absent = write_figures(metrics, None, tmp_path, ["png"], ["big_networks"], placeholders=True)
    assert [path.name for path in written] == ["big_networks.png"]
    assert list(absent) == ["big_networks"]
