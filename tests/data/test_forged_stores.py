"""Forged and damaged stores: the library and every command that reads data refuse them, and say why."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ctbnlab
from ctbnlab.cli.main import main
from ctbnlab.counting._scan import EventScan
from ctbnlab.data import arrow_file
from ctbnlab.data._check import CheckedEvents, Fault
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from tests.support import reference_check
from tests.support.forged_stores import FORGERIES, file_of, forged, good_data
from tests.support.sample_trajectories import columns_of
from tests.support.strategies import random_trajectories, trajectories

# Every command that reads trajectories, with the forged store where they are expected.
COMMANDS = {
    "learn": ["learn", "forged.arrow", "-o", "out.json"],
    "learn, printed": ["learn", "forged.arrow", "--learner", "ctpc-chi2"],
    "learn, supervised": ["learn", "forged.arrow", "--record-failures", "-o", "out.json"],
    "fit": ["fit", "network.json", "forged.arrow", "-o", "out.json"],
    "evaluate": ["evaluate", "network.json", "graph.json", "forged.arrow", "-o", "out.json"],
    "show": ["show", "forged.arrow"],
    "convert to CSV": ["convert", "forged.arrow", "out.csv"],
    "convert to Arrow": ["convert", "forged.arrow", "out.arrow"],
    "convert to Parquet": ["convert", "forged.arrow", "out.parquet"],
    "convert to JSON": ["convert", "forged.arrow", "out.json"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a network, and with a graph learned from the good data."""
    path = tmp_path_factory.mktemp("forged")
    ctbnlab.gallery.get("eating").write(path / "network.json")
    ctbnlab.Ctss().fit(good_data()).graph_.write(path / "graph.json")
    return path


