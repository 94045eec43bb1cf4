"""The search of HITON-PC for the parents of one node: forward in order of strength, then backward.

Written from the idea of C. Aliferis, A. Statnikov, I. Tsamardinos, S. Mani, X. Koutsoukos: Local causal and
Markov blanket induction for causal discovery and feature selection for classification, part I. Journal of
Machine Learning Research 11 (2010), semi-interleaved HITON-PC. CTPC's authors have taken HITON to continuous
time as HITON-CTPC (Proceedings of Machine Learning Research 343:112–126, 2026); this is not their program.

1. Candidates that are independent of the target given nothing are discarded, as in CTPC's first level. The
   others are ranked by `strength`; equally strong ones by their index.
2. The strongest candidate left is tested against the subsets of the tentative parents, small ones first. If
   none separates it from the target it becomes a tentative parent. Required parents are, from the beginning.
3. When no candidate is left, tentative parents, weakest first, are tested against the subsets of the others
   that they have not met yet: those with somebody who came later. This goes by level, as CTPC does.

Nothing depends on the order of columns but for ties of strength.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from math import comb
from typing import Literal

from ctbnlab.learning.ctpc.search import Members, Search
from ctbnlab.learning.ctpc.strength import strength


class Hiton(Search):
    """The search for one node's parents; used like `Search`.

    From the forward pass on, `remaining` has the required parents first and then candidates in order of
    strength. The tentative parents are its first members; those after them are still to be admitted.
    """

    _pass: Literal["singles", "forward", "backward"] = "singles"

    def test_with_sets(self) -> None:
        """Admit tentative parents one by one, then test them against each other."""
        if not self._goes_on():
            return
        required = set(self.knowledge.required)
        strengths = {j: strength(self.pairs[j]) for j in self.remaining if j not in required}
        self.remaining.sort(key=lambda j: (j not in required, -strengths.get(j, 0.0), j))
        sizes = self._forward(len(required))
        self.levels = 1
        self._pass = "backward"
        super().test_with_sets()
        self.levels = max(sizes, self.levels)

    def _forward(self, admitted: int) -> int:
        """Make a tentative parent of every candidate that no subset of those before it separates.

        Returns how many sizes of subsets were tried, the empty one included.
        """
        self._pass = "forward"
        sizes = 1
        singles = self._smaller
        while admitted < len(self.remaining) and not self.stopped:
            candidate = self.remaining[admitted]
            self._smaller = singles
            if candidate in self.open and self._separated_by_admitted(candidate, admitted):
                self.remaining.remove(candidate)
                self.open.discard(candidate)
            else:
                admitted += 1
            sizes = max(sizes, self.levels)
        self._smaller = singles
        return sizes

    def _separated_by_admitted(self, candidate: int, admitted: int) -> bool:
        """Return whether some subset of the tentative parents separates a candidate, small ones first."""
        largest = admitted if self.max_separating_set is None else min(admitted, self.max_separating_set)
        self.levels = 1
        while self.levels <= min(largest, self.fixed.get(candidate, largest)):
            if self._stops():
                return False
            tests, ruled = self.tests, self._ruled_tests
            separated = self._separated(candidate, self.levels)
            self.levels += 1
            self._next_size()
            if separated:
                return True
            if self._monotone and not self.stopped and self._ruled_tests - ruled == self.tests - tests:
                # All larger sets are too small to test as well: the candidate stays, and its tests count.
                self.tests += sum(comb(admitted, b) for b in range(self.levels, largest + 1))
                self.levels = largest + 1
        return False

    def _turns(self) -> list[int]:
        turns = super()._turns()
        return turns[::-1] if self._pass == "backward" else turns

    def _goes_on(self) -> bool:
        more = self._pass != "backward" or any(self._n_sets(j, self.levels) for j in self.open)
        return more and super()._goes_on()

    def _n_sets(self, candidate: int, b: int) -> int:
        if self._pass == "singles":
            return super()._n_sets(candidate, b)
        before = comb(self.remaining.index(candidate), b)
        return before if self._pass == "forward" else super()._n_sets(candidate, b) - before

    def _sets(self, candidate: int, b: int) -> Iterator[tuple[Members, Members]]:
        """Yield each S with b members that is to be tested, those with the strongest first, and W."""
        at = self.remaining.index(candidate)
        others = self.remaining[:at]
        if self._pass != "forward":
            # Sets whose first member came later are all that have any; the rest have been tested.
            others = self.remaining[at + 1 :] + others
        for chosen in islice(combinations(others, b), self._n_sets(candidate, b)):
            yield tuple(sorted(chosen)), tuple(sorted((*chosen, candidate)))

    def _wanted(self, candidate: int, members: Members) -> list[int]:
        """Return the candidate alone while it is not admitted: the others are not tested then."""
        return [candidate] if self._pass == "forward" else super()._wanted(candidate, members)
