"""Tables of people beside visits of the wide and long layouts, and person-period tables."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, given, strategies as st

import ctbnlab
from ctbnlab.data.formats.reading import load
from ctbnlab.errors import InputError
from tests.support import reference_layouts as reference
from tests.support.layout_reading import as_plain, frame_of, read_both_ways
from tests.support.layout_strategies import CUTS, IDS, people, shuffled

WIDE = ("id", "time", "A", "B")
LONG = ("id", "time", "variable", "state")


@st.composite
def visits(draw, repeated=True, missing=True):
    """Draw rows (id, time, state, state) in any order, some at one time."""
    rows = []
    states = st.sampled_from(["x", "x", "y", *[None] * missing])
    for label in draw(IDS):
        time = draw(st.integers(0, 3))
        for _ in range(draw(st.integers(1, 5))):
            rows.append((label, float(time), draw(states), draw(states)))
            time += draw(st.integers(0 if repeated else 1, 2))
    assume(all({row[j] for row in rows} != {None} for j in (2, 3)))
    # Of rows of one time that contradict each other, the wide layout lets the last one count.
    for j in (2, 3):
        known = {(row[0], row[1], row[j]) for row in rows if row[j] is not None}
        assume(len(known) == len({key[:2] for key in known}))
    # Of a table without any two rows of a trajectory, the length of a period is unknown.
    assume(len(rows) > len({row[0] for row in rows}))
    return draw(shuffled(rows))


def expected(rows, *arguments):
    try:
        return reference.visits(rows, "AB", *arguments)
    except reference.Refused:
        return None


@given(visits(), people(), CUTS)
def test_wide(rows, drawn, cuts):
    table, who = drawn
    data = read_both_ways(
        WIDE, rows, cuts, layout="wide", people=table, static="sex", terminal="death", id="id"
    )
    plain = expected(rows, who)
    assert (data and as_plain(data)) == (plain and reference.ended(plain, "death"))


@given(visits(repeated=False), people(), CUTS)
def test_long(rows, drawn, cuts):
    table, who = drawn
    long = [(row[0], row[1], "AB"[j], row[2 + j]) for row in rows for j in (0, 1)]
    long = [row for k, row in enumerate(long) if k % 2 == 0 or row[3] != "x"]  # a variable may have no row
    assume(all({row[3] for row in long if row[2] == name} - {None} for name in "AB"))
    data = read_both_ways(
        LONG, long, cuts, layout="long", people=table, static="sex", terminal="death", id="id"
    )
    given_rows = {(row[0], row[1], row[2]): row[3] for row in long}
    own = {}
    for label in {row[0] for row in long}:
        times = [row[1] for row in long if row[0] == label]
        known = {
            name: [(t, given_rows[label, t, name]) for t in times if (label, t, name) in given_rows]
            for name in "AB"
        }
        own[label] = min(times), max(times), known
    try:
        plain = reference.ended(reference.joined(own, who), "death")
    except reference.Refused:
        plain = None
    assert (data and as_plain(data)) == plain


@given(visits(repeated=False), CUTS)
def test_periods(rows, cuts):
    steps = sorted(
        later - time
        for label in {row[0] for row in rows}
        for times in [sorted(row[1] for row in rows if row[0] == label)]
        for time, later in pairwise(times)
    )
    step = max(steps, key=steps.count)  # the first of several that are equally common: the shortest
    data = read_both_ways(WIDE, rows, cuts, layout="period", id="id")
    assert as_plain(data) == expected(rows, reference.NOBODY, step)


@given(visits(repeated=False), people(), st.sampled_from(["gap", "hold", "error"]))
def test_missing_values(rows, drawn, missing):
    """The last value holds from before the start on; or a gap is refused wherever it is."""
    table, who = drawn
    data = read_both_ways(
        WIDE, rows, layout="wide", people=table, static="sex", terminal="death", id="id", missing=missing
    )
    if missing == "hold":
        filled = {}
        held = []
        for row in sorted(rows, key=lambda row: row[1]):
            last = filled.get(row[0], (None, None))
            filled[row[0]] = tuple(new or old for new, old in zip(row[2:], last, strict=True))
            held.append((*row[:2], *filled[row[0]]))
        rows = held
    plain = expected(rows, who)
    if missing == "error" and plain is not None:
        gaps = [s for _, _, names in plain.values() for states in names.values() for _, s in states]
        plain = None if None in gaps or any(None in row[2:] for row in rows) else plain
        table_has_gaps = any(one["static"]["sex"] is None for one in who.people.values())
        plain = None if table_has_gaps else plain
    assert (data and as_plain(data)) == (plain and reference.ended(plain, "death"))


def test_a_table_of_visits_is_its_own_table_of_people(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("id,time,A,entry,exit,sex\n1,1,x,0,9,f\n1,4,y,0,9,f\n2,2,y,1,5,m\n2,3,y,1,5,m\n")
    data = ctbnlab.read(path, layout="wide", people=path, start="entry", end="exit", static="sex")
    assert as_plain(data) == {
        "1": (0, 9, {"A": [(0, None), (1, "x"), (4, "y")], "sex": [(0, "f")]}),
        "2": (1, 5, {"A": [(1, None), (2, "y")], "sex": [(1, "m")]}),
    }


def test_a_dated_end(tmp_path):
    who = tmp_path / "people.csv"
    who.write_text("id,end,death\n1,2020-01-09,2020-01-07\n2,2020-01-08,\n")
    frame = frame_of(("id", "time", "event"), [("1", "2020-01-01", "a"), ("2", "2020-01-03", "a")])
    plain = as_plain(ctbnlab.read(frame, people=who, terminal="death"))
    assert plain["1"][:2] == (18262, 18268) and plain["1"][2]["death"] == [(18262, "no"), (18268, "yes")]
    assert plain["2"][:2] == (18264, 18269) and plain["2"][2]["death"] == [(18264, "no")]


def test_numbers_as_start_and_end(tmp_path):
    who = tmp_path / "people.csv"
    who.write_text("id,sex\n1,f\n2,m\n")
    frame = frame_of(("id", "time", "event"), [("1", 3, "a"), ("1", 5, "b")])
    data, report = load(frame, people=who, static="sex", start="0", end="7")
    assert as_plain(data) == {
        "1": (0, 7, {"a": [(0, "no"), (3, "yes")], "b": [(0, "no"), (5, "yes")], "sex": [(0, "f")]}),
        "2": (0, 7, {"a": [(0, "no")], "b": [(0, "no")], "sex": [(0, "m")]}),
    }
    assert any("in " in note and "only: nothing happens in them" in note for note in report.notes)


def test_dates_and_numbers_do_not_mix_between_tables(tmp_path):
    who = tmp_path / "people.csv"
    who.write_text("id,start,end\n1,0,9\n")
    frame = frame_of(("id", "time", "event"), [("1", "2020-01-01", "a"), ("1", "2020-01-02", "b")])
    with pytest.raises(InputError, match="times must be of the same kind"):
        ctbnlab.read(frame, people=who)
