"""Pairs of events that agree: evidence for all sets of parents at once.

If P are the target's parents and its rates differ from one configuration of P to the next, then two of
its events from x to x' fall into the same configuration more often than chance has it. Take such events,
with weight 1, and as many moments or more at random from the time the target spends in x (controls),
with a weight −r that makes all weights sum to 0. For a set S let

    U(S) = Σ w_i w_j,   V(S) = Σ w_i² w_j²     over the pairs that agree on all of S, all x and x',

and Z(S) = U / √V: about standard normal if rates do not vary. Where they do, pairs carry signal if they
agree on P as well, so that with c states each Z(S) ≈ Z(P) · c^(−d/2) for a set S that differs from P by d
variables, missing or superfluous: from far away nothing can be seen of P, from near by it is the summit.

All sets are judged at once: count the pairs by the set of variables in which they differ, then sum over
subsets. To keep pairs few, only the sets that contain some `block` of variables are: points are sorted by
the block's states, and pairs formed within. A block costs little power if its variables are parents, and
a factor √c each if they are not, while pairs become fewer by a factor c: it pays more than fewer points.

Where candidates have few joint states (`whole_lattice`), neither controls nor blocks are needed. With M
transitions and time T in a configuration v of S, and q the rate without parents, the pairs within v and
those expected make ((M − qT)² − M) / 2, with a variance of (qT)² / 2 if rates do not vary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod, sqrt

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.learning.empirical_bayes import _coincidence

MOST_VARIABLES = 32  # bits of a plane
_FEWEST_PAIRS = 25.0  # below this variance Z is far from normal


@dataclass(frozen=True, eq=False)
class Lattice:
    """Z(S) of all sets S that contain `block`: `z[mask]`, bit i of the mask for `free[i]`."""

    block: tuple[int, ...]
    free: tuple[int, ...]
    z: NDArray[np.float64]

    def members(self, mask: int) -> tuple[int, ...]:
        """Return the variables of the set with this mask, the block's first."""
        return self.block + tuple(v for i, v in enumerate(self.free) if mask >> i & 1)

    def of(self, members: Sequence[int]) -> float:
        """Return Z of a set that contains the block."""
        return float(self.z[sum(1 << i for i, v in enumerate(self.free) if v in members)])

    def top(self) -> tuple[tuple[int, ...], float]:
        """Return the set of the highest Z, and that."""
        mask = int(np.argmax(self.z))
        return self.members(mask), float(self.z[mask])


def whole_lattice(statistics: NodeStatistics, candidates: Sequence[int]) -> Lattice:
    """Return Z of all sets of the candidates, from the table of them all."""
    table = statistics.of(candidates)
    c = table.n_states
    # In the caller's order, so that rounding does not depend on that of the columns.
    axes = [table.parents.index(j) for j in candidates]
    values = table.values.reshape(*table.parent_cardinalities, c, c + 1)
    values = np.ascontiguousarray(values.transpose(len(axes) + 1, len(axes), *axes)).reshape(c + 1, c, -1)
    states = np.array([table.parent_cardinalities[axis] for axis in axes], np.int64)
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
                _coincidence.squared_marginals(values[1 + y, x] - rate * time, states, u)
                u -= moves
        squares = np.zeros(len(v))
        _coincidence.squared_marginals(time, states, squares)
        v += squared_rates * squares
    z = u / 2 / np.sqrt(np.maximum(v / 2, _FEWEST_PAIRS))
    return Lattice((), tuple(candidates), z)


