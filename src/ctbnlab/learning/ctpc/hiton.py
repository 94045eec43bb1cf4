"""The search of HITON-PC for the parents of one node: candidates are admitted in order of strength.

Written from the idea of C. Aliferis, A. Statnikov, I. Tsamardinos, S. Mani, X. Koutsoukos: Local causal and
Markov blanket induction for causal discovery and feature selection for classification, part I. Journal of
Machine Learning Research 11 (2010), interleaved HITON-PC. CTPC's authors have taken HITON to continuous time
as HITON-CTPC (Proceedings of Machine Learning Research 343:112–126, 2026); this is not their program.

1. Candidates that are independent of the target given nothing are discarded, as in CTPC's first level. The
   others are ranked by `strength`; equally strong ones by their index.
2. The strongest candidate left is tested against the subsets of the tentative parents, small ones first. If
   none separates it from the target it becomes a tentative parent. Required parents are, from the beginning.
3. After each admission the other tentative parents, weakest first, are tested against the subsets of the rest
   that have the new one, size by size as in CTPC's levels; one that is separated is dropped.

So when no candidate is left, every parent has been tested against all subsets of the others, each once: a
last pass over them, which HITON needs if step 3 is left out, would find nothing to test. Nothing depends on
the order of columns but for ties of strength.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

from ctbnlab.learning.ctpc.search import Members, Search
from ctbnlab.learning.ctpc.strength import strength


class Hiton(Search):
    """The search for one node's parents; used like `Search`.

    While candidates are admitted, `remaining` has the tentative parents: required ones, then candidates in
    order of strength.
    """

    _newest: int | None = None  # the candidate to admit, or the tentative parent that was admitted last

    def test_with_sets(self) -> None:
        """Admit tentative parents one by one, and test the others after each."""
        if not self._goes_on():
            return
        required = self.knowledge.required
        strengths = {j: strength(self.pairs[j]) for j in self.remaining if j not in required}
        waiting = sorted(strengths, key=lambda j: (-strengths[j], j))
        self.remaining = sorted(required)
        singles, sizes = self._smaller, 1
        while waiting and not self.stopped:
            self._newest = waiting.pop(0)
            sizes = max(sizes, self._all_sizes(singles))
            if self._newest not in self.removed:
                self.remaining.append(self._newest)
                sizes = max(sizes, self._all_sizes(singles))
        self.remaining += waiting
        self.levels = sizes

    def _all_sizes(self, singles: set[Members]) -> int:
        """Test the newest candidate, or the others against it; return the sizes of sets tried, with 0."""
        self._smaller = singles
        self.levels = 1
        while self._goes_on():
            self._next_level()
        return self.levels

    def _goes_on(self) -> bool:
        if self._newest is None:
            return super()._goes_on()
        more = any(j in self.open and self._n_sets(j, self.levels) for j in self._turns())
        return more and self._allows_size() and not self._stops()

    def _settle(self, b: int) -> None:
        """Close nothing: what is fixed is still tested against newer members, in sets as small."""

    def _turns(self) -> list[int]:
        if self._newest is None:
            return super()._turns()
        if self._newest not in self.remaining:
            return [self._newest]
        return [j for j in reversed(self.remaining) if j != self._newest]

    def _n_sets(self, candidate: int, b: int) -> int:
        if self._newest is None:
            return super()._n_sets(candidate, b)
        if b > self.fixed.get(candidate, b):
            return 0
        members = len(self.remaining)
        return comb(members, b) if candidate == self._newest else comb(members - 2, b - 1)

    def _sets(self, candidate: int, b: int) -> Iterator[tuple[Members, Members]]:
        """Yield each S with b members that is to be tested, the strongest members first, and W."""
        if self._newest is None:
            yield from super()._sets(candidate, b)
        elif b <= self.fixed.get(candidate, b):
            new = () if candidate == self._newest else (self._newest,)
            others = [j for j in self.remaining if j not in (candidate, self._newest)]
            for chosen in combinations(others, b - len(new)):
                separating = tuple(sorted((*chosen, *new)))
                yield separating, tuple(sorted((*separating, candidate)))

    def _wanted(self, candidate: int, members: Members) -> list[int]:
        """Return the newest alone while it is not admitted; later the others."""
        if candidate == self._newest:
            return [candidate]
        return [j for j in super()._wanted(candidate, members) if j != self._newest]
