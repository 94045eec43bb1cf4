"""The contract of a test: is the target independent of a candidate, given the other parents?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ctbnlab.counting.sufficient import SufficientStatistics


@dataclass(frozen=True)
class Outcome:
    """What a test found, and the comparison that speaks loudest against independence.

    A test makes many comparisons, one for each state x of the target, value y of the candidate and
    configuration s of the separating set. `p_value` is the smallest of them relative to its level (no
    correction for their number, as in the paper), with its `statistic` and `degrees_of_freedom` (of F:
    those of the sample of (y, s)). Where nothing could be compared the p-value is 1; where a rule of
    thumb decided without comparing it is None. `why` says in words which comparison it was, `untested`
    how many could not be made, and `final` that the arc must never be removed by a later test.
    """

    independent: bool
    statistic: float | None
    degrees_of_freedom: float | None
    p_value: float | None
    why: str
    final: bool = False
    untested: int = 0


class IndependenceTest(Protocol):
    """A test of X ⫫ Y | S for CTPC. One method is all it needs; tests compiled over whole tables offer
    a faster way beside it (see `tables.TableTest`)."""

    def test(self, statistics: SufficientStatistics, candidate: int) -> Outcome:
        """Test the candidate against the rest of `statistics.parents`, the separating set."""
