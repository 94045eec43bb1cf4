"""What a notebook or a prompt shows of each object: a line, and HTML that is short and escaped."""

from __future__ import annotations

import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import ctbnlab
from ctbnlab.presentation.notebook import svg_of

REPRESENTATIONS = {
    "network": "<Network: 3 variables, 3 arcs>",
    "graph": "<LearnedGraph: 3 variables, 3 arcs, learned by EmpiricalBayes>",
    "data": "<Trajectories: 3 variables, 50 trajectories, 4,059 events, time 2500>",
    "learner": "EmpiricalBayes()",
    "ctbnlab.compare(network, graph)": "<Comparison: precision 1, recall 1, F1 1, SHD 0>",
    "network.query({'Hungry': 'yes'}, do={'Full': 'no'})": (
        "<Query: 3 variables, start {'Hungry': 'yes'}, do {'Full': 'no'}>"
    ),
    "network.query().at(1.0)": "<Answer: probability at times, 6 rows, exact>",
    "ctbnlab.bootstrap(data, ctbnlab.Ctss(), 3, seed=1)": (
        "<Bootstrap: 3 replicates, 3 variables, 3 arcs from all data>"
    ),
    "ctbnlab.fit_parameters(data, graph)": (
        "<FittedParameters: 3 variables, 12 parameters, log-likelihood -175.4>"
    ),
}
SHOWN = [
    "network",
    "graph",
    "data",
    "ctbnlab.compare(network, graph)",
    "network.query().at([1.0, 2.0, 3.0])",
    "ctbnlab.bootstrap(data, ctbnlab.Ctss(), 3, seed=1)",
    "ctbnlab.generate(200, 3, 0.05, seed=1)",
    "ctbnlab.generate(30, 2, 0.3, seed=1)",
    "ctbnlab.generate(60, 2, 0.05, seed=1).simulate(2, duration=1.0, seed=1)",
    "ctbnlab.compare([(f'A{k}', 'B') for k in range(200)], [])",
    "ctbnlab.learn(data, ctbnlab.Ctss(), nodes=['Full']).graph",
]


@pytest.mark.parametrize("call", REPRESENTATIONS)
def test_a_representation_is_one_line(call, scope):
    assert repr(eval(call, dict(scope))) == REPRESENTATIONS[call]


@pytest.mark.parametrize("call", SHOWN)
def test_what_a_notebook_shows_is_short_and_well_formed(call, scope):
    shown = eval(call, dict(scope))._repr_html_()
    assert 20 < len(shown) < 10_000
    ElementTree.fromstring(shown)


def test_a_query_with_much_evidence_is_one_short_line(scope):
    query = scope["network"].query(observe=[f"{k}:Hungry=yes" for k in range(1, 400)])
    assert len(repr(query)) < 120


def test_a_picture_has_every_name_and_arc(scope):
    network = ctbnlab.generate(9, 2, 0.3, seed=1)
    picture = ElementTree.fromstring(network._repr_svg_() or "")
    space = "{http://www.w3.org/2000/svg}"
    assert sorted(text.text or "" for text in picture.iter(f"{space}text")) == sorted(network.names)
    assert len(list(picture.iter(f"{space}ellipse"))) == 9
    assert len(list(picture.iter(f"{space}path"))) == 2 * network.n_arcs  # a shaft and a tip
    width, height = (float(picture.get(length) or 0) for length in ("width", "height"))
    for text in picture.iter(f"{space}text"):
        assert 0 < float(text.get("x") or 0) < width and 0 < float(text.get("y") or 0) < height


def test_arrows_lead_from_parent_to_child():
    network = ctbnlab.Network.build(
        [("A", ["0", "1"]), ("B", ["0", "1"])],
        {"B": ["A"]},
        {"A": np.array([[-1.0, 1], [1, -1]]), "B": np.array([[[-1.0, 1], [1, -1]], [[-2, 2], [2, -2]]])},
    )
    shown = svg_of(network) or ""
    at = {
        name: np.array([float(x), float(y)])
        for x, y, name in re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>(\w)</text>', shown)
    }
    begin, tip = (np.array([float(x), float(y)]) for x, y in re.findall(r'd="M([\d.]+),([\d.]+)', shown))
    assert np.linalg.norm(begin - at["A"]) < np.linalg.norm(begin - at["B"])
    assert np.linalg.norm(tip - at["B"]) < np.linalg.norm(tip - at["A"])


def test_names_are_escaped():
    name = "<script>alert('&')</script>"
    variables = [(name, ["<b>", "&amp;"]), ("B", ["0", "1"])]
    flip = np.array([[-1.0, 1], [1, -1]])
    network = ctbnlab.Network.build(variables, {"B": [name]}, {name: flip, "B": np.array([flip, 2 * flip])})
    data = network.simulate(20, duration=5.0, seed=1)
    graph = ctbnlab.Ctss().fit(data).graph_
    for thing in (network, data, graph, ctbnlab.compare(network, graph), network.query().at(1.0)):
        shown = thing._repr_html_() or ""
        assert "<script" not in shown and "<b>&" not in shown
        ElementTree.fromstring(shown)


def test_without_matplotlib_and_pandas_there_is_still_something_to_show():
    program = (
        "import sys\nfor name in ('matplotlib', 'pandas', 'networkx'): sys.modules[name] = None\n"
        "import ctbnlab\nnetwork = ctbnlab.gallery.get('eating')\n"
        "assert network._repr_svg_() is None\n"
        "print(network._repr_html_())\n"
        "print(network.simulate(2, duration=1.0, seed=1)._repr_html_())\n"
        "assert ctbnlab.compare(network, network)._repr_html_() is None\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("<table>") == 2
