"""Learning in Python: the code in the README, and the kinds of data that `fit` takes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import ctbnlab
from ctbnlab.data.formats.dataframe import to_dataframe
from ctbnlab.io import json_text
from ctbnlab.model.gallery import get

README = Path(__file__).resolve().parents[2] / "README.md"


def test_the_code_in_the_readme_runs():
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    scope: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), scope)
    learner = scope["learner"]
    assert learner.graph_.arcs
    assert learner.network_.names == scope["network"].names
    assert len(learner.log_) == 8 * 7


def test_fit_takes_trajectories_frames_and_files(tmp_path):
    data = ctbnlab.simulate(get("eating"), trajectories=10, duration=50.0, seed=1)
    ctbnlab.write(data, tmp_path / "data.csv")
    graphs = [
        ctbnlab.Ctss().fit(source).graph_.to_json()
        for source in (data, to_dataframe(data), tmp_path / "data.csv")
    ]
    assert graphs[0] == graphs[1] == graphs[2]


def test_the_number_of_threads_does_not_change_the_graph():
    network = ctbnlab.generate(8, states=[2, 3], density=0.3, seed=3)
    data = ctbnlab.simulate(network, trajectories=20, duration=20.0, seed=1)
    for learner in (ctbnlab.Ctpc(), ctbnlab.Ctss()):
        alone = learner.fit(data)
        first, seconds = alone.graph_.to_json(), alone.seconds_
        assert learner.fit(data, jobs=3).graph_.to_json() == first
        assert set(seconds) == set(network.names)


def test_the_forms_of_a_graph_agree():
    data = ctbnlab.simulate(get("eating"), trajectories=50, duration=50.0, seed=1)
    graph = ctbnlab.Ctss().fit(data).graph_
    expected = [("Hungry", "Eating"), ("Eating", "Full"), ("Full", "Hungry")]
    assert graph.arcs == expected
    assert graph.parents == {"Eating": ("Hungry",), "Full": ("Eating",), "Hungry": ("Full",)}
    assert np.array_equal(graph.adjacency, [[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    digraph = graph.to_networkx()
    assert set(digraph.edges) == set(expected)
    assert digraph.edges["Full", "Hungry"]["gain"] > 0


def test_a_graph_is_read_back_from_its_file(tmp_path):
    data = ctbnlab.simulate(get("eating"), trajectories=5, duration=5.0, seed=1)
    for learner in (ctbnlab.Ctpc(), ctbnlab.Ctss()):
        graph = learner.fit(data).graph_
        graph.write(tmp_path / "graph.json")
        assert ctbnlab.LearnedGraph.read(tmp_path / "graph.json").to_json() == graph.to_json()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "x"}, "is not a learned graph"),
        ({"version": 9}, "has format version 9"),
        ({"nodes": [{}]}, "is a damaged graph"),
        ({"variables": []}, "there are no variables"),
    ],
)
def test_a_damaged_graph_file_is_refused_by_name(tmp_path, change, message):
    data = ctbnlab.simulate(get("eating"), trajectories=2, duration=5.0, seed=1)
    content = ctbnlab.Ctss().fit(data).graph_.to_json() | change
    json_text.write(content, tmp_path / "graph.json")
    with pytest.raises(ctbnlab.InputError, match=r"graph\.json: ") as caught:
        ctbnlab.LearnedGraph.read(tmp_path / "graph.json")
    assert message in str(caught.value)
