"""The paper's test of conditional independence: waiting times first, then transitions where the target
has more than two states; dependent as soon as either rejects, each at its own level."""

from __future__ import annotations

from dataclasses import dataclass

from ctbnlab.errors import InputError
from ctbnlab.learning.independence._table_tests import TableTester
from ctbnlab.learning.independence.chi_square import ChiSquare
from ctbnlab.learning.independence.kolmogorov_smirnov import KolmogorovSmirnov
from ctbnlab.learning.independence.table_test import TableTest
from ctbnlab.learning.independence.waiting_times import WaitingTimes


@dataclass(frozen=True)
class Combined(TableTest):
    """Compares waiting times and transitions, under the same conventions."""

    waiting_times: WaitingTimes
    transitions: ChiSquare | KolmogorovSmirnov

    def __post_init__(self) -> None:
        if self.waiting_times.conventions != self.transitions.conventions:
            raise InputError("waiting times and transitions are tested under different conventions")

    def make_tester(self) -> TableTester:
        """Return the compiled comparisons of this test."""
        return TableTester(
            self.waiting_times.alpha,
            self.transitions.kind,
            self.transitions.alpha,
            self.transitions.conventions,
        )

    def rule_is_monotone(self, n_states: int) -> bool:
        """Tell whether a set decided by the rule of thumb decides all larger ones."""
        return self.transitions.rule_is_monotone(n_states)
