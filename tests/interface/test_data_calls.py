"""What users of pandas try with trajectories: each call, and what it gives."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import ctbnlab
from tests.support.strategies import random_trajectories

CALLS = {
    "len(data)": 50,
    "len(data[0])": 1,
    "data[0].ids": ["0"],
    "data[-1].ids": ["49"],
    "data[np.int64(3)].ids": ["3"],
    "data['17'].ids": ["17"],
    "data[:10].ids": [str(k) for k in range(10)],
    "data[::20].ids": ["0", "20", "40"],
    "data[[3, 1]].ids": ["3", "1"],
    "len(data[data.end > 10])": 50,
    "[part.ids[0] for part in data][:2]": ["0", "1"],
    "len(list(data))": 50,
    "data.to_pandas().equals(frame)": True,
    "data.to_dataframe('long').columns.tolist()": ["trajectory", "time", "variable", "state"],
    "len(data.head())": 5,
    "data.head(2).equals(frame.head(2))": True,
    "data.head(1000).equals(frame.head(1000))": True,
    "data.head(0).columns.tolist()": ["trajectory", "time", "Eating", "Full", "Hungry"],
    "len(data.head(10**9)) == len(frame)": True,
    "data.describe().index.tolist()": ["Eating", "Full", "Hungry"],
    "int(data.describe()['transitions'].sum()) == data.n_events": True,
    "ctbnlab.read(frame).equals(data)": True,
    "ctbnlab.read(frame.rename(columns={'trajectory': 'patient', 'time': 'day'}), id='patient', time='day')"
    ".equals(data)": True,
    "ctbnlab.concat([data[:10], data[10:]]).equals(data)": True,
    "ctbnlab.concat(data).equals(data)": True,
    "'Full' in data.names": True,
    "repr(data)": "<Trajectories: 3 variables, 50 trajectories, 4,059 events, time 2500>",
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call(call, scope):
    assert eval(call, dict(scope)) == CALLS[call]


@pytest.mark.parametrize("position", [50, -51])
def test_a_position_out_of_range_is_an_index_error(position, scope):
    with pytest.raises(IndexError, match="there are 50 trajectories"):
        scope["data"][position]


def test_an_unknown_id_is_a_key_error(scope):
    with pytest.raises(KeyError, match="no trajectory has the id 'x'"):
        scope["data"]["x"]


def test_data_are_written_to_a_file(scope, tmp_path):
    scope["data"].write(tmp_path / "data.parquet")
    assert ctbnlab.read(tmp_path / "data.parquet").equals(scope["data"])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda data: pickle.loads(pickle.dumps(data))])
@pytest.mark.parametrize("gaps", [False, True])
def test_data_are_copied_and_pickled(copied, gaps):
    variables = [ctbnlab.Variable("A", ("0", "1")), ctbnlab.Variable("B", ("x", "y", "z"))]
    data = random_trajectories(np.random.default_rng(2), variables, [5, 0, 7])
    if gaps:
        frame = ctbnlab.to_dataframe(data)
        frame.loc[2, "B"] = None
        data = ctbnlab.read(frame)
        assert any(data.gaps)
    assert copied(data).equals(data)
    assert copied(data[1:]).equals(data[1:])


def test_data_of_other_variables_are_not_concatenated(scope):
    other = ctbnlab.generate(2, 2, 0.5, seed=1).simulate(2, duration=1.0, seed=1)
    with pytest.raises(ctbnlab.InputError, match="differ in their variables"):
        ctbnlab.concat([scope["data"], other])
    with pytest.raises(ctbnlab.InputError, match="no trajectories"):
        ctbnlab.concat([])


def test_the_first_rows_are_those_of_the_table_even_if_changes_share_rows():
    frame = ctbnlab.generate(3, 2, 0.5, seed=1).simulate(30, duration=2.0, seed=1).to_dataframe()
    frame["time"] = frame["time"].round(1)
    data = ctbnlab.read(frame.drop_duplicates(["trajectory", "time"], keep="last"))
    assert data.tied
    whole = data.to_dataframe()
    for n in (0, 1, 7, 40, len(whole), len(whole) + 9):
        assert data.head(n).equals(whole.head(n))
