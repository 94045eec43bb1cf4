"""Coincidences of events: evidence for all sets of parents at once.

If P are the target's parents and its rates differ between configurations of P, then two of its events from
x to x' fall into the same configuration more often than by chance. Take such events, with weight 1, and at
least as many moments at random from the time the target spends in x (controls), with a weight −r that makes
all weights sum to 0. For a set S let

    U(S) = Σ w_i w_j,   V(S) = Σ w_i² w_j²     over the pairs that agree on all of S, all x and x',

and Z(S) = U / √V, which is about standard normal if rates do not vary. If they do, a pair carries signal if
it agrees on P as well, so that with c states each Z(S) ≈ Z(P) · c^(−d/2) for a set S that differs from P by
d variables, missing or superfluous: far from P there is no signal, near it P is the peak.

All sets are evaluated at once: count the pairs by the set of variables in which they differ, then sum over
subsets. To keep the number of pairs small, only sets that contain some `block` of variables are considered:
points are sorted by the block's states, and pairs formed within. A block variable costs little power if it
is a parent, and a factor √c if it is not, while the number of pairs falls by a factor c: it pays more than
fewer points.

If candidates have few joint states (`exact_lattice`), neither controls nor blocks are needed. With M
transitions and time T in a configuration v of S, and q the rate without parents, the pairs within v and the
expected ones make ((M − qT)² − M) / 2, with variance (qT)² / 2 if rates do not vary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.points import SampledPoints
from ctbnlab.learning.empirical_bayes import _coincidence

_MIN_VARIANCE = 25.0  # pairs: below this Z is far from normal


@dataclass(frozen=True, eq=False)
class Lattice:
    """Z(S) of all sets S that contain `block`: `z[mask]`, bit i of the mask for `free[i]`."""

    block: tuple[int, ...]
    free: tuple[int, ...]
    z: NDArray[np.float64]

    def members(self, mask: int) -> tuple[int, ...]:
        """Return the variables of the set with this mask, the block's first."""
        return self.block + tuple(v for i, v in enumerate(self.free) if mask >> i & 1)

    def z_of(self, members: Sequence[int]) -> float:
        """Return Z of a set that contains the block."""
        return float(self.z[sum(1 << i for i, v in enumerate(self.free) if v in members)])

    def peak(self) -> tuple[tuple[int, ...], float]:
        """Return the set of the highest Z, and its Z."""
        mask = int(np.argmax(self.z))
        return self.members(mask), float(self.z[mask])


def exact_lattice(statistics: NodeStatistics, candidates: Sequence[int]) -> Lattice:
    """Return Z of all sets of the candidates, from the table of all of them.

    A candidate that is unobserved is in one more state: leaving that time out for all sets, because of any
    candidate, would leave little.
    """
    table = statistics.table_with_gaps(candidates).dense()
    c = table.n_states
    # In the caller's order, so that rounding does not depend on the order of columns.
    axes = [table.parents.index(j) for j in candidates]
    values = table.values.reshape(*table.parent_cardinalities, c, c + 1)
    values = np.ascontiguousarray(values.transpose(len(axes) + 1, len(axes), *axes)).reshape(c + 1, c, -1)
    cardinalities = np.array([table.parent_cardinalities[axis] for axis in axes], np.int64)
    u, v = np.zeros(1 << len(axes)), np.zeros(1 << len(axes))
    for x in range(c):
        time, total = values[0, x], values[0, x].sum()
        if total <= 0:
            continue
        squared_rates = 0.0
        for y in range(c):
            moves = values[1 + y, x].sum()
            if moves:
                rate = moves / total
                squared_rates += rate**2
                _coincidence.squared_marginals(values[1 + y, x] - rate * time, cardinalities, u)
                u -= moves
        squares = np.zeros(len(v))
        _coincidence.squared_marginals(time, cardinalities, squares)
        v += squared_rates * squares
    z = u / 2 / np.sqrt(np.maximum(v / 2, _MIN_VARIANCE))
    return Lattice((), tuple(candidates), z)


class Coincidences:
    """Pairs of one target's sampled events and controls, counted by the variables in which they differ.

    Candidates are in the order of the sample throughout; nothing else depends on the order of columns.
    """

    def __init__(self, points: SampledPoints):
        self._points = points
        self.candidates = points.candidates

    @property
    def pairs(self) -> float:
        """The number of pairs without a block."""
        events = self._points.event_counts.astype(float)
        controls = self._points.control_counts.astype(float)
        together = (events * events).sum() / 2 + (events.sum(axis=1) * controls).sum()
        return float(together + (controls * controls).sum() / 2)

    @property
    def event_pairs(self) -> float:
        """The number of pairs of events of the same kind."""
        return float((self._points.event_counts.astype(float) ** 2).sum() / 2)

    def lattice(self, block: Sequence[int]) -> Lattice:
        """Return Z of all sets that contain the block."""
        points = self._points
        inside = [self.candidates.index(v) for v in block]
        outside = [i for i in range(len(self.candidates)) if i not in inside]
        steps, free_bits = np.zeros((2, len(self.candidates)), np.int64)
        buckets = 1
        for i in inside:
            steps[i] = buckets
            buckets *= points.cardinalities[i]
        free_bits[outside] = 1 << np.arange(len(outside))
        sorting = (steps, free_bits, buckets)
        size = 1 << len(outside)
        u, v = np.zeros(size), np.zeros(size)
        for x, m in enumerate(points.control_counts.tolist()):
            if not m:
                continue
            controls = _coincidence.bucketed(points.controls, int(points.control_firsts[x]), m, *sorting)
            both = np.zeros(size, np.uint32)
            _coincidence.count_pairs(*controls, *controls, True, both)
            for y, count in enumerate(points.event_counts[x].tolist()):
                if not count:
                    continue
                events = _coincidence.bucketed(points.events, int(points.event_firsts[x, y]), count, *sorting)
                one, none = np.zeros(size, np.uint32), np.zeros(size, np.uint32)
                _coincidence.count_pairs(*events, *events, True, none)
                _coincidence.count_pairs(*events, *controls, False, one)
                r = count / m
                u += none - r * one + r**2 * both
                v += none + r**2 * one + r**4 * both
        _coincidence.subset_sums(u)
        _coincidence.subset_sums(v)
        # Pairs that agree on S differ within its complement.
        z = u[::-1] / np.sqrt(np.maximum(v[::-1], _MIN_VARIANCE))
        free = tuple(self.candidates[i] for i in outside)
        return Lattice(tuple(block), free, np.ascontiguousarray(z))

    def block_size(self, pairs: float) -> int:
        """Return the size of a block that leaves about `pairs` pairs, if all cardinalities were the mean."""
        cardinalities = self._points.cardinalities
        mean = prod(cardinalities) ** (1 / len(cardinalities)) if cardinalities else 2.0
        size, left = 0, self.pairs
        while left > pairs and size < len(cardinalities):
            left /= max(mean, 1.01)
            size += 1
        return size
