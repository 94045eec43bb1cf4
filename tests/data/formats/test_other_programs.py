"""Files written by and for other programs: PyCTBN, pyAgrum, and any that writes Parquet."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ctbnlab
from ctbnlab.data.formats.writing import convert
from ctbnlab.errors import InputError
from tests.support.sample_trajectories import two_trajectories

PYCTBN = """[{"dyn.str": [{"From": "X", "To": "Y"}],
 "variables": [{"Name": "X", "Value": 3}, {"Name": "Y", "Value": 2}],
 "dyn.cims": {"X": {"": [[-1, 0.5, 0.5], [1, -2, 1], [1, 1, -2]]}, "Y": {}},
 "samples": [
  [{"Time": 0, "X": 0, "Y": 0}, {"Time": 0.25, "X": 2, "Y": 0}, {"Time": 1.5, "X": -1, "Y": -1}],
  [{"Time": 0, "X": 0, "Y": 1.0}, {"Time": 3, "X": -1, "Y": -1}]]}]"""


def test_files_written_by_pyctbn(tmp_path):
    (tmp_path / "data.json").write_text(PYCTBN)
    data = ctbnlab.read(tmp_path / "data.json")
    assert data.variables == (("X", ("0", "1", "2")), ("Y", ("0", "1")))
    assert data.end.tolist() == [1.5, 3.0] and data.initial.tolist() == [[0, 0], [0, 1]]
    assert (data.time.tolist(), data.new.tolist(), data.stop.tolist()) == ([0.25], [2], [1, 1])
    ctbnlab.write(data, tmp_path / "back.json")
    (content,) = json.loads((tmp_path / "back.json").read_text())
    assert content["samples"] == json.loads(PYCTBN)[0]["samples"]
    assert content["variables"] == json.loads(PYCTBN)[0]["variables"]


# Written by pyAgrum 3.3's ForwardSamplingInference.writeTrajectoryCSV (times shortened).
PYAGRUM = """\
IdSample,time,var,state
0,0,A,no
0,0,"B, b",z
0,0.39,"B, b",z
0,0.49,"B, b",y
0,0.61,A,no
0,1,A,yes
0,1,"B, b",x
"""


def test_files_written_by_pyagrum(tmp_path):
    (tmp_path / "data.csv").write_text(PYAGRUM)
    data = ctbnlab.read(tmp_path / "data.csv")
    assert data.variables == (("A", ("no", "yes")), ("B, b", ("x", "y", "z")))
    assert data.initial.tolist() == [[0, 2]] and data.end.tolist() == [1.0]
    assert data.variable.tolist() == [1, 1, 0] and data.new.tolist() == [1, 0, 1]
    ctbnlab.write(data, tmp_path / "back.csv", format="pyagrum")
    assert (tmp_path / "back.csv").read_text().replace('"', "") == PYAGRUM.replace('"', "")


def test_pyagrum_cannot_hold_everything(tmp_path):
    with pytest.raises(InputError, match=r"x\.csv: trajectory 'ben' does not start at time 0"):
        ctbnlab.write(two_trajectories(), tmp_path / "x.csv", format="pyagrum")
    ctbnlab.write(two_trajectories().subset([0]), tmp_path / "a.arrow")
    report = convert(tmp_path / "a.arrow", tmp_path / "x.csv", to_format="pyagrum")
    assert report.notes == ["renumbered trajectories 0, 1, …, as pyAgrum requires"]
    (tmp_path / "x.csv").write_text(PYAGRUM.replace("0.61,A,no", "0.61,A,yes"))
    with pytest.raises(InputError, match=r"line 6: variable 'A' .* leaves a state it was not in"):
        ctbnlab.read(tmp_path / "x.csv")
    (tmp_path / "x.csv").write_text(PYAGRUM.replace("0,1,A,yes\n", ""))
    with pytest.raises(InputError, match=r"line 7: trajectory '0' has no end"):
        ctbnlab.read(tmp_path / "x.csv")


def test_parquet_from_other_programs(tmp_path):
    table = pa.table({"trajectory": [7, 7, 8, 8], "time": pa.array([0, 2, 0, 3]), "A": [1, 0, 10, 10]})
    pq.write_table(table, tmp_path / "data.parquet")
    data = ctbnlab.read(tmp_path / "data.parquet")
    assert list(data.ids) == ["7", "8"] and data.variables == (("A", ("0", "1", "10")),)
    pq.write_table(table.set_column(1, "time", pa.array([0, None, 0, 3])), tmp_path / "data.parquet")
    with pytest.raises(InputError, match=r"data\.parquet: row 2: the time is missing"):
        ctbnlab.read(tmp_path / "data.parquet")
