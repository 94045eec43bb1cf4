"""CTPC's search for the parents of one node: which tests are made, in which order, on which tables.

`Search` is the paper's, level by level; `hiton` has another one, which makes other tests in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb, prod

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.learning.independence._table_tests import FIXED, INDEPENDENT, RULE_OF_THUMB
from ctbnlab.learning.independence.base import IndependenceTest, Outcome
from ctbnlab.learning.independence.table_test import TableTest
from ctbnlab.learning.knowledge import NodeKnowledge

Members = tuple[int, ...]

# The work of a test beside its cells, in cells: about what calling it costs.
TEST_WORK = 1000


class Search:
    """The search for one node's parents: `test_singles`, then `test_with_sets`, then its attributes tell all.

    A test depends on W = S ∪ {Y} only, so all members of a W are decided on its table when it is first
    needed, and their verdicts wait until the algorithm's order asks for them.

    The search ends when `max_work` is spent: what is left then stays. A test counts as the cells of its table
    (but no more rows than there are events), the random numbers that it draws, and TEST_WORK. This depends on
    the data and the algorithm's order alone, not on caches or the time it takes.
    """

    def __init__(
        self,
        test: IndependenceTest,
        statistics: NodeStatistics,
        knowledge: NodeKnowledge,
        stable: bool,
        max_separating_set: int | None,
        max_work: int | None = None,
    ):
        self.test = test
        self.statistics = statistics
        self.knowledge = knowledge
        self.stable = stable
        self.max_separating_set = max_separating_set
        self.max_work = max_work
        self.remaining: list[int] = sorted((*knowledge.required, *knowledge.candidates))
        self.open: set[int] = set(knowledge.candidates)  # may still be removed
        self.removed: dict[int, tuple[Members, Outcome]] = {}
        self.closest: dict[int, tuple[float, Members]] = {}  # largest p-value of a rejection, and its set
        self.ruled: set[int] = set()  # candidates that the rule of thumb decided in some test
        self.fixed: dict[int, int] = {}  # candidates not to be tested with more than this many others
        self.tests = 0
        self.levels = 0  # sizes of separating sets tried; the next one to try
        self.work = 0
        self.stopped = False  # because `max_work` was spent
        self.pairs: dict[int, SufficientStatistics] = {}
        self._verdicts: dict[Members, dict[int, float]] = {}
        self._small: set[Members] = set()  # sets that the rule of thumb decided at this level …
        self._smaller: set[Members] = set()  # … and at the one before
        self._ruled_tests = 0
        n_states = int(statistics.cardinalities[statistics.target])
        self._compiled = test if isinstance(test, TableTest) else None
        self._monotone = self._compiled is not None and self._compiled.rule_is_monotone(n_states)

    def test_singles(self) -> None:
        """Test every candidate alone, the level b = 0, and announce which ones are left."""
        if self.open:
            self.pairs = self.statistics.pairs()
        if self._goes_on():
            self._next_level()
        if self._goes_on():
            self.statistics.focus(self.remaining)
        self.pairs = {j: self.pairs[j] for j in self.remaining or list(self.pairs)[:1] if j in self.pairs}

    def test_with_sets(self) -> None:
        """Go through the further levels until the separating sets would be as large as U."""
        while self._goes_on():
            self._next_level()

    def _goes_on(self) -> bool:
        more = bool(self.open) and self.levels < len(self.remaining)
        return more and self._allows_size() and not self._stops()

    def _allows_size(self) -> bool:
        """Return whether separating sets may have the next size."""
        return self.max_separating_set is None or self.levels <= self.max_separating_set

    def _stops(self) -> bool:
        """Return whether the work is spent; called if there is more to do."""
        self.stopped = self.max_work is not None and self.work >= self.max_work
        return self.stopped

    def _next_level(self) -> None:
        """Go through one level, or through all further ones if their outcome is known."""
        tests, ruled = self.tests, self._ruled_tests
        self._level(self.levels)
        self.levels += 1
        if self._monotone and self._ruled_tests - ruled == self.tests - tests:
            # Every set of this size is too small to test, and so is every larger one: the rest of the
            # algorithm finds dependence everywhere, and only its tests remain to be counted.
            while self._goes_on():
                self.tests += sum(self._n_sets(j, self.levels) for j in self._turns() if j in self.open)
                self.levels += 1
        self._verdicts.clear()
        self._small, self._smaller = set(), self._small

    def table(self, members: Members) -> SufficientStatistics:
        """Return the table of a set W."""
        return self.pairs[members[0]] if len(members) == 1 else self.statistics.table(members)

    def _level(self, b: int) -> None:
        """Test every open candidate against all sets of b others."""
        separated: list[int] = []
        for candidate in self._turns():
            if candidate in self.open and self._separated(candidate, b):
                separated.append(candidate)
                if not self.stable:
                    self.remaining = [j for j in self.remaining if j != candidate]
                    self.open.discard(candidate)
        self.remaining = [j for j in self.remaining if j not in separated]
        self.open.difference_update(separated)
        self._settle(b)

    def _separated(self, candidate: int, b: int) -> bool:
        """Test a candidate against its sets of b others; return whether one of them separates it."""
        for separating, members in self._sets(candidate, b):
            if self._stops():
                break
            self.tests += 1
            self.work += TEST_WORK
            verdict = self._verdict(candidate, separating, members)
            if verdict >= 0:
                if verdict > self.closest.get(candidate, (-1.0,))[0]:
                    self.closest[candidate] = (verdict, separating)
            elif verdict == INDEPENDENT:
                return True
            else:
                self._ruled_tests += 1
                self.ruled.add(candidate)
                if verdict == FIXED:
                    self.fixed.setdefault(candidate, b)
        return False

    # What another search may do in its own way

    def _settle(self, b: int) -> None:
        """Close what is fixed: it has been tested to the end of this level, and is not tested again."""
        self.open.difference_update(j for j, size in self.fixed.items() if size <= b)

    def _turns(self) -> list[int]:
        """Return the candidates of a level in the order in which they are tested."""
        return list(self.remaining)

    def _n_sets(self, candidate: int, b: int) -> int:  # noqa: ARG002
        """Return the number of sets with b members that a candidate is tested against."""
        return comb(len(self.remaining) - 1, b)

    def _wanted(self, candidate: int, members: Members) -> list[int]:  # noqa: ARG002
        """Return the members of W to decide on its table when the first of them needs it."""
        return [j for j in members if j in self.open]

    def _sets(self, candidate: int, b: int) -> Iterator[tuple[Members, Members]]:
        """Yield each S with b members, in order, and W = S ∪ {candidate} in increasing order."""
        at = self.remaining.index(candidate)
        others = self.remaining[:at] + self.remaining[at + 1 :]
        for separating in combinations(others, b):
            for k, member in enumerate(separating):
                if member > candidate:
                    yield separating, (*separating[:k], candidate, *separating[k:])
                    break
            else:
                yield separating, (*separating, candidate)

    def _verdict(self, candidate: int, separating: Members, members: Members) -> float:
        if self._compiled is None:
            return self._asked(candidate, separating, members)
        known = self._verdicts.get(members)
        if known is None:
            known = self._decided(self._compiled, members, self._wanted(candidate, members))
        verdict = known[candidate]
        if verdict != RULE_OF_THUMB:
            self.work += self._cells(members)
        if verdict == INDEPENDENT:
            self.removed[candidate] = separating, self._compiled.test(self.table(members), candidate)
        return verdict

    def _decided(self, test: TableTest, members: Members, wanted: list[int]) -> dict[int, float]:
        """Decide for some members of a set; remember it."""
        values: Sequence[float]
        if self._smaller and any(
            members[:k] + members[k + 1 :] in self._smaller for k in range(len(members))
        ):
            values = [RULE_OF_THUMB] * len(wanted)
        else:
            largest = [self.closest.get(j, (-1.0,))[0] for j in wanted]
            values = test.verdicts(self.table(members), wanted, largest)
        if self._monotone and values[0] == RULE_OF_THUMB:
            self._small.add(members)
        known = dict(zip(wanted, values, strict=True))
        self._verdicts[members] = known
        return known

    def _asked(self, candidate: int, separating: Members, members: Members) -> float:
        """Ask a test that has the one method `test` only."""
        outcome = self.test.test(self.table(members), candidate)
        self.work += self._cells(members) + outcome.drawn
        if outcome.independent:
            self.removed[candidate] = separating, outcome
            return INDEPENDENT
        if outcome.final:
            return FIXED
        return RULE_OF_THUMB if outcome.p_value is None else outcome.p_value

    def _cells(self, members: Members) -> int:
        """Return the cells of the table of a set, however it is stored."""
        cardinalities = self.statistics.cardinalities
        rows = min(prod(int(cardinalities[j]) for j in members), self.statistics.n_events)
        return rows * int(cardinalities[self.statistics.target]) ** 2
