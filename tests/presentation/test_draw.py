"""Pictures of graphs: names fit in nodes, nodes stand apart, arrows end at borders, the same bytes twice."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from matplotlib.patches import Ellipse, PathPatch, Polygon, Rectangle

from ctbnlab.cli.main import main
from ctbnlab.errors import InputError
from ctbnlab.model.network import Network
from ctbnlab.presentation import draw, style
from tests.support.example_networks import disturbed, eating, graph_of, random_graph
from tests.support.pictures import faults, texts

GRAPHS = {
    "one node": random_graph(1, 0.0, 1),
    "two opposite arcs": graph_of(np.array([[0, 1], [1, 0]], bool)),
    "three": eating(),
    "no arc": random_graph(8, 0.0, 1),
    "ten": random_graph(10, 0.15, 1),
    "long names": random_graph(7, 0.2, 5, name="Long variable name {}"),
    "one long word": random_graph(5, 0.3, 5, name="Extraordinarily{}"),
    "twenty": random_graph(20, 0.1, 3),
    "twenty, dense": random_graph(20, 0.4, 3),
    "hundred, scattered": random_graph(100, 0.1, 3, parts=5),
}


@pytest.fixture(scope="module", params=GRAPHS)
def drawn(request):
    graph = GRAPHS[request.param]
    return graph, draw.draw_graph(draw.drawing_of(graph))


def ellipses(figure):
    return figure.axes[0].findobj(Ellipse)


def test_every_node_and_arc_is_drawn(drawn):
    graph, figure = drawn
    drawing = draw.drawing_of(graph)
    assert len(ellipses(figure)) == len(graph.names)
    heads = [p for p in figure.axes[0].patches if isinstance(p, Polygon)]
    shafts = [p for p in figure.axes[0].patches if isinstance(p, PathPatch)]
    assert len(heads) == len(shafts) == len(drawing.arcs)
    assert faults(figure) == []


def test_names_fit_in_their_nodes(drawn):
    graph, figure = drawn
    boxes = {text.get_text().replace("\n", " "): box for text, box in texts(figure)}
    for name, node in zip(graph.names, ellipses(figure), strict=True):
        outer = node.get_window_extent()
        inner = boxes[name]
        assert outer.x0 < inner.x0 < inner.x1 < outer.x1
        assert outer.y0 < inner.y0 < inner.y1 < outer.y1


def test_nodes_stand_apart(drawn):
    _, figure = drawn
    for one, two in combinations(ellipses(figure), 2):
        away = np.abs(np.subtract(one.center, two.center))
        clear = away - [(one.width + two.width) / 2, (one.height + two.height) / 2]
        assert clear.max() > 0.05


def test_arrows_end_at_borders(drawn):
    graph, figure = drawn
    place = dict(zip(graph.names, ellipses(figure), strict=True))
    heads = [p for p in figure.axes[0].patches if isinstance(p, Polygon)]
    shafts = [p for p in figure.axes[0].patches if isinstance(p, PathPatch)]
    for (parent, child), head, shaft in zip(draw.drawing_of(graph).arcs, heads, shafts, strict=True):
        for node, point in ((place[child], head.xy[0]), (place[parent], shaft.get_path().vertices[0])):
            scaled = (point - np.array(node.center)) / [node.width / 2, node.height / 2]
            assert 1 < np.linalg.norm(scaled) < 1.25


def test_what_an_arc_is_beside_the_truth():
    truth = random_graph(10, 0.2, 1)
    learned = disturbed(truth, 2)
    drawing = draw.drawing_of(learned, truth)
    figure = draw.draw_graph(drawing)
    kept, missed = set(learned.arcs) & set(truth.arcs), set(truth.arcs) - set(learned.arcs)
    invented = set(learned.arcs) - set(truth.arcs)
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == [
        f"true arcs found ({len(kept)})",
        f"true arcs missed ({len(missed)})",
        f"arcs invented ({len(invented)})",
        "wider: stronger evidence (score gain)",
    ]
    shafts = [p for p in figure.axes[0].patches if isinstance(p, PathPatch)]
    assert len(shafts) == len(kept | missed | invented)
    assert len({shaft.get_edgecolor() for shaft in shafts}) == 3
    assert sum(shaft.get_linestyle() in ("-", "solid") for shaft in shafts) == len(kept)
    assert faults(figure) == []


def test_wider_arcs_have_stronger_evidence():
    graph = random_graph(10, 0.15, 1)
    drawing = draw.drawing_of(graph)
    shafts = [p for p in draw.draw_graph(drawing).axes[0].patches if isinstance(p, PathPatch)]
    strength = [drawing.strength[arc] for arc in drawing.arcs]
    order = np.argsort(strength)
    widths = np.array([shaft.get_linewidth() for shaft in shafts])
    assert (np.diff(widths[order]) > 0).all()


def test_hundred_long_names_are_left_out_and_that_is_said():
    figure = draw.draw_graph(draw.drawing_of(random_graph(100, 0.02, 3, name="variable {}", gain=False)))
    assert [text.get_text() for text, _ in texts(figure)] == ["the names of 100 nodes are left out"]


def test_the_papers_example_with_its_matrices():
    network = eating()
    figure = draw.draw_graph(draw.drawing_of(network), network=network)
    shown = [text.get_text() for text, _ in texts(figure)]
    for expected in ("Hungry? given Full Stomach?", "Full Stomach? = yes", "−10", "0.4", "−0.01"):
        assert expected in shown
    assert len(figure.axes[0].findobj(Rectangle)) >= 6 * 9
    assert faults(figure) == []


def test_matrices_nobody_could_read_are_refused():
    network = eating()
    many = Network(network.variables * 9, network.parents * 9, network.cims * 9, network.initial)
    with pytest.raises(InputError, match=r"54 intensity matrices .* leave --cims out"):
        draw.draw_graph(draw.drawing_of(network), network=many)


@pytest.mark.parametrize("n", [3, 20, 100])
def test_heatmap(n):
    truth = random_graph(n, 0.3 if n < 20 else 0.1, 1)
    learned = disturbed(truth, 2)
    figure = draw.draw_heatmap(truth.names, learned.arcs, truth.arcs)
    squares = [p for p in figure.axes[0].patches if isinstance(p, Rectangle)]
    assert len(squares) == n + len(set(learned.arcs) | set(truth.arcs))
    missed = next(arc for arc in truth.arcs if arc not in learned.arcs)
    hatched = [p for p in squares if p.get_hatch() == "////"]
    corner = (truth.names.index(missed[1]) - 0.5, truth.names.index(missed[0]) - 0.5)
    assert corner in [p.get_xy() for p in hatched]
    assert faults(figure) == []


def test_same_bytes_twice(tmp_path):
    for ending in ("svg", "png", "pdf"):
        for copy in "ab":
            graph = random_graph(20, 0.1, 3)
            style.save(draw.draw_graph(draw.drawing_of(graph)), tmp_path / f"{copy}.{ending}")
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    truth = random_graph(6, 0.3, 1)
    truth.write("true.json")
    disturbed(truth, 2).write("learned.json")
    for options in (
        ["-o", "a.svg"],
        ["-o", "b.png", "--true", "true.json", "--layout", "springs"],
        ["-o", "c.pdf", "--true", "true.json", "--kind", "heatmap"],
    ):
        assert main(["plot", "learned.json", *options]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        "true.json",
        "learned.json",
        "a.svg",
        "b.png",
        "c.pdf",
    }
    random_graph(5, 0.3, 1).write("other.json")
    for options, said in (
        (["-o", "a.gif"], "a picture's name ends in png, pdf, svg, not in 'gif'"),
        (["-o", "no/a.svg"], "the folder no does not exist"),
        (["-o", "d.svg", "--cims"], "learned.json: has no intensity matrices"),
        (["-o", "d.svg", "--true", "other.json"], "the variable 'X6' is in only one of the two graphs"),
        (["-o", "d.svg", "--true", "none.json"], "No such file"),
    ):
        assert main(["plot", "learned.json", *options]) == 2
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1
    assert not (tmp_path / "d.svg").exists()


def test_command_draws_a_network_with_its_matrices(tmp_path):
    eating().write(tmp_path / "network.json")
    given = ["plot", str(tmp_path / "network.json"), "--cims", "-o", str(tmp_path / "a.svg")]
    assert main(given) == 0
    assert (tmp_path / "a.svg").stat().st_size > 10_000
