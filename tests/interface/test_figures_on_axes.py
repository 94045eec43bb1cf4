"""`plot` returns axes, draws on those that are given, and what it draws can be read."""

from __future__ import annotations

import itertools

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Ellipse

import ctbnlab
from ctbnlab.presentation.draw.timelines import colours_of, segments
from tests.support.pictures import faults

pytestmark = pytest.mark.usefixtures("close_figures")
CALLS = [
    "network.plot()",
    "network.plot(layout='springs')",
    "network.plot(true=graph)",
    "network.plot_cims()",
    "network.plot_cims('Full', 'Hungry')",
    "graph.plot()",
    "graph.plot(true=network)",
    "graph.plot(true=arcs)",
    "graph.plot(width='effect') if 'effect' in graph.evidence[0] else graph.plot()",
    "data.plot()",
    "data.plot(2)",
    "data.plot([3, -1], variables=['Full'])",
    "data[7].plot()",
]


@pytest.mark.parametrize("call", CALLS)
def test_a_call_returns_axes_that_can_be_read(call, scope):
    axes = eval(call, dict(scope))
    assert isinstance(axes, Axes)
    assert axes.figure in map(plt.figure, plt.get_fignums())
    assert not faults(axes.figure)


@pytest.mark.parametrize(
    "call", ["network.plot(ax)", "network.plot_cims(ax=ax)", "graph.plot(ax=ax)", "data.plot(2, ax=ax)"]
)
def test_axes_that_are_given_are_drawn_on(call, scope):
    _, (left, ax) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    left.plot([1, 2])
    drawn = eval(call, {**scope, "ax": ax})
    assert drawn is ax
    assert len(plt.get_fignums()) == 1
    assert not faults(ax.figure)


def test_the_users_settings_are_left_alone(scope):
    before = dict(mpl.rcParams)
    scope["network"].plot()
    scope["data"].plot()
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("size", [1.5, 3.0, 12.0])
def test_a_graph_fits_the_axes_whatever_their_size(size):
    network = ctbnlab.generate(12, 2, 0.2, seed=1)
    _, ax = plt.subplots(figsize=(size, size))
    network.plot(ax=ax)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    nodes = [patch for patch in ax.patches if isinstance(patch, Ellipse)]
    assert len(nodes) == 12
    for node in nodes:
        x, y = node.center
        assert left < x - node.width / 2 and x + node.width / 2 < right
        assert bottom < y - node.height / 2 and y + node.height / 2 < top
    ax.figure.draw_without_rendering()
    for node, text in zip(nodes, ax.texts, strict=True):  # letters are inside their nodes
        box, ellipse = text.get_window_extent(), node.get_window_extent()
        assert box.width <= ellipse.width and box.height <= ellipse.height


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("network.plot(layout='tree')", "unknown layout 'tree'"),
        ("graph.plot(width='size')", "unknown width of arcs 'size'"),
        ("graph.plot(true=[('A', 'B')])", "the variable 'A' is in only one of the two graphs"),
        ("graph.plot(true=ctbnlab.generate(3, 2, 0.5, seed=1))", "is in only one of the two graphs"),
        ("network.plot_cims('X')", "unknown variable 'X'"),
        ("data.plot(variables=['X'])", "unknown variable 'X'"),
        ("data.plot([70])", "there are 50 trajectories; 70 is out of range"),
        ("data.plot(30)", "90 timelines are too many for a picture"),
        ("data.plot(0)", "there are no timelines to draw"),
        ("ctbnlab.generate(9, 2, 0.9, seed=1).plot_cims()", "name fewer variables"),
    ],
)
def test_what_is_refused(call, message, scope):
    with pytest.raises(ctbnlab.InputError, match=message):
        eval(call, dict(scope))


# ---- Timelines ----


def test_segments_are_the_states_of_the_table(scope):
    data = scope["data"][:3]
    table = data.to_dataframe()
    for trajectory, variable in itertools.product(range(3), range(3)):
        name, states = data.variables[variable]
        rows = table[table["trajectory"] == data.ids[trajectory]]
        line = segments(data, trajectory, variable)
        assert line[0].begin == 0.0 and line[-1].end == data.end[trajectory]
        assert all(a.end == b.begin and a.code != b.code for a, b in itertools.pairwise(line))
        for time, state in zip(rows["time"][:-1], rows[name][:-1], strict=True):
            (code,) = [each.code for each in line if each.begin <= time < each.end]
            assert states[code] == state


def test_data_with_gaps_roles_and_other_starts_can_be_read():
    frame = pd.DataFrame(
        {
            "id": ["a"] * 4 + ["b"] * 3,
            "time": [10.0, 11, 12, 15, 3, 4, 9],
            "sex": ["f"] * 4 + ["m"] * 3,
            "pain": ["no", None, "yes", "no", "no", "$yes$", "no"],
            "a very long name of a variable indeed": [str(k) for k in (1, 2, 3, 4, 5, 6, 7)],
        }
    )
    data = ctbnlab.read(frame, static="sex", missing="gap")
    axes = data.plot()
    assert axes.get_xlabel() == "time since start"
    assert "unobserved" in [text.get_text() for text in axes.get_legend().get_texts()]
    assert not faults(axes.figure)


@pytest.mark.parametrize("n_states", [1, 2, 7, 8, 60])
def test_states_have_different_colours(n_states):
    assert len(set(colours_of(n_states))) == n_states


def test_many_states_and_variables_have_a_short_legend():
    network = ctbnlab.generate(20, 2, 0.1, seed=1)
    assert not faults(network.simulate(3, duration=2.0, seed=1).plot().figure)
    periods = pd.DataFrame({"id": 0, "time": np.arange(30.0), "A": [f"state {k % 12}" for k in range(30)]})
    axes = ctbnlab.read(periods).plot()
    assert len(axes.get_legend().get_texts()) == 3


def test_an_answer_is_drawn(scope):
    figure = scope["network"].query({"Hungry": "yes"}).at([0.0, 0.5, 1.0]).plot()
    assert len(figure.axes) == 3


def test_variables_with_states_of_their_own_have_a_legend_that_fits():
    rows = {f"V{k}": [f"{k}a", f"{k}b", f"{k}a"] for k in range(12)}
    axes = ctbnlab.read(pd.DataFrame({"id": 0, "time": [0.0, 1.0, 2.0], **rows})).plot()
    assert "other variables" in axes.get_legend().get_texts()[-1].get_text()
    assert not faults(axes.figure)
