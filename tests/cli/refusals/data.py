"""Bad input to the commands on data: convert, show and learn, with files of every format."""

# ruff: noqa: E501 - a case is a line

from __future__ import annotations

import gzip
import json

import pyarrow as pa

from tests.cli.refusals import STATE, TIME, WIDE, Case, bomb, parquet

_CONVERT = "convert d.parquet x.csv"
_DICTIONARY = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1], pa.uint64()), pa.array([b"x", b"y"]))
_SAMPLES = [[{"Time": 0, "A": 0}, {"Time": 1, "A": 1}, {"Time": 2, "A": -1}]]


def rows(message, columns):
    """Return the case of a Parquet file of rows."""
    return Case(_CONVERT, f"d.parquet: {message}", {"d.parquet": parquet(columns)})


def described(states):
    """Return a Parquet file that records states in its metadata."""
    table = pa.table({"time": TIME, "A": STATE}).replace_schema_metadata({"ctbnlab.states": states})
    return parquet(table)


def damaged_page():
    """Return a Parquet file whose pages are overwritten, while its footer is intact."""
    whole = bytearray(parquet({"time": TIME * 500, "A": STATE * 500}))
    whole[8:400] = bytes(392)
    return bytes(whole)


def table(message, text, options=""):
    """Return the case of a CSV file."""
    return Case(f"convert d.csv x.arrow {options}", f"d.csv: {message}", {"d.csv": text})


def pyctbn(message, **members):
    """Return the case of a PyCTBN file."""
    return Case(
        "convert d.json x.arrow", f"d.json: {message}", {"d.json": [{"samples": _SAMPLES, **members}]}
    )


def states(message, content):
    """Return the case of declared states."""
    return Case("convert data.csv x.arrow --states s.json", f"s.json: {message}", {"s.json": content})