class AgreementPoints:
    """The events and controls of one target, ready for pairing.

    `candidates` are the variables that may be parents, at most 32; they are in the caller's order
    throughout, and nothing else depends on the order of columns. At most about `most` events are taken of
    each kind, thinned at random if there are more, and `ratio` controls for each event of the most
    frequent kind. The draws depend on the ordinal numbers of events and fractions of time alone, so that
    neither the unit of time nor the order of variables changes them.
    """

    def __init__(self, statistics: NodeStatistics, candidates: Sequence[int], most: int, ratio: float):
        data = statistics.data
        self.candidates = tuple(candidates)
        self.states = [int(data.cardinalities[j]) for j in candidates]
        base = statistics.of(())
        time, moves = base.time[0], base.transitions[0].astype(np.int64)
        c = len(time)
        bit = np.full(data.n_variables, -1, np.int32)
        bit[list(candidates)] = np.arange(len(candidates))
        share = np.minimum(1.0, most / np.maximum(moves, 1))
        taken = np.minimum(moves, most + int(8 * sqrt(most)) + 16)
        rarity = np.where(share < 1, share * 2.0**64, 2.0**63).astype(np.uint64)
        rarity[share >= 1] = np.iinfo(np.uint64).max
        controls = np.ceil(ratio * np.minimum(moves, most).max(axis=1)).astype(np.int64)
        controls[time <= 0] = 0
        rng = np.random.default_rng(0)
        due = [np.sort(rng.random(m)) * t for m, t in zip(controls, time, strict=True)]
        events, self._events, control_points, self._controls = _coincidence.points(
            statistics.scan,
            statistics.target,
            bit,
            max(1, (max(self.states, default=2) - 1).bit_length()),
            rarity,
            taken,
            np.concatenate(due),
            controls,
        )
        self._event_points, self._control_points = events, control_points
        self._event_firsts = np.concatenate([[0], np.cumsum(taken)])[:-1].reshape(c, c)
        self._control_firsts = np.concatenate([[0], np.cumsum(controls)])[:-1]

    @property
    def pairs(self) -> float:
        """How many pairs there are without a block."""
        events, controls = self._events.astype(float), self._controls.astype(float)
        together = (events * events).sum() / 2 + (events.sum(axis=1) * controls).sum()
        return float(together + (controls * controls).sum() / 2)

    @property
    def event_pairs(self) -> float:
        """How many pairs of events of the same kind there are."""
        return float((self._events.astype(float) ** 2).sum() / 2)

    def lattice(self, block: Sequence[int]) -> Lattice:
        """Return Z of all sets that contain the block."""
        inside = [self.candidates.index(v) for v in block]
        outside = [i for i in range(len(self.candidates)) if i not in inside]
        steps, free_bits = np.zeros((2, len(self.candidates)), np.int64)
        buckets = 1
        for i in inside:
            steps[i] = buckets
            buckets *= self.states[i]
        free_bits[outside] = 1 << np.arange(len(outside))
        how = (steps, free_bits, buckets)
        size = 1 << len(outside)
        u, v = np.zeros(size), np.zeros(size)
        for x, m in enumerate(self._controls.tolist()):
            if not m:
                continue
            controls = _coincidence.bucketed(self._control_points, int(self._control_firsts[x]), m, *how)
            both = np.zeros(size, np.uint32)
            _coincidence.count_pairs(*controls, *controls, True, both)
            for y, count in enumerate(self._events[x].tolist()):
                if not count:
                    continue
                events = _coincidence.bucketed(self._event_points, int(self._event_firsts[x, y]), count, *how)
                one, none = np.zeros(size, np.uint32), np.zeros(size, np.uint32)
                _coincidence.count_pairs(*events, *events, True, none)
                _coincidence.count_pairs(*events, *controls, False, one)
                r = count / m
                u += none - r * one + r**2 * both
                v += none + r**2 * one + r**4 * both
        _coincidence.subset_sums(u)
        _coincidence.subset_sums(v)
        # Pairs that agree on S differ within its complement.
        z = u[::-1] / np.sqrt(np.maximum(v[::-1], _FEWEST_PAIRS))
        free = tuple(self.candidates[i] for i in outside)
        return Lattice(tuple(block), free, np.ascontiguousarray(z))

    def block_size(self, pairs: float) -> int:
        """Return how many variables a block needs for about so many pairs, if all had the mean states."""
        states = prod(self.states) ** (1 / len(self.states)) if self.states else 2.0
        size, left = 0, self.pairs
        while left > pairs and size < len(self.states):
            left /= max(states, 1.01)
            size += 1
        return size
