"""Arrow files: read back bit for bit; damage is reported with its place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ctbnlab.data import arrow_file
from ctbnlab.data.arrow_writer import Spool
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.model.variables import Variable
from tests.support.strategies import random_trajectories, trajectories


@given(trajectories())
def test_arrow_round_trip(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("store") / "data.arrow"
    arrow_file.write(data, path)
    back = arrow_file.read(path)
    assert back.equals(data)
    assert list(path.parent.iterdir()) == [path]


@given(trajectories(), st.data())
def test_subset_shares_events_and_spool_joins_parts(tmp_path_factory, data, draw):
    which = draw.draw(st.lists(st.integers(0, data.n_trajectories - 1), max_size=5))
    part = data.subset(which)
    assert part.time is data.time
    path = tmp_path_factory.mktemp("spool") / "data.arrow"
    with Spool(path) as spool:
        for t in which:
            spool.append(data.subset([t]))
        spool.close(data.variables)
    assert arrow_file.read(path).equals(part)
    assert list(path.parent.iterdir()) == [path]


def test_255_states_and_many_variables(tmp_path):
    chosen = [Variable("wide", tuple(f"s{i}" for i in range(255)))]
    chosen += [Variable(f"v{i}", ("a", "b")) for i in range(300)]
    data = random_trajectories(np.random.default_rng(1), chosen, [500, 0, 20])
    assert data.variable.dtype == np.uint16
    arrow_file.write(data, tmp_path / "data.arrow")
    assert arrow_file.read(tmp_path / "data.arrow").equals(data)


def test_abandoned_spool_leaves_no_file(tmp_path):
    with pytest.raises(RuntimeError), Spool(tmp_path / "data.arrow"):
        raise RuntimeError
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("column", "row", "value", "message"),
    [
        ("variable", 1, 7, "event 1: the variable has an unknown code"),
        ("new", 1, 3, "event 1: the new state has an unknown code"),
        ("old", 1, 1, "event 1: the old state is not the state"),
        ("new", 0, 0, "event 0: the event changes nothing"),
        ("time", 1, 1.0, "event 1: the time is not later"),
        ("time", 1, 9.0, "event 1: the time is after the end"),
        ("time", 1, np.nan, "not later"),
        ("end", 0, np.inf, "start and end are not finite"),
        ("initial", 0, 9, "the initial state has an unknown code"),
    ],
)
def test_check_names_the_place(column, row, value, message):
    columns = {
        "offsets": [0, 2],
        "start": [0.0],
        "end": [5.0],
        "initial": [[0, 0]],
        "time": [1.0, 2.0],
        "variable": [0, 1],
        "old": [0, 0],
        "new": [1, 2],
    }
    variables = [("A", "01"), ("B", "xyz")]
    Trajectories.from_arrays(variables, **columns)
    columns[column] = np.array(columns[column], float if column in ("time", "end") else np.uint8)
    columns[column][row] = value
    with pytest.raises(InputError, match=message):
        Trajectories.from_arrays(variables, **columns)


def test_damaged_files_are_named(tmp_path):
    data = random_trajectories(np.random.default_rng(1), [Variable("A", ("0", "1"))], [500])
    path = tmp_path / "data.arrow"
    arrow_file.write(data, path)
    whole = path.read_bytes()
    for content in (b"", whole[:-200], whole[:300], b"ARROW1\0\0" + bytes(500), bytes(range(256)) * 4):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"data\.arrow: .*(empty|truncated|not)"):
            arrow_file.read(path)
