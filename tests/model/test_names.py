"""Names in options and configs: any name can be written, and is read back as it was."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from ctbnlab.errors import InputError
from ctbnlab.model.names import (
    LiteralName,
    arc_text,
    parse_arc,
    parse_assignments,
    parse_list,
    quoted,
    written_arc,
)

# Mostly the characters that mean something.
NAMES = st.text(st.sampled_from('AB "->=,*→\t') | st.characters(codec="utf-8"), min_size=1, max_size=8)


def literal(name):
    return LiteralName(name) if name == "*" else name


@given(NAMES, NAMES)
def test_arcs_round_trip(source, target):
    arc = literal(source), literal(target)
    assert parse_arc(f"{quoted(source)}->{quoted(target)}") == arc
    assert parse_arc(written_arc(arc)) == arc


@given(st.lists(NAMES, min_size=1))
def test_lists_round_trip(names):
    assert parse_list(",".join(map(quoted, names))) == names
    assert parse_list(" , ".join(map(quoted, names))) == names


@given(st.dictionaries(NAMES, NAMES, min_size=1))
def test_assignments_round_trip(states):
    assert parse_assignments(",".join(f"{quoted(a)}={quoted(b)}" for a, b in states.items())) == states


@given(st.text(st.sampled_from('AB "->=,*')))
def test_every_text_is_read_or_refused(text):
    for parse in (parse_arc, parse_list, parse_assignments):
        try:
            parse(text)
        except InputError as error:
            assert "\n" not in str(error)


@given(NAMES, NAMES)
def test_a_printed_arc_is_one_printable_line(source, target):
    assert arc_text(source, target).isprintable()


@pytest.mark.parametrize(
    ("text", "arc"),
    [
        ("A->B", ("A", "B")),
        (" A -> B ", ("A", "B")),
        ("*->B", ("*", "B")),
        ('"*"->B', (LiteralName("*"), "B")),
        ('"A->B"->"C, D"', ("A->B", "C, D")),
        ('"say ""hi"""->B', ('say "hi"', "B")),
        ('5" pipe->B', ('5" pipe', "B")),
        ("{word}->$(x)", ("{word}", "$(x)")),
    ],
)
def test_arcs(text, arc):
    assert parse_arc(text) == arc


def test_plain_names_are_printed_without_quotes():
    assert arc_text("Full stomach", "Hungry") == "Full stomach -> Hungry"
    assert arc_text("A->B", "\x1b[2J", " → ") == '"A->B" → \\x1b[2J'
    assert arc_text("*", "B") == '"*" -> B'
    assert written_arc(("*", LiteralName("*"))) == '* -> "*"'


def test_assignments_take_labels_with_separators():
    assert parse_assignments('A=x=y,"B,C"="1,5"') == {"A": "x=y", "B,C": "1,5"}
