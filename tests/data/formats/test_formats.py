"""Formats: every file is read back bit for bit, and files typed by hand are understood."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import ctbnlab
from ctbnlab.data.formats.dataframe import from_dataframe, to_dataframe
from ctbnlab.data.formats.detect import FORMATS
from ctbnlab.data.formats.reading import load
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.io.limits import MIN_DURATION
from ctbnlab.model.variables import Variable
from tests.support.sample_trajectories import shared_clock, two_trajectories
from tests.support.strategies import random_trajectories, trajectories

FILES = [
    ("data.arrow", None),
    ("data.parquet", None),
    ("wide.parquet", "wide"),
    ("long.parquet", "long"),
    ("wide.csv", None),
    ("wide.csv.gz", None),
    ("wide.tsv", None),
    ("long.csv", "long"),
    ("long.csv.gz", "long"),
    ("data.json", None),
    ("data.json.gz", None),
]
RECORD_STATES = {"data.arrow", "data.parquet", "wide.parquet", "long.parquet", "data.json", "data.json.gz"}


def declared(data):
    return {v.name: v.states for v in data.variables}


def round_trip(data, folder, name, format):
    ctbnlab.write(data, folder / name, format=format)
    states = None if name in RECORD_STATES else declared(data)
    back = ctbnlab.read(folder / name, states=states)
    assert back.equals(data)
    assert [path.name for path in folder.iterdir()] == [name]


def has_a_reserved_name(data, layout):
    """Return whether a variable has the name of a column that the layout reserves."""
    names = set(data.names)
    if layout == "json":
        return "Time" in names
    return layout == "wide" and bool(names & {"trajectory", "time"} or names >= {"variable", "state"})


@pytest.mark.parametrize(("name", "format"), FILES)
@given(data=trajectories())
def test_round_trip(tmp_path_factory, name, format, data):
    folder = tmp_path_factory.mktemp("files")
    if has_a_reserved_name(data, "json" if ".json" in name else name.partition(".")[0]):
        with pytest.raises(InputError, match="called"):
            ctbnlab.write(data, folder / name, format=format)
        assert not list(folder.iterdir())
    else:
        round_trip(data, folder, name, format)


@given(data=trajectories())
def test_round_trip_pyagrum(tmp_path_factory, data):
    round_trip(shared_clock(data), tmp_path_factory.mktemp("files"), "pyagrum.csv", "pyagrum")


@pytest.mark.parametrize("layout", ["wide", "long"])
@given(data=trajectories())
def test_round_trip_dataframe(layout, data):
    assume(not has_a_reserved_name(data, layout))
    frame = to_dataframe(data, layout)
    states = None if layout == "wide" else declared(data)
    assert from_dataframe(frame, states=states).equals(data)
    assert from_dataframe(frame, layout=layout, states=declared(data)).equals(data)


@pytest.mark.parametrize(("name", "format"), [*FILES, ("pyagrum.csv", "pyagrum")])
def test_255_states_and_many_variables(tmp_path, name, format):
    chosen = [Variable("wide", tuple(f"s{i}" for i in range(255)))]
    chosen += [Variable(f"v{i}", ("a", "b")) for i in range(300)]
    data = random_trajectories(np.random.default_rng(1), chosen, [300, 0, 20])
    round_trip(shared_clock(data) if format == "pyagrum" else data, tmp_path, name, format)


@pytest.mark.parametrize(("name", "format"), FILES)
@given(times=st.lists(st.floats(-4e99, 4e99), min_size=2, max_size=6, unique=True))
def test_times_survive_bit_for_bit(tmp_path_factory, name, format, times):
    times = sorted({0.0 if time == 0 else time for time in times})
    assume(len(times) > 1 and times[-1] - times[0] >= MIN_DURATION)
    data = Trajectories.from_arrays(
        [("A", "01")],
        offsets=[0, len(times) - 1],
        start=times[:1],
        end=times[-1:],
        initial=[[0]],
        time=times[1:],
        variable=[0] * (len(times) - 1),
        new=[(k + 1) % 2 for k in range(len(times) - 1)],
    )
    round_trip(data, tmp_path_factory.mktemp("times"), name, format)


def test_labels_of_trajectories_survive(tmp_path):
    data = random_trajectories(np.random.default_rng(1), [Variable("A", ("0", "1"))], [3, 0, 2])
    data = Trajectories.from_arrays(
        data.variables,
        ids=["anna, 7", "Ω", ' "x"'],
        **{
            name: getattr(data, name)
            for name in ("offsets", "start", "end", "initial", "time", "variable", "new")
        },
    )
    for name, format in FILES:
        folder = tmp_path / name
        folder.mkdir()
        round_trip(data, folder, name, format)


def test_same_data_same_bytes(tmp_path):
    data = random_trajectories(np.random.default_rng(1), [Variable("A", ("0", "1"))], [50, 0, 2])
    for name, format in FILES:
        for folder in ("one", "two"):
            (tmp_path / folder).mkdir(exist_ok=True)
            ctbnlab.write(data, tmp_path / folder / name, format=format)
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


# Both hold what `two_trajectories` returns.
WIDE = """\
trajectory,time,Hungry,Eating
anna,0,no,no
anna,0.5,yes,no
anna,0.75,yes,yes
anna,2,yes,yes
ben,1,no,yes
ben,3,no,no
"""
LONG = """\
trajectory,time,variable,state
anna,0,Hungry,no
anna,0,Eating,no
anna,0.5,Hungry,yes
anna,0.75,Eating,yes
anna,2,,
ben,1,Hungry,no
ben,1,Eating,yes
ben,3,Eating,no
ben,3,,
"""


@pytest.mark.parametrize(
    "content",
    [
        WIDE,
        LONG,
        WIDE.replace("\n", "\r\n"),
        "\ufeff" + WIDE,
        "\ufeff" + LONG.replace(",", ";").replace("\n", "\r\n"),
        WIDE.replace(",", "\t"),
        WIDE.rstrip(),
        WIDE.replace("anna,0.75", "\nanna,0.75") + "\n\n",
        WIDE.replace("anna,2,yes,yes", '"anna",2.0e0, "yes","yes"'.replace(" ", "")),
        # A last row that repeats a state is an end, just like the closing row.
        LONG.replace("2,,", "2,Eating,yes").replace("3,,", "3,Hungry,no"),
        LONG.replace("anna,2,,", "anna,1,Eating,yes\nanna,2,,"),
    ],
)
def test_files_typed_by_hand(tmp_path, content):
    path = tmp_path / "data.csv"
    path.write_bytes(content.encode())
    assert ctbnlab.read(path).equals(two_trajectories())
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(content.encode()))
    assert ctbnlab.read(tmp_path / "data.csv.gz").equals(two_trajectories())
    (tmp_path / "no_extension").write_bytes(content.encode())
    assert ctbnlab.read(tmp_path / "no_extension").equals(two_trajectories())


def test_columns_in_any_order(tmp_path):
    (tmp_path / "data.csv").write_text("B,time,A,trajectory\n1,0,x,k\n0,2,x,k\n0,3,x,k\n")
    data = ctbnlab.read(tmp_path / "data.csv")
    assert data.names == ("B", "A") and list(data.ids) == ["k"] and data.time.tolist() == [2.0]


@pytest.mark.parametrize("content", ["time,A\n0,x\n1,y\n2,y\n", "time,variable,state\n0,A,x\n1,A,y\n2,,\n"])
def test_one_trajectory_needs_no_column(tmp_path, content):
    (tmp_path / "data.csv").write_text(content)
    data = ctbnlab.read(tmp_path / "data.csv")
    assert list(data.ids) == ["0"] and data.time.tolist() == [1.0] and data.end.tolist() == [2.0]


def test_spaces_belong_to_labels(tmp_path):
    (tmp_path / "data.csv").write_text("trajectory,time, A\nk,0, x\nk,1,x\nk,2,x\n")
    data = ctbnlab.read(tmp_path / "data.csv")
    assert data.variables == (Variable(" A", (" x", "x")),)


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        ("10 9 -1", "-1 9 10"),
        ("1.5 1e1 -2", "-2 1.5 1e1"),
        ("b 10 9", "10 9 b"),
        ("on off", "off on"),
        ("٣ 10", "10 ٣"),
    ],
)
def test_default_order_of_states(tmp_path, labels, order):
    rows = [f"{k},{label}" for k, label in enumerate(labels.split())]
    (tmp_path / "data.csv").write_text("\n".join(["time,A", *rows]) + "\n")
    assert ctbnlab.read(tmp_path / "data.csv", labels="A").variables[0].states == tuple(order.split())


def test_declared_states(tmp_path):
    (tmp_path / "data.csv").write_text(WIDE)
    states = {"Eating": ["yes", "never", "no"]}
    (tmp_path / "states.json").write_text(json.dumps(states))
    network = {"variables": [{"name": "Eating", "states": states["Eating"], "parents": []}]}
    (tmp_path / "network.json").write_text(json.dumps(network))
    for given_states in (states, tmp_path / "states.json", str(tmp_path / "network.json")):
        data = ctbnlab.read(tmp_path / "data.csv", states=given_states)
        assert data.variables == (("Hungry", ("no", "yes")), ("Eating", ("yes", "never", "no")))
        assert data.initial.tolist() == [[0, 2], [0, 0]]
        assert data.new.tolist() == [1, 0, 2]


def test_declared_states_must_agree_with_a_file_that_records_them(tmp_path):
    ctbnlab.write(two_trajectories(), tmp_path / "data.arrow")
    ctbnlab.read(tmp_path / "data.arrow", states={"Hungry": ["no", "yes"]})
    with pytest.raises(InputError, match=r"data\.arrow: the declared states of variable 'Hungry' differ"):
        ctbnlab.read(tmp_path / "data.arrow", states={"Hungry": ["yes", "no"]})


def test_rows_that_change_nothing_are_counted(tmp_path):
    (tmp_path / "data.csv").write_text(WIDE.replace("ben,3", "ben,2,no,yes\nben,2.5,no,yes\nben,3"))
    data, report = load(tmp_path / "data.csv")
    assert data.equals(two_trajectories())
    assert report.notes == ["dropped 2 rows that change nothing"]
    with pytest.raises(InputError, match="line 7: the row changes nothing in trajectory 'ben'"):
        ctbnlab.read(tmp_path / "data.csv", unchanged="error")


def _written(data, path):
    ctbnlab.write(data, path)
    return path


@pytest.mark.parametrize(
    ("names", "file", "format", "message"),
    [
        (("time", "B"), "x.csv", None, "called 'time'"),
        (("A", "trajectory"), "x.parquet", "wide", "called 'trajectory'"),
        (("state", "variable"), "x.csv", None, "read as long"),
        (("Time", "B"), "x.json", None, "called 'Time'"),
        (("A\nB", "B"), "x.csv", "long", "line break"),
    ],
)
def test_names_that_a_format_cannot_hold(tmp_path, names, file, format, message):
    data = Trajectories.from_arrays(
        [(name, "01") for name in names],
        offsets=[0, 0], start=[0], end=[1], initial=[[0, 1]], time=[], variable=[], new=[],
    )  # fmt: skip
    with pytest.raises(InputError, match=f"{file}: .*{message}"):
        ctbnlab.write(data, tmp_path / file, format=format)
    assert not list(tmp_path.iterdir())
    if "line" not in message:
        ctbnlab.write(data, tmp_path / "long.csv", format="long")
        assert ctbnlab.read(tmp_path / "long.csv", states=declared(data)).equals(data)


def test_duplicate_trajectory_labels_are_refused(tmp_path):
    with pytest.raises(InputError, match="two trajectories have the label 'ben'"):
        ctbnlab.write(two_trajectories().subset([1, 0, 1]), tmp_path / "x.csv")


def test_dataframe_labels_of_any_type():
    import pandas as pd

    frame = pd.DataFrame({"time": [0, 1, 2, 3], "N": [10, 9, 9, 9], "B": [True, True, False, False]})
    frame["mixed"] = pd.Series(["a", "a", "a", 1], dtype=object)
    data = from_dataframe(frame)
    assert data.variables == (("N", ("9", "10")), ("B", ("False", "True")), ("mixed", ("1", "a")))
    assert data.time.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"time": [0, 1], "A": ["x", None]}, "row 2: the state of variable 'A' is missing"),
        ({"time": [0, None], "A": ["x", "x"]}, "row 2: the time is missing"),
        ({"time": ["0", "soon"], "A": ["x", "x"]}, "'time' column holds"),
        ({"A": ["x", "x"]}, "no 'time' column"),
        ({"time": [0, 1], "trajectory": ["k", None], "A": ["x", "x"]}, "row 2: the trajectory label"),
    ],
)
def test_dataframe_faults(columns, message):
    import pandas as pd

    with pytest.raises(InputError, match=message):
        from_dataframe(pd.DataFrame(columns), missing="error")


def test_parquet_events_are_small(tmp_path):
    chosen = [Variable(f"v{i}", ("a", "b")) for i in range(20)]
    data = random_trajectories(np.random.default_rng(1), chosen, [20_000] * 5)
    ctbnlab.write(data, tmp_path / "data.parquet")
    assert (tmp_path / "data.parquet").stat().st_size < 7.2 * data.n_events


def test_files_are_read_and_written_without_pandas(tmp_path):
    path = _written(two_trajectories(), tmp_path / "data.arrow")
    code = f"import ctbnlab, sys; data = ctbnlab.read({str(path)!r}); print(*sys.modules)"
    loaded = _output_of(code).split()
    assert "ctbnlab.data.arrow_file" in loaded
    assert not {
        "pandas",
        "scipy",
        "pyarrow.compute",
        "pyarrow.csv",
        "pyarrow.parquet",
        "tqdm",
        "matplotlib",
    } & set(loaded)
    code = f"""
import sys
from ctbnlab.data.formats.writing import convert
convert({str(path)!r}, "x.csv")
convert("x.csv", "x.arrow")
convert("x.csv", "x.json")
convert("x.json", "y.csv", to_format="long")
print("pandas" in sys.modules)
"""
    assert _output_of(code, tmp_path) == "False\n"


def _output_of(code, folder=None):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder).stdout


def test_help_names_every_format(ctbnlab):
    shown = ctbnlab("convert", "--help").stdout
    assert all(name.replace("_", "-") in shown for name in FORMATS)
    assert ctbnlab("--help").stdout.count("convert") >= 1
