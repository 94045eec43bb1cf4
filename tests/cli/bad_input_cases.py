"""Bad input to `ctbnlab convert`, with the start of the message that each case gives."""

# ruff: noqa: E501 - a case is a line

from __future__ import annotations

import gzip
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import ctbnlab
from ctbnlab.model.variables import Variable
from tests.support.strategies import random_trajectories

WIDE = "trajectory,time,A,B\n1,0,x,u\n1,1,y,u\n1,2,y,u\n2,0,x,u\n2,1,x,v\n2,3,x,v\n"
LONG = "trajectory,time,variable,state\n1,0,A,x\n1,0,B,u\n1,1,A,y\n1,2,,\n2,0,A,x\n2,0,B,u\n2,3,,\n"
JSON = '[{"samples": [[{"Time": 0, "A": 0}, {"Time": 1, "A": 1}, {"Time": 2, "A": -1}]]}]'
PYAGRUM = "IdSample,time,var,state\n0,0,A,x\n0,1,A,x\n0,2,A,y\n"


def wide(old="", new=""):
    """Return the good wide file with one thing changed."""
    assert old in WIDE
    return WIDE.replace(old, new, 1)


def long(old="", new=""):
    """Return the good long file with one thing changed."""
    assert old in LONG
    return LONG.replace(old, new, 1)


