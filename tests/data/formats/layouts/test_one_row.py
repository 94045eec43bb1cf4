"""Layouts with one row per person: events by date or number, and sequences of states."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st

import ctbnlab
from ctbnlab.data.formats.reading import load
from ctbnlab.errors import InputError
from tests.support import reference_layouts as reference
from tests.support.layout_reading import as_plain, frame_of, read_both_ways
from tests.support.layout_strategies import CUTS, shuffled

LABELS = ["b", "a", "c", "10", "9"]
MOMENTS = st.one_of(st.none(), st.integers(-1, 8))


def date(day):
    return None if day is None else str(pd.Timestamp("1970-01-05") + pd.Timedelta(days=day))[:10]


@st.composite
def persons(draw, odd=True):
    """Draw rows: relapse with a time, `rel` with a time and a status, `outcome` at the end, a static sex.

    Rows that are `odd` may have no start or end, or end before they start.
    """
    rows = []
    for label in LABELS[: draw(st.integers(1, 5))]:
        start = draw(st.integers(0, 2))
        relapse, rel = draw(MOMENTS), draw(MOMENTS)
        status, outcome = draw(st.sampled_from(["0", "1", "2"])), draw(st.sampled_from(["alive", "dead"]))
        start = None if odd and not draw(st.integers(0, 9)) else start
        end = None if odd and not draw(st.integers(0, 9)) else draw(st.integers(0 if odd else 2, 7))
        rows.append(
            {
                "id": label,
                "start": start,
                "end": end,
                "static": {"sex": draw(st.sampled_from(["f", "m", None]))},
                "event": {
                    "relapse": (relapse, None if relapse is None else "yes"),
                    "rel": (rel, None if status == "0" else status),
                    "outcome": (end, None if outcome == "alive" else outcome),
                },
            }
        )
    assume(all("0" in {row["event"]["rel"][1] or "0" for row in rows} for _ in rows))
    assume(any(row["event"]["outcome"][1] is None for row in rows))
    assume(any(row["static"]["sex"] for row in rows))
    assume(any(row["start"] is not None for row in rows) and any(row["end"] is not None for row in rows))
    assume(any(row["event"]["relapse"][0] is not None for row in rows))
    return draw(shuffled(rows))


def table(rows, moment):
    """Return the columns and rows of a table, with times as `moment` makes them."""
    columns = ("id", "start", "end", "sex", "relapse", "rel", "rel.s", "outcome")
    return columns, [
        (
            row["id"], moment(row["start"]), moment(row["end"]), row["static"]["sex"],
            moment(row["event"]["relapse"][0]), moment(row["event"]["rel"][0]),
            row["event"]["rel"][1] or "0", row["event"]["outcome"][1] or "alive",
        )
        for row in rows
    ]  # fmt: skip


def expected(rows):
    try:
        plain = reference.person(rows, {"relapse": "no", "rel": "0", "outcome": "alive"}, ["sex"])
    except reference.Refused:
        return None
    return reference.ended(plain, "outcome")


def number(value):
    return None if value is None else float(value)


@given(persons() | persons(odd=False), CUTS)
def test_numbers(rows, cuts):
    columns, cells = table(rows, number)
    data = read_both_ways(columns, cells, cuts, layout="person", event="relapse", terminal="outcome")
    assert (data and as_plain(data)) == expected(rows)
    if data:
        assert data.roles.static == ("sex",) and data.roles.terminal == ("outcome",)


@given(persons() | persons(odd=False))
def test_dates(rows):
    assume(any(row["event"]["rel"][0] is not None for row in rows))
    columns, cells = table(rows, date)
    try:
        found = ctbnlab.read(frame_of(columns, cells), layout="person", terminal="outcome")
    except InputError:
        assert expected(rows) is None
        return
    shifted = {
        label: (start - 4, end - 4, {name: [(t - 4, s) for t, s in p] for name, p in states.items()})
        for label, (start, end, states) in as_plain(found).items()
    }
    assert shifted == expected(rows)


def test_numbers_start_at_0_without_a_start():
    frame = frame_of(("id", "end", "relapse"), [("1", 5.0, 2.0), ("2", 4.0, None)])
    data, report = load(frame, layout="person", event="relapse")
    assert as_plain(data) == {
        "1": (0, 5, {"relapse": [(0, "no"), (2, "yes")]}),
        "2": (0, 4, {"relapse": [(0, "no")]}),
    }
    assert "observation starts at 0" in report.notes


def test_rows_without_labels_are_counted():
    frame = frame_of(("end", "relapse"), [(5.0, 2.0), (4.0, None)])
    assert ctbnlab.read(frame, layout="person", event="relapse").ids == ["1", "2"]


@pytest.mark.parametrize("status", ["end.s", "end_status", "end.event"])
def test_what_happens_at_the_end(status):
    frame = frame_of(("id", "end", status), [("1", 5.0, "dead"), ("2", 4.0, "censored")])
    plain = as_plain(ctbnlab.read(frame, layout="person"))
    assert plain["1"][2] == {"end": [(0, "censored"), (5, "dead")]}
    assert plain["2"][2] == {"end": [(0, "censored")]}


def test_a_birth_is_no_event():
    frame = frame_of(("id", "start", "end", "birth", "relapse"),
                     [("1", "2020-01-01", "2020-01-09", "1990-01-01", "2020-01-05"),
                      ("2", "2020-01-02", "2020-01-09", "1991-01-01", None)])  # fmt: skip
    assert ctbnlab.read(frame, layout="person").names == ("relapse",)
    data, report = load(frame, layout="person", clock="age:10957")
    assert data.names == ("relapse", "age")
    assert report.births == [7305.0, 7670.0]


STATES = st.sampled_from(["x", "y", None])


@st.composite
def sequences(draw):
    n_periods = draw(st.integers(2, 4))
    labels = LABELS[: draw(st.integers(1, 5))]
    rows = [(label, *(draw(STATES) for _ in range(n_periods + 1))) for label in labels]
    assume(any(cell for row in rows for cell in row[1:-1]) and any(row[-1] for row in rows))
    return n_periods, draw(shuffled(rows))


@given(sequences(), CUTS)
def test_sequences(drawn, cuts):
    n_periods, rows = drawn
    columns = ("id", *(f"m{k}" for k in range(n_periods)), "sex")
    data = read_both_ways(columns, rows, cuts, layout="sequence", start="m0", end=f"m{n_periods - 1}")
    assert as_plain(data) == reference.sequence(rows, n_periods, ["sex"])
    assert data.roles.static == ("sex",)


def late_relapse(container, folder):
    """Return 1,500 people of whom the last but one is the first to relapse, as the container has them."""
    frame = pd.DataFrame({"id": range(1500), "end": "2021-01-01", "start": "2020-01-01", "relapse": None})
    frame.loc[1498, "relapse"] = "2020-06-01"
    frame["relapse"] = frame["relapse"].astype(object)
    if container == "frame":
        return frame
    path = folder / f"people.{container}"
    if container == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.astype(str).replace({"None": None, "nan": None}).to_parquet(path)
    return path


@pytest.mark.parametrize("container", ["csv", "parquet", "frame"])
def test_a_column_of_dates_may_be_empty_at_first(container, tmp_path):
    data = ctbnlab.read(late_relapse(container, tmp_path), layout="person")
    assert [tuple(variable) for variable in data.variables] == [("relapse", ("no", "yes"))]
    assert data.n_events == 1
