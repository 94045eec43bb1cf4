"""Event logs, with rules of every kind and without any, against a plain reading of them."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

import ctbnlab
from ctbnlab.data.formats.reading import load
from tests.support import reference_layouts as reference
from tests.support.layout_reading import as_plain, frame_of, read_both_ways
from tests.support.layout_strategies import CUTS, people
from tests.support.log_strategies import logs, rule_files

COLUMNS = ("id", "time", "event", "value", "lifecycle")


def expected(rows, rules, who=reference.NOBODY):
    try:
        return reference.event_log(rows, rules, who)
    except reference.Refused:
        return None


@given(logs(), rule_files(), CUTS)
def test_rules(rows, rules, cuts):
    data = read_both_ways(COLUMNS, rows, cuts, layout="event_log", rules=rules)
    assert as_plain(data) == expected(rows, rules)


@pytest.mark.parametrize("with_lifecycle", [True, False])
@given(st.data())
def test_without_rules(with_lifecycle, data):
    rows = data.draw(logs())
    width = len(COLUMNS) if with_lifecycle else 3
    if not with_lifecycle:
        rows = [(*row[:3], None, None) for row in rows]
    cuts = data.draw(CUTS)
    found = read_both_ways(COLUMNS[:width], [row[:width] for row in rows], cuts, layout="event_log")
    assert as_plain(found) == reference.flag_log(rows)


@given(logs(), rule_files(), people(), CUTS)
def test_people(rows, rules, drawn, cuts):
    table, who = drawn
    data = read_both_ways(
        COLUMNS, rows, cuts, layout="event_log", rules=rules, people=table, static="sex", terminal="death"
    )
    plain = expected(rows, rules, who)
    assert (data and as_plain(data)) == (plain and reference.ended(plain, "death"))


def test_names_that_nothing_matches_are_reported(tmp_path):
    rules = tmp_path / "rules.toml"
    rules.write_text('[variables.A]\never = "onn"\n')
    _, report = load(frame_of(COLUMNS[:3], [("1", 0, "on"), ("1", 2, "off")]), rules=rules)
    assert "no event of the log moves variable 'A'" in report.notes


def test_all_of_a_file_of_rules(tmp_path):
    """The example of the documentation, as TOML."""
    rules = tmp_path / "rules.toml"
    rules.write_text(
        """\
[variables.ventilation]
states = { off = ["extubation"], on = ["intubation"] }
[variables.diabetes]
ever = ["E10*", "E11*"]
[variables.falls]
count = ["fall"]
max = 2
[variables.infection]
within = 30
events = ["infection*"]
[variables.glucose]
value = ["LAB//glucose"]
cut = [70, 180]
[observation]
start = ["admission"]
end = ["discharge", "death"]
"""
    )
    rows = [
        (-40, "infection A", None), (-20, "infection B", None), (-9, "fall", None), (0, "admission", None),
        (1, "LAB//glucose", 70), (2, "intubation", None), (3, "extubation", None), (4, "fall", None),
        (5, "E119", None), (6, "LAB//glucose", 200), (7, "fall", None), (15, "discharge", None),
        (16, "intubation", None),
    ]  # fmt: skip
    data, report = load(
        frame_of(("id", "time", "event", "value"), [("1", *row) for row in rows]), rules=rules
    )
    assert as_plain(data)["1"] == (
        0,
        15,
        {
            "ventilation": [(0, "off"), (2, "on"), (3, "off")],
            "diabetes": [(0, "no"), (5, "yes")],
            "falls": [(0, "1"), (4, "2+")],
            "infection": [(0, "yes"), (10, "no")],
            "glucose": [(0, None), (1, "70-180"), (6, ">=180")],
        },
    )
    assert "1 change comes after the end of observation, left out" in report.notes


def test_variables_choose_rules_and_events(tmp_path):
    rules = tmp_path / "rules.json"
    rules.write_text('{"variables": {"A": {"ever": "on"}, "B": {"ever": "off"}}}')
    frame = frame_of(COLUMNS[:3], [("1", 0, "on"), ("1", 2, "off")])
    assert ctbnlab.read(frame, rules=rules, variables="B").names == ("B",)
    assert ctbnlab.read(frame, layout="event-log", variables=["off"]).names == ("off",)
