"""Tables made by hand: refused unless they have the shape that compiled loops rely on."""

from __future__ import annotations

import numpy as np
import pytest

import ctbnlab
from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.errors import InputError

GOOD = {
    "target": 0,
    "parents": (1, 2),
    "parent_cardinalities": (2, 3),
    "values": np.ones((6, 2, 3)),
    "configurations": None,
}


def test_a_table_made_by_hand():
    table = SufficientStatistics(**GOOD)
    assert table.marginal((2,)).values.shape == (3, 2, 3)
    sparse = SufficientStatistics(**GOOD | {"values": np.ones((2, 2, 3)), "configurations": np.array([1, 5])})
    assert sparse.dense().values.shape == (6, 2, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parents": (1,)}, "one cardinality per parent"),
        ({"parent_cardinalities": (2, 300)}, "6 rows for 600 parent configurations"),
        ({"values": np.ones((6, 2, 2))}, "`values` must be"),
        ({"values": np.ones((6, 6))}, "`values` must be"),
        ({"values": np.ones((6, 2, 3), np.float32)}, "`values` must be"),
        ({"values": np.ones((6, 0, 1))}, "1 to 255 states"),
        ({"values": np.ones((6, 256, 257))}, "1 to 255 states"),
        ({"configurations": np.arange(5)}, "one whole number per row"),
        ({"configurations": np.arange(6.0)}, "one whole number per row"),
        ({"configurations": np.array([0, 1, 2, 3, 4, 6])}, "not in increasing order"),
        ({"configurations": np.array([-1, 1, 2, 3, 4, 5])}, "not in increasing order"),
        ({"configurations": np.array([0, 1, 3, 2, 4, 5])}, "not in increasing order"),
        ({"configurations": np.array([0, 1, 1, 2, 4, 5])}, "not in increasing order"),
    ],
)
def test_odd_tables_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        SufficientStatistics(**GOOD | change)


def test_negative_counts_harm_nobody():
    values = np.full((6, 2, 3), -1e9)
    values[:, :, 0] = 1
    values[0, :, 1:] = 1e10  # so that the rate over all configurations is positive
    table = SufficientStatistics(**GOOD | {"values": values})
    for score in (ctbnlab.EmpiricalBayesScore(5), ctbnlab.Bde(), ctbnlab.Bic(), ctbnlab.LogLikelihood()):
        with np.errstate(all="ignore"):
            score.node_score(table, 100)


def test_points_of_too_many_candidates():
    network = ctbnlab.generate(40, states=2, density=0.05, seed=1)
    data = ctbnlab.simulate(network, trajectories=2, duration=2.0, seed=1)
    statistics = ctbnlab.NodeStatistics(data, 0)
    for candidates, max_events, ratio in (
        (range(1, 40), 100, 1.0),
        ((1, 1), 100, 1.0),
        ((0,), 100, 1.0),
        ((99,), 100, 1.0),
        ((1,), 0, 1.0),
        ((1,), 100, np.inf),
        ((1,), 100, np.nan),
        ((1,), 100, -1.0),
    ):
        with pytest.raises(ValueError):
            statistics.sample_points(candidates, max_events, ratio)
