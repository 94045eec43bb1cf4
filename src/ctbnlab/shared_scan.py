"""Several targets in one process: one scan of the events serves the pairs of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ctbnlab._pairs import pair_counts
from ctbnlab.statistics import NodeStatistics
from ctbnlab.trajectories import Trajectories


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
    width = sum(states)
    # Every variable has rows of times, and every target c × c rows of moments and transitions.
    room = (memory // 4 - width**2 * 8) // (width * 16)
    batch: list[int] = []
    rows = 0
    for target in targets:
        if batch and rows + states[target] ** 2 > room:
            yield from _in_one_scan(data, batch, memory, rows <= room)
            batch, rows = [], 0
        batch.append(target)
        rows += states[target] ** 2
    if batch:
        yield from _in_one_scan(data, batch, memory, rows <= room)


def _in_one_scan(data: Trajectories, targets: list[int], memory: int, fits: bool) -> Iterator[NodeStatistics]:
    """Yield the statistics of some targets, with their pairs from one scan if those fit."""
    shared = []
    # At four targets, of 20 to 100 variables, it was measured about even with a scan for each.
    if fits and len(targets) > 3:
        shared = pair_counts(NodeStatistics(data, targets[0]).scan, np.array(targets, np.int32))[::-1]
    for target in targets:
        node = NodeStatistics(data, target, memory=memory)
        if shared:
            node.share_pairs(shared.pop())
        yield node
