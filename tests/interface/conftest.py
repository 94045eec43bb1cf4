"""What the calls are made on: a small network, data of it, and a learner that has seen them."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import networkx
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import ctbnlab


@pytest.fixture(scope="session")
def scope() -> dict[str, Any]:
    """The names that calls use; `Full` drives `Hungry`, which drives `Eating`, which drives `Full`."""
    mpl.use("Agg")
    network = ctbnlab.gallery.get("eating")
    data = network.simulate(50, duration=50.0, seed=1)
    learner = ctbnlab.EmpiricalBayes().fit(data)
    return {
        "ctbnlab": ctbnlab,
        "np": np,
        "nx": networkx,
        "pd": pd,
        "network": network,
        "data": data,
        "frame": ctbnlab.to_dataframe(data),
        "learner": learner,
        "graph": learner.graph_,
        "arcs": network.arcs,
    }


@pytest.fixture
def close_figures():
    """Let pyplot forget the figures of a test."""
    yield
    plt.close("all")
