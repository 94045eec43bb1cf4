"""One test object under several threads gives the outcomes of one thread."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.learning.independence.conventions import NAMED
from ctbnlab.learning.independence.paper_tests import ChiSquare, Combined, KolmogorovSmirnov, WaitingTimes
from tests.support.sample_tables import without_empty_rows

THREADS = 2
ROUNDS = 100
# The target's cardinality and its parents'.
SHAPES = [(2, (2, 2)), (3, (3, 2, 2)), (4, (2, 4, 3)), (5, (4, 3)), (2, (5, 2, 3, 2)), (3, (2, 2, 3, 2, 2))]


def sparse_table(rng: np.random.Generator, c: int, parents: tuple[int, ...]) -> SufficientStatistics:
    """Return a table of rates near each other, half of its configurations missing."""
    rows = int(np.prod(parents))
    values = np.zeros((rows, c, c + 1))
    values[:, :, 0] = rng.exponential(20.0, (rows, c)) * (rng.random((rows, 1)) < 0.5)
    rates = rng.uniform(1, 1.3, (rows, c, c)) * (1 - np.eye(c))
    values[:, :, 1:] = rng.poisson(rates * values[:, :, :1])
    table = SufficientStatistics(0, tuple(range(1, len(parents) + 1)), parents, values)
    return without_empty_rows(table)


@pytest.fixture
def _eager_switching():
    """Let threads take turns as often as the interpreter allows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_eager_switching")
@pytest.mark.parametrize("conventions", ["paper-2020", "paper-2021", "corrected"])
@pytest.mark.parametrize("transitions", [ChiSquare, KolmogorovSmirnov])
def test_threads_share_one_test(transitions, conventions):
    """Each test object makes 11,400 decisions: 19 questions × 3 ways of asking × 100 rounds × 2 threads."""
    rng = np.random.default_rng(7)
    tables = [sparse_table(rng, c, parents) for c, parents in SHAPES]
    questions = [(table, candidate) for table in tables for candidate in table.parents]
    rules = NAMED[conventions]
    test = Combined(WaitingTimes(rules), transitions(rules))
    expected = [outcomes(test, table, candidate) for table, candidate in questions]
    together = Barrier(THREADS)

    def differences(thread: int) -> int:
        order = np.random.default_rng(thread)
        together.wait()
        count = 0
        for _ in range(ROUNDS):
            for k in order.permutation(len(questions)):
                count += outcomes(test, *questions[k]) != expected[k]
        return count

    with ThreadPoolExecutor(THREADS) as pool:
        assert sum(pool.map(differences, range(THREADS))) == 0


def outcomes(test: Combined, table: SufficientStatistics, candidate: int) -> tuple[object, ...]:
    """Return all that a test can be asked about one candidate."""
    return (
        test.verdicts(table, [candidate], [-1.0]),
        test.decide(table, candidate),
        test.test(table, candidate),
    )
