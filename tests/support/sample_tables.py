"""Sufficient statistics for tests of scores and learners: drawn tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.model.variables import Variable


class DrawnStatistics(NodeStatistics):
    """Marginals of one joint table with rates that do depend on some candidates; nothing is scanned.

    `scans` counts calls that a real object may answer from the data, and `sparse` leaves out rows without
    time, as a real object may.
    """

    def __init__(self, rng, cardinalities, *, relevant=(), time=30.0, sparse=False):
        target, *others = cardinalities
        self.target = 0
        self.cardinalities = np.array(cardinalities, np.int32)
        self.cover = None
        configurations = int(np.prod(others, dtype=np.int64))
        states = np.array(np.unravel_index(np.arange(configurations), others or (1,)))
        cause = np.zeros(configurations, np.int64)
        for j in relevant:
            cause = cause * cardinalities[j] + states[j - 1]
        q = rng.uniform(1, 5, (int(cause.max()) + 1, target, target))[cause]
        values = np.zeros((configurations, target, target + 1))
        values[:, :, 0] = rng.exponential(time, (configurations, target)) * (
            rng.random((configurations, 1)) < 0.8
        )
        values[:, :, 1:] = rng.poisson(q * values[:, :, :1]) * (1 - np.eye(target))
        self.joint = SufficientStatistics(0, tuple(range(1, len(cardinalities))), tuple(others), values)
        self.n_events = int(values[:, :, 1:].sum()) * len(cardinalities)
        self.variables = tuple(
            Variable(f"X{i}", tuple(map(str, range(c)))) for i, c in enumerate(cardinalities)
        )
        self.sparse = sparse
        self.scans = 0

    def table(self, parents):
        self.scans += 1
        return self._marginal(parents)

    def extensions(self, parents, candidates=None):
        self.scans += 1
        others = self.candidates if candidates is None else candidates
        return {j: self._marginal((*parents, j)) for j in others if j not in parents}

    def focus(self, candidates, max_size=None):
        pass

    def _marginal(self, parents):
        table = self.joint.marginal(tuple(sorted(parents)))
        return without_empty_rows(table) if self.sparse else table


def without_empty_rows(table: SufficientStatistics) -> SufficientStatistics:
    """Return the table without the configurations that never occur."""
    occurring = np.flatnonzero(table.values.any(axis=(1, 2)))
    return replace(table, values=table.values[occurring], configurations=occurring)


def table_of(values, parent_cardinalities=()) -> SufficientStatistics:
    """Make a table of target 0 from plain numbers."""
    parents = tuple(range(1, 1 + len(parent_cardinalities)))
    return SufficientStatistics(0, parents, tuple(parent_cardinalities), np.array(values, float))
