"""Several targets at once: one scan of the events counts the joint tables of many of them.

A batch of targets goes through three steps (`learning.nodes` takes them):

1. `pairs.batches` counts the pairs of all targets of a batch in one scan.
2. Each learner looks at its pairs and calls `focus` with the candidates that are left.
3. `share_joints` counts the joint tables that all nodes of the batch now want, many in one scan. The time
   that variables spend in a joint state does not depend on which of them is the target, so one table of
   times serves every target among them.

Tables are the same, to the last bit, as those that a `NodeStatistics` counts on its own.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting import tuning
from ctbnlab.counting._joint import MAX_CACHED_CELLS, joint_counts
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.pairs import Map
from ctbnlab.counting.scan import scan_of
from ctbnlab.counting.tables import MAX_EVENTS, JointStates
from ctbnlab.data.trajectories import Trajectories

_log = logging.getLogger(__name__)


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
