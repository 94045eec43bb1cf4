"""An oracle that knows the true graph, so that a search can be tested without statistics.

It answers by δ-separation (Didelez 2008), the criterion of local independence in directed graphs with or
without cycles: the target's intensity does not depend on the candidate's past given that of S and its
own, if S separates the two in the moral graph of their ancestors after the arcs that leave the target
are taken out. A parent is never separated; any other variable is, by the parents.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.learning.independence.base import Outcome


@dataclass(frozen=True)
class Oracle:
    """Answers from `parents[i]`, the true parents of each variable i, without any data."""

    parents: tuple[tuple[int, ...], ...]

    def test(self, statistics: SufficientStatistics, candidate: int) -> Outcome:
        """Test whether the rest of `statistics.parents` δ-separates the candidate from the target."""
        target = statistics.target
        separating = frozenset(statistics.parents) - {candidate}
        if self.separates(separating, candidate, target):
            return Outcome(True, None, None, 1.0, "δ-separated in the true graph")
        return Outcome(False, None, None, 0.0, "not δ-separated in the true graph")

    def separates(self, separating: frozenset[int], candidate: int, target: int) -> bool:
        """Return whether the set blocks every path from the candidate to the target in the moral graph."""
        neighbours = self._moral(self._ancestral(separating | {candidate, target}), target)
        reached = {candidate}
        boundary = [candidate]
        while boundary:
            for node in neighbours[boundary.pop()] - separating - reached:
                reached.add(node)
                boundary.append(node)
        return target not in reached

    def _ancestral(self, nodes: Iterable[int]) -> set[int]:
        found = set(nodes)
        boundary = list(found)
        while boundary:
            for parent in self.parents[boundary.pop()]:
                if parent not in found:
                    found.add(parent)
                    boundary.append(parent)
        return found

    def _moral(self, nodes: set[int], target: int) -> dict[int, set[int]]:
        neighbours: dict[int, set[int]] = {node: set() for node in nodes}
        for node in nodes:
            family = {parent for parent in self.parents[node] if parent != target} | {node}
            for member in family:
                neighbours[member] |= family - {member}
        return neighbours
