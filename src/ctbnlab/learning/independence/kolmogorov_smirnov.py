"""The two-sample Kolmogorov–Smirnov test of the null state-to-state hypothesis.

Each comparison takes D = sup_{x'} |Θ_{xx'|s} − Θ_{xx'|y,s}|, Θ the cumulated θ_{xx'} over next states in
their order, and rejects above √(−ln(α/2)/2 · (m₁+m₂)/(m₁m₂)), where m₁ and m₂ count transitions out of x:
so p = 2 exp(−2 D² m₁m₂/(m₁+m₂)), the leading term of Kolmogorov's series. For a handful of next states
that is conservative. The level 1e-4 is the paper's program's; its text names none.
"""

from __future__ import annotations

from dataclasses import dataclass

from ctbnlab.learning.independence._table_tests import TableTester
from ctbnlab.learning.independence.conventions import NAMED, Conventions
from ctbnlab.learning.independence.table_test import TableTest, checked_level


@dataclass(frozen=True)
class KolmogorovSmirnov(TableTest):
    """Compares transitions alone, by the distance of their cumulated frequencies."""

    conventions: Conventions = NAMED["paper-2020"]
    alpha: float = 1e-4
    kind = "ks"

    def __post_init__(self) -> None:
        checked_level(self.alpha, "the level of transitions")

    def make_tester(self) -> TableTester:
        """Return the compiled comparisons of this test."""
        return TableTester(None, self.kind, self.alpha, self.conventions)
