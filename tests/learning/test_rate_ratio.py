"""Rate ratios: against plain sums, and against the rates of simulated networks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ctbnlab
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.learning.rate_ratio import Contrast, rate_ratio, strongest_contrast
from tests.support.sample_tables import table_of, tables, without_empty_rows


def plain_ratio(table, parent, contrast):
    """Return the ratio by loops over all configurations, and the variance of its logarithm."""
    axis = table.parents.index(parent)
    above = below = spread = 0.0
    cardinalities = table.parent_cardinalities
    values = table.values.reshape(*cardinalities, *table.values.shape[1:])
    for s in np.ndindex(*(1 if k == axis else c for k, c in enumerate(cardinalities))):
        rows = [values[(*s[:axis], y, *s[axis + 1 :])][contrast.old] for y in contrast[:2]]
        (t1, m1), (t0, m0) = ((row[0], row[1 + contrast.new]) for row in rows)
        if t1 + t0 > 0:
            above += m1 * t0 / (t1 + t0)
            below += m0 * t1 / (t1 + t0)
            spread += (m1 + m0) * t1 * t0 / (t1 + t0) ** 2
    ratio = above / below if below else math.inf if above else math.nan
    return ratio, spread / (above * below) if above and below else math.inf


def contrasts(table, parent):
    states = table.parent_cardinalities[table.parents.index(parent)]
    c = table.values.shape[1]
    return [
        Contrast(y, z, x, new)
        for y in range(states)
        for z in range(states)
        for x in range(c)
        for new in range(c)
        if y != z and x != new
    ]


@given(tables().filter(lambda table: table.parents), st.data())
def test_ratios_equal_plain_sums(table, data):
    parent = data.draw(st.sampled_from(table.parents))
    strongest = strongest_contrast(table, parent)
    strengths = {}
    for contrast in contrasts(table, parent):
        expected, variance = plain_ratio(table, parent, contrast)
        for same in (table, without_empty_rows(table)):
            found = rate_ratio(same, parent, contrast)
            assert found == pytest.approx(expected, rel=1e-9, nan_ok=True)
        if 0 < expected < math.inf and math.isfinite(variance):
            strengths[contrast] = abs(math.log(expected)) / math.sqrt(variance)
    if strongest is None:
        assert max(strengths.values(), default=0) < 1e-6
    else:
        assert strengths[strongest] == pytest.approx(max(strengths.values()), rel=1e-6)
        assert rate_ratio(table, parent, strongest) > 1


def test_the_ratio_is_that_of_the_rates_within_strata():
    """Strata differ in rates and in the share of the parent's states: only a stratified ratio is right."""
    values = np.zeros((4, 2, 3))
    values[:, 0, 0] = [10.0, 90.0, 80.0, 20.0]  # (s, y) = 00, 01, 10, 11
    values[:, 0, 2] = values[:, 0, 0] * np.array([1.0, 3.0, 10.0, 30.0])
    table = table_of(values, (2, 2))
    assert strongest_contrast(table, 2) == Contrast(1, 0, 0, 1)
    assert rate_ratio(table, 2, Contrast(1, 0, 0, 1)) == pytest.approx(3)


def test_the_ratio_of_simulated_data_is_that_of_the_network():
    up = {0: 1.0, 1: 2.5}
    network = ctbnlab.Network.build(
        [("Y", "ab"), ("Z", "ab"), ("X", "ab")],
        {"X": ["Y", "Z"]},
        {
            "Y": [[-1, 1], [1, -1]],
            "Z": [[-1, 1], [1, -1]],
            "X": [[[-up[y] * 3**z, up[y] * 3**z], [1, -1]] for y in (0, 1) for z in (0, 1)],
        },
    )
    data = ctbnlab.simulate(network, trajectories=300, duration=50.0, seed=1)
    table = NodeStatistics(data, 2).table((0, 1))
    contrast = strongest_contrast(table, 0)
    assert contrast == Contrast(1, 0, 0, 1)
    assert rate_ratio(table, 0, contrast) == pytest.approx(2.5, rel=0.06)


def test_nothing_to_compare():
    values = np.zeros((2, 2, 3))
    values[:, :, 0] = 1.0
    table = table_of(values, (2,))
    assert strongest_contrast(table, 1) is None
    assert math.isnan(rate_ratio(table, 1, Contrast(0, 1, 0, 1)))
    values[0, 0, 2] = 4
    assert rate_ratio(table_of(values, (2,)), 1, Contrast(0, 1, 0, 1)) == math.inf