# Name of the input, its content, options, and the start of the message after the name of the input.
CASES = {
    "empty file": ("in.csv", "", [], "the file is empty"),
    "header only": ("in.csv", "trajectory,time,A\n", [], "the table has no rows"),
    "binary file": ("in.csv", b"\x01\x02\0\0\x01" * 50, [], "is a binary file"),
    "binary file of no known ending": ("in.dat", b"\x89\x01\r\n\x1a\n\0\xff" * 9, [], "cannot detect the format"),
    "program": ("in.csv", b"\x7fELF\x02\0\0\x01" * 50, [], "is a program, not trajectories"),
    "picture of no known ending": ("in.dat", b"\x89PNG\r\n\x1a\n\0\xff" * 9, [], "is a PNG picture, not trajectories"),
    "Excel workbook": ("in.xlsx", b"PK\x03\x04xl/workbook.xml", [], "is an Excel workbook, not trajectories; save its sheet as CSV"),
    "web page": ("in.csv", "<!DOCTYPE html>\n<title>Sign in</title>\n", [], "is a web page, not trajectories"),
    "compressed with zstd": ("in.csv", b"\x28\xb5\x2f\xfd\0\0", [], "is compressed with zstd; unpack it first"),
    "invalid UTF-8 in the header": ("in.csv", b"trajectory,time,\xff\n1,0,x\n", [], "line 1: is not UTF-8 text"),
    "invalid UTF-8": ("in.csv", WIDE.encode() + b"3,0,\xe9,u\n", [], "line 8: is not UTF-8 text"),
    "blank header": ("in.csv", "\n" + WIDE, [], "line 1: the header has only one column"),
    "no column of times": ("in.csv", wide("time", "when"), [], "no 'time' column; found: trajectory, when, A, B; name it with --time"),
    "no column of a variable": ("in.csv", "trajectory,time\n1,0\n1,1\n", [], "no variable columns"),
    "long without variable": ("in.csv", long("variable", "var"), ["--from", "long"], "no 'variable' column; found: trajectory, time, var, state"),
    "long or wide": ("in.csv", long("state", "state,note").replace("x", "x,"), [], "with columns 'variable', 'state' and 'note' the table could be long or wide"),
    "one endless line": ("in.csv", "a" * 200_000 + '"b' * 200_000, [], "line 1: the header has only one column"),
    "carriage return within a line": ("in.csv", wide("1,1,y,u", "1,1\r,y,u"), [], "line 3: contains a carriage return"),
    "duplicate variable": ("in.csv", wide("A,B", "A,A"), [], "line 1: column 'A' appears twice"),
    "time is NaN": ("in.csv", wide("1,1,y", "1,nan,y"), [], "line 3: the time is missing"),
    "time is infinite": ("in.csv", wide("2,3,x", "2,inf,x"), [], "line 7: the time inf is not finite"),
    "time is text": ("in.csv", wide("1,1,y", "1,soon,y"), [], "line 3: the time 'soon' is not a number"),
    "decimal comma": ("in.csv", wide().replace(",", ";").replace("1;1;y", "1;1,5;y"), [], "line 3: the time '1,5'"),
    "time is empty": ("in.csv", wide("1,1,y", "1,,y"), [], "line 3: the time is missing"),
    "first time of long is NaN": ("in.csv", long("1,0,A", "1,nan,A"), [], "line 2: the first row has no finite"),
    "time goes back": ("in.csv", "time,A\n0,x\n1,y\n0.5,x\n", [], "line 4: the time decreases from 1.0 to 0.5, and no column identifies trajectories; name it with --id"),
    "two changes in a row": ("in.csv", wide("1,1,y,u", "1,1,y,v"), ["--ties", "error"],
        "line 3: variables 'A' and 'B' change at the same time in trajectory '1', time 1.0; use --ties together"),
    "two rows at one time": ("in.csv", wide("1,2,y,u", "1,1,y,v\n1,2,y,v"), ["--ties", "error"], "line 4: variables 'A' and 'B'"),
    "one variable twice at one time": ("in.csv", wide("1,2,y,u", "1,1,x,u\n1,2,x,u"), [], "line 4: variable 'A' of trajectory '1' has two states at one time, 'y' and 'x'"),
    "change at the start": ("in.csv", wide("1,1,y", "1,0,y"), ["--ties", "error"], "line 3: variable 'A' changes at the start of observation"),
    "tie without room": ("in.csv", wide("1,2,y,u", "1,2,x,v"), ["--ties", "jitter"], "line 4: cannot separate the 2 changes at time 2.0"),
    "tie in long": ("in.csv", long("1,2,,", "1,1,B,v\n1,2,,"), ["--ties", "error"], "line 5: variables 'A' and 'B' change at the same time"),
    "row changes nothing": ("in.csv", wide("1,2,y,u", "1,1.5,y,u\n1,2,y,u"), ["--unchanged", "error"], "line 4: the row changes nothing"),
    "trajectory of one row": ("in.csv", "trajectory,time,A\n3,0,x\n", [], "line 2: trajectory '3' has only one row"),
    "trajectory without a label": ("in.csv", wide("\n2,1", "\n,1"), [], "line 6: the trajectory label is missing"),
    "state is missing": ("in.csv", wide("1,1,y,u", "1,1,,u"), ["--missing", "error"], "line 3: the state of variable 'A' is missing"),
    "state is not declared": ("in.csv", WIDE, ["--states", "states.json"], "line 6: 'v' is not a declared state of variable 'B' ('u', 'w')"),
    "variable is not in the data": ("in.csv", wide("A,B", "A,C"), ["--states", "states.json"], "states are declared for 'B'"),
    "row too short": ("in.csv", wide("1,1,y,u", "1,1,y"), [], "line 3: has 3 fields instead of 4"),
    "row too long": ("in.csv", wide("2,1,x,v", "2,1,x,v,w"), [], "line 6: has 5 fields instead of 4"),
    "row too short after an empty line": ("in.csv", wide("1,1,y,u", "\n1,1,y"), [], "line 4: has 3 fields"),
    "quote not closed": ("in.csv", wide("1,1,y,u", '1,1,"y,u'), [], "line 3: a quoted field is not closed"),
    "256 states": ("in.csv", "time,A\n" + "".join(f"{t},s{t}\n" for t in range(300)), [], "line 257: 's255' is state number 256 of variable 'A'"),
    "long without an end": ("in.csv", long("1,2,,\n", ""), [], "line 4: trajectory '1' has no end"),
    "long lacks a variable": ("in.csv", long("2,0,B,u\n", ""), ["--missing", "error"], "line 7: trajectory '2' has no initial state of variable 'B'"),
    "long has a new variable": ("in.csv", long("2,3,,", "2,2,C,u\n2,3,,"), ["--missing", "error"], "line 8: variable 'C' has no initial state"),
    "long has a state of no variable": ("in.csv", long("1,2,,", "1,2,,x"), [], "line 5: the row has a state but no variable"),
    "long has a variable of no state": ("in.csv", long("1,1,A,y", "1,1,A,"), ["--missing", "error"], "line 4: the state of variable 'A' is missing"),
    "long names no variable": ("in.csv", "time,variable,state\n0,,\n1,,\n", [], "line 2: the first row has no variable"),
    "pyAgrum without an end": ("in.csv", PYAGRUM + "1,0,A,x\n", [], "line 5: trajectory '1' has no end"),
    "truncated Arrow": ("in.arrow", lambda good: good("a.arrow")[:-300], [], "is truncated or not an Arrow file"),
    "empty Arrow": ("in.arrow", b"", [], "the file is empty"),
    "Arrow of others": ("in.arrow", lambda good: _arrow(), [], "no 'time' column; found: a"),
    "Arrow with an impossible event": ("in.arrow", lambda good: good("a.arrow", b"\x01\x00" * 300, b"\x07\x07" * 300), [], "trajectory '0', event "),
    "Arrow is CSV": ("in.arrow", WIDE, [], "is truncated or not an Arrow file"),
    "truncated gzip": ("in.csv.gz", lambda good: good("a.csv.gz")[:-1000], [], "is truncated or not a gzip file"),
    "gzip of nothing": ("in.csv.gz", gzip.compress(b""), [], "the file is empty"),
    "damaged gzip": ("in.csv.gz", gzip.compress(b"x" * 50)[:12] + bytes(50), [], "is truncated or not a gzip file"),
    "truncated JSON": ("in.json", JSON[:-20], [], "line 1: is truncated or not JSON"),
    "truncated JSON, gzipped": ("in.json.gz", gzip.compress(JSON.encode())[:-20], [], "is truncated or not a gzip file"),
    "empty JSON": ("in.json", "", [], "the file is empty"),
    "JSON of others": ("in.json", '{"a": [1, 2]}', [], "is JSON, but not PyCTBN trajectories"),
    "JSON of deep nesting": ("in.json", "[" * 100_000, [], "is JSON, but not PyCTBN trajectories"),
    "JSON of odd samples": ("in.json", '[{"samples": [[{"Time": 0, "A": [1]}]]}]', [], "is JSON, but not PyCTBN trajectories"),
    "JSON of several data sets": ("in.json", f"[{JSON[1:-1]}, {JSON[1:-1]}]", [], "holds 2 data sets"),
    "JSON without samples": ("in.json", '[{"samples": []}]', [], "there are no samples"),
    "JSON time is text": ("in.json", JSON.replace('"Time": 1', '"Time": "1"'), [], "sample 1, row 2: the time '1' is not a number"),
    "JSON time is missing": ("in.json", JSON.replace('"Time": 1, ', ""), [], "sample 1, row 2: the time is missing"),
    "JSON lacks a state": ("in.json", JSON.replace('1, "A": 1', '1, "B": 1'), [], "sample 1, row 2: the state of variable 'A' is missing"),
    "JSON closes early": ("in.json", JSON.replace('"Time": 1, "A": 1', '"Time": 1, "A": -1'), [], "sample 1, row 2: the state of variable 'A' is -1"),
    "JSON of one row": ("in.json", '[{"samples": [[{"Time": 0, "A": 0}]]}]', [], "sample 1, row 1: trajectory '0' has only one row"),
    "JSON sample without rows": ("in.json", JSON.replace("]]}", "], []]}"), [], "is JSON, but not PyCTBN trajectories"),
    "JSON of 256 states": ("in.json", JSON.replace("[{", '[{"variables": [{"Name": "A", "Value": 256}], ', 1), [], "variable 'A': has 256 states"),
    "JSON time is huge": ("in.json", JSON.replace('"Time": 2', '"Time": 1' + "0" * 400), [], "sample 1, row 3: the time inf is not finite"),
    "truncated Parquet": ("in.parquet", lambda good: good("a.parquet")[:-100], [], "is truncated or not a Parquet file"),
    "Parquet of others": ("in.parquet", lambda good: _parquet({"A": ["x"]}), [], "no 'time' column; found: A"),
    "Parquet with times of text": ("in.parquet", lambda good: _parquet({"time": ["0", "soon"], "A": ["x", "y"]}), [], "row 2: the time 'soon' is not a number"),
    "Parquet with a number of Python's": ("in.parquet", lambda good: _parquet({"time": ["0", "1_000"], "A": ["x", "y"]}), [], "row 2: the time '1_000' is not a number"),
    "Parquet with a time in digits of another script": ("in.parquet", lambda good: _parquet({"time": ["0", "\u0661"], "A": ["x", "y"]}), [], "row 2: the time '\u0661' is not a number"),
    "Parquet asked to hold rows": ("in.parquet", lambda good: good("a.parquet"), ["--from", "wide"], "the 'time' column holds"),
    "unknown ending": ("in.dat", "hello\n", [], "cannot detect the format from the extension or the content; name it with --layout"),
    "ending against format": ("in.json", JSON, ["--from", "wide"], "a .json file cannot have the format wide"),
    "ending against container": ("in.csv", "id,time,A\n1,0,x\n1,1,y\n", ["--from", "arrow", "--layout", "wide"], "a .csv file cannot have the format arrow"),
    "gzipped Arrow": ("in.arrow.gz", gzip.compress(b"ARROW1"), [], "is gzipped, which arrow files must not be; unpack it first"),
    "does not exist": ("in.csv", None, [], "No such file or directory"),
}  # fmt: skip


