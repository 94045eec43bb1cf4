"""Odd labels in tables and DataFrames: missing ones, bytes, numbers of any size, and Unicode."""

from __future__ import annotations

import unicodedata
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st

import ctbnlab
from ctbnlab.data.formats.dataframe import from_dataframe
from ctbnlab.data.formats.labels import sorted_labels
from ctbnlab.errors import InputError


def frame(states, **columns):
    return pd.DataFrame(
        {"time": np.arange(float(len(states))), "A": pd.Series(states, dtype=object), **columns}
    )


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA, pd.NaT])
def test_missing_states(missing):
    with pytest.raises(InputError, match="row 2: the state of variable 'A' is missing"):
        from_dataframe(frame(["x", missing, "y"]), missing="error")
    data = from_dataframe(frame(["x", missing, "y"]))
    assert data.variables[0].states == ("x", "y") and data.gaps == (True,)
    assert data.new.tolist() == [2, 1]
    with pytest.raises(InputError, match="row 3: the trajectory label is missing"):
        from_dataframe(frame(["x", "y", "y"], trajectory=pd.Series(["1", "1", missing], dtype=object)))


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ([b"x", b"y", b"y"], "column 'A' holds bytes; decode them to text"),
        (pd.Categorical([b"x", b"y", b"y"]), "column 'A' holds bytes"),
        ([["x"], ["y"], ["y"]], "column 'A' holds values that cannot be labels"),
        (["x", "y\0", "x"], "row 2: variable 'A': the state 'y\\x00' contains a NUL character"),
        (["x", "\ud800", "x"], "half of a Unicode surrogate pair"),
        (pd.Categorical([1, "1", 1]), "variable 'A': the state '1' appears twice"),
    ],
)
def test_labels_that_are_refused(states, message):
    with pytest.raises(InputError) as caught:
        column = pd.Series(states, dtype=object) if isinstance(states, list) else states
        from_dataframe(pd.DataFrame({"time": [0.0, 1.0, 2.0], "A": column}))
    assert message in str(caught.value)


def test_times_that_are_too_large():
    with pytest.raises(InputError, match="the 'time' column holds values other than numbers"):
        from_dataframe(pd.DataFrame({"time": pd.Series([0, 10**400], dtype=object), "A": ["x", "y"]}))


def test_names_equal_after_normalisation_are_different_variables():
    composed, decomposed = (unicodedata.normalize(form, "é") for form in ("NFC", "NFD"))
    data = from_dataframe(
        pd.DataFrame({"time": [0.0, 1.0, 2.0], composed: ["x", "y", "y"], decomposed: list("uuv")})
    )
    assert data.names == (composed, decomposed)


def test_numbers_of_any_size_are_sorted():
    huge, larger = "9" * 5000, "1" + "0" * 5000
    assert sorted_labels(["10", "9", "-3"]) == ["-3", "9", "10"]
    assert sorted_labels([huge, "2", "10"]) == ["2", "10", huge]
    assert sorted_labels(["1e999999999", "2", "-1e999999999"]) == ["-1e999999999", "2", "1e999999999"]
    assert set(sorted_labels([huge, larger])) == {huge, larger}


@given(st.lists(st.text(st.sampled_from("0123456789.+-eE"), max_size=12)))
def test_any_labels_are_sorted(labels):
    assert sorted(sorted_labels(labels)) == sorted(labels)


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint8(), pa.int16(), pa.uint32(), pa.int64(), pa.uint64()])
@pytest.mark.parametrize("values", [["x", "y"], [1.5, 2.5], [True, False]])
def test_dictionaries_of_any_index_type(tmp_path, kind, values):
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1], kind), pa.array(values))
    pq.write_table(pa.table({"time": [0.0, 1.0, 2.0], "A": column}), tmp_path / "d.parquet")
    assert set(ctbnlab.read(tmp_path / "d.parquet", labels="A").variables[0].states) == set(map(str, values))


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.large_string(), ["1", "2"]),
        (pa.string_view(), ["1", "2"]),
        (pa.int64(), [1, 2]),
        (pa.float32(), [1.5, 2.5]),
        (pa.decimal128(5, 2), [Decimal("1.50"), Decimal("2.50")]),
    ],
)
def test_labels_of_other_types(tmp_path, kind, values):
    column = pa.array([*values, values[1]], kind)
    try:
        pq.write_table(pa.table({"time": [0.0, 1.0, 2.0], "A": column}), tmp_path / "d.parquet")
    except pa.ArrowNotImplementedError:
        pytest.skip(f"this version of pyarrow cannot write {kind} to Parquet")
    assert ctbnlab.read(tmp_path / "d.parquet", labels="A").variables[0].states == tuple(map(str, values))
