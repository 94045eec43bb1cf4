"""Layouts by the columns of a table, from every container, and in any order of rows and columns."""

from __future__ import annotations

import random

import pandas as pd
import pyarrow as pa
import pytest

import ctbnlab
from ctbnlab.cli.main import main
from ctbnlab.data.formats.detect import layout_of
from ctbnlab.data.formats.request import Options
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.model.variables import Variable
from ctbnlab.workflow.data_keys import ReadingKeys
from tests.support.layout_reading import as_plain

# Of each layout: the options that it needs, its columns, and rows with three labels that are in order.
TABLES = {
    "wide": ({}, ["id", "time", "A", "B"], lambda k: [(0, "x", "u"), (k, "y", "u"), (5, "y", "v")]),
    "long": (
        {},
        ["id", "time", "variable", "state"],
        lambda k: [(0, "A", "x"), (k, "A", "y"), (4, "A", "x"), (5, "A", "x")],
    ),
    "intervals": (
        {},
        ["id", "variable", "state", "start", "end"],
        lambda k: [("A", "x", 0, k), ("A", "y", k, 6), ("B", "x", 1, 6)],
    ),
    "intervals without states": (
        {},
        ["id", "variable", "start", "end"],
        lambda k: [("A", 0, k), ("B", 1, 6)],
    ),
    "start_stop": ({}, ["id", "tstart", "tstop", "status", "A"], lambda k: [(0, k, 0, "x"), (k, 6, 1, "y")]),
    "event_log": ({}, ["id", "time", "event"], lambda k: [(0, "a"), (k, "b"), (6, "c")]),
    "event_log of XES": (
        {},
        ["case:concept:name", "time:timestamp", "concept:name", "lifecycle"],
        lambda k: [(0, "a", "start"), (k, "b", "complete"), (6, "c", "complete")],
    ),
    "person": (
        {"layout": "person", "event": "relapse"},
        ["id", "start", "end", "relapse", "sex"],
        lambda k: [(0, 9, k, "f" if k > 2 else "m")],
    ),
    "period": (
        {"layout": "period", "time": "wave"},
        ["id", "wave", "A"],
        lambda k: [(0, "x"), (1, "y"), (2, "z" if k > 2 else "x")],
    ),
    "sequence": (
        {"layout": "sequence", "start": "m1", "end": "m3"},
        ["id", "m1", "m2", "m3", "sex"],
        lambda k: [("x", "y", "z" if k > 2 else "x", "f")],
    ),
    "meds": (
        {},
        ["subject_id", "time", "code", "numeric_value"],
        lambda k: [(0, "a", 1.5), (k, "b", None), (6, "MEDS_DEATH", None)],
    ),
}
LABELS = ["1", "2", "3"]


def table(title):
    options, columns, rows = TABLES[title]
    every = [(label, *row) for label in LABELS for row in rows(int(label))]
    return options, pd.DataFrame(every, columns=columns)


@pytest.mark.parametrize("title", [title for title in TABLES if "layout" not in TABLES[title][0]])
def test_layouts_are_found(title):
    _, frame = table(title)
    assert layout_of(list(frame.columns), Options()) == title.partition(" ")[0]


@pytest.mark.parametrize(
    ("columns", "layout"),
    [
        (["id", "time", "A"], "wide"),
        (["trajectory", "time", "event"], "wide"),  # written by ctbnlab
        (["id", "time", "status"], "wide"),
        (["id", "time", "event", "A"], "wide"),
        (["id", "time", "event", "value"], "event_log"),
        (["Patient ID", "Date", "Activity"], "event_log"),
        (["id", "start", "stop", "event"], "start_stop"),
        (["id", "variable", "from", "to"], "intervals"),
        (["IdSample", "time", "var", "state"], "pyagrum"),
    ],
)
def test_usual_columns(columns, layout):
    assert layout_of(columns, Options()) == layout


def test_options_tell_the_layout():
    assert layout_of(["id", "time", "event", "A"], Options(rules="r.toml")) == "event_log"
    assert layout_of(["who", "when", "what"], Options(time="when", event="what")) == "event_log"
    assert layout_of(["who", "a", "b", "what"], Options(start="a", end="b", event="what")) == "start_stop"


@pytest.mark.parametrize("columns", [["id", "start", "end", "A"], ["id", "entry", "exit", "relapse", "sex"]])
def test_doubt_is_refused_with_advice(columns):
    with pytest.raises(InputError, match=r"name its layout: --layout start-stop .*, person .*, sequence"):
        layout_of(columns, Options())


def test_one_variable_that_is_called_like_an_event_is_read_back(tmp_path):
    data = Trajectories.from_arrays(
        [Variable("event", ("x", "y"))], ids=["1"], offsets=[0, 1], start=[0.0], end=[2.0], initial=[0],
        time=[1.0], variable=[0], old=[0], new=[1],
    )  # fmt: skip
    ctbnlab.write(data, tmp_path / "data.csv")
    assert ctbnlab.read(tmp_path / "data.csv").equals(data)


