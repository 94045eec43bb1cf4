"""The paper's tests of conditional independence: waiting times, and transitions by χ² or Kolmogorov–Smirnov.

**Waiting times**, the null time-to-transition hypothesis q_{x|y,s} = q_{x|s} for all x, y and s. Each
comparison takes F = q_{x|y,s} / q_{x|s}, with the degrees of freedom of s first and those of (y, s) second,
and rejects outside the quantiles α/2 and 1 − α/2. The paper prints the inverse ratio with the degrees of
freedom exchanged, which is the same test. A sample without transitions is not compared.

**χ²**, the null state-to-state hypothesis θ_{x·|y,s} = θ_{x·|s} for all x, y and s. With K = √(M_{x|s} /
M_{x|y,s}) and L = 1/K each comparison takes χ² = Σ_{x'≠x} (K·M_{xx'|y,s} − L·M_{xx'|s})² / (M_{xx'|y,s} +
M_{xx'|s}) and rejects above the 1 − α quantile. Targets with two states have nothing to compare; for others
the rule of thumb comes first.

**Kolmogorov–Smirnov**, for the same hypothesis. Each comparison takes D = sup_{x'} |Θ_{xx'|s} −
Θ_{xx'|y,s}|, with Θ cumulated from θ_{xx'} over next states in their order, and rejects above √(−ln(α/2)/2
· (m₁+m₂)/(m₁m₂)), where m₁ and m₂ count transitions out of x: so p = 2 exp(−2 D² m₁m₂/(m₁+m₂)), the leading
term of Kolmogorov's series, which is conservative for a handful of next states. The level 1e-4 is that of
the paper's program; the text names none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ctbnlab.errors import InputError
from ctbnlab.learning.independence._table_tests import TableTester
from ctbnlab.learning.independence.conventions import NAMED, Conventions
from ctbnlab.learning.independence.table_test import TableTest, checked_level


@dataclass(frozen=True)
class WaitingTimes(TableTest):
    """Compares waiting times alone, by F."""

    conventions: Conventions = NAMED["paper-2020"]
    alpha: float = 0.1

    def __post_init__(self) -> None:
        checked_level(self.alpha, "the level of waiting times")

    def make_tester(self) -> TableTester:
        """Return the compiled comparisons of this test."""
        return TableTester(self.alpha, None, 0.5, self.conventions)


@dataclass(frozen=True)
class _Transitions(TableTest):
    """Compares transitions alone."""

    kind: ClassVar[str]
    conventions: Conventions = NAMED["paper-2020"]
    alpha: float = 0.1

    def __post_init__(self) -> None:
        checked_level(self.alpha, "the level of transitions")

    def make_tester(self) -> TableTester:
        """Return the compiled comparisons of this test."""
        return TableTester(None, self.kind, self.alpha, self.conventions)


@dataclass(frozen=True)
class ChiSquare(_Transitions):
    """Compares transitions alone, by χ²."""

    kind: ClassVar[str] = "chi2"

    def rule_is_monotone(self, n_states: int) -> bool:
        """Return whether the rule of thumb, once met by a set, is met by all larger ones."""
        return self.conventions.rule_of_thumb == "every" and n_states > 2


@dataclass(frozen=True)
class KolmogorovSmirnov(_Transitions):
    """Compares transitions alone, by the distance of their cumulated frequencies."""

    kind: ClassVar[str] = "ks"
    alpha: float = 1e-4


@dataclass(frozen=True)
class Combined(TableTest):
    """The paper's test: waiting times first, then transitions if the target has more than two states.

    Dependent as soon as either rejects, each at its own level, under the same conventions.
    """

    waiting_times: WaitingTimes
    transitions: ChiSquare | KolmogorovSmirnov

    def __post_init__(self) -> None:
        if self.waiting_times.conventions != self.transitions.conventions:
            raise InputError("waiting times and transitions must be tested under the same conventions")

    def make_tester(self) -> TableTester:
        """Return the compiled comparisons of this test."""
        return TableTester(
            self.waiting_times.alpha,
            self.transitions.kind,
            self.transitions.alpha,
            self.transitions.conventions,
        )

    def rule_is_monotone(self, n_states: int) -> bool:
        """Return whether the rule of thumb, once met by a set, is met by all larger ones."""
        return self.transitions.rule_is_monotone(n_states)
