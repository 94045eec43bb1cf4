"""Prior knowledge: what is known about each node, and which contradictions are refused."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from ctbnlab.errors import InputError
from ctbnlab.learning.knowledge import Knowledge, NodeKnowledge, parse_arc

NAMES = ("A", "B", "C", "D")
ENDS = st.sampled_from(NAMES)
ARCS = st.sets(st.tuples(ENDS, ENDS).filter(lambda arc: arc[0] != arc[1]))


@given(ARCS, ARCS, st.one_of(st.none(), st.integers(0, 4)))
def test_each_node_gets_the_arcs_into_it(required, forbidden, limit):
    per_node = {b: {a for a, end in required if end == b} for b in NAMES}
    contradiction = required & forbidden or (
        limit is not None and any(len(parents) > limit for parents in per_node.values())
    )
    knowledge = Knowledge.from_arcs(required, forbidden, limit)
    if contradiction:
        with pytest.raises(InputError, match=r"both required and forbidden|max_parents is"):
            knowledge.for_nodes(NAMES)
        return
    for name, node in zip(NAMES, knowledge.for_nodes(NAMES), strict=True):
        assert {NAMES[j] for j in node.required} == per_node[name]
        assert {NAMES[j] for j in node.candidates} == {
            a for a in NAMES if a != name and a not in per_node[name] and (a, name) not in forbidden
        }
        assert list(node.required) == sorted(node.required)
        assert list(node.candidates) == sorted(node.candidates)
        assert node.max_parents == limit
        free = len(node.candidates)
        assert node.max_additions == (free if limit is None else min(free, limit - len(node.required)))


def test_empty_lists_of_arcs_equal_no_knowledge():
    assert Knowledge.from_arcs([], []) == Knowledge()
    assert Knowledge().for_nodes(NAMES)[1] == NodeKnowledge((), (0, 2, 3))


def test_a_star_stands_for_every_variable():
    column = Knowledge.from_arcs(forbidden=[("*", "B")]).for_nodes(NAMES)
    assert column[1].candidates == ()
    assert column[0].candidates == (1, 2, 3)
    row = Knowledge.from_arcs(required=[("A", "*")]).for_nodes(NAMES)
    assert [node.required for node in row] == [(), (0,), (0,), (0,)]
    everything = Knowledge.from_arcs(forbidden=[("*", "*")]).for_nodes(NAMES)
    assert all(node.candidates == () for node in everything)


@pytest.mark.parametrize(
    ("knowledge", "message"),
    [
        (
            Knowledge.from_arcs(required=[("A", "E")]),
            "unknown variable 'E'; the data have A, B",
        ),
        (Knowledge.from_arcs(forbidden=[("E", "*")]), r"forbidden arc E -> \*: unknown variable 'E'"),
        (Knowledge.from_arcs(required=[("A", "A")]), "a variable cannot be its own parent"),
        (Knowledge.from_arcs([("A", "B")], [("*", "B")]), "the arc A -> B is both required and forbidden"),
        (
            Knowledge.from_arcs([("*", "B")], max_parents=2),
            "max_parents is 2, but B needs the parents A, C, D",
        ),
        (Knowledge.from_arcs(max_parents=-1), "max_parents must be at least 0, not -1"),
    ],
)
def test_contradictions_and_unknown_names_are_refused(knowledge, message):
    with pytest.raises(InputError, match=message):
        knowledge.for_nodes(NAMES)


def test_arcs_are_read_from_text():
    assert parse_arc("A->B") == ("A", "B")
    assert parse_arc(" blood pressure -> * ") == ("blood pressure", "*")
    for wrong in ("A", "A->", "->B", "A->B->C", "", "A-B"):
        with pytest.raises(InputError, match="write an arc as A->B"):
            parse_arc(wrong)


def test_a_variable_called_star_is_quoted():
    names = ("*", "A", "B")
    every = Knowledge.from_arcs([parse_arc("*->B")]).for_nodes(names)
    assert [node.required for node in every] == [(), (), (0, 1)]
    one = Knowledge.from_arcs([parse_arc('"*"->B')]).for_nodes(names)
    assert [node.required for node in one] == [(), (), (0,)]
    with pytest.raises(InputError, match=r'required arc "\*" -> B: unknown variable'):
        Knowledge.from_arcs([parse_arc('"*"->B')]).for_nodes(("A", "B"))
    with pytest.raises(InputError, match=r'required arc "\*" -> "\*": a variable cannot be its own parent'):
        Knowledge.from_arcs([parse_arc('"*"->"*"')]).for_nodes(names)


@pytest.mark.parametrize(
    ("count", "listed"), [(8, "A, B, C, D, E, F, G, H"), (9, "A, B, C, D, E, F, G, H, …")]
)
def test_long_lists_of_names_are_shortened(count, listed):
    with pytest.raises(InputError) as raised:
        Knowledge.from_arcs(required=[("Z", "A")]).for_nodes("ABCDEFGHI"[:count])
    assert str(raised.value).endswith(f"the data have {listed}")
