"""Scores from a user's file: the same graph as the built-in score, and failures that are recorded."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from ctbnlab.cli.main import main
from ctbnlab.data.formats.writing import write
from ctbnlab.errors import InputError
from ctbnlab.learning.ctss.learner import Ctss
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.nodes import LearnerError, learn
from tests.support.sample_tables import tables
from tests.support.simulated_data import random_parents, simulated

EXAMPLE = Path(__file__).parents[3] / "examples/node_bic_score.py"
BIC = '''
import math
from dataclasses import dataclass


@dataclass(frozen=True)
class PlainBic:
    """The paper's BIC, cell by cell."""

    def node_score(self, statistics, n_events):
        total, c = 0.0, statistics.n_states
        for u in range(len(statistics.time)):
            for x in range(c):
                for y in range(c):
                    count, time = statistics.transitions[u, x, y], statistics.time[u, x]
                    if count > 0:
                        total += count * math.log(count / time) - count
        k = c * (c - 1) * math.prod(int(states) for states in statistics.parent_cardinalities)
        return total - k * math.log(max(n_events, 1)) / 2
'''


def graph(data, score, **options):
    return learn(data, Ctss(criterion=str(score), **options)).graph


def same_but_for_rounding(one, other):
    """Whether two graphs have the same parents, reasons, and gains up to the last digits."""
    for first, second in zip(one.nodes, other.nodes, strict=True):
        assert (first.parents, first.counts, first.notes) == (second.parents, second.counts, second.notes)
        for a, b in zip(first.evidence, second.evidence, strict=True):
            assert (a.candidate, a.kept, a.why) == (b.candidate, b.kept, b.why)
            assert a.gain == pytest.approx(b.gain, rel=1e-8, abs=1e-8)


@given(
    st.integers(0, 2**31),
    st.sampled_from(["hill-climbing", "exhaustive"]),
    st.lists(st.integers(2, 3), min_size=2, max_size=4),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_copy_of_bic_gives_the_graph_of_bic(tmp_path, seed, search, cardinalities):
    (tmp_path / "plain.py").write_text(BIC)
    rng = np.random.default_rng(seed)
    data = simulated(rng, cardinalities, random_parents(rng, len(cardinalities), 0.5), 5, 60)
    same_but_for_rounding(
        graph(data, tmp_path / "plain.py", search=search), graph(data, "bic", search=search)
    )


@given(tables(min_states=2))
def test_the_example_is_bic_with_the_transitions_of_the_target(table):
    from ctbnlab.learning.plugins import class_in_file
    from ctbnlab.learning.scores.information import Bic

    expected = Bic().node_score(table, int(table.transitions.sum()))
    found = class_in_file(str(EXAMPLE), "node_score")().node_score(table, 10**9)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def user_score(body):
    return (
        "from dataclasses import dataclass\n\n@dataclass(frozen=True)\nclass Mine:\n"
        f"    def node_score(self, statistics, n_events):\n        {body}\n"
    )


DATA = simulated(np.random.default_rng(1), [2, 2], [(), (0,)], 2, 10)
FAULTS = {
    "raise KeyError('rate')": "X0: KeyError: 'rate'",
    "return float('nan')": "X0: the score must be a finite number, not 'nan'",
    "return float('inf')": "X0: the score must be a finite number, not 'inf'",
    "return None": "X0: the score must be a finite number, not 'None'",
    "return True": "X0: the score must be a finite number, not 'True'",
    "raise SystemExit(0)": "X0: SystemExit: 0",
}


@pytest.mark.parametrize("body", FAULTS)
def test_a_fault_is_the_learner_s(tmp_path, body):
    (tmp_path / "mine.py").write_text(user_score(body))
    with pytest.raises(LearnerError, match=re.escape(FAULTS[body])):
        graph(DATA, tmp_path / "mine.py")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        *list(FAULTS.items())[:2],
        ("__import__('os')._exit(0)", "the learner ended the process with exit status 0"),
    ],
)
def test_a_failure_is_recorded(tmp_path, monkeypatch, capfd, body, reason):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(user_score(body))
    write(DATA, "data.csv")
    command = "learn data.csv --learner ctss --option criterion=mine.py:Mine --record-failures -o graph.json"
    assert main(command.split()) == 0
    failures = LearnedGraph.read("graph.json").failures
    assert [failure.status for failure in failures] == ["failed"] * 2
    assert failures[0].reason == reason


def test_numpy_numbers_are_scores(tmp_path):
    (tmp_path / "mine.py").write_text(
        user_score("import numpy; return numpy.float32(len(statistics.parents))")
    )
    assert len(graph(DATA, tmp_path / "mine.py").arcs) == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.py", "none.py: no such file"),
        ("mine.py:Other", "mine.py: has no class 'Other' with a method node_score"),
        ("bdeu", "unknown score 'bdeu'; choose bde, bic, aic, log-likelihood, or give your own file.py"),
    ],
)
def test_bad_names_are_refused(tmp_path, monkeypatch, name, message):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(user_score("return 0.0"))
    with pytest.raises(InputError, match=re.escape(message)):
        graph(DATA, name)
