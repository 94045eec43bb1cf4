"""The two-sample χ² test of the null state-to-state hypothesis: θ_{x·|y,s} = θ_{x·|s} for all x, y and s.

With K = √(M_{x|s} / M_{x|y,s}) and L = 1/K each comparison takes
χ² = Σ_{x'≠x} (K·M_{xx'|y,s} − L·M_{xx'|s})² / (M_{xx'|y,s} + M_{xx'|s}) and rejects above the 1 − α quantile.
Targets with two states have nothing to compare; for the others the rule of thumb comes first.
"""

from __future__ import annotations

from dataclasses import dataclass

from ctbnlab.learning.independence._table_tests import TableTester
from ctbnlab.learning.independence.conventions import NAMED, Conventions
from ctbnlab.learning.independence.table_test import TableTest, checked_level, rule_is_monotone


@dataclass(frozen=True)
class ChiSquare(TableTest):
    """Compares transitions alone, by χ²."""

    conventions: Conventions = NAMED["paper-2020"]
    alpha: float = 0.1
    kind = "chi2"

    def __post_init__(self) -> None:
        checked_level(self.alpha, "the level of transitions")

    def make_tester(self) -> TableTester:
        """Return the compiled comparisons of this test."""
        return TableTester(None, self.kind, self.alpha, self.conventions)

    def rule_is_monotone(self, n_states: int) -> bool:
        """Tell whether a set decided by the rule of thumb decides all larger ones."""
        return rule_is_monotone(self.conventions, n_states)
