"""The contract of a test: is the target independent of a candidate, given the other parents?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ctbnlab.counting.sufficient import SufficientStatistics


@dataclass(frozen=True, slots=True)  # a large graph has millions
class Outcome:
    """What a test found, and its strongest comparison against independence.

    A test makes many comparisons, one for each state x of the target, value y of the candidate and
    configuration s of the separating set. `p_value` is the smallest of them relative to its level (not
    corrected for their number, as in the paper), with its `statistic` and `degrees_of_freedom` (for F,
    those of the sample (y, s)). If nothing could be compared the p-value is 1; if a rule of thumb decided
    without comparing it is None. `why` describes the comparison in words, `untested` counts those that
    could not be made, and `final` means that the arc is not tested with larger separating sets: other sets
    of the same size may still remove it, and after them nothing does. `drawn` is the number of random numbers
    that the test took, which CTPC counts as work.
    """

    independent: bool
    statistic: float | None
    degrees_of_freedom: float | None
    p_value: float | None
    why: str
    final: bool = False
    untested: int = 0
    drawn: int = 0


class IndependenceTest(Protocol):
    """A test of X ⫫ Y | S for CTPC. It needs this one method; compiled tests also offer a faster one."""

    def test(self, statistics: SufficientStatistics, candidate: int) -> Outcome:
        """Test the candidate against the rest of `statistics.parents`, the separating set."""
