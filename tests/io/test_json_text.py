"""JSON files: read back exactly, laid out for people, and every fault named."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from ctbnlab.errors import InputError
from ctbnlab.io import json_text

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES, st.sampled_from(["value.json", "value.json.gz"]))
def test_round_trip(tmp_path_factory, value, name):
    path = tmp_path_factory.mktemp("json") / name
    json_text.write(value, path)
    assert json_text.read(path) == value
    first = path.read_bytes()
    json_text.write(value, path)
    assert path.read_bytes() == first


def test_records_and_rows_stand_on_one_line():
    text = json_text.dumps({"rows": [[1, 2], [3, 4]], "record": {"a": 1, "b": [1, 2]}, "empty": {}})
    assert text.splitlines() == [
        "{",
        '  "rows": [',
        "    [1, 2],",
        "    [3, 4]",
        "  ],",
        '  "record": {"a": 1, "b": [1, 2]},',
        '  "empty": {}',
        "}",
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\x80\x81\x00", "is not text: byte 1"),
        (b'{"a": [1, 2', "line 1, column 12: is not JSON"),
        (b'{"a": 1, "a": 2}', "has the key 'a' twice"),
        (b'{"a": NaN}', "a: must be a JSON value, not NaN"),
        (b"\x1f\x8b\x08\x00", "is truncated or damaged gzip"),
        (b"[" * 100_000, "is not JSON this program reads"),
    ],
)
def test_faults_are_named(tmp_path, content, said):
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"file\.json") as caught:
        json_text.read(path)
    assert said in str(caught.value)
