"""Several targets in one process: one scan of the events serves the pairs of all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._pairs import pair_counts
from ctbnlab.counting.groups import Groups, grouped
from ctbnlab.counting.node import MEMORY, NodeStatistics
from ctbnlab.counting.scan import scan_of
from ctbnlab.data.trajectories import Trajectories

# Three ternary, four binary or two quaternary variables: more of them together make tables that leave the
# fastest cache, and fewer more additions (measured for 100 variables).
_CELLS_OF_GROUP = 27
# Where that makes no more than eight groups (see `_pairs`), more together are better (measured for 20).
_CELLS_OF_EIGHT = 128

Run = Callable[..., Iterable[Any]]  # as `map`


class Share(NamedTuple):
    """A target, its pairs where they have been counted, and what CPU seconds that took for all of a batch."""

    target: int
    pairs: NDArray[np.int64] | None = None
    seconds: float = 0.0

    def statistics(self, data: Trajectories, memory: int = MEMORY) -> NodeStatistics:
        """Return the target's statistics, to the last bit those of a `NodeStatistics` alone."""
        node = NodeStatistics(data, self.target, memory=memory)
        if self.pairs is not None:
            node.share_pairs(self.pairs)
        return node


def shares_of(
    data: Trajectories, targets: Sequence[int], *, memory: int = MEMORY, jobs: int = 1, run: Run = map
) -> Iterator[list[Share]]:
    """Yield the targets in batches, pairs counted beforehand where that is cheaper.

    `run` is `map`, or that of a pool of threads; each of `jobs` scans then has a part of the trajectories.
    Shared tables take at most a quarter of `memory` a job while they are counted and an eighth
    afterwards, beside what each node keeps.
    """
    if len(set(targets)) < len(targets) or not set(targets) <= set(range(data.n_variables)):
        raise ValueError(f"{list(targets)}: targets are variables, each once")
    states = [int(c) for c in data.cardinalities]
    groups = grouped(states, _CELLS_OF_EIGHT)
    room = _room(states, groups, memory)
    if len(groups.cells) > 9 or room < sum(states[target] ** 2 for target in targets):
        groups = grouped(states, _CELLS_OF_GROUP)
        room = _room(states, groups, memory)
    batch: list[int] = []
    rows = 0
    for target in targets:
        if batch and rows + states[target] ** 2 > room:
            yield _shared(data, batch, groups if rows <= room else None, jobs, run)
            batch, rows = [], 0
        batch.append(target)
        rows += states[target] ** 2
    if batch:
        yield _shared(data, batch, groups if rows <= room else None, jobs, run)


def _room(states: Sequence[int], groups: Groups, memory: int) -> int:
    """Return how many rows of moments and transitions there may be: every target has c × c of them.

    Beside them every state has a row of times and one of ends.
    """
    width = int(groups.cells[-1])
    return (memory // 4 - sum(states) * (width + sum(states)) * 8) // (width * 16)


def statistics_of(
    data: Trajectories, targets: Sequence[int], *, memory: int = MEMORY, jobs: int = 1
) -> Iterator[NodeStatistics]:
    """Yield the statistics of each target in turn."""
    for batch in shares_of(data, targets, memory=memory, jobs=jobs):
        for share in batch:
            yield share.statistics(data, memory)


def _shared(
    data: Trajectories, targets: list[int], groups: Groups | None, jobs: int, run: Run
) -> list[Share]:
    """Return the shares of some targets, with their pairs from one scan if groups are given."""
    # At four targets, of 20 to 100 variables, it was measured about even with a scan for each.
    if groups is None or len(targets) < 4:
        return [Share(target) for target in targets]

    def counted(part: tuple[int, int]) -> tuple[list[NDArray[np.int64]], float]:
        began = time.thread_time()
        counts = pair_counts(scan_of(data, *part), np.array(targets, np.int32), *groups)
        return counts, time.thread_time() - began

    parts = list(run(counted, _parts(data, jobs)))
    seconds = [sum(seconds for _, seconds in parts)] + [0.0] * (len(targets) - 1)
    sums = (sum(counts[1:], counts[0]) for counts in zip(*(counts for counts, _ in parts), strict=True))
    return [Share(*share) for share in zip(targets, sums, seconds, strict=True)]


def _parts(data: Trajectories, jobs: int) -> list[tuple[int, int]]:
    """Cut the trajectories into so many rows of them, or fewer, of about as many events each."""
    events = np.cumsum(data.stop - data.begin)
    wanted = [events[-1] * k // jobs for k in range(1, jobs)] if len(events) else []
    cuts = np.unique([0, *np.searchsorted(events, wanted), data.n_trajectories]).tolist()
    return list(pairwise(cuts)) or [(0, 0)]
