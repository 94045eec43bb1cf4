"""Bounds on what is read: sizes are refused before memory is used, and messages stay one printable line."""

from __future__ import annotations

import gzip
import io
import os
import threading
import tracemalloc

import pytest
from hypothesis import given, strategies as st

from ctbnlab.errors import MAX_SHOWN, InputError, one_line
from ctbnlab.io.bounded import LARGE, read_text
from ctbnlab.io.limits import require_between


def test_a_huge_file_is_refused_by_its_size(tmp_path):
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(LARGE + 1)
    with pytest.raises(InputError, match=r"huge\.json: has 2,147,483,649 bytes; at most 2,147,483,648"):
        read_text(path)


def test_a_gzip_bomb_takes_little_memory(tmp_path):
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb") as file:
        for _ in range(64):
            file.write(b" " * (1 << 20))
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(packed.getvalue() * 32)
    tracemalloc.start()
    with pytest.raises(InputError, match="unpacks to more than 200 times its size"):
        read_text(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert path.stat().st_size < 4 << 20 and peak < 200 << 20


def test_text_that_compresses_well_is_read(tmp_path):
    text = "".join(f"{k:09d} {'0, ' * 30}\n" for k in range(50_000))
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(text.encode()))
    assert read_text(path) == text


def test_a_limit_counts_unpacked_bytes(tmp_path):
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(b"x" * 1001))
    assert len(read_text(path, 1001)) == 1001
    with pytest.raises(InputError, match="has more than 1,000 bytes"):
        read_text(path, 1000)


@pytest.mark.parametrize("content", [b"text", gzip.compress(b"text", mtime=0)], ids=["plain", "gzipped"])
def test_a_pipe_is_read(tmp_path, content):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(content,))
    writer.start()
    assert read_text(path) == "text"
    writer.join()


@given(st.text(max_size=2000))
def test_every_message_is_one_printable_line(text):
    line = one_line(text)
    assert line.isprintable() and len(line) <= 10 * MAX_SHOWN
    assert str(InputError(text, place=text)).isprintable()


def test_a_long_message_keeps_its_ends():
    message = str(InputError(f"{'x' * 10**6} is wrong; use y", path="f.csv", place="line 7"))
    assert message.startswith("f.csv: line 7: xxx") and message.endswith("x is wrong; use y")
    assert len(message) < 500


@pytest.mark.parametrize(
    "value", [0, 4, float("nan"), -(10**5000), 10**5000], ids=["0", "4", "nan", "-huge", "huge"]
)
def test_numbers_outside_their_range(value):
    with pytest.raises(InputError, match=r"the number of x must be from 1 to 3, not .{1,20}$"):
        require_between(value, 1, 3, "the number of x")
