"""The pairs of several targets: one scan of the events counts them for all targets of a batch.

Tables are the same, to the last bit, as those that a `NodeStatistics` counts on its own.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting import tuning
from ctbnlab.counting._pairs import pair_counts
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.scan import grouped, scan_of
from ctbnlab.data.trajectories import Trajectories

_log = logging.getLogger(__name__)

Map = Callable[..., Iterable[Any]]  # `map`, or that of a pool of threads


class Share(NamedTuple):
    """A target, its pairs if they are counted, and the CPU seconds of that, for the first of a batch.

    `columns` has the column of each variable's first state.
    """

    target: int
    pairs: NDArray[np.int64] | None = None
    columns: NDArray[np.int64] | None = None
    seconds: float = 0.0

    def statistics(self, data: Trajectories, memory: int = tuning.MEMORY) -> NodeStatistics:
        """Return the target's statistics."""
        node = NodeStatistics(data, self.target, memory=memory)
        if self.pairs is not None and self.columns is not None:
            node.share_pairs(self.pairs, self.columns)
        return node


class _Plan:
    """How the pairs of some targets are counted: the order of variables, targets first, and their groups."""

    def __init__(self, data: Trajectories, targets: Sequence[int]):
        chosen = set(targets)
        self.order = np.array([*targets, *(j for j in range(data.n_variables) if j not in chosen)], np.int32)
        self.targets = self.order[: len(targets)]
        # Gaps are one more state.
        self._cardinalities = data.events.cardinalities[self.order].astype(np.int64)
        self._tied = data.events.tied
        self.groups = grouped(self._cardinalities.tolist(), tuning.PAIR_GROUP_CELLS)

    @property
    def columns(self) -> NDArray[np.int64]:
        """The column of each variable's first state."""
        columns = np.empty(len(self.order), np.int64)
        columns[self.order] = np.cumsum(self._cardinalities) - self._cardinalities
        return columns

    def buffered(self, room: int) -> int | None:
        """Return how many events of each row are kept in buffers, 0 for no buffers; None if there is no room.

        A row is one of a target's transitions, or a state of another variable. An event keeps its moment and
        the words of that moment, eight groups each, and those before if it may share an instant. It keeps all
        words if it is of a target, else those that have a target.
        """
        n_targets = len(self.targets)
        own, others = self._cardinalities[:n_targets], int(self._cardinalities[n_targets:].sum())
        rows = int((own * (own - 1)).sum())
        words = self.groups.group // 8 + 1
        n_words, asked = int(words[-1]), int(words[n_targets - 1])
        columns = self._cardinalities.sum()
        left = room - 8 * int((own**2).sum() * columns + others * self._cardinalities[words <= asked].sum())
        cells = (rows + others) * self.groups.n_cells * 16
        if n_words == 1 and cells <= min(left, tuning.MAX_PAIR_CELL_BYTES):
            return 0
        per_word = 16 if self._tied else 8
        event = rows * (8 + per_word * n_words) + others * (8 + per_word * asked)
        events = min(left // max(event, 1), tuning.MAX_PAIR_EVENTS)
        return events if events >= tuning.MIN_PAIR_EVENTS else None


def batches(
    data: Trajectories,
    targets: Sequence[int],
    *,
    memory: int = tuning.MEMORY,
    jobs: int = 1,
    run: Map = map,
) -> Iterator[list[Share]]:
    """Yield the targets in batches, with their pairs if one scan for all of them is cheaper.

    With `jobs` threads, each scans a part of the trajectories. Shared tables take at most
    `tuning.PAIRS_MEMORY` times `memory` per job, in addition to what each node keeps.
    """
    if len(set(targets)) < len(targets) or not set(targets) <= set(range(data.n_variables)):
        raise ValueError(f"{list(targets)}: targets must be distinct variables")
    room = tuning.PAIRS_MEMORY * memory
    cardinalities = data.events.cardinalities.tolist()
    one_of = {cardinalities[target]: target for target in targets}
    fits = {c: _Plan(data, [target]).buffered(room) is not None for c, target in one_of.items()}
    left = [target for target in targets if fits[cardinalities[target]]]
    yield from ([Share(target)] for target in targets if not fits[cardinalities[target]])
    while left:
        n = _how_many(data, left, room)
        batch, left = left[:n], left[n:]
        shared = n >= tuning.MIN_TARGETS_SHARING_PAIRS
        _log.info("batch: nodes %d, pairs counted %s", n, "in one scan" if shared else "node by node")
        if not shared:
            yield [Share(target) for target in batch]
        else:
            yield _with_pairs(data, _Plan(data, batch), room, jobs, run)


def _how_many(data: Trajectories, targets: Sequence[int], room: int) -> int:
    """Return how many of the targets fit in one batch, by bisection; one does, and most often all do."""
    fit, too_many = 1, len(targets) + 1
    tried = len(targets)
    while too_many - fit > 1:
        if _Plan(data, targets[:tried]).buffered(room) is None:
            too_many = tried
        else:
            fit = tried
        tried = (fit + too_many) // 2
    return fit


def _with_pairs(data: Trajectories, plan: _Plan, room: int, jobs: int, run: Map) -> list[Share]:
    """Return the shares of some targets, with their pairs from one scan."""
    buffered = plan.buffered(room)
    assert buffered is not None

    def count(part: tuple[int, int]) -> tuple[list[NDArray[np.int64]], float]:
        began = time.thread_time()
        counts = pair_counts(scan_of(data, *part), plan.targets, plan.order, *plan.groups, buffered)
        return counts, time.thread_time() - began

    (tables, seconds), *parts = run(count, _parts(data, jobs))
    for others, more in parts:
        seconds += more
        for table, other in zip(tables, others, strict=True):
            table += other
    columns = plan.columns
    shares = [Share(t, table, columns) for t, table in zip(plan.targets.tolist(), tables, strict=True)]
    return [shares[0]._replace(seconds=seconds), *shares[1:]]


def _parts(data: Trajectories, jobs: int) -> list[tuple[int, int]]:
    """Cut the trajectories into at most `jobs` ranges with similar numbers of events."""
    events = np.cumsum(data.stop - data.begin)
    wanted = [events[-1] * k // jobs for k in range(1, jobs)] if len(events) else []
    cuts = np.unique([0, *np.searchsorted(events, wanted), data.n_trajectories]).tolist()
    return list(pairwise(cuts)) or [(0, 0)]
