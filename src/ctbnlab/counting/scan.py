"""Trajectories as the compiled scans take them: time in ticks, and variables in groups counted together."""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp, ldexp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._scan import EventScan
from ctbnlab.data.trajectories import Trajectories


def scan_of(data: Trajectories, first: int = 0, last: int | None = None) -> EventScan:
    """Return a scan of the trajectories, or of a range of them; the tick is the same for any range."""
    last = data.n_trajectories if last is None else last
    return EventScan(data.events, first, last, ticks_per_time(data.total_time))


def ticks_per_time(total_time: float) -> float:
    """Return the power of two that makes the total observed time at least 2^60 and less than 2^61 ticks."""
    # No float has a larger exponent: below 1e-288 of total time, ticks are longer than they could be.
    return ldexp(1.0, min(61 - frexp(total_time)[1], 1020)) if total_time else 1.0


class Groups(NamedTuple):
    """Variables counted together: one addition to the cell of a group's joint state serves all its members.

    `group` has each variable's group, `step` the distance in cells between two of its states, and `cells` the
    first cell of each group, with the total at the end.
    """

    group: NDArray[np.int32]
    step: NDArray[np.int64]
    cells: NDArray[np.int64]

    @property
    def n_cells(self) -> int:
        """The number of cells of all groups."""
        return int(self.cells[-1])


def grouped(cardinalities: Sequence[int], max_cells: int) -> Groups:
    """Put neighbours together while a group has at most `max_cells` joint states."""
    group: list[int] = []
    step: list[int] = []
    sizes = [0]
    for cardinality in cardinalities:
        if group and sizes[-1] * cardinality <= max_cells:
            step.append(sizes[-1])
            sizes[-1] *= cardinality
        else:
            step.append(1)
            sizes.append(cardinality)
        group.append(len(sizes) - 2)
    return Groups(np.array(group, np.int32), np.array(step, np.int64), np.cumsum(sizes))
