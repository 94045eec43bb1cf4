"""The F test of the null time-to-transition hypothesis: q_{x|y,s} = q_{x|s} for all x, y and s.

Each comparison takes F = q_{x|y,s} / q_{x|s}, with the degrees of freedom of s first and those of (y, s)
second, and rejects outside the quantiles α/2 and 1 − α/2. The paper prints the inverse ratio with the
degrees of freedom exchanged, which is the same test. A sample without transitions is not compared.
"""

from __future__ import annotations

from dataclasses import dataclass

from ctbnlab.learning.independence._table_tests import TableTester
from ctbnlab.learning.independence.conventions import NAMED, Conventions
from ctbnlab.learning.independence.table_test import TableTest, checked_level


@dataclass(frozen=True)
class WaitingTimes(TableTest):
    """Compares waiting times alone."""

    conventions: Conventions = NAMED["paper-2020"]
    alpha: float = 0.1

    def __post_init__(self) -> None:
        checked_level(self.alpha, "the level of waiting times")

    def make_tester(self) -> TableTester:
        """Return the compiled comparisons of this test."""
        return TableTester(self.alpha, None, 0.5, self.conventions)
