"""Tables of intervals, with and without states, against a plain reading of them."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, strategies as st

import ctbnlab
from ctbnlab.data.formats.reading import load
from tests.support import reference_layouts as reference
from tests.support.layout_reading import as_plain, frame_of, read_both_ways
from tests.support.layout_strategies import CUTS, IDS, TIMES, people, shuffled

COLUMNS = ("id", "variable", "state", "start", "end")
EPISODES = ("id", "variable", "start", "end")


@st.composite
def interval_rows(draw, states=("x", "y", None), overlapping=False):
    """Draw rows (id, variable, state, start, end), most of them without contradictions."""
    rows = []
    for label in draw(IDS):
        for name in draw(st.sampled_from(["A", "B", "AB"])):
            time = draw(TIMES)
            for _ in range(draw(st.integers(1, 4))):
                end = time + draw(st.integers(0, 3))
                rows.append([label, name, draw(st.sampled_from(states)), float(time), float(end)])
                time = end + draw(st.integers(-2 if overlapping else 0, 2))
            if not draw(st.integers(0, 3)):
                rows[-1][-1] = None
    return draw(shuffled([tuple(row) for row in rows]))


def expected(rows, with_states, who=reference.NOBODY):
    try:
        return reference.intervals(rows, with_states, who)
    except reference.Refused:
        return None


@given(interval_rows(overlapping=True), CUTS)
def test_states(rows, cuts):
    assume(all(any(row[1] == name and row[2] for row in rows) for name in {row[1] for row in rows}))
    assume(all(any(row[1] == name and row[3] != row[4] and row[2] for row in rows) for name in "AB"))
    data = read_both_ways(COLUMNS, rows, cuts, layout="intervals")
    assert (data and as_plain(data)) == expected(rows, True)


@given(interval_rows(states=("",), overlapping=True), CUTS)
def test_episodes(rows, cuts):
    without = [(label, name, start, end) for label, name, _, start, end in rows]
    data = read_both_ways(EPISODES, without, cuts, layout="intervals")
    assert (data and as_plain(data)) == expected(rows, False)


@pytest.mark.parametrize("with_states", [True, False])
@given(st.data())
def test_people(with_states, data):
    rows = data.draw(interval_rows(states=("x", "y") if with_states else ("",)))
    table, who = data.draw(people())
    columns = COLUMNS if with_states else EPISODES
    given_rows = rows if with_states else [(row[0], row[1], *row[3:]) for row in rows]
    found = read_both_ways(
        columns, given_rows, layout="intervals", people=table, static=["sex"], terminal=["death"]
    )
    names = {row[1] for row in rows}
    known = {name for _, name, _, start, end in rows if end is None or end > start}
    assume(not with_states or names == known)
    plain = expected(rows, with_states, who)
    assert (found and as_plain(found)) == (plain and reference.ended(plain, "death"))


def test_a_touching_end_is_no_gap():
    rows = [("1", "A", "x", 0, 2), ("1", "A", "y", 2, 3), ("1", "B", "u", 0, 1), ("1", "B", "u", 2, 3)]
    data, report = load(frame_of(COLUMNS, rows), layout="intervals")
    assert data.gaps == (False, True)
    assert "missing values: 1 gap in 1 variable" in report.notes


def test_intervals_of_no_length_are_left_out():
    rows = [("1", "A", 0, 2), ("1", "A", 3, 3), ("1", "B", 1, 4)]
    data, report = load(frame_of(EPISODES, rows))
    assert as_plain(data)["1"][2]["A"] == [(0, "yes"), (2, "no")]
    assert "left out 1 interval of no length" in report.notes


def test_chosen_variables_of_intervals():
    rows = [("1", "A", 0, 2), ("1", "B", 1, 4)]
    assert as_plain(ctbnlab.read(frame_of(EPISODES, rows), variables="B")) == {
        "1": (0, 4, {"B": [(0, "no"), (1, "yes"), (4, "no")]})
    }
