"""Inputs that are not files: pipes, descriptors and devices become files, or are refused in one line."""

from __future__ import annotations

import os
import pty
import socket
import stat
import threading
import time
from pathlib import Path

import pytest

import ctbnlab
from ctbnlab.errors import InputError, shown
from ctbnlab.io import inputs
from ctbnlab.io.inputs import as_file, is_terminal
from ctbnlab.io.places import place_of

DATA = "trajectory,time,A,B\n1,0,x,u\n1,1,y,u\n1,2,y,v\n1,3,y,v\n"


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """Use a new folder for temporary files, which is empty in the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield folder
    assert not list(folder.iterdir())


@pytest.fixture
def pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def writing(path, *pieces, pause=0.0):
    """Start a thread that opens a pipe and writes to it in pieces."""

    def write():
        with path.open("wb") as file:
            for piece in pieces:
                time.sleep(pause)
                file.write(piece)
                file.flush()

    thread = threading.Thread(target=write)
    thread.start()
    return thread


def content(path):
    with as_file(path) as file:
        return Path(file).read_bytes()


def test_a_file_is_not_copied(tmp_path):
    (tmp_path / "a").write_text("x")
    (tmp_path / "link").symlink_to("a")
    for path in (tmp_path / "a", str(tmp_path / "link")):
        with as_file(path) as file:
            assert file is path


def test_a_pipe_is_copied(pipe):
    thread = writing(pipe, b"a" * 200_000, b"b" * 10)
    assert content(pipe) == b"a" * 200_000 + b"b" * 10
    thread.join()


def test_a_slow_writer_is_waited_for(pipe, monkeypatch):
    # It has opened the pipe; how long it takes to write is its own business.
    monkeypatch.setattr(inputs, "PATIENCE", 0.2)
    thread = writing(pipe, b"a", b"b", pause=0.5)
    assert content(pipe) == b"ab"
    thread.join()


def test_a_late_writer_is_waited_for(pipe):
    timer = threading.Timer(0.5, lambda: pipe.write_bytes(b"late"))
    timer.start()
    assert content(pipe) == b"late"
    timer.join()


def test_a_writer_that_writes_nothing(pipe):
    thread = writing(pipe)
    assert content(pipe) == b""
    thread.join()


def test_a_pipe_that_nobody_writes(pipe, monkeypatch):
    assert inputs.PATIENCE == 10
    monkeypatch.setattr(inputs, "PATIENCE", 0.2)
    with pytest.raises(InputError) as caught:
        content(pipe)
    assert str(caught.value).startswith(f"{pipe}: no process opened this pipe for writing within 0.2 s")


def test_descriptors(tmp_path):
    (tmp_path / "a").write_text("first,rest")
    with (tmp_path / "a").open("rb", buffering=0) as file:
        name = f"/dev/fd/{file.fileno()}"
        with as_file(name) as path:
            assert path == f"/proc/self/fd/{file.fileno()}", "a file that can be opened again is not copied"
            assert (Path(path).read_text(), shown(path)) == ("first,rest", name)
        file.seek(6)
        with as_file(name) as path:
            assert (Path(path).read_text(), shown(path)) == ("rest", name)
    with pytest.raises(InputError, match=f"{name}: is closed"):
        content(name)


def test_anonymous_pipes_and_sockets():
    read, written = os.pipe()
    os.set_blocking(read, False)
    timer = threading.Timer(0.2, lambda: (os.write(written, b"pipe"), os.close(written)))
    timer.start()
    assert content(f"/dev/fd/{read}") == b"pipe"
    timer.join()
    os.close(read)
    one, other = socket.socketpair()
    with one:
        with other:
            other.send(b"socket")
        assert content(f"/dev/fd/{one.fileno()}") == b"socket"


def test_a_descriptor_for_writing(tmp_path):
    with (tmp_path / "a").open("wb") as file, pytest.raises(InputError, match="is not open for reading"):
        content(f"/dev/fd/{file.fileno()}")


def test_devices():
    assert content("/dev/null") == b""
    for name in ("/dev/zero", "/dev/full", "/dev/urandom"):
        with pytest.raises(InputError, match=f"{name}: is a device; name a file to read"):
            content(name)


def test_block_devices(tmp_path):
    try:
        os.mknod(tmp_path / "disk", 0o600 | stat.S_IFBLK, os.makedev(7, 0))
    except PermissionError:
        pytest.skip("making a block device is refused here")
    with pytest.raises(InputError, match="disk: is a block device; name a file to read"):
        content(tmp_path / "disk")


def test_a_terminal():
    ours, theirs = pty.openpty()
    try:
        name = os.ttyname(theirs)
        assert is_terminal(place_of(name)) and is_terminal(place_of(f"/dev/fd/{theirs}"))
        assert not is_terminal(place_of("/dev/null"))
        os.write(ours, b"typed\n\x04")
        assert content(f"/dev/fd/{theirs}") == b"typed\n"
    finally:
        os.close(ours)
        os.close(theirs)


def test_what_cannot_be_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError) as caught:
        content("none")
    assert caught.value.filename == "none"
    with pytest.raises(InputError, match=r"\.: is a folder; name a file to read"):
        content(".")
    with pytest.raises(InputError, match="must not be empty"):
        content("")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        with pytest.raises(InputError, match="socket: is a socket; name a file to read"):
            content("socket")


def test_a_full_temporary_folder(pipe, temporary, monkeypatch):
    def full(place, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(inputs, "_copy", full)
    with pytest.raises(InputError) as caught:
        content(pipe)
    message = f"{pipe}: does not fit into {temporary}; set TMPDIR to a folder with more space"
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["data.csv", "data.arrow", "data.parquet", "data.json", "data.csv.gz"])
def test_read_detects_the_format_of_a_pipe(tmp_path, pipe, name):
    (tmp_path / "in.csv").write_text(DATA)
    ctbnlab.write(ctbnlab.read(tmp_path / "in.csv"), tmp_path / name)
    expected = ctbnlab.read(tmp_path / name)
    thread = writing(pipe, (tmp_path / name).read_bytes())
    found = ctbnlab.read(pipe)
    thread.join()
    assert found.variables == expected.variables and found.n_events == 2
    assert list(found.time) == list(expected.time) and list(found.new) == list(expected.new)


def test_read_names_the_pipe(pipe):
    thread = writing(pipe, DATA.replace("1,1,y,u", "1,1,y").encode())
    with pytest.raises(InputError) as caught:
        ctbnlab.read(pipe)
    thread.join()
    assert str(caught.value) == f"{pipe}: line 3: has 3 fields instead of 4"


def test_read_takes_a_minus_for_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError):
        ctbnlab.read("-")
