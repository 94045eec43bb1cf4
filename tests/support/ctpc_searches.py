"""What tests of CTPC's searches share: drawn searches, and the comparison with a plain program."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st

from ctbnlab.learning.knowledge import NodeKnowledge
from tests.support.reference_ctpc import NAMES
from tests.support.sample_tables import log_uniform_statistics


def transitions_level(test):
    """Return the level of the test of transitions that CTPC takes by default."""
    return 0.1 if test == "chi2" else 1e-4


def assert_equals_reference(result, plain, parents):
    """Check a result against that of the plain reference, evidence included."""
    assert result.parents == parents
    assert result.counts["tests"] == plain.tests
    for evidence in result.evidence:
        j = evidence.candidate
        if j in plain.sets:
            assert evidence.separating_set == plain.sets[j]
            assert evidence.p_value == pytest.approx(plain.p_values[j], rel=1e-10)
            assert not evidence.kept
        elif evidence.p_value is not None:
            p, separating = plain.closest[j]
            assert evidence.p_value == pytest.approx(p, rel=1e-9, abs=1e-290)
            assert evidence.separating_set == separating or p < 1e-280
            assert evidence.kept
        elif evidence.kept and evidence.why != "required":
            assert j not in plain.closest


@st.composite
def searches(draw):
    """Draw statistics with up to five candidates, prior knowledge, options of CTPC and its conventions."""
    n = draw(st.integers(1, 6))
    cardinalities = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    target = draw(st.integers(0, n - 1))
    others = [j for j in range(n) if j != target]
    parents = {j for j in others if rng.random() < 0.5}
    spread = draw(st.sampled_from([0.05, 0.3, 1.0]))
    time = draw(st.sampled_from([0.3, 10, 300]))
    statistics = log_uniform_statistics(rng, cardinalities, target, parents, time, spread)
    roles = [draw(st.sampled_from("ooooorf")) for _ in others]
    known = NodeKnowledge(
        tuple(j for j, role in zip(others, roles, strict=True) if role == "r"),
        tuple(j for j, role in zip(others, roles, strict=True) if role == "o"),
    )
    options = {
        "test": draw(st.sampled_from(["chi2", "ks"])),
        "stable": draw(st.booleans()),
        "max_separating_set": draw(st.sampled_from([None, None, 0, 1, 2])),
        "alpha_waiting": draw(st.sampled_from([0.001, 0.1, 0.3])),
    }
    return statistics, known, options, draw(st.sampled_from(NAMES)), draw(st.sampled_from([0.1, 1, 25]))


class OneMethod:
    """A test that has only the method which the contract demands."""

    def __init__(self, test):
        self.inner = test

    def test(self, statistics, candidate):
        return self.inner.test(statistics, candidate)
