"""The scan of residuals equals a plain count, with ties and gaps; and refuses arrays that do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import ctbnlab
from ctbnlab.counting._residuals import residuals
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.residuals import Cuts, exit_rates, exponential_cuts, n_periods, residuals_of
from ctbnlab.counting.scan import scan_of
from tests.support.reference_residuals import plain_residuals
from tests.support.strategies import trajectories


def scanned(data, target, parents, weights, cuts, memory=1 << 28):
    """Return the residuals in the order of the reference, for the cells of observed parents."""
    table = NodeStatistics(data, target, memory=memory).table_with_gaps(parents)
    rates = exit_rates(table, [data.gaps[p] for p in parents])
    configurations = np.empty(0, np.int64) if table.configurations is None else table.configurations
    own, entry, clock, observed, expected, (drift, spread, estimated) = residuals(
        scan_of(data), target, np.array(parents, np.int32), configurations,
        np.ascontiguousarray(rates), np.ascontiguousarray(table.transitions.sum(axis=2)), weights, *cuts,
    )  # fmt: skip
    rows = np.arange(len(rates)) if table.configurations is None else table.configurations
    codes = np.array(np.unravel_index(rows, table.parent_cardinalities)) if parents else np.zeros((0, 1), int)
    states = data.cardinalities[list(parents)]
    seen = (codes < states[:, None]).all(axis=0)
    shape = tuple(states)
    numbers = np.ravel_multi_index(tuple(codes[:, seen]), shape) if parents else np.zeros(1, int)
    c = int(data.cardinalities[target])
    places = (numbers[:, None] * c + np.arange(c)).reshape(-1)
    cells = (np.flatnonzero(seen)[:, None] * c + np.arange(c)).reshape(-1)

    def dense(values):
        result = np.zeros((2, int(np.prod(shape)) * c, values.shape[2]))
        result[:, places] = values[:, cells]
        return result

    moments = np.zeros(int(np.prod(shape)) * c)
    moments[places] = drift[cells]
    return dense(own), dense(entry), dense(clock), observed, expected, moments, spread, estimated


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_scan_equals_a_plain_count(draw):
    data = draw.draw(trajectories(max_events=25, rough=True, min_variables=2, max_variables=4, max_states=3))
    target = draw.draw(st.integers(0, data.n_variables - 1))
    others = [j for j in range(data.n_variables) if j != target]
    parents = tuple(sorted(draw.draw(st.sets(st.sampled_from(others), max_size=2))))
    rng = np.random.default_rng(draw.draw(st.integers(0, 2**32 - 1)))
    weights = rng.choice([1.0, 0.5, 2.0], len(data))
    cuts = tuple(
        np.sort(rng.uniform(low, high, rng.integers(0, 4))) for low, high in ((0, 2), (0, 8), (-20, 20))
    )
    memory = draw.draw(st.sampled_from([1 << 28, 0]))  # without memory, only configurations that occur
    found = scanned(data, target, parents, weights, cuts, memory)
    expected = plain_residuals(data, target, parents, weights, *cuts)
    for got, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


def test_expected_transitions_sum_to_those_observed():
    network = ctbnlab.generate(4, states=3, density=0.4, seed=3)
    data = ctbnlab.simulate(network, trajectories=20, duration=10.0, seed=4)
    for target, parents in enumerate(network.parents):
        found = residuals_of(data, target, parents, Cuts.of(data))
        assert found.counts.observed.sum() == (data.variable == target).sum()
        np.testing.assert_allclose(found.entry[0].sum(axis=1), found.entry[1].sum(axis=1))
        np.testing.assert_allclose(found.calendar[1].sum(axis=1), found.transitions)
        assert found.counts.expected.sum() == pytest.approx(found.counts.observed.sum())


def test_residuals_refuse_arrays_of_other_shapes():
    data = ctbnlab.simulate(ctbnlab.generate(3, density=0.5, seed=1), trajectories=2, duration=5.0, seed=1)
    none, ones = np.empty(0), np.ones(2)
    no_parents, no_rows = np.empty(0, np.int32), np.empty(0, np.int64)
    rates = np.ones((1, 2))
    good = [scan_of(data), 0, no_parents, no_rows, rates, rates, ones, none, none, none]
    residuals(*good)
    for place, wrong in (
        (1, 3), (3, np.zeros(2, np.int64)), (4, np.ones((2, 2))), (4, np.ones((1, 4))), (5, np.ones((1, 3))),
        (6, np.ones(3)), (4, np.ones((0, 2))),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"rate|target|weight|transitions"):
            residuals(*good[:place], wrong, *good[place + 1 :])


def test_periods_grow_with_events():
    assert [n_periods(n) for n in (0, 39, 60, 1000)] == [2, 2, 3, 8]
    np.testing.assert_allclose(np.exp(-exponential_cuts(80)), [0.75, 0.5, 0.25])