@pytest.mark.parametrize("title", TABLES)
def test_every_container_and_order(title, tmp_path):
    """Rows in any order give the same store, byte for byte; columns in any order the same trajectories."""
    options, frame = table(title)
    data = ctbnlab.read(frame, **options)
    assert data.ids == LABELS and data.n_events
    assert ctbnlab.read(pa.Table.from_pandas(frame, preserve_index=False), **options).equals(data)
    frame.to_csv(tmp_path / "d.csv", index=False)
    frame.to_parquet(tmp_path / "d.parquet", index=False)
    frame.to_feather(tmp_path / "d.feather")
    for name in ("d.csv", "d.parquet", "d.feather"):
        assert ctbnlab.read(tmp_path / name, **options).equals(data), name
    words = [f"--{name}={value}" for name, value in options.items()]
    assert main(["convert", str(tmp_path / "d.csv"), str(tmp_path / "d.arrow"), *words]) == 0
    for seed in range(4):
        mixed = frame.iloc[random.Random(seed).sample(range(len(frame)), len(frame))]
        if options.get("layout") in ("person", "sequence"):  # trajectories come in the order of the rows
            mixed = mixed.sort_values("id")
        mixed.to_csv(tmp_path / "mixed.csv", index=False)
        assert main(["convert", str(tmp_path / "mixed.csv"), str(tmp_path / "m.arrow"), *words]) == 0
        assert (tmp_path / "m.arrow").read_bytes() == (tmp_path / "d.arrow").read_bytes()
        if options.get("layout") != "sequence":  # its periods have an order
            columns = random.Random(seed).sample(list(frame.columns), len(frame.columns))
            assert as_plain(ctbnlab.read(frame[columns], **options)) == as_plain(data)


@pytest.mark.parametrize("title", ["start_stop", "event_log"])
def test_hyphens_in_the_names_of_layouts(title):
    _, frame = table(title)
    data = ctbnlab.read(frame)
    for name in (title, title.replace("_", "-")):
        assert ctbnlab.read(frame, layout=name).equals(data)
        assert ctbnlab.read(frame, format=name).equals(data)
        assert ctbnlab.read(frame, format=title, layout=name).equals(data)


@pytest.mark.parametrize("title", ["event_log", "meds", "start_stop", "intervals", "person"])
def test_categories(title):
    """Columns of categories are those of texts, even if a category never occurs."""
    options, frame = table(title)
    data = ctbnlab.read(frame, **options)
    texts = [name for name in frame if all(isinstance(value, str) for value in frame[name])]
    labelled = frame.astype(dict.fromkeys(texts, "category"))
    for name in texts:
        labelled[name] = labelled[name].cat.add_categories(["never"])
    again = ctbnlab.read(labelled, **options)
    assert as_plain(again) == as_plain(data)
    declared = {"start_stop": "A", "person": "sex"}.get(title)  # a category is a state of its variable
    assert {variable.name for variable in again.variables if "never" in variable.states} == {declared} - {
        None
    }


def test_keys_of_a_config_are_options_of_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rules = '[variables."on, off"]\never = "b"\n'
    people = "who,from,until,sex,died\n1,0,9,f,no\n2,0,7,m,yes\n3,0,8,f,no\n"
    (tmp_path / "rules.toml").write_text(rules)
    (tmp_path / "people.csv").write_text(people)
    _, frame = table("event_log")
    frame.columns = ["who", "when", "what"]
    frame.to_csv("log.csv", index=False)
    keys = ReadingKeys(
        path="log.csv", layout="event-log", id="who", time="when", event="what", rules="rules.toml",
        people="people.csv", start="from", end="until", static=["sex"], terminal=["died"],
        variables=["on, off"], clock=["entry:3", "own"], periods=4,
    )  # fmt: skip
    assert keys.files() == ["log.csv", "rules.toml", "people.csv"]
    words = keys.words()
    assert {
        "--layout=event-log",
        "--rules=rules.toml",
        "--people=people.csv",
        "--terminal=died",
        '--variables="on, off"',
        "--clock=entry:3",
        "--clock=own",
    } <= set(words)
    assert main(["convert", "log.csv", "x.arrow", *words]) == 0
    data = ctbnlab.read("x.arrow")
    assert data.equals(ctbnlab.read("log.csv", **keys.keywords()))
    assert data.names == ("on, off", "sex", "died", "time since entry")
    assert data.roles.static == ("sex",) and data.roles.terminal == ("died",)
    assert data.end.tolist() == [9, 7, 8] and data.roles.own_clock == 4
