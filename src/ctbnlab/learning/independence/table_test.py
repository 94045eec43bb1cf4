"""Compiled tests that compare the cells of a table: what they share, and how they describe an outcome."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.errors import InputError
from ctbnlab.learning.independence._table_tests import FIXED, INDEPENDENT, RULE_OF_THUMB, TableTester
from ctbnlab.learning.independence.base import Outcome

NEVER_CHANGES = "the candidate never changes"
NOTHING = "no transitions to compare"
TOO_FEW = "kept by the rule of thumb: too few transitions to test"


def checked_level(level: float, what: str) -> float:
    """Return a significance level; refuse anything else."""
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise InputError(f"{what} must be a number between 0 and 1, not {level!r}")
    return float(level)


class TableTest:
    """What tests over tables have in common; a subclass only chooses what is compared, and how."""

    def make_tester(self) -> TableTester:
        """Return the compiled comparisons of this test."""
        raise NotImplementedError

    @cached_property
    def tester(self) -> TableTester:
        """The compiled comparisons, made when first used."""
        return self.make_tester()

    def rule_is_monotone(self, n_states: int) -> bool:  # noqa: ARG002
        """Return whether the rule of thumb, once met by a set, is met by all larger ones."""
        return False

    def test(self, statistics: SufficientStatistics, candidate: int) -> Outcome:
        """Make all comparisons, and describe the strongest one against independence."""
        return self._outcome(statistics, candidate, complete=True)

    def decide(self, statistics: SufficientStatistics, candidate: int) -> Outcome:
        """Stop at the first rejection in the paper's order, and describe that comparison."""
        return self._outcome(statistics, candidate, complete=False)

    def verdicts(
        self, statistics: SufficientStatistics, candidates: Sequence[int], largest: Sequence[float]
    ) -> list[float]:
        """Decide for several candidates on one table, each against all other parents.

        A verdict is the p-value of the first rejection, or INDEPENDENT, RULE_OF_THUMB or FIXED, which are
        below 0. A p-value that does not exceed the candidate's `largest` may be given as 0.
        """
        parents = statistics.parents
        return self.tester.verdicts(
            statistics.values,
            getattr(statistics, "configurations", None),
            statistics.parent_cardinalities,
            [parents.index(candidate) for candidate in candidates],
            largest,
        )

    def _outcome(self, statistics: SufficientStatistics, candidate: int, *, complete: bool) -> Outcome:
        axis = statistics.parents.index(candidate)
        verdict, kind, statistic, d1, d2, p, s, y, x, made, in_all, seen = self.tester.compare(
            statistics.values,
            getattr(statistics, "configurations", None),
            statistics.parent_cardinalities,
            axis,
            complete,
        )
        if verdict in (RULE_OF_THUMB, FIXED):
            return Outcome(False, None, None, None, TOO_FEW, final=verdict == FIXED)
        independent = verdict == INDEPENDENT
        untested = in_all - made if complete else 0
        if complete and independent and seen < 2:
            return Outcome(independent, None, None, 1.0, NEVER_CHANGES, untested=untested)
        if p >= 1 and kind == "nothing":
            return Outcome(independent, None, None, 1.0, NOTHING, untested=untested)
        given = f"given y={y}"
        if len(statistics.parents) > 1:
            cards = statistics.parent_cardinalities[:axis] + statistics.parent_cardinalities[axis + 1 :]
            given += f", s={','.join(map(str, _digits(s, cards)))}"
        if kind == "waiting time":
            why = f"waiting time in x={x} {given}: F({d1:.0f}, {d2:.0f})"
            return Outcome(independent, statistic, d2, p, why, untested=untested)
        if kind == "chi2":
            why = f"transitions from x={x} {given}: χ²({d1:.0f})"
            return Outcome(independent, statistic, d1, p, why, untested=untested)
        why = f"transitions from x={x} {given}: Kolmogorov–Smirnov"
        return Outcome(independent, statistic, None, p, why, untested=untested)


def _digits(s: int, cardinalities: Sequence[int]) -> tuple[int, ...]:
    digits = []
    for cardinality in reversed(cardinalities):
        s, digit = divmod(s, cardinality)
        digits.append(digit)
    return tuple(reversed(digits))
