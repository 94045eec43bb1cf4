"""Several targets in one process: one scan of the events serves the pairs of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab._pairs import pair_counts
from ctbnlab.statistics import NodeStatistics
from ctbnlab.trajectories import Trajectories

# Three ternary, four binary or two quaternary variables: more of them together make tables that leave the
# fastest cache, and fewer more additions (measured for 20 and 100 variables).
_CELLS_OF_GROUP = 27


class Groups(NamedTuple):
    """Which variables are counted together (see `_pairs`): each one's group and step, each group's cells."""

    group: NDArray[np.int32]
    step: NDArray[np.int64]
    cells: NDArray[np.int64]


def grouped(states: Sequence[int], most_cells: int = _CELLS_OF_GROUP) -> Groups:
    """Put neighbours together while their joint states are few; a variable of many is a group by itself."""
    group: list[int] = []
    step: list[int] = []
    sizes = [0]
    for count in states:
        if group and sizes[-1] * count <= most_cells:
            step.append(sizes[-1])
            sizes[-1] *= count
        else:
            step.append(1)
            sizes.append(count)
        group.append(len(sizes) - 2)
    return Groups(np.array(group, np.int32), np.array(step), np.cumsum(sizes))


def statistics_of(
    data: Trajectories, targets: Sequence[int], *, memory: int = 48 << 20
) -> Iterator[NodeStatistics]:
    """Yield the statistics of each target in turn, pairs counted beforehand where that is cheaper.

    The numbers are those of a `NodeStatistics` alone, to the last bit. The shared tables take at most
    a quarter of `memory` while they are counted and an eighth afterwards, beside what each node keeps.
    """
    if len(set(targets)) < len(targets) or not set(targets) <= set(range(data.n_variables)):
        raise ValueError(f"{list(targets)}: targets are variables, each once")
    states = [int(c) for c in data.cardinalities]
    groups = grouped(states)
    width = int(groups.cells[-1])
    # Every state has a row of times and one of ends, every target c × c rows of moments and transitions.
    room = (memory // 4 - sum(states) * (width + sum(states)) * 8) // (width * 16)
    batch: list[int] = []
    rows = 0
    for target in targets:
        if batch and rows + states[target] ** 2 > room:
            yield from _in_one_scan(data, batch, memory, groups if rows <= room else None)
            batch, rows = [], 0
        batch.append(target)
        rows += states[target] ** 2
    if batch:
        yield from _in_one_scan(data, batch, memory, groups if rows <= room else None)


def _in_one_scan(
    data: Trajectories, targets: list[int], memory: int, groups: Groups | None
) -> Iterator[NodeStatistics]:
    """Yield the statistics of some targets, with their pairs from one scan if groups are given."""
    shared = []
    # At four targets, of 20 to 100 variables, it was measured about even with a scan for each.
    if groups is not None and len(targets) > 3:
        scan = NodeStatistics(data, targets[0]).scan
        shared = pair_counts(scan, np.array(targets, np.int32), *groups)[::-1]
    for target in targets:
        node = NodeStatistics(data, target, memory=memory)
        if shared:
            node.share_pairs(shared.pop())
        yield node
