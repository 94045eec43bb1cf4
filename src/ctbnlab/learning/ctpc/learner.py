"""CTPC, the paper's constraint-based learner (its Algorithm 2), one node at a time, and a second search.

U starts as all candidates in the order of their index. For b = 0, 1, … while b < |U|, each Y in U is tested
against the subsets S of the others with b members, in order. The first S given which the target is
independent of Y removes Y from U at once, so that later tests see a shorter list. With `stable` the lists
of a level stay as they were at its beginning, and the order of columns does not matter. `hiton` has the
other search.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.errors import InputError
from ctbnlab.learning.contract import Finish, NodeResult, TwoStage
from ctbnlab.learning.ctpc.evidence import result_of
from ctbnlab.learning.ctpc.hiton import Hiton
from ctbnlab.learning.ctpc.search import Search
from ctbnlab.learning.estimator import Estimator
from ctbnlab.learning.independence.base import IndependenceTest
from ctbnlab.learning.independence.conventions import Conventions, named
from ctbnlab.learning.independence.dirichlet_multinomial import DirichletMultinomial
from ctbnlab.learning.independence.paper_tests import ChiSquare, Combined, KolmogorovSmirnov, WaitingTimes
from ctbnlab.learning.independence.pooled import Pooled
from ctbnlab.learning.independence.table_test import checked_level
from ctbnlab.learning.knowledge import NodeKnowledge
from ctbnlab.learning.plugins import class_in_file, is_file

_TRANSITIONS: dict[str, type[ChiSquare] | type[KolmogorovSmirnov]] = {
    "chi2": ChiSquare,
    "ks": KolmogorovSmirnov,
}
_CALIBRATED = ("pooled", "dm")
_NAMED = (*_TRANSITIONS, *_CALIBRATED)
_SEARCHES = {"pc": Search, "hiton": Hiton}
# A second or two per node; 20 nodes of the paper's design need 1.4 million at most.
_MAX_WORK = 500_000_000
# Of one calibrated test: CTPC drops an arc as soon as one of many tests does not reject.
_CALIBRATED_LEVEL = 0.01


@dataclass(frozen=True, repr=False)
class Ctpc(TwoStage, Estimator):
    """Learns parents by tests of conditional independence.

    `test` is "chi2" or "ks" (how transitions are compared), "pooled" or "dm" (one calibrated test of the
    whole table, at level `alpha`, 0.01 by default), or your own independence test, as an object or a Python
    file with its class, which then has its own levels and conventions. `alpha` sets both levels;
    `alpha_waiting` and `alpha_transitions` set one each. The defaults are 0.1, and 1e-4 for transitions by
    "ks". `max_separating_set` bounds the number of variables conditioned on.

    `max_work` bounds the work for a node, in cells of tables that tests read and random numbers that they
    draw; None lifts the bound. Once it is spent, the arcs that are left stay, a note reports it, and the
    graph may depend on the order of columns even if `stable`.

    `search` is "pc", the paper's, which removes candidates level by level, or "hiton" after HITON-PC
    (Aliferis et al. 2010), which admits them one by one, those most strongly associated with the target
    first, if they are not independent of it given parents admitted before, and tests those again after each
    admission. With "hiton" the order of columns decides between equally strong candidates only, and `stable`
    concerns the tests after an admission alone.

    Required arcs are not tested but may separate; forbidden ones play no part. CTPC itself does not bound
    the number of parents: if more survive than allowed, those with the smallest p-values stay, then those
    with the smallest index. The evidence for a dropped arc is its separating set and the smallest p-value
    of that test; for a kept arc it is the test that came closest to dropping it: its set, and the p-value
    of the comparison that rejected, the largest over all tests.
    """

    citation: ClassVar[str] = (
        "A. Bregoli, M. Scutari, F. Stella: A constraint-based algorithm for the structural learning of "
        "continuous-time Bayesian networks. International Journal of Approximate Reasoning 138 (2021)"
    )

    test: str | IndependenceTest = "chi2"
    conventions: str | Conventions = "paper-2020"
    alpha: float | None = None
    alpha_waiting: float | None = None
    alpha_transitions: float | None = None
    stable: bool = False
    max_separating_set: int | None = None
    max_work: int | None = _MAX_WORK
    search: str = "pc"

    def __post_init__(self) -> None:
        if isinstance(self.test, str) and self.test not in _NAMED and not is_file(self.test):
            raise InputError(
                f"unknown test {self.test!r}; choose {', '.join(_NAMED)}, or give your own file.py"
            )
        if self.search not in _SEARCHES:
            raise InputError(f"unknown search {self.search!r}; choose {' or '.join(_SEARCHES)}")
        named(self.conventions)
        for name in ("alpha", "alpha_waiting", "alpha_transitions"):
            if getattr(self, name) is not None:
                checked_level(getattr(self, name), name)
        if not isinstance(self.stable, bool):
            raise InputError(f"stable must be true or false, not {self.stable!r}")
        for name in ("max_separating_set", "max_work"):
            bound = getattr(self, name)
            if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int) or bound < 0):
                raise InputError(f"{name} must be a whole number of at least 0, not {bound!r}")

    @cached_property
    def independence_test(self) -> IndependenceTest:
        """The test that the search uses."""
        if not isinstance(self.test, str):
            return self.test
        if is_file(self.test):
            found: IndependenceTest = class_in_file(self.test, "test")()
            return found
        if self.test in _CALIBRATED:
            level = _CALIBRATED_LEVEL if self.alpha is None else self.alpha
            # The threshold −ln α of a Bayes factor bounds its level by α.
            return Pooled(level) if self.test == "pooled" else DirichletMultinomial(-math.log(level))
        conventions = named(self.conventions)
        transitions = _TRANSITIONS[self.test]
        alpha_waiting = self.alpha if self.alpha_waiting is None else self.alpha_waiting
        alpha_transitions = self.alpha if self.alpha_transitions is None else self.alpha_transitions
        return Combined(
            WaitingTimes(conventions, *(() if alpha_waiting is None else (alpha_waiting,))),
            transitions(conventions, *(() if alpha_transitions is None else (alpha_transitions,))),
        )

    def prepare(self, statistics: NodeStatistics, knowledge: NodeKnowledge) -> Finish:
        """Test single candidates; subsets of those that are left will be asked for."""
        search = _SEARCHES[self.search](
            self.independence_test,
            statistics,
            knowledge,
            self.stable,
            self.max_separating_set,
            self.max_work,
        )
        search.test_singles()

        def finish() -> NodeResult:
            search.test_with_sets()
            return result_of(search)

        return finish
