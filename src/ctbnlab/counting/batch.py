"""Several targets at once: one scan of the events counts the pairs, or the joint tables, of many of them.

A batch of targets goes through three steps (`learning.nodes` takes them):

1. `batches` counts the pairs of all targets of a batch in one scan and yields their `NodeStatistics`.
2. Each learner looks at its pairs and calls `focus` with the candidates that are left.
3. `share_joints` counts the joint tables that all nodes of the batch now want, many in one scan. The time
   that variables spend in a joint state does not depend on which of them is the target, so one table of
   times serves every target among them.

Tables are the same, to the last bit, as those that a `NodeStatistics` counts on its own.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting import tuning
from ctbnlab.counting._joint import MAX_CACHED_CELLS, joint_counts
from ctbnlab.counting._pairs import pair_counts
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.scan import Groups, grouped, scan_of
from ctbnlab.counting.tables import MAX_EVENTS, JointStates
from ctbnlab.data.trajectories import Trajectories

_log = logging.getLogger(__name__)

Map = Callable[..., Iterable[Any]]  # `map`, or that of a pool of threads


# Pairs


class Share(NamedTuple):
    """A target, its pairs if they are counted, and the CPU seconds of that, for the first of a batch."""

    target: int
    pairs: NDArray[np.int64] | None = None
    seconds: float = 0.0

    def statistics(self, data: Trajectories, memory: int = tuning.MEMORY) -> NodeStatistics:
        """Return the target's statistics."""
        node = NodeStatistics(data, self.target, memory=memory)
        if self.pairs is not None:
            node.share_pairs(self.pairs)
        return node


def batches(
    data: Trajectories,
    targets: Sequence[int],
    *,
    memory: int = tuning.MEMORY,
    jobs: int = 1,
    run: Map = map,
) -> Iterator[list[Share]]:
    """Yield the targets in batches, with their pairs if one scan for all of them is cheaper.

    With `jobs` threads, each scans a part of the trajectories. Shared tables take at most a quarter of
    `memory` per job while they are counted and an eighth afterwards, in addition to what each node keeps.
    """
    if len(set(targets)) < len(targets) or not set(targets) <= set(range(data.n_variables)):
        raise ValueError(f"{list(targets)}: targets must be distinct variables")
    cardinalities = [int(c) for c in data.events.cardinalities]  # gaps are one more state
    groups = grouped(cardinalities, tuning.PAIR_GROUP_CELLS_IN_WORD)
    max_rows = _max_rows(cardinalities, groups, memory)
    rows_wanted = sum(cardinalities[target] ** 2 for target in targets)
    if len(groups.cells) > tuning.MAX_WORD_GROUPS + 1 or max_rows < rows_wanted:
        groups = grouped(cardinalities, tuning.PAIR_GROUP_CELLS)
        max_rows = _max_rows(cardinalities, groups, memory)
    batch: list[int] = []
    rows = 0
    for target in targets:
        if batch and rows + cardinalities[target] ** 2 > max_rows:
            yield _with_pairs(data, batch, groups if rows <= max_rows else None, jobs, run)
            batch, rows = [], 0
        batch.append(target)
        rows += cardinalities[target] ** 2
    if batch:
        yield _with_pairs(data, batch, groups if rows <= max_rows else None, jobs, run)


