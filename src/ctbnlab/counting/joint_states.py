"""The joint states of some variables, and the tables of targets among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._joint import joint_counts
from ctbnlab.counting._marginals import joint_table, sum_axes
from ctbnlab.counting._scan import EventScan

MOST_EVENTS = 1 << 32  # of more, transitions might not be counted right


@dataclass(frozen=True, eq=False)
class JointStates:
    """How long some variables were in each joint state, and where targets among them went from there."""

    variables: Sequence[int]  # in increasing order
    cardinalities: Sequence[int]  # of all variables there are
    times: NDArray[np.int64]
    moves: dict[int, NDArray[np.uint32]]

    def table(self, target: int, parents: Sequence[int]) -> NDArray[np.int64]:
        """Return a target's joint table, as `_counting` lays it out."""
        stays = [variable == target or variable in parents for variable in self.variables]
        states = [self.cardinalities[variable] for variable in self.variables]
        c = self.cardinalities[target]
        before = prod(self.cardinalities[p] for p in parents if p < target)
        after = prod(self.cardinalities[p] for p in parents if p > target)
        if all(stays):
            return joint_table(self.times, self.moves[target], before, c, after)
        times = sum_axes(self.times, states, stays, 1)
        moves = sum_axes(self.moves[target].astype(np.int64), states, stays, c - 1)
        return joint_table(times, moves, before, c, after)


def joint_of(
    scan: EventScan, target: int, parents: Sequence[int], cardinalities: Sequence[int]
) -> NDArray[np.int64]:
    """Return the joint table of one target by itself."""
    variables = sorted((target, *parents))
    ((times, (moves,)),) = joint_counts(scan, [(variables, [target])])
    return JointStates(variables, cardinalities, times, {target: moves}).table(target, parents)
