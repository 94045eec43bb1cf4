"""Start/stop rows of survival analysis against a plain reading of them."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st

import ctbnlab
from ctbnlab.cli.main import main
from ctbnlab.data.formats.reading import load
from ctbnlab.errors import InputError
from tests.support import reference_layouts as reference
from tests.support.layout_reading import as_plain, frame_of, read_both_ways
from tests.support.layout_strategies import CUTS, IDS, TIMES, people, shuffled

COLUMNS = ("id", "start", "stop", "event", "A", "B")


@st.composite
def start_stop_rows(draw, shortest=1, states=("x", "y", None), back=False):
    """Draw rows (id, start, stop, event, state, state), most of them without overlap."""
    rows = []
    for label in draw(IDS):
        time = draw(TIMES)
        for _ in range(draw(st.integers(1, 5))):
            stop = time + draw(st.integers(shortest, 2))
            event = draw(st.sampled_from(["0", "0", "1", "2"]))
            cells = draw(st.sampled_from(states)), draw(st.sampled_from(states))
            rows.append((label, float(time), float(stop), event, *cells))
            time = stop + draw(st.sampled_from([0, 0, 1, -1 if back else 2]))
    return draw(shuffled(rows))


def known(rows):
    return "0" in {row[3] for row in rows} and all({row[j] for row in rows} != {None} for j in (4, 5))


def expected(rows, who=reference.NOBODY):
    try:
        return reference.start_stop(rows, "AB", "0", who)
    except reference.Refused:
        return None


@given(start_stop_rows(back=True), CUTS)
def test_rows(rows, cuts):
    assume(known(rows))
    data = read_both_ways(COLUMNS, rows, cuts, layout="start_stop")
    assert (data and as_plain(data)) == expected(rows)


@given(start_stop_rows(shortest=0, states=("x", "y")), CUTS)
def test_rows_of_no_length(rows, cuts):
    assume(known(rows))
    data = read_both_ways(COLUMNS, rows, cuts, layout="start_stop")
    assert (data and as_plain(data)) == expected(rows)


@given(start_stop_rows(), people())
def test_people(rows, drawn):
    assume(known(rows))
    table, who = drawn
    data = read_both_ways(COLUMNS, rows, layout="start_stop", people=table, static="sex", terminal="death")
    plain = expected(rows, who)
    assert (data and as_plain(data)) == (plain and reference.ended(plain, "death"))


def test_an_event_at_once_counts():
    data = read_both_ways(COLUMNS, [("1", 3.0, 3.0, "1", "x", "x"), ("2", 0.0, 1.0, "0", "y", "y")],
                          layout="start_stop")  # fmt: skip
    assert as_plain(data)["1"] == (3, 3, {"A": [(3, "x")], "B": [(3, "x")], "event": [(3, "1")]})


def test_repeated_events_are_reported():
    rows = [("1", 0, 1, "1", "x", "x"), ("1", 1, 2, "1", "x", "y"), ("1", 2, 3, "0", "x", "y")]
    data, report = load(frame_of(COLUMNS, rows), layout="start-stop")
    assert as_plain(data)["1"][2]["event"] == [(0, "0"), (1, "1")]
    assert any(note.startswith("1 event repeats an earlier one") for note in report.notes)


def test_variables_do_not_hide_the_event():
    rows = [("1", 0, 1, "1", "x", "x"), ("1", 1, 2, "0", "x", "y")]
    for names, found in (("event", ("event",)), ("B", ("B", "event")), ("B,event", ("B", "event"))):
        data, _ = load(frame_of(COLUMNS, rows), layout="start_stop", variables=names)
        assert data.names == found


def test_a_column_called_death_holds_what_happens_at_the_end_of_a_row():
    rows = [("1", 0, 1, "0", "x", "0"), ("1", 1, 3, "1", "y", "0"), ("2", 0, 4, "0", "x", "1")]
    table = frame_of(("id", "start", "stop", "death", "A", "B"), rows)
    named = frame_of(COLUMNS, rows).rename(columns={"event": "death"})
    data, report = load(table, layout="start-stop")
    assert as_plain(data) == as_plain(load(named, layout="start-stop", event="death")[0])
    assert as_plain(data)["1"][2]["death"] == [(0, "0"), (3, "1")]
    assert any("event 'death'" in note for note in report.notes)
    # A table that names its events has other variables of whatever name, and so has one that leaves it out.
    assert as_plain(load(table, layout="start-stop", event="B")[0])["1"][2]["death"] == [(0, "0"), (1, "1")]
    assert load(table, layout="start-stop", variables="A,B")[0].names == ("A", "B")


def test_of_several_columns_that_could_be_the_event_none_is_taken():
    table = frame_of(("id", "start", "stop", "death", "Died", "B"), [("1", 0, 1, "0", "0", "x")])
    with pytest.raises(InputError, match="could be the event: 'death' and 'Died'; choose with --event"):
        load(table, layout="start-stop")


@pytest.mark.parametrize(("column", "words"), [("death", "--event death"), ("rejected", "--event COLUMN")])
def test_inspect_names_the_event_or_asks_for_it(column, words, tmp_path, capsys):
    path = tmp_path / "rows.csv"
    frame_of(("id", "start", "stop", column, "A"), [("1", 0, 1, "0", "x"), ("1", 1, 3, "1", "y")]).to_csv(
        path, index=False
    )
    assert main(["inspect", str(path)]) == 0
    assert words in capsys.readouterr().out


def survival(event):
    return pd.DataFrame({"id": [1, 2], "start": 0.0, "stop": [3.0, 4.0], "event": event, "sex": ["f", "m"]})


def test_declared_states_of_the_event_are_kept():
    states = {"event": ["censored", "relapse", "death"], "sex": ["m", "f"]}
    data = ctbnlab.read(survival(["censored", "death"]), layout="start-stop", states=states)
    assert dict(data.variables) == {name: tuple(labels) for name, labels in states.items()}


@pytest.mark.parametrize(
    ("states", "message"),
    [
        (["death", "censored"], "the first declared state of 'event' must mean that nothing happened"),
        (["censored", "relapse"], "'death' is not a declared state of variable 'event'"),
    ],
)
def test_declared_states_that_do_not_fit_the_event_are_refused(states, message):
    with pytest.raises(ctbnlab.InputError, match=message):
        ctbnlab.read(survival(["censored", "death"]), layout="start-stop", states={"event": states})


def test_states_that_a_layout_makes_cannot_be_declared_otherwise():
    frame = pd.DataFrame({"id": [1, 2], "variable": ["icu", "icu"], "start": [0, 1], "end": [2, 3]})
    with pytest.raises(ctbnlab.InputError, match="are declared as a, b, but this layout makes no, yes"):
        ctbnlab.read(frame, layout="intervals", states={"icu": ["a", "b"]})
    assert ctbnlab.read(frame, layout="intervals", states={"icu": ["no", "yes"]}).names == ("icu",)
