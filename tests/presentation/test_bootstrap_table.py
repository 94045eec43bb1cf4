"""How a bootstrap is shown: on a terminal, as CSV, as a picture and in the report."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

import ctbnlab
from ctbnlab.cli.main import main
from ctbnlab.learning.bootstrap import bootstrap
from ctbnlab.presentation import style
from ctbnlab.presentation.bootstrap_table import as_csv, as_lines
from ctbnlab.presentation.draw.frequency_dots import draw_frequencies
from tests.support.pictures import faults
from tests.support.report_folders import ODD_NAMES, own_data_folder, page_of


def found_with(names):
    """Return the bootstrap of a ring of variables."""
    parents = {name: [names[i - 1]] for i, name in enumerate(names)}
    cims = {name: [[[-1.0, 1.0], [5.0, -5.0]], [[-5.0, 5.0], [1.0, -1.0]]] for name in names}
    network = ctbnlab.Network.build([(name, ("off", "on")) for name in names], parents, cims)
    return bootstrap(ctbnlab.simulate(network, trajectories=20, duration=20.0, seed=1), n=8)


RING = found_with(("A", "B", "C"))
EMPTY = replace(
    RING,
    graph=replace(RING.graph, nodes=tuple(replace(node, parents=()) for node in RING.graph.nodes)),
    ratios=(),
    replicates=tuple(replicate._replace(arcs=(), ratios=()) for replicate in RING.replicates),
)


def test_the_table_lists_arcs_of_the_graph_and_frequent_ones():
    head, *rows, last = as_lines(RING)
    assert " ".join(head.split()) == "arc frequency in graph rate ratio 95% interval contrast"
    kept = [row for row in rows if "  yes  " in row]
    assert [row.split("  ")[0] for row in kept] == ["C -> A", "A -> B", "B -> C"]
    assert all(" 100.0% " in row and " to " in row and " against " in row for row in kept)
    assert last == f"Each of the {6 - len(rows)} other arcs is in less than 10% of the replicates."
    assert as_lines(EMPTY) == ["No arc is in the graph or in 10% of the replicates."]


def test_the_csv_has_every_pair():
    rows = list(csv.DictReader(io.StringIO(as_csv(RING))))
    assert [(row["from"], row["to"]) for row in rows] == [(a, b) for b in "ABC" for a in "ABC" if a != b]
    frame = RING.frequencies
    assert [float(row["frequency"]) for row in rows] == frame.frequency.tolist()
    assert [float(row["low"] or "nan") for row in rows] == pytest.approx(frame.low.tolist(), nan_ok=True)


@pytest.mark.parametrize(
    "found", [RING, EMPTY, found_with(tuple(f"A long name of a variable {i}" for i in range(6)))]
)
def test_the_picture_shows_every_listed_arc(found, tmp_path):
    figure = draw_frequencies(found)
    assert not faults(figure)
    if found is not EMPTY:
        names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
        assert len(names) == len(as_lines(found)) - 2
    pictures = []
    for name in ("one.svg", "two.svg"):
        style.save(draw_frequencies(found), tmp_path / name)
        pictures.append((tmp_path / name).read_bytes())
    assert pictures[0] == pictures[1]


def test_plot_draws_a_bootstrap(tmp_path, capsys):
    RING.write(tmp_path / "bootstrap.json")
    assert main(["plot", str(tmp_path / "bootstrap.json"), "-o", str(tmp_path / "dots.png")]) == 0
    assert (tmp_path / "dots.png").stat().st_size > 1000
    assert main(["plot", str(tmp_path / "bootstrap.json"), "--cims", "-o", str(tmp_path / "x.png")]) == 2
    assert "bootstrap.json: is a bootstrap; --true and --cims are for graphs" in capsys.readouterr().err


def test_the_report_has_the_frequencies_of_its_learner(tmp_path):
    folder = own_data_folder(tmp_path / "mine", ODD_NAMES, learners=("ctss",))
    assert "“Found in”" not in page_of(folder)
    line = ["bootstrap", folder / "data.arrow", "--learner", "ctss", "-n", "5"]
    assert main([*map(str, line), "-o", str(folder / "ctss/bootstrap.json")]) == 0
    page = page_of(folder)
    assert "is the share of 5 samples of the trajectories in which the arc is found" in page
    assert "it repeats the bias" in page
    assert "<script>alert" not in page
