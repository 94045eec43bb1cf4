"""A test object shared by several threads gives the same outcomes as in one thread."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.learning.independence.conventions import NAMED
from ctbnlab.learning.independence.paper_tests import ChiSquare, Combined, KolmogorovSmirnov, WaitingTimes
from tests.support.sample_tables import table_of, without_empty_rows

THREADS = 2
ROUNDS = 100
# The cardinalities of the target and of its parents.
SHAPES = [(2, (2, 2)), (3, (3, 2, 2)), (4, (2, 4, 3)), (5, (4, 3)), (2, (5, 2, 3, 2)), (3, (2, 2, 3, 2, 2))]


def sparse_table(rng: np.random.Generator, c: int, parents: tuple[int, ...]) -> SufficientStatistics:
    """Return a table of similar rates in which half of the configurations never occur."""
    rows = int(np.prod(parents))
    values = np.zeros((rows, c, c + 1))
    values[:, :, 0] = rng.exponential(20.0, (rows, c)) * (rng.random((rows, 1)) < 0.5)
    rates = rng.uniform(1, 1.3, (rows, c, c)) * (1 - np.eye(c))
    values[:, :, 1:] = rng.poisson(rates * values[:, :, :1])
    return without_empty_rows(table_of(values, parents))


@pytest.fixture
def _frequent_switching():
    """Switch between threads as often as the interpreter allows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_frequent_switching")
@pytest.mark.parametrize("conventions", ["paper-2020", "paper-2021", "corrected"])
@pytest.mark.parametrize("transitions", [ChiSquare, KolmogorovSmirnov])
def test_threads_can_share_a_test(transitions, conventions):
    """Each test object makes 11,400 decisions: 19 questions × 3 methods × 100 rounds × 2 threads."""
    rng = np.random.default_rng(7)
    tables = [sparse_table(rng, c, parents) for c, parents in SHAPES]
    questions = [(table, candidate) for table in tables for candidate in table.parents]
    rules = NAMED[conventions]
    test = Combined(WaitingTimes(rules), transitions(rules))
    expected = [outcomes(test, table, candidate) for table, candidate in questions]
    start = Barrier(THREADS)

    def differences(thread: int) -> int:
        order = np.random.default_rng(thread)
        start.wait()
        count = 0
        for _ in range(ROUNDS):
            for k in order.permutation(len(questions)):
                count += outcomes(test, *questions[k]) != expected[k]
        return count

    with ThreadPoolExecutor(THREADS) as pool:
        assert sum(pool.map(differences, range(THREADS))) == 0


def outcomes(test: Combined, table: SufficientStatistics, candidate: int) -> tuple[object, ...]:
    """Return the results of all methods of a test for one candidate."""
    return (
        test.verdicts(table, [candidate], [-1.0]),
        test.decide(table, candidate),
        test.test(table, candidate),
    )
