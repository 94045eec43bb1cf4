"""The calibrated tests by name: one test of the whole table, at a level that is the real one."""

from __future__ import annotations

import math

from ctbnlab.learning.independence.base import IndependenceTest
from ctbnlab.learning.independence.dirichlet_multinomial import DirichletMultinomial
from ctbnlab.learning.independence.pooled import Pooled
from ctbnlab.learning.independence.table_test import checked_level

NAMES = ("pooled", "dm")
LEVEL = 0.01  # of one test: CTPC drops an arc as soon as one of many does not reject


def named(name: str, alpha: float | None) -> IndependenceTest:
    """Return the pooled test, or that by Bayes factors, whose threshold −ln α bounds its level by α."""
    level = LEVEL if alpha is None else checked_level(alpha, "alpha")
    return Pooled(level) if name == "pooled" else DirichletMultinomial(-math.log(level))
