"""JSON files: read back exactly, laid out for people, and errors name their place."""

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


def test_flat_objects_and_rows_are_on_one_line():
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
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\x80\x81", "is not UTF-8 text (byte 1)"),
        (b"\x80\x81\x00", "is a binary file"),
        ("\ufeff[]".encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
        (b"[" + b"9" * 5000 + b"]", "has a whole number of more than 4,300 digits"),
        (b"[1e999]", "[0]: the number is too large"),
        (b'{"a": {"\\ud800": 1}}', "a: the key '\\ud800' contains half of a Unicode surrogate pair"),
        (b'{"a": [1, 2', "line 1, column 12: is not JSON"),
        (b'{"a": 1, "a": 2}', "the key 'a' appears twice"),
        (b'{"a": NaN}', "a: must be a JSON value, not NaN"),
        (b"\x1f\x8b\x08\x00", "is truncated or not a gzip file"),
        (b"[" * 100_000, "is nested too deeply"),
    ],
)
def test_errors_name_the_fault(tmp_path, content, message):
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"file\.json") as caught:
        json_text.read(path)
    assert message in str(caught.value)