def _arrow():
    sink = pa.BufferOutputStream()
    table = pa.table({"a": [1, 2]})
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def _parquet(columns):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()


def _good(folder):
    """Return a function that writes good data and returns the bytes."""
    data = random_trajectories(np.random.default_rng(1), [Variable("A", ("0", "1"))], [800])

    def content(name, old=b"", new=b""):
        ctbnlab.write(data, folder / name)
        whole = (folder / name).read_bytes().replace(old, new)
        (folder / name).unlink()
        return whole

    return content


def prepare(folder, name, content):
    """Write the input of a case, and the states that some cases declare."""
    (folder / "states.json").write_text(json.dumps({"B": ["u", "w"]}))
    if callable(content):
        content = content(_good(folder))
    if content is not None:
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


# The arguments, and the start of the message.
OPTIONS = {
    "unknown format": (["in.csv", "out.csv", "--from", "excel"], "unknown format 'excel'; known formats: arrow,"),
    "unknown ending": (["in.csv", "out.xlsx"], "out.xlsx: unknown file extension; use --to or one of .arrow,"),
    "folder to read": (["folder", "out.csv"], "folder: is a folder without .parquet or .csv files"),
    "folder to write": (["in.csv", "folder"], "folder: is a folder"),
    "folder to write, by its ending": (["in.csv", "folder.arrow"], "folder.arrow: is a folder"),
    "no such folder": (["in.csv", "none/out.arrow"], "none/out.arrow: the folder none does not exist"),
    "no such folder for CSV": (["in.csv", "none/out.csv"], "none/out.csv: the folder none does not exist"),
    "states do not exist": (["in.csv", "out.csv", "--states", "x.json"], "x.json: No such file"),
    "states are not JSON": (["in.csv", "out.csv", "--states", "in.csv"], "in.csv: is a CSV table, not declared states or a network"),
    "states are no dict": (["in.csv", "out.csv", "--states", "list.json"], "list.json: declare states as"),
    "states declared twice": (["in.csv", "out.csv", "--states", "twice.json"], "twice.json: variable 'A': the state 'x' appears twice"),
    "output cannot hold it": (["in.csv", "out.csv", "--to", "pyagrum"], "out.csv: trajectory '2' and the first one end at different times"),
}  # fmt: skip


def prepare_options(folder):
    """Write the files that the calls in OPTIONS name."""
    (folder / "in.csv").write_text(WIDE)
    (folder / "list.json").write_text('["x"]')
    (folder / "twice.json").write_text('{"A": ["x", "x"]}')
    (folder / "folder").mkdir()
    (folder / "folder.arrow").mkdir()