def test_the_store_that_forgeries_change_is_good(folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    data = good_data()
    (folder / "forged.arrow").write_bytes(file_of([arrow_file.to_batch(data)]))
    assert ctbnlab.read("forged.arrow").equals(data)
    for command in COMMANDS.values():
        assert main(command) == 0
    capfd.readouterr()
    for path in folder.glob("out.*"):
        path.unlink()


@pytest.mark.parametrize("name", FORGERIES)
def test_the_library_refuses(folder, name):
    path = folder / "forged.arrow"
    path.write_bytes(forged(name))
    with pytest.raises(InputError) as error:
        ctbnlab.read(path)
    assert str(error.value).startswith(f"{path}: ") and FORGERIES[name][1] in str(error.value)
    with pytest.raises(InputError):
        ctbnlab.EmpiricalBayes().fit(path)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses(folder, monkeypatch, capfd, command):
    monkeypatch.chdir(folder)
    before = sorted(path.name for path in folder.iterdir())
    for name, (_, message) in FORGERIES.items():
        (folder / "forged.arrow").write_bytes(forged(name))
        assert main(COMMANDS[command]) == 2, name
        out, err = capfd.readouterr()
        assert out == "" and err.count("\n") == 1, name
        assert err.startswith("ctbnlab: forged.arrow: ") and message in err, name
    assert sorted(path.name for path in folder.iterdir()) == sorted({*before, "forged.arrow"})


@given(st.data())
def test_wrong_bytes_are_refused_or_harmless(tmp_path_factory, draw):
    """Damage bytes anywhere: the store is refused, or it holds trajectories that a plain check accepts."""
    content = bytearray(file_of([arrow_file.to_batch(good_data())]))
    for _ in range(draw.draw(st.integers(1, 4))):
        content[draw.draw(st.integers(0, len(content) - 1))] = draw.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("bytes") / "data.arrow"
    path.write_bytes(content)
    try:
        data = ctbnlab.read(path)
    except InputError as error:
        assert str(error).startswith(f"{path}: ")
        return
    assert reference_check.first_fault(columns_of(data), data.cardinalities.tolist()) is None
    ctbnlab.Ctpc().fit(data)


@given(trajectories(plain=True), st.data())
def test_the_check_is_the_plain_one(data, draw):
    columns = columns_of(data)
    for _ in range(draw.draw(st.integers(0, 3))):
        name = draw.draw(st.sampled_from(sorted(columns)))
        column = columns[name].reshape(-1)
        if not len(column):
            continue
        index = draw.draw(st.integers(0, len(column) - 1))
        if column.dtype == np.float64:
            odd = [np.nan, np.inf, -np.inf, 1e308, -1e308, 9e99, 1e-320, 0.0]
            numbers = st.sampled_from([*odd, *column.tolist()])
        else:
            numbers = st.integers(-2 if column.dtype == np.int64 else 0, 6)
        column[index] = draw.draw(numbers)
    expected = reference_check.first_fault(columns, data.cardinalities.tolist())
    try:
        CheckedEvents(**columns, cardinalities=data.cardinalities)
        found = None
    except Fault as fault:
        found = fault.args
    assert found == expected


@pytest.mark.parametrize("name", ["time", "variable", "old", "new", "stop", "start", "end", "initial"])
def test_lengths_are_compared(name):
    data = good_data()
    columns = columns_of(data)
    columns[name] = np.ascontiguousarray(columns[name][:-1])
    with pytest.raises(InputError, match="differ in length"):
        Trajectories.from_columns(data.variables, data.ids, **columns)


def test_initial_states_of_another_number_of_variables():
    data = good_data()
    columns = columns_of(data) | {"initial": np.zeros((3, 2), np.uint8)}
    with pytest.raises(InputError, match="one initial state per variable"):
        Trajectories.from_columns(data.variables, data.ids, **columns)


def test_a_scan_takes_checked_events_only():
    data = good_data()
    with pytest.raises(TypeError):
        EventScan(data, 0, 3, 1.0)
    with pytest.raises(ValueError, match="no trajectories"):
        EventScan(data.events, 0, 4, 1.0)
    with pytest.raises(ValueError, match="no trajectories"):
        EventScan(data.events, -1, 2, 1.0)
    with pytest.raises(InputError, match="other variables"):
        Trajectories(data.variables[:2], data.ids, data.events)
    with pytest.raises(InputError, match="2 labels for 3 trajectories"):
        Trajectories(data.variables, ["a", "b"], data.events)


def test_nothing_can_skip_the_check():
    data = good_data()
    columns = columns_of(data)
    columns["variable"][0] = 200
    for passed in (True, object(), "PASSED", data.events):
        with pytest.raises(Fault):
            CheckedEvents(**columns, cardinalities=data.cardinalities, passed=passed)
    with pytest.raises(AttributeError):
        data.events.variable = columns["variable"]


def test_nothing_can_change_after_the_check():
    data = random_trajectories(np.random.default_rng(1), good_data().variables, [20, 5])
    time, new = np.array(data.time), np.array(data.new)
    made = Trajectories.from_arrays(data.variables, **{**columns_by_offsets(data), "time": time, "new": new})
    time[3] = np.nan
    new[2] = 250
    assert made.equals(data)
    for name in ("begin", "stop", "start", "end", "initial", "time", "variable", "old", "new"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(made, name)[0] = 0


def columns_by_offsets(data):
    columns = columns_of(data)
    begin, stop = columns.pop("begin"), columns.pop("stop")
    return columns | {"offsets": [*begin.tolist(), int(stop[-1])]}


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("new", [300] * 25, "values that do not fit"),
        ("variable", [-1] * 25, "values that do not fit"),
        ("variable", ["a"] * 25, "cannot be read as uint8"),
        ("time", ["soon"] * 25, "cannot be read as float64"),
        ("time", [[1.0]] * 25, "must have one dimension"),
        ("initial", [0] * 5, "one initial state per variable"),
        ("offsets", [], "one more entry than"),
        ("offsets", [0, 30], "one initial state per variable"),
        ("offsets", [0, 20, 30], "outside the data"),
        ("offsets", [0, 20.5, 25], "values that do not fit"),
    ],
)
def test_odd_arrays_are_refused(column, value, message):
    data = random_trajectories(np.random.default_rng(1), good_data().variables, [20, 5])
    with pytest.raises(InputError, match=message):
        Trajectories.from_arrays(data.variables, **columns_by_offsets(data) | {column: value})


def test_pickled_trajectories_are_checked_again():
    data = good_data().subset([2, 0])
    assert pickle.loads(pickle.dumps(data)).equals(data)


def test_repeats_cannot_overflow_the_total_time():
    data = Trajectories.from_arrays(
        [("A", "01")], offsets=[0, 0], start=[0.0], end=[9e99], initial=[[0]], time=[], variable=[], new=[]
    )
    with pytest.raises(InputError, match="too long"):
        data.subset([0, 0])


def test_parquet_stores_are_checked_too(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = columns_of(good_data())
    batch = arrow_file.to_batch(good_data())
    for name, value in (("time", np.nan), ("new", 7), ("variable", 9), ("old", 9)):
        numbers = columns[name].copy()
        numbers[3] = value
        lists = pa.LargeListArray.from_arrays(batch.column("time").offsets, pa.array(numbers))
        arrays = [lists if other == name else batch.column(other) for other in batch.schema.names]
        table = pa.Table.from_arrays(arrays, schema=batch.schema)
        pq.write_table(table, tmp_path / "data.parquet")
        with pytest.raises(InputError, match=r"data\.parquet: trajectory '0', event 3: "):
            ctbnlab.read(tmp_path / "data.parquet")