PARQUET = {
    "Parquet: cut off": Case(_CONVERT, "d.parquet: is truncated or not a Parquet file", {"d.parquet": parquet({"time": TIME, "A": STATE})[:-9]}),
    "Parquet: empty": Case(_CONVERT, "d.parquet: the file is empty", {"d.parquet": b""}),
    "Parquet: footer of zeros": Case(_CONVERT, "d.parquet: is truncated or not a Parquet file", {"d.parquet": b"PAR1" + bytes(60) + b"\x20\0\0\0PAR1"}),
    "Parquet: damaged pages": Case(_CONVERT, "d.parquet: is truncated or not a Parquet file", {"d.parquet": damaged_page()}),
    "Parquet: no columns": rows("no 'time' column; found: none", pa.table({})),
    "Parquet: no rows": rows("the table has no rows", {"time": pa.array([], pa.float64()), "A": pa.array([], pa.string())}),
    "Parquet: column twice": rows("column 'A' appears twice", pa.Table.from_arrays([pa.array(TIME), pa.array(STATE), pa.array(STATE)], ["time", "A", "A"])),
    "Parquet: column without a name": rows("column 2 has no name", pa.Table.from_arrays([pa.array(TIME), pa.array(STATE)], ["time", ""])),
    "Parquet: NUL in a column's name": rows("the variable 'A\\x00' contains a NUL character", {"time": TIME, "A\0": STATE}),
    "Parquet: nested states": rows("column 'A' holds list<", {"time": TIME, "A": [["x"], ["y"], ["y"]]}),
    "Parquet: structured states": rows("column 'A' holds struct<", {"time": TIME, "A": [{"a": 1}] * 3}),
    "Parquet: binary states": rows("column 'A' holds binary; labels must be text, numbers or booleans", {"time": TIME, "A": [b"x", b"y", b"y"]}),
    "Parquet: dictionary of binary states": rows("column 'A' holds binary", {"time": TIME, "A": _DICTIONARY}),
    "Parquet: dates as states": rows("column 'A' holds timestamp[us]", {"time": TIME, "A": pa.array([0, 1, 1], pa.timestamp("us"))}),
    "Parquet: durations as labels": rows("column 'trajectory' holds duration[ns]", {"trajectory": pa.array([0, 0, 0], pa.duration("ns")), "time": TIME, "A": STATE}),
    "Parquet: times of day as times": rows("the 'time' column holds time64[us]", {"time": pa.array([0, 1, 2], pa.time64("us")), "A": STATE}),
    "Parquet: time is missing": rows("row 2: the time is missing", {"time": [0.0, None, 2.0], "A": STATE}),
    "Parquet: state is missing": Case(f"{_CONVERT} --missing error", "d.parquet: row 2: the state of variable 'A' is missing", {"d.parquet": parquet({"time": TIME, "A": ["x", None, "y"]})}),
    "Parquet: state is NaN": Case(f"{_CONVERT} --missing error", "d.parquet: row 2: the state of variable 'A' is missing", {"d.parquet": parquet({"time": TIME, "A": [1.0, float("nan"), 2.0]})}),
    "Parquet: label is missing": rows("row 3: the trajectory label is missing", {"trajectory": ["1", "1", None], "time": TIME, "A": STATE}),
    "Parquet: recorded states are a path": Case(_CONVERT, "d.parquet: the recorded states are damaged", {"d.parquet": described('"data.csv"')}),
    "Parquet: recorded states are no JSON": Case(_CONVERT, "d.parquet: the recorded states are damaged", {"d.parquet": described("{")}),
    "Parquet: recorded states are nested": Case(_CONVERT, "d.parquet: the recorded states are damaged", {"d.parquet": described("[" * 100_000)}),
}  # fmt: skip
CSV = {
    "CSV: NUL in a state": table("line 3: variable 'A': the state 'y\\x00' contains a NUL character", WIDE.replace("1,1,y", "1,1,y\0")),
    "CSV: NUL in a label": table("line 2: the trajectory label '1\\x00' contains a NUL character", WIDE.replace("\n1,", "\n1\0,")),
    "CSV: escape sequences in a state": table("line 3: the state of variable '\\x1b[2JA' is missing", WIDE.replace("A", "\x1b[2JA").replace("1,1,y", "1,1,"), "--missing error"),
    "CSV: a state of a megabyte": Case("convert d.csv x.arrow --states s.json", "d.csv: line 2: 'xxxx", {"d.csv": WIDE.replace("x", "x" * 100_000), "s.json": {"A": ["y"]}}),
    "CSV: header of 20 MB": table("line 1: the header has only one column; separate columns by commas, semicolons or tabs; found: 'aaaa", "a" * (20 << 20)),
    "CSV: line without end, unpacked": Case("convert d.csv.gz x.arrow", "d.csv.gz: line 2: is longer than 16,777,216 bytes", {"d.csv.gz": bomb(b"time,A\n", b"x", 4)}, heavy=True),
    "CSV: header without end, unpacked": Case("show d.csv.gz", "d.csv.gz: line 1: the header has only one column", {"d.csv.gz": bomb(b"a", b"x", 4)}, heavy=True),
    "CSV: damaged gzip": Case("show d.csv.gz", "d.csv.gz: is truncated or not a gzip file", {"d.csv.gz": gzip.compress(b"x" * 50)[:12] + bytes(50)}),
    "CSV: UTF-16": table("is a binary file, not text", WIDE.encode("utf-16")),
    "CSV: Arabic digits as time": table("line 3: the time '١' is not a number", WIDE.replace("1,1,y", "1,١,y")),
    "CSV: durations beyond a double": table("trajectory '1': its duration, from -1e+308 to 1e+308, is too long", WIDE.replace("1,0,", "1,-1e308,").replace("1,3,", "1,1e308,")),
    "CSV: durations add up to infinity": table("trajectory '2': the durations up to here add up", "trajectory,time,A\n1,0,x\n1,8e99,y\n2,0,x\n2,8e99,y\n"),
    "CSV: duration below the smallest double": table("trajectory '0': its duration, 5e-324, is too short", "time,A\n0,x\n5e-324,y\n"),
    "CSV: time beyond a double": table("line 3: the time inf is not finite", WIDE.replace("1,1,y", "1,1e999,y")),
    "CSV: change at an impossible time": table("line 3: cannot separate", "time,A,B\n-1e308,x,u\n1e308,y,v\n", "--ties jitter"),
    "CSV: seed": table("", WIDE, "")._replace(command="convert data.csv x.arrow --seed -1", message="!argument --seed: must be a whole number from 0"),
    "CSV: a time that is a date": table("line 3: the time '1' is not a date; write dates as 2024-12-31", WIDE.replace("1,0,", "1,2026-01-01,")),
}  # fmt: skip
JSON = {
    "PyCTBN: gzip of gigabytes": Case("convert d.json.gz x.arrow", "d.json.gz: unpacks to more than 200 times its size", {"d.json.gz": bomb(b"[", b"[],", 4)}, heavy=True),
    "PyCTBN: UTF-16": Case("convert d.json x.arrow", "d.json: is UTF-16 text", {"d.json": json.dumps(_SAMPLES).encode("utf-16")}),
    "PyCTBN: key twice": Case("convert d.json x.arrow", "d.json: the key 'Time' appears twice", {"d.json": '[{"samples": [[{"Time": 0, "Time": 1, "A": 0}]]}]'}),
    "PyCTBN: number of 5,000 digits": Case("convert d.json x.arrow", "d.json: is JSON, but not PyCTBN trajectories", {"d.json": f'[{{"samples": [[{{"Time": {"9" * 5000}}}]]}}]'}),
    "PyCTBN: states are a path": pyctbn("declare states as", states="data.csv"),
    "PyCTBN: labels are text": pyctbn("is JSON, but not PyCTBN trajectories", trajectories="x"),
    "PyCTBN: labels are an object": pyctbn("is JSON, but not PyCTBN trajectories", trajectories={"a": 1}),
    "PyCTBN: a billion states": Case("convert d.json x.arrow", "d.json: variable 'A': has 1,000,000,000 states", {"d.json": [{"samples": _SAMPLES, "variables": [{"Name": "A", "Value": 10**9}]}]}, heavy=True),
    "PyCTBN: infinite states": Case("convert d.json x.arrow", "d.json: is JSON, but not PyCTBN trajectories", {"d.json": f'[{{"samples": {json.dumps(_SAMPLES)}, "variables": [{{"Name": "A", "Value": 1e999}}]}}]'}),
    "PyCTBN: name is a number": pyctbn("is JSON, but not PyCTBN trajectories", variables=[{"Name": 7, "Value": 2}]),
    "PyCTBN: state is NaN": Case("convert d.json x.arrow --missing error", "d.json: sample 1, row 2: the state of variable 'A' is missing", {"d.json": '[{"samples": [[{"Time": 0, "A": 0}, {"Time": 1, "A": NaN}, {"Time": 2, "A": 0}]]}]'}),
    "PyCTBN: half a surrogate pair": Case("convert d.json x.arrow", "d.json: the variable '\\ud800' contains half of a Unicode surrogate pair", {"d.json": '[{"samples": [[{"Time": 0, "\\ud800": 0}, {"Time": 1, "\\ud800": 1}]]}]'}),
    "PyCTBN: samples are text": pyctbn("is JSON, but not PyCTBN trajectories", samples=["abc"]),
}  # fmt: skip
TABLES = {
    "table: two times": table("two columns could be the time: 'date' and 'years'; choose with --time", "id,date,years,A\n1,0,0,x\n"),
    "table: three ids": table("3 columns could be the id: 'pid', 'patient' and 'case'; choose with --id", "pid,patient,case,time,A\n1,1,1,0,x\n"),
    "table: no such id": table("no column 'who', which --id names; found: id, time, A", "id,time,A\n1,0,x\n", "--id who"),
    "table: no such time": table("no column 'when', which --time names; found: id, time, A", "id,time,A\n1,0,x\n", "--time when"),
    "table: no such variable": table("no column 'B', which --variables names; found: id, time, A", "id,time,A\n1,0,x\n", "--variables A,B"),
    "table: variable is the time": table("column 'time' cannot be a variable and have another role", "id,time,A\n1,0,x\n", "--time time --variables time"),
    "table: id of rows": table("column 'id' has another value in every row, so it does not identify trajectories; name the right column with --id", "id,time,A\n1,0,x\n2,1,y\n3,2,x\n"),
    "table: time goes back without id": table("line 4: the time decreases from 1.0 to 0.0, and no column identifies trajectories; name it with --id", "time,A\n0,x\n1,y\n0,x\n1,y\n"),
    "table: measured": table("column 'bili' looks measured (1.1, 1, …): cut it with --cut 'bili:…', or keep its values as states with --labels bili", "id,time,bili\n1,0,1\n1,1,1.1\n"),
    "table: many numbers": table("column 'A' looks measured (50, 0, 1, …)", "time,A\n" + "".join(f"{t},{t}\n" for t in range(60))),
    "table: cut of no variable": table("--cut names 'B', but the data have no such variable", "time,A\n0,1\n1,2\n", "--cut B:1"),
    "table: labels of no variable": table("--labels names 'B', but the data have no such variable", "time,A\n0,1\n1,2\n", "--labels B"),
    "table: cut of text": table("line 3: 'x' of variable 'A' is not a number to cut", "time,A\n0,1\n1,x\n", "--cut A:1"),
    "table: cuts that decrease": Case("convert d.csv x.arrow --cut A:2,1", "the cuts of 'A' must be increasing numbers, or a number of groups from 2", {"d.csv": "time,A\n0,1\n1,2\n"}),
    "table: cuts that are words": Case("convert d.csv x.arrow --cut A:low", "cannot cut at 'low'; give numbers, as in 'A:40,60'", {"d.csv": "time,A\n0,1\n1,2\n"}),
    "table: cut without a name": Case("convert d.csv x.arrow --cut 40,60", "write cuts as 'age:40,60' or 'age:quartiles', not '40,60'", {"d.csv": "time,A\n0,1\n1,2\n"}),
    "table: cut twice": Case("convert d.csv x.arrow --cut A:1 --cut A:2", "--cut names 'A' twice", {"d.csv": "time,A\n0,1\n1,2\n"}),
    "table: quantiles of one value": table("column 'A' has too few values to be cut into 4 groups; give boundaries", "time,A\n0,1\n1,1\n", "--cut A:quartiles"),
    "table: quantiles of nothing": table("column 'A' has no numbers to cut into groups", "time,A\n0,NA\n1,NA\n", "--cut A:quartiles"),
    "table: nothing but missing values": table("variable 'A' has no value in any row; leave it out with --variables", "time,A,B\n0,NA,x\n1,,y\n"),
    "table: other dates": table("line 2: '31/12/2024' in column 'date' is not a number; write dates as 2024-12-31", "id,date,A\n1,31/12/2024,x\n1,01/01/2025,y\n"),
    "table: impossible date": table("line 3: '2024-02-30' in column 'date' is not a date", "id,date,A\n1,2024-01-01,x\n1,2024-02-30,y\n"),
    "table: dates with and without zone": table("line 3: '2024-01-02T00:00:00' in column 'date' has no zone, unlike '2024-01-01T00:00:00Z'", "id,date,A\n1,2024-01-01T00:00:00Z,x\n1,2024-01-02T00:00:00,y\n"),
    "table: decimal comma": table("line 2: '0,5' in column 't' is not a number; use --decimal , for decimal commas", "id;t;A\n1;0,5;x\n1;1,5;y\n"),
    "table: two states at one time": table("line 4: variable 'A' of trajectory '1' has two states at one time, 'y' and 'x'", "id,time,A\n1,0,x\n1,1,y\n1,1,x\n"),
    "table: order of columns": table("--ties order needs one row per change", "id,time,A\n1,0,x\n1,1,y\n", "--ties order"),
    "table: missing label, unsorted": table("line 5: the trajectory label is missing", "id,time,A\n1,1,x\n1,0,y\n1,2,y\nNA,1,x\n"),
    "table: options about columns of a store": Case("convert d.parquet x.csv --from parquet --id who", "d.parquet: ", {"d.parquet": parquet({"time": TIME, "A": STATE})}),
}  # fmt: skip
STATES = {
    "states: a list": states("declare states as", ["A"]),
    "states: labels are text": states("declare states as", {"A": "xy"}),
    "states: label is missing": states("variable 'A': a label must be text, a number or a boolean, not None", {"A": ["x", None]}),
    "states: label is a list": states("variable 'A': a label must be text, a number or a boolean, not ['y']", {"A": ["x", ["y"]]}),
    "states: variable twice": states("the key 'A' appears twice", '{"A": ["x"], "A": ["y"]}'),
    "states: NaN": states("A[0]: must be a JSON value, not NaN", '{"A": [NaN]}'),
    "states: 300 labels": states("variable 'A': has 300 states", {"A": list(range(300))}),
    "states: empty label": states("variable 'A': a state label must be a non-empty string", {"A": [""]}),
    "states: nested": states("is nested too deeply", "[" * 100_000),
    "states: number of 5,000 digits": states("has a whole number of more than 4,300 digits", f'{{"A": [{"1" * 5000}]}}'),
    "states: variable without states": states("a variable has no 'states'", {"variables": [{"name": "A"}]}),
    "states: gzip of gigabytes": Case("learn data.csv --states s.json.gz", "s.json.gz: unpacks to more than 200 times its size", {"s.json.gz": bomb(b"{", b" ", 4)}, heavy=True),
}  # fmt: skip
ARROW = {
    "Arrow: text": Case("show d.arrow", "d.arrow: is truncated or not an Arrow file", {"d.arrow": WIDE}),
    "Arrow: a Parquet file": Case("learn d.arrow", "d.arrow: is truncated or not an Arrow file", {"d.arrow": parquet({"a": [1]})}),
    "Arrow: gzipped": Case("learn d.arrow.gz", "d.arrow.gz: is gzipped, which arrow files must not be", {"d.arrow.gz": gzip.compress(b"ARROW1")}),
    "learn: text": Case("learn d.txt", "d.txt: cannot detect the format", {"d.txt": "hello\n"}),
    "learn: unknown format": Case("learn data.csv --format excel", "unknown format 'excel'"),
    "learn: trajectories": Case("learn data.csv --trajectories 99999999999999999999", "data.csv: has 1 trajectory, fewer than --trajectories"),
    "learn: no trajectories": Case("learn data.csv --trajectories -1", "--trajectories must be at least 1, not -1"),
}  # fmt: skip
CASES = PARQUET | CSV | JSON | STATES | ARROW | TABLES
