"""The order of columns and rows means nothing: the same store, the same arcs and the same evidence."""

from __future__ import annotations

import csv

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from ctbnlab.data.formats.reading import read
from ctbnlab.data.formats.writing import convert, write
from ctbnlab.learning.ctpc.learner import Ctpc
from ctbnlab.learning.ctss.learner import Ctss
from ctbnlab.learning.empirical_bayes.learner import EmpiricalBayes
from ctbnlab.learning.nodes import learn
from ctbnlab.model.generate import generate
from ctbnlab.simulation.degrade import coarsen, hide
from ctbnlab.simulation.simulate import simulate

LEARNERS = {
    "empirical-bayes": EmpiricalBayes(),
    "pooled": Ctpc(test="pooled", stable=True),
    "ctss": Ctss(),
}
NETWORK = generate(5, 3, 0.4, count="probability", connectivity="no-isolated", seed=812)
seeds = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a folder with ternary data seen at visits, with gaps, as wide and as long CSV."""
    folder = tmp_path_factory.mktemp("orders")
    data = coarsen(hide(simulate(NETWORK, trajectories=40, duration=12.0, seed=812), 0.1, 2.0, seed=1), 0.05)
    write(data, folder / "wide.csv")
    write(data, folder / "long.csv", format="long")
    return folder


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


def written(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    return path


def evidence(data, learner):
    """Return all evidence by names, and the arcs."""
    graph = learn(data, learner).graph
    rows = {(row["from"], row["to"]): row for row in graph.evidence}
    separating = {key: sorted(row.pop("separating_set", None) or ()) for key, row in rows.items()}
    return set(graph.arcs), rows, separating


def test_the_file_has_ties_and_gaps(files):
    data = read(files / "wide.csv")
    same = (np.diff(data.time) == 0).mean()
    assert same > 0.1 and any(data.gaps) and data.n_events > 300
    assert read(files / "long.csv").equals(data)


@settings(max_examples=10)
@given(seeds)
def test_rows_in_any_order_give_the_same_store_and_graph(files, seed):
    """All rows of a long file are shuffled, people and times and variables alike."""
    header, *rows = rows_of(files / "long.csv")
    shuffled = [rows[k] for k in np.random.default_rng(seed).permutation(len(rows))]
    path = written(files / "shuffled.csv", [header, *shuffled])
    # A file without `trajectory` and `time` in order is sorted by the labels of people: numbers, as here.
    for name, source in (("one", files / "long.csv"), ("other", path)):
        convert(source, files / f"{name}.arrow", variables=NETWORK.names)
        learn(read(files / f"{name}.arrow"), EmpiricalBayes()).graph.write(files / f"{name}.json")
    for suffix in ("arrow", "json"):
        assert (files / f"one.{suffix}").read_bytes() == (files / f"other.{suffix}").read_bytes()


@settings(max_examples=10)
@given(seeds)
def test_columns_in_any_order_give_the_same_store_for_a_given_order_of_variables(files, seed):
    header, *rows = rows_of(files / "wide.csv")
    order = np.random.default_rng(seed).permutation(len(header))
    path = written(files / "columns.csv", [[row[k] for k in order] for row in [header, *rows]])
    convert(files / "wide.csv", files / "one.arrow", variables=NETWORK.names)
    convert(path, files / "other.arrow", variables=NETWORK.names)
    assert (files / "one.arrow").read_bytes() == (files / "other.arrow").read_bytes()


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_variables_in_any_order_have_the_same_evidence(files, name, seed):
    header, *rows = rows_of(files / "wide.csv")
    order = [0, 1, *(2 + np.random.default_rng(seed).permutation(len(header) - 2))]
    path = written(files / "variables.csv", [[row[k] for k in order] for row in [header, *rows]])
    data, other = read(files / "wide.csv"), read(path)
    assert sorted(data.names) == sorted(other.names) and data.names != other.names
    arcs, expected, separating = evidence(data, LEARNERS[name])
    found_arcs, found, found_separating = evidence(other, LEARNERS[name])
    assert arcs == found_arcs and arcs
    assert expected.keys() == found.keys() and separating == found_separating
    if name != "ctss":
        assert found == expected
    for key, row in expected.items():
        assert row.keys() == found[key].keys()
        for field, value in row.items():
            # A score is a sum over configurations, which are in the order of the variables.
            same = pytest.approx(value, rel=1e-12, abs=1e-12) if isinstance(value, float) else value
            assert found[key][field] == same


def test_a_terminal_event_ends_observation_before_or_after_other_changes_of_its_instant(tmp_path):
    start = [["p", 0, "ill", "no"], ["p", 0, "death", "no"]]
    changes = [["p", 3, "ill", "yes"], ["p", 3, "death", "yes"]]
    stores = []
    for k, rows in enumerate((changes, changes[::-1])):
        table = [["id", "time", "variable", "state"], *start, *rows]
        convert(written(tmp_path / f"{k}.csv", table), tmp_path / f"{k}.arrow", terminal="death")
        stores.append((tmp_path / f"{k}.arrow").read_bytes())
    assert stores[0] == stores[1]
    data = read(tmp_path / "1.arrow")
    assert data.end.tolist() == [3] and data.n_events == 2


def test_a_state_that_is_given_and_missing_at_one_time_is_given_in_any_order():
    rows = [("1", 0, "A", "x"), ("1", 1, "A", None), ("1", 1, "A", "y"), ("1", 2, None, None)]
    frame = pd.DataFrame(rows, columns=["id", "time", "variable", "state"])
    first = read(frame)
    assert first.n_events == 1 and not any(first.gaps)
    assert read(frame.iloc[[0, 2, 1, 3]]).equals(first)
