"""Trajectories on demand: a recorded simulation is the same data as a stored one, and damage is reported."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import ctbnlab
from ctbnlab.data import arrow_file
from ctbnlab.data.arrow_file import RecordedSimulation
from ctbnlab.errors import InputError
from ctbnlab.simulation.on_demand import Simulation, record, simulated


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """The file of a small network."""
    path = tmp_path_factory.mktemp("network") / "network.json"
    ctbnlab.generate(4, states=[2, 3], density=0.4, seed=1).write(path)
    return path


def opened(path, trajectories=None):
    """Return the trajectories of a file that records a simulation."""
    with pytest.raises(RecordedSimulation) as caught:
        arrow_file.read(path)
    return simulated(caught.value, path, trajectories)


def same(one, other):
    """Return whether two data sets are the same in every column."""
    columns = ("start", "end", "initial", "time", "variable", "old", "new", "offsets")
    return list(one.ids) == list(other.ids) and all(
        np.array_equal(getattr(one.compact(), name), getattr(other.compact(), name)) for name in columns
    )


@given(
    number=st.integers(1, 6),
    seed=st.integers(0, 2**40),
    length=st.one_of(
        st.fixed_dictionaries({"duration": st.floats(0.1, 5)}),
        st.fixed_dictionaries({"transitions": st.integers(0, 20)}),
    ),
    first=st.integers(0, 50),
    needed=st.integers(1, 8),
)
def test_the_first_trajectories_are_those_of_the_whole_simulation(
    tmp_path_factory, network, number, seed, length, first, needed
):
    path = tmp_path_factory.mktemp("data") / "data.arrow"
    record(path, network, Simulation(trajectories=number, seed=seed, first=first, **length))
    whole = ctbnlab.simulate(
        ctbnlab.Network.read(network), trajectories=number, seed=seed, first=first, **length
    )
    assert same(opened(path), whole)
    assert same(opened(path, needed), whole.subset(slice(needed)))
    assert path.stat().st_size < 2000


def test_the_network_is_found_from_the_file_and_not_from_the_working_folder(tmp_path, monkeypatch, network):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "network.json").write_bytes(network.read_bytes())
    record(folder / "data.arrow", folder / "network.json", Simulation(trajectories=2, seed=1, duration=3.0))
    folder.rename(tmp_path / "moved")
    monkeypatch.chdir("/")
    assert opened(tmp_path / "moved/data.arrow").n_trajectories == 2


def test_a_changed_or_missing_network_is_reported(tmp_path, network):
    copy, data = tmp_path / "network.json", tmp_path / "data.arrow"
    copy.write_bytes(network.read_bytes())
    record(data, copy, Simulation(trajectories=2, seed=1, duration=3.0))
    copy.write_bytes(network.read_bytes() + b"\n")
    with pytest.raises(
        InputError, match=r"data\.arrow: records a simulation of network\.json, which has changed"
    ):
        opened(data)
    copy.unlink()
    with pytest.raises(InputError, match="which does not exist"):
        opened(data)


def forged(path, **changes):
    """Write a file that looks like a record of a simulation."""
    description = {"format": "ctbnlab.simulation", "version": 1, "network": "network.json", "digest": "0"}
    description |= {"simulation": {"trajectories": 2, "seed": 1, "duration": 3.0}} | changes
    schema = pa.schema([], metadata={"ctbnlab": json.dumps(description)})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema):
        pass


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"network": 3}, "damaged record"),
        ({"digest": None}, "damaged record"),
        ({"simulation": []}, "damaged record"),
        ({"simulation": {"trajectories": 2}}, "damaged record"),
        ({"simulation": {"trajectories": 2, "seed": 1, "speed": 3}}, "damaged record"),
        ({"simulation": {"trajectories": "2", "seed": 1}}, "trajectories must be a whole number, not '2'"),
        ({"simulation": {"trajectories": 2, "seed": True}}, "seed must be a whole number, not True"),
        ({"simulation": {"trajectories": 2, "seed": 1, "duration": "x"}}, "duration must be a number"),
        ({"simulation": {"trajectories": 2, "seed": 1, "initial": {"a": 1}}}, "must name states"),
        ({"simulation": {"trajectories": 2, "seed": 1, "initial": ["a"]}}, "must name states"),
    ],
)
def test_a_forged_record_is_refused(tmp_path, network, changes, message):
    (tmp_path / "network.json").write_bytes(network.read_bytes())
    forged(tmp_path / "data.arrow", **changes)
    with pytest.raises(InputError, match=message):
        opened(tmp_path / "data.arrow")


@pytest.mark.parametrize("changes", [{"format": "other"}, {"version": 2}, {"version": "1"}])
def test_another_format_or_version_is_no_record(tmp_path, changes):
    forged(tmp_path / "data.arrow", **changes)
    with pytest.raises(InputError) as caught:
        arrow_file.read(tmp_path / "data.arrow")
    assert not isinstance(caught.value, RecordedSimulation)


def test_what_cannot_be_simulated_is_not_recorded(tmp_path, network):
    with pytest.raises(InputError, match="duration must be finite"):
        record(tmp_path / "data.arrow", network, Simulation(trajectories=2, seed=1, duration=-3.0))
    assert list(tmp_path.iterdir()) == []


def test_commands_take_a_record_for_data(ctbnlab, tmp_path):
    ctbnlab("generate", "--nodes", 3, "--states", 2, "--density", 0.5, "--seed", 1, "-o", "network.json")
    options = ["--trajectories", 40, "--duration", 20, "--seed", 2]
    ctbnlab("simulate", "network.json", *options, "-o", "stored.arrow")
    recorded = ctbnlab("simulate", "network.json", *options, "--on-demand", "-o", "recorded.arrow")
    assert (recorded.returncode, recorded.stderr) == (0, "")
    for name in ("stored", "recorded"):
        data = f"{name}.arrow"
        assert ctbnlab("learn", data, "--trajectories", 30, "-o", f"{name}.json").returncode == 0
        assert ctbnlab("fit", f"{name}.json", data, "-o", f"{name}.network.json").returncode == 0
        assert ctbnlab("convert", data, f"{name}.csv").returncode == 0
        (tmp_path / f"{name}.txt").write_text(ctbnlab("show", data).stdout.replace(name, ""))
    for ending in ("json", "network.json", "csv", "txt"):
        assert (tmp_path / f"stored.{ending}").read_bytes() == (tmp_path / f"recorded.{ending}").read_bytes()
    few = ctbnlab("learn", "recorded.arrow", "--trajectories", 41, "-o", "x.json")
    assert few.stderr == "ctbnlab: recorded.arrow: has 40 trajectories, fewer than --trajectories 41\n"
    wrong = ctbnlab("simulate", "network.json", *options, "--on-demand", "-o", "data.csv")
    assert (
        wrong.returncode == 2 and wrong.stderr == "ctbnlab: data.csv: --on-demand writes .arrow files only\n"
    )
