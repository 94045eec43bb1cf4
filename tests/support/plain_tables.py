"""Tables of counts beside a plain count of the events."""

from __future__ import annotations

from math import prod

import numpy as np

from tests.support.reference_statistics import plain_statistics


def whole(table):
    """Return the values of all configurations of a table, with zeros for those it leaves out."""
    if table.configurations is None:
        return table.values
    assert (np.diff(table.configurations) > 0).all()
    values = np.zeros((prod(table.parent_cardinalities), *table.values.shape[1:]))
    values[table.configurations] = table.values
    return values


def assert_equals_plain(table, data):
    plain = plain_statistics(data, table.target, table.parents)
    assert table.parent_cardinalities == plain.parent_cardinalities
    values = whole(table)
    np.testing.assert_array_equal(values[:, :, 1:], plain.transitions)
    # A time is known to half a unit in its last place, and a cell is visited at most once per event.
    latest = max(np.abs(data.time).max(initial=0), np.abs(data.end).max(initial=0))
    rounding = (data.n_events + data.n_trajectories) * np.finfo(float).eps * latest
    np.testing.assert_allclose(values[:, :, 0], plain.time, rtol=1e-9, atol=rounding)
    np.testing.assert_array_equal(values[:, :, 0][plain.time == 0], 0)
