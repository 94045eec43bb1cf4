"""Joint tables of several targets: one scan of some variables serves every target among them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._joint import FAR, joint_counts
from ctbnlab.counting.joint_states import MOST_EVENTS, JointStates
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.shared_pairs import Run
from ctbnlab.data.trajectories import Trajectories

# Up to so many cells, targets that have few variables in common are counted together all the same: tables
# stay small. (With 4096, 20 binary variables take a sixth less time, 100 a tenth, more states the same.)
_CELLS_TOGETHER = 64
# Tables of so many bytes are filled in one scan: they stay near the processor, as the events they share do.
_BYTES_TOGETHER = 3 << 19


class Want(NamedTuple):
    """A joint table that a node will ask for: its candidates, and the target with them."""

    node: NodeStatistics
    union: tuple[int, ...]
    variables: frozenset[int]


@dataclass
class Cover:
    """Variables that are counted in one scan, and the tables that are marginals of what is counted."""

    variables: frozenset[int]
    wants: list[Want] = field(default_factory=list)

    @property
    def targets(self) -> list[int]:
        """Whose transitions are counted, in order."""
        return sorted({want.node.target for want in self.wants})

    def nbytes(self, states: Sequence[int]) -> int:
        """How much memory its counts take."""
        return _cells(self.variables, states) * (8 + 4 * sum(states[t] - 1 for t in self.targets))

    def joined_by(self, want: Want) -> Cover:
        """Return the cover of one table more."""
        return Cover(self.variables | want.variables, [*self.wants, want])

    def share(
        self, states: Sequence[int], times: NDArray[np.int64], moves: Sequence[NDArray[np.uint32]]
    ) -> None:
        """Let the nodes have what was counted."""
        joint = JointStates(
            sorted(self.variables), states, times, dict(zip(self.targets, moves, strict=True))
        )
        for node, union, _ in self.wants:
            node.share_joint(union, joint.table)


def wants_of(nodes: Iterable[NodeStatistics]) -> list[Want]:
    """Return what the nodes have said they will ask for."""
    return [
        Want(node, union, frozenset((node.target, *union)))
        for node in nodes
        for union in node.joints_wanted()
    ]


def covers_of(wants: Iterable[Want], states: Sequence[int], room: int) -> list[Cover]:
    """Put the largest first, and each next one where it adds the fewest variables.

    What takes more than `room` bytes with those before it is left out.
    """
    covers: list[Cover] = []
    for want in sorted(wants, key=lambda want: -_cells(want.variables, states)):
        most = max(_CELLS_TOGETHER, _cells(want.variables, states))
        fitting = [
            k for k, cover in enumerate(covers) if _cells(want.variables | cover.variables, states) <= most
        ]
        best = min(fitting, key=lambda k: len(want.variables - covers[k].variables), default=None)
        before = Cover(frozenset()) if best is None else covers[best]
        after = before.joined_by(want)
        grown = after.nbytes(states) - (before.nbytes(states) if before.wants else 0)
        if grown > room:
            continue
        room -= grown
        if best is None:
            covers.append(after)
        else:
            covers[best] = after
    return covers


def share_joints(
    data: Trajectories, nodes: Sequence[NodeStatistics], memory: int, jobs: int = 1, run: Run = map
) -> float:
    """Count the joint tables that nodes will ask for, many in a scan; return CPU seconds.

    `run` is `map`, or that of a pool of threads, for `jobs` scans at a time. What is counted takes at most
    half of `memory`. What is too large for that, or large and of use to one node only, is left to the nodes.
    """
    if data.n_events >= MOST_EVENTS or len(nodes) < 2:
        return 0.0
    states = [int(c) for c in data.cardinalities]
    covers = [
        cover
        for cover in covers_of(wants_of(nodes), states, memory // 2)
        if len(cover.wants) > 1 or _cells(cover.variables, states) <= FAR
    ]

    def counted(covers: list[Cover]) -> float:
        began = time.thread_time()
        wanted = [(sorted(cover.variables), cover.targets) for cover in covers]
        for cover, (times, moves) in zip(covers, joint_counts(nodes[0].scan, wanted), strict=True):
            cover.share(states, times, moves)
        return time.thread_time() - began

    return sum(run(counted, _scans(covers, states, jobs)))


def _scans(covers: list[Cover], states: Sequence[int], jobs: int) -> list[list[Cover]]:
    """Put covers together while their tables stay near the processor; but let every job have some."""
    near = min(_BYTES_TOGETHER, sum(cover.nbytes(states) for cover in covers) // jobs)
    scans: list[list[Cover]] = []
    taken = 0
    for cover in covers:
        if not scans or taken + cover.nbytes(states) > near:
            scans.append([])
            taken = 0
        scans[-1].append(cover)
        taken += cover.nbytes(states)
    return scans


def _cells(variables: Iterable[int], states: Sequence[int]) -> int:
    return prod(states[v] for v in variables)
