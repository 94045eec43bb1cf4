"""The table of metrics: rows survive a round trip, and faults are reported with their place."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ctbnlab.errors import InputError
from ctbnlab.evaluation.results_table import COLUMNS, SCHEMA, read_metrics, write_metrics
from tests.support.synthetic_metrics import row


def test_round_trip_is_sorted_and_the_same_bytes(tmp_path):
    rows = [row(replicate=i, learner=name) for i in (2, 0, 1) for name in ("b", "a")]
    rows.append(row(learner="c", status="failed", reason="ValueError: no"))
    write_metrics(rows, tmp_path / "one.parquet")
    write_metrics(rows[::-1], tmp_path / "two.parquet")
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()
    frame = read_metrics(tmp_path / "one.parquet")
    assert tuple(frame.columns) == COLUMNS
    found = list(zip(frame["replicate"], frame["learner"], strict=True))
    assert found == [(0, "a"), (0, "b"), (0, "c"), (1, "a"), (1, "b"), (2, "a"), (2, "b")]
    failed = frame[frame["status"] == "failed"].iloc[0]
    assert pd.isna(failed["f1"])
    assert failed["reason"] == "ValueError: no"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "the table has no rows"),
        ([row() | {"colour": "red"}], "row 0: the row has an unknown column 'colour'"),
        ([{k: v for k, v in row().items() if k != "nodes"}], "row 0: the row has no 'nodes'"),
        ([row() | {"nodes": "five"}], "which is not of the type"),
        ([row() | {"density": None}], "has no density"),
        ([row() | {"status": "gone"}], r"row 0 \(ctss\): unknown status 'gone'; known: done"),
        ([row() | {"true_positives": None}], "done, but has no counts"),
        ([row(options="[1]")], "options are not a JSON object"),
        ([row(timed="wall")], "timed must be thread or process, not 'wall'"),
        ([row(states="two")], "states must be written as 2 or 2,3,4"),
        ([row(curve_true_positives=[2])], "two lists of rising counts"),
        ([row(curve_true_positives=[2], curve_false_positives=[])], "two lists of rising counts"),
        ([row(curve_true_positives=[2, 1], curve_false_positives=[0, 1])], "two lists of rising counts"),
        ([row(curve_true_positives=[-2], curve_false_positives=[0])], "two lists of rising counts"),
        ([row(curve_true_positives=[True], curve_false_positives=[0])], "has True in the column"),
        ([row(curve_true_positives=[2**70], curve_false_positives=[0])], "that is too large"),
        ([row(), row()], r"row 1 \(ctss\): has the same network and learner as row 0"),
    ],
)
def test_faults_are_reported(tmp_path, rows, message):
    with pytest.raises(InputError, match=rf"m\.parquet: .*{message}|m\.parquet: {message}"):
        write_metrics(rows, tmp_path / "m.parquet")
    assert not list(tmp_path.iterdir())


def test_curves_survive_a_round_trip(tmp_path):
    given = row(average_precision=0.75, curve_true_positives=[1, 4], curve_false_positives=[0, 16])
    write_metrics([given, row(learner="b")], tmp_path / "m.parquet")
    frame = read_metrics(tmp_path / "m.parquet").set_index("learner")
    assert list(frame.loc["ctss", "curve_true_positives"]) == [1, 4]
    assert list(frame.loc["ctss", "curve_false_positives"]) == [0, 16]
    assert frame.loc["ctss", "average_precision"] == 0.75
    assert frame.loc["b", "curve_true_positives"] is None


def test_tables_of_version_1_are_read_without_the_ranking(tmp_path):
    path = tmp_path / "m.parquet"
    new = ["average_precision", "roc_auc", "curve_true_positives", "curve_false_positives"]
    old = {b"ctbnlab": b'{"format": "ctbnlab.metrics", "version": 1}'}
    table = pa.Table.from_pylist([row()], SCHEMA).drop_columns(new).replace_schema_metadata(old)
    pq.write_table(table, path)
    frame = read_metrics(path)
    assert tuple(frame.columns) == COLUMNS
    assert frame[new].isna().all(axis=None)
    pq.write_table(table.replace_schema_metadata(SCHEMA.metadata), path)
    with pytest.raises(InputError, match="no column 'average_precision'"):
        read_metrics(path)


def test_damaged_and_foreign_files_are_reported(tmp_path):
    path = tmp_path / "m.parquet"
    write_metrics([row()], path)
    whole = path.read_bytes()
    for content in (b"", whole[:-20], whole[:100], b"PAR1" + bytes(100), b"a,b\n1,2\n"):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"m\.parquet: .*(empty|truncated|not a Parquet)"):
            read_metrics(path)
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(InputError, match="not a table of metrics"):
        read_metrics(path)
    other = {**SCHEMA.metadata, b"ctbnlab": b'{"format": "ctbnlab.metrics", "version": 99}'}
    pq.write_table(pa.Table.from_pylist([row()], SCHEMA.with_metadata(other)), path)
    with pytest.raises(InputError, match="has version 99 of the table, but version 2 is needed"):
        read_metrics(path)
    short = pa.Table.from_pylist([row()], SCHEMA).drop_columns(["f1"])
    pq.write_table(short, path)
    with pytest.raises(InputError, match="no column 'f1'"):
        read_metrics(path)
