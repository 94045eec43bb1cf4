"""Figures of networks that were given by name: one group or facet per network, whatever its size."""

from __future__ import annotations

import numpy as np
import pytest

from ctbnlab.presentation.figures.catalogue import CELL_FIGURES, NETWORK_FIGURES
from tests.support import synthetic_metrics
from tests.support.pictures import faults

ORDER = ["eating", "drug", "mammalian-cell-cycle", "budding-yeast"]


def unfolded(text):
    return text.get_text().replace("\n", "")


@pytest.mark.parametrize("name", ["f1", "precision_recall", "areas", "shd", "time", "delta_bic_other"])
def test_networks_stand_side_by_side(name):
    cells = synthetic_metrics.given_networks()
    figure = CELL_FIGURES[name](cells)
    assert len(figure.axes) == (2 if name in ("precision_recall", "areas") else 1)
    assert [unfolded(text) for text in figure.axes[-1].get_xticklabels()] == ORDER
    assert figure.axes[-1].get_xlabel() == "Network"
    assert "300 trajectories" in figure.get_suptitle()
    assert faults(figure) == []


def test_points_are_the_values_of_their_network():
    cells = synthetic_metrics.given_networks()
    axes = CELL_FIGURES["f1"](cells).axes[0]
    (line,) = [c.lines[0] for c in axes.containers if c.get_label() == "CTSS"]
    assert np.round(line.get_xdata()).tolist() == [0, 1, 2, 3]
    known = cells[(cells["metric"] == "f1") & (cells["learner"] == "ctss") & (cells["trajectories"] == 300)]
    assert line.get_ydata() == pytest.approx(known.set_index("network").loc[ORDER, "value"])
    assert line.get_linestyle() == "None"


def test_trajectories_have_a_facet_per_network():
    figure = CELL_FIGURES["trajectories"](synthetic_metrics.given_networks())
    assert [axes.get_title() for axes in figure.axes] == ORDER
    assert faults(figure) == []


@pytest.mark.parametrize("name", list(NETWORK_FIGURES))
def test_figures_of_single_networks(name):
    figure = NETWORK_FIGURES[name](synthetic_metrics.given_networks(metrics=True))
    names = (
        [unfolded(text) for text in figure.axes[0].get_xticklabels()]
        if name == "networks"
        else [axes.get_title() for axes in figure.axes]
    )
    assert names == ORDER
    assert faults(figure) == []
