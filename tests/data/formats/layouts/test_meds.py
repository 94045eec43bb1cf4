"""MEDS: rows without a time, births, deaths, against a plain reading of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import assume, given, strategies as st

import ctbnlab
from ctbnlab.cli.main import main
from ctbnlab.data.formats.reading import load
from tests.support import reference_layouts as reference
from tests.support.layout_reading import as_plain, frame_of, read_both_ways
from tests.support.layout_strategies import CUTS
from tests.support.log_strategies import logs, rule_files

COLUMNS = ("subject_id", "time", "code", "numeric_value")
CODES = ("on", "off", "E10", "MEDS_BIRTH", "MEDS_DEATH", "SEX//f")


@st.composite
def meds(draw):
    rows = [(*row[:4], None) for row in draw(logs(CODES, timeless=True))]
    assume(any(row[2] != "MEDS_BIRTH" for row in rows))
    return rows


def without_lifecycle(rows):
    return [row[:4] for row in rows]


@given(meds(), CUTS)
def test_without_rules(rows, cuts):
    data = read_both_ways(COLUMNS, without_lifecycle(rows), cuts, layout="meds")
    plain = reference.flag_log(rows, birth="MEDS_BIRTH", death="MEDS_DEATH")
    deaths = any(row[2] == "MEDS_DEATH" for row in rows)
    assert data.roles.terminal == (("death",) if deaths else ())
    assert as_plain(data) == (reference.ended(plain, "death") if deaths else plain)


@given(meds(), rule_files(), CUTS)
def test_rules(rows, rules, cuts):
    data = read_both_ways(COLUMNS, without_lifecycle(rows), cuts, layout="meds", rules=rules)
    assert as_plain(data) == reference.event_log(rows, rules, birth="MEDS_BIRTH")
    assert data.roles.terminal == ()


@given(meds())
def test_births(rows):
    _, report = load(frame_of(COLUMNS, without_lifecycle(rows)), layout="meds")
    born = {}
    for label, time, code, *_ in rows:
        if code == "MEDS_BIRTH" and time is not None:
            born[label] = min(time, born.get(label, time))
    ids = ctbnlab.read(frame_of(COLUMNS, without_lifecycle(rows)), layout="meds").ids
    found = report.births or [np.nan] * len(ids)
    assert {label: time for label, time in zip(ids, found, strict=True) if not np.isnan(time)} == born


def test_a_store_ends_at_death(tmp_path):
    """Rows after a death are left out, whatever the table of people says of the end."""
    rows = [("1", 0, "a", None), ("1", 2, "MEDS_DEATH", None), ("1", 3, "b", None), ("2", 0, "a", None)]
    frame_of(COLUMNS, rows).to_csv(tmp_path / "d.csv", index=False)
    (tmp_path / "people.csv").write_text("subject_id,end\n1,9\n2,8\n")
    for words, ends in (([], [2, 0]), ([f"--people={tmp_path / 'people.csv'}"], [2, 8])):
        assert main(["convert", str(tmp_path / "d.csv"), str(tmp_path / "d.arrow"), *words]) == 0
        data = ctbnlab.read(tmp_path / "d.arrow")
        assert data.end.tolist() == ends and data.roles.terminal == ("death",)
        assert as_plain(data)["1"][2]["b"] == [(0, "no")]


def test_the_types_of_the_standard():
    time = pa.array([None, 0, 10**6 * 86_400 * 366, 10**6 * 86_400 * 400], pa.timestamp("us"))
    table = pa.table(
        {
            "subject_id": pa.array([7, 7, 7, 7], pa.int64()),
            "time": time,
            "code": ["SEX//f", "MEDS_BIRTH", "E10", "MEDS_DEATH"],
            "numeric_value": pa.array([None, None, 1.5, None], pa.float32()),
        }
    )
    data, report = load(table, clock="age:370")
    assert as_plain(data)["7"] == (
        366,
        400,
        {
            "E10": [(366, "yes")],
            "SEX//f": [(366, "yes")],
            "death": [(366, "no"), (400, "yes")],
            "age": [(366, "<370"), (370, ">=370")],
        },
    )
    assert report.births == [0.0]
