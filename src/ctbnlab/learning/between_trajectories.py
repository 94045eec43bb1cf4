"""The strength of an arc with the variance taken between trajectories, not from the model.

If the rates of trajectories differ, transitions vary more than the model says, and an arc can look strong by
chance. The score of an arc Y → X given the other parents is Σ w·(M − E), where E are the transitions to
expect without the arc and w are weights by cell. It is a sum over trajectories, each of which has mean 0 if
there is no arc, however much they differ. Its square, over the sum of the squares of the trajectories' parts,
needs no more than that trajectories are independent (a sandwich variance).

The weights are the logarithms of observed over expected transitions, and so must not come from the trajectory
that they are applied to: those of one tenth of the trajectories come from the other nine tenths. Where there
is no arc this makes z a little too small, as a tenth and the rest deviate from their mean in opposite ways.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._trajectory_sums import trajectory_sums
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.scan import scan_of
from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.data.trajectories import Trajectories

Floats = NDArray[np.float64]

MIN_TRAJECTORIES = 20
FOLDS = 10
SHRINKAGE = 2.0  # transitions added to those observed and expected
# z below which an arc is not beyond what differences between trajectories explain: a level of 1%.
MIN_Z = 2.33


def arc_z(data: Trajectories, target: int, parents: Sequence[int], parent: int) -> float:
    """Return the z of the arc parent → target given the other parents, from at least two trajectories."""
    chosen = tuple(sorted(parents))
    whole = NodeStatistics(data, target).table_with_gaps(chosen)
    strata, hidden = _strata(data, whole, parent)
    fold = np.arange(len(data)) % FOLDS
    parts = []
    for k in range(min(FOLDS, len(data))):
        some = data.subset(fold == k)
        counts = _same_rows(NodeStatistics(some, target).table_with_gaps(chosen), whole)
        weights = _weights(whole.values - counts, whole.values, strata)
        weights[hidden] = 0
        rates = _rates(whole.values, strata)
        parts.append(
            trajectory_sums(
                scan_of(some),
                target,
                np.array(chosen, np.int32),
                np.empty(0, np.int64) if whole.configurations is None else whole.configurations,
                np.ascontiguousarray(-(weights * rates).sum(axis=2)),
                np.ascontiguousarray(weights),
            )
        )
    scores = np.concatenate(parts)
    spread = math.sqrt(float((scores**2).sum()))
    return float(scores.sum()) / spread if spread > 0 else 0.0


def _strata(
    data: Trajectories, table: SufficientStatistics, parent: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the number of each row's configuration of the other parents, and whether one is unobserved."""
    configurations = table.configurations
    rows = np.arange(len(table.values)) if configurations is None else configurations
    codes = np.array(np.unravel_index(rows, table.parent_cardinalities))
    hidden = (codes >= data.cardinalities[list(table.parents)][:, None]).any(axis=0)
    others = np.delete(codes, table.parents.index(parent), axis=0)
    shape = tuple(c for p, c in zip(table.parents, table.parent_cardinalities, strict=True) if p != parent)
    numbers = np.ravel_multi_index(tuple(others), shape) if shape else np.zeros(len(rows), np.int64)
    # Rows that count nothing must not share a stratum with others.
    numbers = np.where(hidden, -1, numbers)
    strata = np.unique(numbers, return_inverse=True)[1].reshape(-1)
    return np.asarray(strata, np.int64), np.asarray(hidden)


def _same_rows(table: SufficientStatistics, whole: SufficientStatistics) -> Floats:
    """Return the numbers of a table of some trajectories in the rows of that of all."""
    if table.configurations is None and whole.configurations is None:
        return table.values
    rows = np.arange(len(table.values)) if table.configurations is None else table.configurations
    used = (table.values != 0).any(axis=(1, 2))
    values = np.zeros_like(whole.values)
    places = rows[used]
    if whole.configurations is not None:
        places = np.searchsorted(whole.configurations, places)
    values[places] = table.values[used]
    return values


def _sums(values: Floats, strata: NDArray[np.int64]) -> Floats:
    """Return for each row the sum over its stratum."""
    total = np.zeros((int(strata.max()) + 1, *values.shape[1:]))
    np.add.at(total, strata, values)
    return np.asarray(total[strata])


def _rates(values: Floats, strata: NDArray[np.int64]) -> Floats:
    """Return the rates [row, x, x'] without the arc: those of the row's stratum."""
    total = _sums(values, strata)
    time = total[:, :, :1]
    return np.asarray(np.divide(total[:, :, 1:], time, out=np.zeros_like(total[:, :, 1:]), where=time > 0))


def _weights(training: Floats, whole: Floats, strata: NDArray[np.int64]) -> Floats:
    """Return weights [row, x, x'] of mean 0 in each stratum, so that rates without the arc cancel."""
    expected = _rates(training, strata) * training[:, :, :1]
    weights = np.log((training[:, :, 1:] + SHRINKAGE) / (expected + SHRINKAGE))
    weights *= training[:, :, 1:].sum(axis=0) > 0  # no weight on the diagonal, where there are no transitions
    expected = _rates(whole, strata) * whole[:, :, :1]
    total = _sums(expected, strata)
    mean = np.divide(_sums(weights * expected, strata), total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(weights - mean)
