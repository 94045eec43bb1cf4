"""External commands: how their words are made, and the graph that a list of arcs means."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ctbnlab.errors import InputError
from ctbnlab.learning.arc_list import ListedArc
from ctbnlab.learning.contract import Evidence
from ctbnlab.learning.external import NOT_REPORTED, REPORTED, Command, graph_of_arcs
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.knowledge import Knowledge
from ctbnlab.learning.nodes import LearnerError
from tests.support.simulated_data import simulated

BOTH = "run {data} {arcs}"


def test_words_are_split_as_a_shell_splits_them():
    command = Command("prog 'two words' --x={alpha} \"{data}\" {arcs} '{threads}'", {"alpha": 0.5})
    expected = ["prog", "two words", "--x=0.5", "my data.csv", "$(arcs)", "3"]
    assert command.words("my data.csv", "$(arcs)", 3) == expected


@given(st.text(), st.text())
def test_values_never_become_other_words(value, data):
    words = Command("prog {x} a{x}b {data} {arcs}", {"x": value}).words(data, "{x}")
    assert words == ["prog", value, f"a{value}b", data, "{x}"]


def test_doubled_braces_are_braces():
    command = Command("awk '{{print $1}}' {data} {arcs}")
    assert command.words("d", "a") == ["awk", "{print $1}", "d", "a"]
    assert Command("awk '{ print }' {data} {arcs}").words("d", "a")[1] == "{ print }"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "the command is empty"),
        ("run '{data} {arcs}", {}, "the command cannot be split into words (No closing quotation)"),
        ("run {arcs}", {}, "the command has no {data}, which stands for the file of data"),
        ("run {data}", {}, "the command has no {arcs}"),
        (BOTH, {"alpha": 1}, "the command has no {alpha} for the option 'alpha'"),
        (BOTH + " {alpha}", {}, "the command has {alpha}, but there is no option 'alpha'"),
        (BOTH + " {threads}", {"threads": 2}, "an option of a command cannot be called 'threads'"),
    ],
)
def test_faults_are_reported(text, options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Command(text, options)


def test_an_unknown_format_is_refused():
    with pytest.raises(
        InputError, match="unknown format 'xlsx' for the data of a command; choose wide, long"
    ):
        Command(BOTH, data_format="xlsx")


def test_a_missing_program_is_refused():
    with pytest.raises(InputError, match="the program 'no-such-program' of the command is not found"):
        Command("no-such-program {data} {arcs}").require_program()
    Command("sh -c true {data} {arcs}").require_program()


def test_numbers_are_recorded_as_numbers():
    options = {"a": "0.10", "b": "3", "c": "x", "d": True, "e": "inf", "f": 2.5}
    command = Command("run {data} {arcs} " + " ".join(f"{{{name}}}" for name in options), options)
    recorded = options | {"a": 0.1, "b": 3}
    assert command.parameters == {"command": command.text, "data_format": "wide", **recorded}
    assert command.words()[3] == "0.10"


DATA = simulated(np.random.default_rng(1), [2, 2, 2], [(), (0,), (1,)], 2, 10)
ARCS = [ListedArc(0, 1, 2.5, True), ListedArc(2, 1, 0.5, False), ListedArc(1, 2, None, True)]


def test_a_list_of_arcs_is_a_graph_with_evidence(tmp_path):
    graph = graph_of_arcs(DATA, Command(BOTH), ARCS, Knowledge())
    assert graph.arcs == [("X0", "X1"), ("X1", "X2")]
    assert graph.is_whole
    assert graph.nodes[1].evidence == (
        Evidence(0, True, REPORTED, gain=2.5),
        Evidence(2, False, REPORTED, gain=0.5),
    )
    assert graph.nodes[0].evidence == (Evidence(1, False, NOT_REPORTED), Evidence(2, False, NOT_REPORTED))
    assert graph.nodes[2].evidence[1] == Evidence(1, True, REPORTED)
    assert graph.learner == {"name": "command", "parameters": {"command": BOTH, "data_format": "wide"}}
    graph.write(tmp_path / "graph.json")
    assert LearnedGraph.read(tmp_path / "graph.json") == graph


@pytest.mark.parametrize(
    ("knowledge", "message"),
    [
        (Knowledge.from_arcs([("X2", "X0")]), "the required arc X2 -> X0 is missing"),
        (Knowledge.from_arcs([("X2", "X1")]), "the required arc X2 -> X1 is missing"),
        (Knowledge.from_arcs((), [("*", "X2")]), "the forbidden arc X1 -> X2 is present"),
        (Knowledge.from_arcs(max_parents=0), "X1 has 1 parents; at most 0 are allowed"),
    ],
)
def test_prior_knowledge_must_be_kept(knowledge, message):
    with pytest.raises(LearnerError, match=re.escape(message)):
        graph_of_arcs(DATA, Command(BOTH), ARCS, knowledge)


def test_prior_knowledge_that_is_kept():
    knowledge = Knowledge.from_arcs([("X0", "X1")], [("X2", "*")], max_parents=1)
    assert len(graph_of_arcs(DATA, Command(BOTH), ARCS, knowledge).arcs) == 2
