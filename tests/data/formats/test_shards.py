"""Folders of Parquet or CSV files are read as one table, and faults name the file."""

from __future__ import annotations

import os
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st

import ctbnlab
from ctbnlab.cli.main import main
from ctbnlab.data.formats.reading import load, size_of, variable_names
from ctbnlab.data.formats.shards import ShardedSource, container_of, shards_of
from ctbnlab.data.formats.writing import convert
from ctbnlab.errors import InputError
from ctbnlab.workflow.watching import inputs, stamps
from tests.support.sample_trajectories import two_trajectories
from tests.support.strategies import trajectories

ROWS = {
    "subject_id": [1, 1, 1, 2, 2, 3, 3],
    "time": [None, *(datetime(2024, 1, day) for day in (1, 2, 1, 2, 5, 7))],
    "code": ["SEX", "A", "B", "A", "B", "A", "B"],
    "numeric_value": [1.0, None, 2.5, None, None, 4.0, None],
}
MEDS = pa.schema(
    [
        ("subject_id", pa.int64()),
        ("time", pa.timestamp("us")),
        ("code", pa.string()),
        ("numeric_value", pa.float32()),
    ]
)
TABLE = pa.table(ROWS, MEDS)


def spread(table, folder, files):
    """Write the rows of a table to files, some to each."""
    first = 0
    for name, count in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table.slice(first, count), folder / name)
        first += count
    return folder


@pytest.fixture
def meds(tmp_path):
    files = {"held_out/0.parquet": 0, "train/2.parquet": 3, "train/10.parquet": 2, "tuning/0.parquet": 2}
    return spread(TABLE, tmp_path / "data", files)


def rows_of(source, numbers, labels):
    found = {name: [] for name in (*numbers, *labels)}
    rows = []
    for chunk in source.chunks(numbers, labels):
        rows += chunk.rows.tolist()
        for name in numbers:
            found[name] += chunk.numbers[name].tolist()
        for name in labels:
            column = chunk.labels[name]
            found[name] += [column.texts[k] for k in column.indices.tolist()]
    assert rows == list(range(len(rows)))
    return found


def test_files_are_one_table(meds):
    source = ShardedSource(meds, "parquet")
    assert source.columns == list(ROWS)
    found = rows_of(source, ["time", "numeric_value"], ["subject_id", "code"])
    assert found["subject_id"] == [str(value) for value in ROWS["subject_id"]]
    assert found["code"] == ROWS["code"]
    np.testing.assert_array_equal(found["time"], [np.nan, 19723, 19724, 19723, 19724, 19727, 19729])
    expected = [np.nan if value is None else value for value in ROWS["numeric_value"]]
    np.testing.assert_array_equal(found["numeric_value"], expected)
    assert source.place(0) == "train/2.parquet: row 1"
    assert source.place(3) == "train/10.parquet: row 1"
    assert source.place(6) == "tuning/0.parquet: row 2"
    sample = source.sample()
    assert [sample["code"].texts[k] for k in sample["code"].indices.tolist()] == ["SEX", "A", "B"]


def test_natural_order_and_what_is_left_out(tmp_path):
    names = [
        "b/1.parquet",
        "a10/0.parquet",
        "a2/x.parquet",
        "10.parquet",
        "9.parquet",
        "09.parquet",
        "A.PARQUET",
    ]
    left_out = [".hidden.parquet", "_delta/0.parquet", ".git/0.parquet", "_metadata.parquet", "notes.txt"]
    for name in [*names, *left_out]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "loop").symlink_to(tmp_path)
    assert shards_of(tmp_path, "parquet") == [
        *("09.parquet", "9.parquet", "10.parquet", "A.PARQUET"),
        *("a2/x.parquet", "a10/0.parquet", "b/1.parquet"),
    ]
    assert container_of(tmp_path) == "parquet"


