"""Sufficient statistics for tests of learning: single tables, and all tables of a target."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.sufficient import SufficientStatistics
from tests.support.strategies import plain_variables

# Single tables

COUNTS = st.one_of(st.integers(0, 20), st.integers(0, 10**6))
TIMES = st.one_of(st.just(0.0), st.floats(1e-6, 1e6))


def table_of(values, parent_cardinalities=()) -> SufficientStatistics:
    """Return the table of target 0 that has these numbers."""
    parents = tuple(range(1, 1 + len(parent_cardinalities)))
    return SufficientStatistics(0, parents, tuple(parent_cardinalities), np.array(values, float))


@st.composite
def tables(draw, min_states=1):
    """Draw a table with up to two parents; some rows have no time, some have time but no transitions."""
    c = draw(st.integers(min_states, 4))
    parent_cardinalities = tuple(draw(st.lists(st.integers(1, 3), max_size=2)))
    values = np.zeros((math.prod(parent_cardinalities), c, c + 1))
    for u in range(len(values)):
        for x in range(c):
            values[u, x, 0] = draw(TIMES)
            for y in range(c):
                if y != x and values[u, x, 0] > 0:
                    values[u, x, 1 + y] = draw(COUNTS)
    return table_of(values, parent_cardinalities)


def without_empty_rows(table: SufficientStatistics) -> SufficientStatistics:
    """Return the table without the configurations that never occur."""
    occurring = np.flatnonzero(table.values.any(axis=(1, 2)))
    return replace(table, values=table.values[occurring], configurations=occurring)


# All tables of a target


class JointStatistics(NodeStatistics):
    """Statistics of a target from one joint table over all other variables, without any trajectories.

    `sparse` leaves rows without time out of the tables, as counting does if there are very many rows. `scans`
    is the number of calls that counting might answer by a scan, `tables` has the tables handed out.
    """

    def __init__(self, target, cardinalities, joint, *, sparse=False):
        self.target = target
        self.variables = plain_variables(cardinalities)
        self.cardinalities = np.array(cardinalities, np.int32)
        self.cover = None
        others = self.candidates
        c = cardinalities[target]
        self.joint = SufficientStatistics(
            target, others, tuple(cardinalities[j] for j in others), joint.reshape(-1, c, c + 1)
        )
        self.n_events = int(self.joint.transitions.sum()) * len(cardinalities)
        self.gaps = (False,) * len(cardinalities)
        self.sparse = sparse
        self.scans = 0
        self.tables = {}

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
        chosen = tuple(sorted(parents))
        if chosen not in self.tables:
            table = self.joint.marginal(chosen)
            self.tables[chosen] = without_empty_rows(table) if self.sparse else table
        return self.tables[chosen]


def uniform_statistics(rng, cardinalities, *, relevant=(), time=30.0, sparse=False) -> JointStatistics:
    """Draw statistics of target 0 with rates U(1, 5) that depend on the relevant variables alone.

    Times are exponential with mean `time`, but a fifth of the configurations never occur.
    """
    c, *others = cardinalities
    configurations = int(np.prod(others, dtype=np.int64))
    states = np.array(np.unravel_index(np.arange(configurations), others or (1,)))
    cause = np.zeros(configurations, np.int64)
    for j in relevant:
        cause = cause * cardinalities[j] + states[j - 1]
    q = rng.uniform(1, 5, (int(cause.max()) + 1, c, c))[cause]
    values = np.zeros((configurations, c, c + 1))
    values[:, :, 0] = rng.exponential(time, (configurations, c)) * (rng.random((configurations, 1)) < 0.8)
    values[:, :, 1:] = rng.poisson(q * values[:, :, :1]) * (1 - np.eye(c))
    return JointStatistics(0, cardinalities, values, sparse=sparse)


def log_uniform_statistics(
    rng, cardinalities, target, parents, time, spread=1.0, empty=0.0
) -> JointStatistics:
    """Draw statistics with rates 2·e^U(−spread, spread) that depend on the parents alone.

    Times are exponential with mean `time`; a share `empty` of all (configuration, state) never occurs.
    """
    others = [j for j in range(len(cardinalities)) if j != target]
    c = cardinalities[target]
    shape = [cardinalities[j] for j in others]
    t = rng.exponential(time, (*shape, c)) * (rng.random((*shape, c)) >= empty)
    shape_of_rates = [cardinalities[j] if j in parents else 1 for j in others]
    q = 2 * np.exp(spread * rng.uniform(-1, 1, (*shape_of_rates, c, c)))
    m = rng.poisson(q * t[..., None]).astype(float)
    m[..., np.arange(c), np.arange(c)] = 0
    return JointStatistics(target, cardinalities, np.concatenate([t[..., None], m], axis=-1))
