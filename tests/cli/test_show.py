"""`ctbnlab show`: the figures against a plain count, and screens that fit a terminal."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given

from ctbnlab.cli.main import main
from ctbnlab.data import arrow_file
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.model import gallery
from ctbnlab.model.generate import generate
from ctbnlab.model.variables import Variable
from ctbnlab.presentation.describe import data_facts, occupancy
from ctbnlab.presentation.terminal import cells, clipped, number, shown, table
from tests.support.strategies import random_trajectories, trajectories


def reference_occupancy(data):
    """Walk through every trajectory, event by event."""
    cards = [len(variable.states) for variable in data.variables]
    time = [np.zeros(c) for c in cards]
    transitions = [np.zeros((c, c), int) for c in cards]
    for t in range(data.n_trajectories):
        state = [int(x) for x in data.initial[t]]
        now = data.start[t]
        for e in range(data.begin[t], data.stop[t]):
            for j, x in enumerate(state):
                time[j][x] += data.time[e] - now
            now = data.time[e]
            j = int(data.variable[e])
            transitions[j][state[j], data.new[e]] += 1
            state[j] = int(data.new[e])
        for j, x in enumerate(state):
            time[j][x] += data.end[t] - now
    return time, transitions


@given(trajectories())
def test_time_and_transitions_against_a_plain_count(data):
    time, transitions = occupancy(data)
    expected_time, expected_transitions = reference_occupancy(data)
    for j in range(data.n_variables):
        np.testing.assert_allclose(time[j], expected_time[j], rtol=1e-9, atol=1e-9)
        assert np.array_equal(transitions[j], expected_transitions[j])
    some = data.subset([0, data.n_trajectories - 1])
    for a, b in zip(occupancy(some)[1], reference_occupancy(some)[1], strict=True):
        assert np.array_equal(a, b)


def test_pieces_fit_together(monkeypatch):
    chosen = [Variable("A", ("x", "y")), Variable("B", tuple("abc"))]
    data = random_trajectories(np.random.default_rng(3), chosen, [50, 0, 0, 120, 7, 0])
    whole = occupancy(data)
    for piece in (1, 10, 50, 64):
        monkeypatch.setattr("ctbnlab.presentation.describe._PIECE", piece)
        for a, b in zip(occupancy(data)[0], whole[0], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
        assert all(np.array_equal(a, b) for a, b in zip(occupancy(data)[1], whole[1], strict=True))


def test_rates_are_transitions_over_time():
    data = Trajectories.from_arrays(
        [("A", ["x", "y", "z"]), ("B", ["0", "1"])],
        offsets=[0, 3],
        start=[10.0],
        end=[20.0],
        initial=[[0, 0]],
        time=[12.0, 13.0, 17.0],
        variable=[0, 1, 0],
        new=[1, 1, 0],
    )
    facts = data_facts(data)
    a, b = facts["variables"]
    assert a["time"] == [5.0, 5.0, 0.0]
    assert a["rates"] == [[-0.2, 0.2, 0.0], [0.2, -0.2, 0.0], [None, None, None]]
    assert b["time"] == [3.0, 7.0]
    assert b["rates"][1] == [0.0, 0.0]
    assert facts["time_observed"] == 10
    assert (a["events"], b["events"], facts["n_events"]) == (2, 1, 3)


def test_data_set_on_the_screen(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    chosen = [
        Variable("Pressure", ("low", "mid", "high")),
        Variable("温度", ("寒い", "暑い")),
        Variable("Wide", tuple(f"state number {i}" for i in range(40))),
        Variable("Still", ("only",)),
    ]
    arrow_file.write(random_trajectories(np.random.default_rng(1), chosen, [300] * 5), "data.arrow")
    assert main(["show", "data.arrow"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "data.arrow"
    assert lines[1].startswith("4 variables, 5 trajectories, 1,500 events, total time ")
    assert all(cells(line) <= 100 for line in lines)
    assert any(line.startswith("Pressure  time spent  share  exit rate  to low") for line in lines)
    assert main(["show", "data.arrow", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts == {"file": "data.arrow", **data_facts(arrow_file.read("data.arrow"))}
    assert main(["show", "data.arrow", "--cims"]) == 0
    assert "to state numbe…" in capsys.readouterr().out


def test_networks_on_the_screen(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    gallery.get("eating").with_initial({"Eating": "no", "Full": "no", "Hungry": "yes"}).write("eating.json")
    assert main(["show", "eating.json"]) == 0
    screen = capsys.readouterr().out
    assert "3 variables, 3 arcs, density 0.5, 12 rates\n" in screen
    assert "initial state\n  Eating  no\n  Full    no\n  Hungry  yes\n" in screen
    assert "Hungry given Full=yes\n          no   yes\n  no   -0.01  0.01\n  yes      5    -5\n" in screen
    for name in gallery.names():
        gallery.get(name).write("network.json.gz")
        assert main(["show", "network.json.gz"]) == 0
        assert all(cells(line) <= 100 for line in capsys.readouterr().out.splitlines())
    generate(40, 4, 0.4).write("large.json")
    assert main(["show", "large.json"]) == 0
    screen = capsys.readouterr().out
    assert all(cells(line) <= 100 for line in screen.splitlines())
    assert "intensity matrices: use --cims to show them" in screen
    assert main(["show", "large.json", "--cims"]) == 2
    assert "too many to write out" in capsys.readouterr().err


def test_network_facts_as_json(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    gallery.get("drug").write("drug.json")
    assert main(["show", "drug.json", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["kind"] == "network"
    assert ["Uptake", "Concentration"] in facts["arcs"]
    concentration = facts["variables"][4]
    assert concentration["parents"] == ["Uptake", "FullStomach"]
    assert concentration["children"] == ["JointPain", "Drowsy"]
    assert concentration["configurations"] == 6
    assert "cims" not in concentration
    assert facts["initial"]["kind"] == "network"
    assert main(["show", "drug.json", "--json", "--cims"]) == 0
    concentration = json.loads(capsys.readouterr().out)["variables"][4]
    assert concentration["cims"][3]["given"] == {"Uptake": "yes", "FullStomach": "0"}
    assert concentration["cims"][3]["intensities"][0] == [-2.01, 2.0, 0.01]


@pytest.mark.parametrize("content", [b"", b"ARROW1\0\0" + bytes(300)])
def test_damaged_data_is_named(tmp_path, capsys, content):
    path = tmp_path / "data.arrow"
    path.write_bytes(content)
    assert main(["show", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"ctbnlab: {path}: ")
    assert error.count("\n") == 1


def test_tables_align_whatever_the_alphabet():
    assert table([["a", "1"], ["温度", "10"], ["e\u0301", "5"]], right=(1,)) == [
        "a      1",
        "温度  10",
        "e\u0301      5",
    ]
    assert clipped("one, two, three", 10) == "one, two…"
    assert clipped("温度計", 5) == "温度…"
    assert clipped("short", 5) == "short"
    assert shown("two\nlines\x1b[31m") == "two\\nlines\\x1b[31m"
    assert [number(x) for x in (None, 0.0, 12345.6, 1234.56, 0.00012345)] == [
        "–",
        "0",
        "12,346",
        "1,235",
        "0.0001234",
    ]