@given(trajectories(), st.lists(st.integers(0, 5), max_size=5), st.sampled_from(["parquet", "csv"]))
def test_a_folder_reads_like_the_file_it_was_cut_from(tmp_path_factory, data, cuts, container):
    folder = tmp_path_factory.mktemp("shards")
    whole = folder / f"whole.{container}"
    states = {variable.name: variable.states for variable in data.variables}
    try:
        ctbnlab.write(data, whole, format="wide")
        expected = ctbnlab.read(whole, states=states)
    except InputError:  # a name that the layout reserves, or a label that a CSV file cannot hold
        return
    parts = folder / "parts"
    parts.mkdir()
    if container == "csv":
        header, *lines = whole.read_text().splitlines(keepends=True)
    else:
        table = pq.read_table(whole)
        lines = range(table.num_rows)
    bounds = sorted({0, *(min(cut * 3, len(lines)) for cut in cuts), len(lines)})
    for k, (first, last) in enumerate(pairwise(bounds)):
        if container == "csv":
            (parts / f"{k}.csv").write_text(header + "".join(lines[first:last]))
        else:
            pq.write_table(table.slice(first, last - first), parts / f"{k}.parquet")
    assert ctbnlab.read(parts, states=states).equals(expected)


def test_csv_shards_of_different_separators(tmp_path):
    (tmp_path / "1.csv").write_text("id,time,A\n1,0,x\n1,1,y\n")
    (tmp_path / "2.csv").write_text("id;time;A\n1;2;x\n2;0;x\n\n2;x;y\n")
    with pytest.raises(InputError) as caught:
        ctbnlab.read(tmp_path)
    assert str(caught.value) == f"{tmp_path}: 2.csv: line 5: the time 'x' is not a number"
    (tmp_path / "2.csv").write_text("id;time;A\n1;2;x\n2;0;x\n2;2;y\n")
    assert ctbnlab.read(tmp_path).ids == ["1", "2"]
    assert variable_names(tmp_path) == ["A"]
    seen = []
    load(tmp_path, progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == size_of(tmp_path) > 0


def test_faults_of_rows_name_the_file(tmp_path):
    spread(
        pa.table({"id": [1, 1, 2, 2], "time": [0.0, 1.0, 0.0, None], "A": ["x", "y", "x", "y"]}),
        tmp_path,
        {"a/1.parquet": 2, "a/2.parquet": 2},
    )
    with pytest.raises(InputError) as caught:
        ctbnlab.read(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}: a/2.parquet: row 2: ")


def other(table):
    return lambda folder: pq.write_table(table, folder / "train/3.parquet")


def cut_file(folder):
    path = folder / "train/2.parquet"
    path.write_bytes(path.read_bytes()[:-9])


BROKEN = {
    "no column": (
        other(TABLE.drop_columns(["code"])),
        "train/3.parquet: has no column 'code', unlike held_out/0.p",
    ),
    "another column": (
        other(TABLE.append_column("unit", [["x"] * 7])),
        "train/3.parquet: has a column 'unit', unlike held_out/0.parquet; name a folder of one table",
    ),
    "another type": (
        other(TABLE.set_column(0, "subject_id", [[1.0] * 7])),
        "train/3.parquet: column 'subject_id' holds double, and int64 in held_out/0.parquet",
    ),
    "column twice": (
        other(pa.Table.from_arrays([*TABLE.columns, TABLE["code"]], [*ROWS, "code"])),
        "train/3.parquet: column 'code' appears twice",
    ),
    "truncated": (cut_file, "train/2.parquet: is truncated or not a Parquet file"),
    "empty file": (
        lambda folder: (folder / "train/2.parquet").write_bytes(b""),
        "train/2.parquet: the file is empty",
    ),
    "no Parquet": (
        lambda folder: (folder / "train/x.parquet").write_text("code,time\n"),
        "train/x.parquet: is truncated or not a Parquet file",
    ),
    "trajectories": (
        lambda folder: ctbnlab.write(two_trajectories(), folder / "train/3.parquet"),
        "train/3.parquet: holds trajectories, not a part of a table; read this file alone",
    ),
    "both kinds": (lambda folder: (folder / "a.csv").touch(), "holds .parquet and .csv files"),
    "damaged states": (
        other(TABLE.replace_schema_metadata({"ctbnlab.states": "{"})),
        "train/3.parquet: the recorded states are damaged",
    ),
    "other states": (
        other(TABLE.replace_schema_metadata({"ctbnlab.states": '{"A": ["x", "y"]}'})),
        "train/3.parquet: records other states than held_out/0.parquet",
    ),
}


@pytest.mark.parametrize(("damage", "message"), BROKEN.values(), ids=BROKEN)
def test_broken_folders_get_one_line(damage, message, meds):
    damage(meds)
    with pytest.raises(InputError) as caught:
        ctbnlab.read(meds, format="wide")
    shown = str(caught.value)
    assert shown.startswith(f"{meds}: {message}") and shown.count("\n") == 0


CSV = {
    "another header": (
        {"1.csv": "id,time,A\n", "2.csv": "id,time,B\n"},
        "2.csv: has no column 'A', unlike 1.csv",
    ),
    "no header": ({"1.csv": "id,time,A\n", "2.csv": ""}, "2.csv: the file is empty"),
    "fields": (
        {"1.csv": "id,time,A\n1,0,x\n", "2.csv": "id,time,A\n1,1\n"},
        "2.csv: line 2: has 2 fields instead of 3",
    ),
    "no files": ({"notes.txt": "A"}, "is a folder without .parquet or .csv files; name a file to read"),
    "nothing": ({}, "is a folder without .parquet or .csv files; name a file to read"),
    "no gzip": ({"1.csv.gz": "\x1f"}, "1.csv.gz: line 1: the header has only one column"),
}


@pytest.mark.parametrize(("files", "message"), CSV.values(), ids=CSV)
def test_broken_folders_of_csv(files, message, tmp_path):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        ctbnlab.read(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}: {message}")


def test_types_with_the_same_labels_are_alike(tmp_path):
    for k, column in enumerate(
        (
            pa.array([None, None]),
            pa.array(["x", "y"]),
            pa.array(["x", "y"]).dictionary_encode(),
            pa.array(["x", "y"], pa.large_string()),
        )
    ):
        table = pa.table({"id": [k, k], "time": [0.0, 1.0], "A": column})
        pq.write_table(table, tmp_path / f"{k}.parquet")
    source = ShardedSource(tmp_path, "parquet")
    assert source.labelled == {"A"}
    assert len(rows_of(source, ["time"], ["id"])["id"]) == 8


@pytest.mark.parametrize("format", ["arrow", "pyctbn", "pyagrum", "xes"])
def test_formats_that_no_folder_has(format, meds):
    with pytest.raises(InputError, match=f"a folder of .parquet files cannot have the format {format}"):
        ctbnlab.read(meds, format=format)


def test_convert_and_commands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data = two_trajectories()
    ctbnlab.write(data, "whole.parquet", format="wide")
    table = pq.read_table("whole.parquet")
    spread(table, Path("parts.parquet"), {"1.parquet": 2, "2.parquet": table.num_rows - 2})
    convert("parts.parquet", "out.arrow")
    assert ctbnlab.read("out.arrow").equals(data)
    assert main(["learn", "parts.parquet/", "-o", "parts.parquet/graph.json"]) == 0
    for line in (
        "convert parts.parquet converted.csv",
        "show parts.parquet",
        "fit parts.parquet/graph.json parts.parquet -o network.json",
        "evaluate network.json parts.parquet/graph.json parts.parquet -o metrics.json",
        "truth network.json --data parts.parquet -o truth.json",
    ):
        assert main(line.split()) == 0, line
    capsys.readouterr()
    before = Path("parts.parquet/1.parquet").read_bytes()
    assert main(["convert", "parts.parquet", "parts.parquet/1.parquet"]) == 2
    error = capsys.readouterr().err
    assert error == "ctbnlab: parts.parquet/1.parquet: is in the input parts.parquet; write to another file\n"
    assert Path("parts.parquet/1.parquet").read_bytes() == before
    assert main(["fit", "parts.parquet", "out.arrow", "-o", "x.json"]) == 2
    assert "parts.parquet: is a folder; name a file to read" in capsys.readouterr().err


def test_many_files_are_not_open_at_once(tmp_path):
    before = len(list(Path("/proc/self/fd").iterdir()))
    spread(TABLE, tmp_path, {f"{k}.parquet": 0 for k in range(40)} | {"z.parquet": 7})
    source = ShardedSource(tmp_path, "parquet")
    chunks = source.chunks(["time"], ["code"])
    next(chunks)
    assert len(list(Path("/proc/self/fd").iterdir())) < before + 10
    chunks.close()


def test_the_workflow_watches_every_file(meds):
    """The time of a folder does not change when a file in a folder below it is edited."""
    assert inputs([str(meds), "data.csv"]) == ["data.csv"]
    seen = [stamps([str(meds), "data.csv"])]
    (meds / "graph.json").touch()
    assert stamps([str(meds)]) == seen[0] and len(seen[0]) == 1
    os.utime(meds / "train/2.parquet", (1, 1))
    seen.append(stamps([str(meds)]))
    pq.write_table(TABLE, meds / "train/3.parquet")
    seen.append(stamps([str(meds)]))
    assert seen[0] != seen[1] != seen[2]
