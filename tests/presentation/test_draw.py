"""Pictures of graphs: names fit in nodes, nodes keep apart, arrows end at borders, the same bytes twice."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from matplotlib.patches import Ellipse, FancyArrowPatch, PathPatch, Rectangle

from ctbnlab.cli.main import main
from ctbnlab.errors import InputError
from ctbnlab.learning.contract import Effect
from ctbnlab.model.network import Network
from ctbnlab.presentation import style
from ctbnlab.presentation.draw.arrows import arrow
from ctbnlab.presentation.draw.cim_panels import rate_text
from ctbnlab.presentation.draw.graph_picture import draw_graph
from ctbnlab.presentation.draw.heatmap import draw_heatmap
from ctbnlab.presentation.draw.plot import drawing_of, plot
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
    return graph, draw_graph(drawing_of(graph))


def ellipses(figure):
    return figure.axes[0].findobj(Ellipse)


def shafts(figure):
    return [p for p in figure.axes[0].patches if isinstance(p, PathPatch)]


def tips(figure):
    return [p for p in figure.axes[0].patches if isinstance(p, FancyArrowPatch)]


def test_every_node_and_arc_is_drawn(drawn):
    graph, figure = drawn
    drawing = drawing_of(graph)
    assert len(ellipses(figure)) == len(graph.names)
    assert len(tips(figure)) == len(shafts(figure)) == len(drawing.arcs)
    assert faults(figure) == []


def test_names_fit_in_their_nodes(drawn):
    graph, figure = drawn
    boxes = {text.get_text().replace("\n", " "): box for text, box in texts(figure)}
    for name, node in zip(graph.names, ellipses(figure), strict=True):
        outer = node.get_window_extent()
        inner = boxes[name]
        assert outer.x0 < inner.x0 < inner.x1 < outer.x1
        assert outer.y0 < inner.y0 < inner.y1 < outer.y1


def test_nodes_keep_apart(drawn):
    _, figure = drawn
    for one, two in combinations(ellipses(figure), 2):
        away = np.abs(np.subtract(one.center, two.center))
        clear = away - [(one.width + two.width) / 2, (one.height + two.height) / 2]
        assert clear.max() > 0.05


def test_arrows_end_at_borders(drawn):
    graph, figure = drawn
    place = dict(zip(graph.names, ellipses(figure), strict=True))
    for (parent, child), tip, shaft in zip(drawing_of(graph).arcs, tips(figure), shafts(figure), strict=True):
        # The path of a tip: along the arrow (start, control point, end), then a triangle (corner, point, …).
        start, _, end, _, point_of_tip, *_ = tip.get_path().vertices
        assert point_of_tip == pytest.approx(end)
        assert start == pytest.approx(shaft.get_path().vertices[0])
        for node, point in ((place[child], point_of_tip), (place[parent], shaft.get_path().vertices[0])):
            scaled = (point - np.array(node.center)) / [node.width / 2, node.height / 2]
            assert 1 < np.linalg.norm(scaled) < 1.25


def test_arrows_stay_in_the_picture(drawn):
    _, figure = drawn
    for patch in (*shafts(figure), *tips(figure)):
        box = patch.get_window_extent()
        assert figure.bbox.x0 < box.x0 <= box.x1 < figure.bbox.x1
        assert figure.bbox.y0 < box.y0 <= box.y1 < figure.bbox.y1


def test_opposite_arcs_bend_apart():
    figure = draw_graph(drawing_of(GRAPHS["two opposite arcs"]))
    first, second = (np.array(node.center) for node in ellipses(figure))
    # Perpendicular to the line between the nodes, the middles of the two curves are on opposite sides.
    across = (second - first)[::-1] * [-1, 1] / np.linalg.norm(second - first)
    sides = [(shaft.get_path().vertices[1] - first) @ across for shaft in shafts(figure)]
    assert min(sides) < -0.05
    assert max(sides) > 0.05
    assert faults(figure) == []


def test_arcs_are_drawn_by_kind_if_the_truth_is_known():
    truth = random_graph(10, 0.2, 1)
    learned = disturbed(truth, 2)
    drawing = drawing_of(learned, truth)
    figure = draw_graph(drawing)
    kept, missed = set(learned.arcs) & set(truth.arcs), set(truth.arcs) - set(learned.arcs)
    invented = set(learned.arcs) - set(truth.arcs)
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == [
        f"true arcs found ({len(kept)})",
        f"true arcs missed ({len(missed)})",
        f"arcs invented ({len(invented)})",
        "wider: stronger evidence (score gain)",
    ]
    lines = shafts(figure)
    assert len(lines) == len(kept | missed | invented)
    assert len({line.get_edgecolor() for line in lines}) == 3
    assert sum(line.get_linestyle() in ("-", "solid") for line in lines) == len(kept)
    for line, tip in zip(lines, tips(figure), strict=True):
        assert tip.get_facecolor() == line.get_edgecolor()
        assert tip.get_linewidth() == 0  # no outline that dashes could tear
    assert faults(figure) == []


def test_wider_arcs_have_stronger_evidence():
    graph = random_graph(10, 0.15, 1)
    drawing = drawing_of(graph)
    strength = [drawing.strength[arc] for arc in drawing.arcs]
    order = np.argsort(strength)
    widths = np.array([shaft.get_linewidth() for shaft in shafts(draw_graph(drawing))])
    assert (np.diff(widths[order]) > 0).all()


def with_ratios(graph, ratios):
    """Return a graph whose arcs have effects with these rate ratios, one after the other."""
    left = iter(ratios)
    nodes = [
        replace(
            node,
            evidence=tuple(
                replace(entry, effect=Effect(next(left), 1.0, 9.0, 0.1, 0.5)) if entry.kept else entry
                for entry in node.evidence
            ),
        )
        for node in graph.nodes
    ]
    return replace(graph, nodes=tuple(nodes))


def test_wider_arcs_have_larger_effects():
    """Widths are linear in the logarithm of the ratio: 2 is halfway between 1 and 4."""
    graph = random_graph(10, 0.15, 1)
    ratios = [1.0, 4.0, *[2.0] * (len(graph.arcs) - 2)]
    drawing = drawing_of(with_ratios(graph, ratios), width="effect")
    figure = draw_graph(drawing)
    widths = np.array([shaft.get_linewidth() for shaft in shafts(figure)])
    ratio_of = [round(math.exp(drawing.strength[arc]), 9) for arc in drawing.arcs]
    by_ratio = dict(zip(ratio_of, widths, strict=True))
    assert by_ratio[2.0] == pytest.approx((by_ratio[1.0] + by_ratio[4.0]) / 2)
    assert by_ratio[1.0] < by_ratio[4.0]
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["wider: larger effect (rate ratio)"]


def test_effects_that_cannot_be_drawn_are_refused():
    graph = random_graph(6, 0.3, 1)
    with pytest.raises(InputError, match="has no effects of arcs"):
        drawing_of(graph, width="effect")
    with pytest.raises(InputError, match="a rate ratio must be a number above 0"):
        drawing_of(with_ratios(graph, [math.nan] * len(graph.arcs)), width="effect")
    with pytest.raises(InputError, match="unknown width of arcs 'area'"):
        plot(graph, width="area")


def test_a_hundred_long_names_are_left_out_with_a_note():
    figure = draw_graph(drawing_of(random_graph(100, 0.02, 3, name="variable {}", gain=False)))
    assert [text.get_text() for text, _ in texts(figure)] == ["the names of 100 nodes are left out"]


def test_the_papers_example_with_its_matrices():
    network = eating()
    figure = draw_graph(drawing_of(network), network=network)
    shown = [text.get_text() for text, _ in texts(figure)]
    for expected in ("Hungry? given Full Stomach?", "Full Stomach? = yes", "−10", "0.4", "−0.01"):
        assert expected in shown
    assert len(figure.axes[0].findobj(Rectangle)) >= 6 * 9
    assert faults(figure) == []


def test_too_many_matrices_are_refused():
    network = eating()
    many = Network(network.variables * 9, network.parents * 9, network.cims * 9, network.initial)
    with pytest.raises(InputError, match=r"54 intensity matrices .* leave --cims out"):
        draw_graph(drawing_of(network), network=many)


def test_rates_are_short_and_zero_has_no_sign():
    assert [rate_text(rate) for rate in (-0.0, 0.12345, -1234.5)] == ["0", "0.123", "−1234"]


def test_unknown_kinds_and_layouts_are_refused():
    with pytest.raises(InputError, match=r"unknown kind of picture 'tree'; known: graph, heatmap"):
        plot(eating(), kind="tree")
    with pytest.raises(InputError, match=r"unknown layout 'tree'; known: auto, circle, springs"):
        plot(eating(), layout="tree")


def test_arcs_between_nodes_that_overlap_are_drawn():
    nodes = [Ellipse((0, 0), 1, 0.5), Ellipse((0.2, 0), 1, 0.5)]
    shaft, tip = arrow(*nodes, 0.1, colour="black", width=1.0, dashes="-", scale=1.0)
    assert len(shaft.get_path().vertices) == len(tip.get_path().vertices[:3]) == 3


@pytest.mark.parametrize("n", [3, 20, 100])
def test_heatmap(n):
    truth = random_graph(n, 0.3 if n < 20 else 0.1, 1)
    learned = disturbed(truth, 2)
    figure = draw_heatmap(truth.names, learned.arcs, truth.arcs)
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
            style.save(draw_graph(drawing_of(graph)), tmp_path / f"{copy}.{ending}")
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
    for options, message in (
        (["-o", "a.gif"], "unknown picture format 'gif'; known: png, pdf, svg"),
        (["-o", "no/a.svg"], "the folder no does not exist"),
        (["-o", "d.svg", "--cims"], "learned.json: has no intensity matrices"),
        (["-o", "d.svg", "--true", "other.json"], "the variable 'X6' is in only one of the two graphs"),
        (["-o", "d.svg", "--true", "none.json"], "No such file"),
    ):
        assert main(["plot", "learned.json", *options]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
    assert not (tmp_path / "d.svg").exists()


def test_command_draws_a_network_with_its_matrices(tmp_path):
    eating().write(tmp_path / "network.json")
    given = ["plot", str(tmp_path / "network.json"), "--cims", "-o", str(tmp_path / "a.svg")]
    assert main(given) == 0
    assert (tmp_path / "a.svg").stat().st_size > 10_000