def _max_rows(cardinalities: Sequence[int], groups: Groups, memory: int) -> int:
    """Return how many rows of moments and transitions fit; a target needs c × c of them.

    Beside them, every state has a row of times and a row of ends.
    """
    states = sum(cardinalities)
    return (memory // 4 - states * (groups.n_cells + states) * 8) // (groups.n_cells * 16)


def _with_pairs(
    data: Trajectories, targets: list[int], groups: Groups | None, jobs: int, run: Map
) -> list[Share]:
    """Return the shares of some targets, with their pairs from one scan if groups are given."""
    shared = groups is not None and len(targets) >= tuning.MIN_TARGETS_SHARING_PAIRS
    _log.info("batch: nodes %d, pairs counted %s", len(targets), "in one scan" if shared else "node by node")
    if groups is None or not shared:
        return [Share(target) for target in targets]

    def count(part: tuple[int, int]) -> tuple[list[NDArray[np.int64]], float]:
        began = time.thread_time()
        counts = pair_counts(scan_of(data, *part), np.array(targets, np.int32), *groups)
        return counts, time.thread_time() - began

    parts = list(run(count, _parts(data, jobs)))
    seconds = [sum(seconds for _, seconds in parts)] + [0.0] * (len(targets) - 1)
    sums = (sum(counts[1:], counts[0]) for counts in zip(*(counts for counts, _ in parts), strict=True))
    return [Share(*share) for share in zip(targets, sums, seconds, strict=True)]


def _parts(data: Trajectories, jobs: int) -> list[tuple[int, int]]:
    """Cut the trajectories into at most `jobs` ranges with similar numbers of events."""
    events = np.cumsum(data.stop - data.begin)
    wanted = [events[-1] * k // jobs for k in range(1, jobs)] if len(events) else []
    cuts = np.unique([0, *np.searchsorted(events, wanted), data.n_trajectories]).tolist()
    return list(pairwise(cuts)) or [(0, 0)]


# Joint tables


class Want(NamedTuple):
    """A joint table that a node will ask for: its candidates, and all its variables, target included."""

    node: NodeStatistics
    union: tuple[int, ...]
    variables: frozenset[int]


@dataclass
class SharedTable:
    """Variables counted together in one scan, and the wanted tables that are marginals of the result."""

    variables: frozenset[int]
    wants: list[Want] = field(default_factory=list)

    @property
    def targets(self) -> list[int]:
        """The variables whose transitions are counted, in order."""
        return sorted({want.node.target for want in self.wants})

    def nbytes(self, cardinalities: Sequence[int]) -> int:
        """Return the bytes of its counts."""
        moves = sum(cardinalities[target] - 1 for target in self.targets)
        return _cells(self.variables, cardinalities) * (8 + 4 * moves)

    def joined_by(self, want: Want) -> SharedTable:
        """Return this table with one more wanted table."""
        return SharedTable(self.variables | want.variables, [*self.wants, want])

    def hand_out(
        self, cardinalities: Sequence[int], times: NDArray[np.int64], moves: Sequence[NDArray[np.uint32]]
    ) -> None:
        """Give the counts to the nodes that want them."""
        targets = dict(zip(self.targets, moves, strict=True))
        joint = JointStates(sorted(self.variables), cardinalities, times, targets)
        for node, union, _ in self.wants:
            node.share_joint(union, joint.table)


def share_joints(
    data: Trajectories, nodes: Sequence[NodeStatistics], memory: int, jobs: int = 1, run: Map = map
) -> float:
    """Count the joint tables that the nodes want, many in one scan; return the CPU seconds.

    With `jobs` threads, each makes some of the scans. The counts take at most half of `memory`. A table
    that is too large for that, or large and wanted by one node only, is left to its node.
    """
    if len(nodes) < 2 or data.n_changes >= MAX_EVENTS:
        return 0.0
    cardinalities = [int(c) for c in data.events.cardinalities]  # gaps are one more state
    scan = scan_of(data)
    tables = [
        table
        for table in shared_tables(wants_of(nodes), cardinalities, memory // 2)
        if len(table.wants) > 1 or _cells(table.variables, cardinalities) <= MAX_CACHED_CELLS
    ]

    def count(tables: list[SharedTable]) -> float:
        began = time.thread_time()
        wanted = [(sorted(table.variables), table.targets) for table in tables]
        for table, (times, moves) in zip(tables, joint_counts(scan, wanted), strict=True):
            table.hand_out(cardinalities, times, moves)
        return time.thread_time() - began

    scans = _scans(tables, cardinalities, jobs)
    _log.info("batch: joint tables %d for nodes %d, scans %d", len(tables), len(nodes), len(scans))
    return sum(run(count, scans))


def wants_of(nodes: Iterable[NodeStatistics]) -> list[Want]:
    """Return the joint tables that the nodes will ask for."""
    return [
        Want(node, union, frozenset((node.target, *union)))
        for node in nodes
        for union in node.wanted_joints()
    ]


def shared_tables(wants: Iterable[Want], cardinalities: Sequence[int], max_bytes: int) -> list[SharedTable]:
    """Assign wanted tables to shared ones: the largest first, each next one where it adds fewest variables.

    A wanted table that would take the total above `max_bytes` is left out.
    """
    tables: list[SharedTable] = []
    for want in sorted(wants, key=lambda want: -_cells(want.variables, cardinalities)):
        max_cells = max(tuning.SHARED_COVER_CELLS, _cells(want.variables, cardinalities))
        fitting = [
            k
            for k, table in enumerate(tables)
            if _cells(want.variables | table.variables, cardinalities) <= max_cells
        ]
        best = min(fitting, key=lambda k: len(want.variables - tables[k].variables), default=None)
        before = SharedTable(frozenset()) if best is None else tables[best]
        after = before.joined_by(want)
        grown = after.nbytes(cardinalities) - (before.nbytes(cardinalities) if before.wants else 0)
        if grown > max_bytes:
            continue
        max_bytes -= grown
        if best is None:
            tables.append(after)
        else:
            tables[best] = after
    return tables


def _scans(tables: list[SharedTable], cardinalities: Sequence[int], jobs: int) -> list[list[SharedTable]]:
    """Put tables together in one scan while they fit in cache, but leave some for every job."""
    total = sum(table.nbytes(cardinalities) for table in tables)
    max_bytes = min(tuning.SHARED_SCAN_BYTES, total // jobs)
    scans: list[list[SharedTable]] = []
    taken = 0
    for table in tables:
        if not scans or taken + table.nbytes(cardinalities) > max_bytes:
            scans.append([])
            taken = 0
        scans[-1].append(table)
        taken += table.nbytes(cardinalities)
    return scans


def _cells(variables: Iterable[int], cardinalities: Sequence[int]) -> int:
    return prod(cardinalities[variable] for variable in variables)
