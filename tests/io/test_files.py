"""Outputs: files are replaced as a whole and keep their permissions; devices and pipes are written into."""

from __future__ import annotations

import os
import socket
import stat
import threading
from pathlib import Path

import pytest

from ctbnlab.errors import InputError
from ctbnlab.io.files import replacing, require_folder, require_writable


def write(path, text="new"):
    with replacing(path) as temporary:
        temporary.write_text(text)


def only(folder, *names):
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)


@pytest.fixture
def umask():
    before = os.umask(0o027)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_has_the_permissions_of_the_umask(tmp_path, umask):
    write(tmp_path / "a")
    assert mode(tmp_path / "a") == 0o640


@pytest.mark.parametrize("permissions", [0o600, 0o444, 0o664, 0o755])
def test_a_replaced_file_keeps_its_permissions(tmp_path, umask, permissions):
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(permissions)
    with replacing(path) as temporary:
        assert not mode(temporary) & 0o077 & ~permissions, "nobody else may read it meanwhile"
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert (path.read_text(), mode(path)) == ("new", permissions)
    only(tmp_path, "a")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_replaced_file_keeps_its_owner(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    os.chown(path, 1234, 5678)
    write(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 5678)


def test_a_failure_leaves_the_old_file(tmp_path):
    (tmp_path / "a").write_text("old")
    with pytest.raises(KeyError), replacing(tmp_path / "a") as temporary:
        temporary.write_text("half")
        raise KeyError
    assert (tmp_path / "a").read_text() == "old"
    only(tmp_path, "a")


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/target").write_text("old")
    (tmp_path / "middle").symlink_to("folder/target")
    (tmp_path / "link").symlink_to(tmp_path / "middle")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "middle").is_symlink()
    assert (tmp_path / "folder/target").read_text() == "new"
    only(tmp_path / "folder", "target")


def test_a_dangling_link_gets_its_target(tmp_path):
    (tmp_path / "link").symlink_to("target")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_text() == "new"


def test_threads_may_write_the_same_file(tmp_path):
    threads = [threading.Thread(target=write, args=(tmp_path / "a", str(i) * 10_000)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    text = (tmp_path / "a").read_text()
    assert len(text) == 10_000 and len(set(text)) == 1
    only(tmp_path, "a")


def test_a_pipe_is_written_into(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_text()))
    reader.start()
    write(tmp_path / "pipe", "x" * 1_000_000)
    reader.join()
    assert read == ["x" * 1_000_000]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    only(tmp_path, "pipe")


def test_a_device_is_written_into(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    write("/dev/null")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write("/dev/full")
    only(tmp_path)


@pytest.mark.parametrize(
    "name", ["/dev/fd/{}", "/proc/self/fd/{}", "/proc/thread-self/fd/{}", "{folder}/link"]
)
def test_a_descriptor_is_written_at_its_position(tmp_path, name):
    with (tmp_path / "file").open("wb") as file:
        (tmp_path / "link").symlink_to(f"/dev/fd/{file.fileno()}")
        file.write(b"first ")
        file.flush()
        write(name.format(file.fileno(), folder=tmp_path))
        file.write(b" last")
    assert (tmp_path / "file").read_bytes() == b"first new last"


def test_nothing_is_written_to_a_stream_on_failure(tmp_path):
    with (tmp_path / "file").open("wb") as file:
        with pytest.raises(KeyError), replacing(f"/dev/fd/{file.fileno()}") as temporary:
            temporary.write_text("half")
            raise KeyError
        assert file.tell() == 0
    assert (tmp_path / "file").read_bytes() == b""


def test_a_descriptor_that_does_not_block_is_waited_for(tmp_path):
    read, written = os.pipe()
    os.set_blocking(written, False)
    received = []

    def receive():
        while chunk := os.read(read, 1000):
            received.append(chunk)

    reader = threading.Thread(target=receive)
    reader.start()
    write(f"/dev/fd/{written}", "x" * 300_000)
    os.close(written)
    reader.join()
    os.close(read)
    assert b"".join(received) == b"x" * 300_000


def test_a_socket_is_written_into_by_its_descriptor():
    one, other = socket.socketpair()
    with one, other:
        write(f"/dev/fd/{one.fileno()}")
        assert other.recv(10) == b"new"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("folder", "is a folder; name a file to write"),
        ("link to a folder", "is a folder; name a file to write"),
        ("none/a", "the folder {}/none does not exist; create it first"),
        ("file/a", "{}/file is not a folder"),
        ("into nothing", "the folder {}/none does not exist; create it first"),
        ("loop", "is a loop of symbolic links; name a file"),
        ("socket", "is a socket; name a file to write"),
        ("disk", "is a block device; name a file to write"),
    ],
)
def test_what_cannot_be_written(tmp_path, monkeypatch, name, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "link to a folder").symlink_to("folder")
    (tmp_path / "into nothing").symlink_to("none/a")
    (tmp_path / "loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        if name == "disk":
            try:
                os.mknod(tmp_path / "disk", 0o600 | stat.S_IFBLK, os.makedev(7, 0))
            except PermissionError:
                pytest.skip("making a block device is refused here")
        before = {path: path.lstat() for path in tmp_path.iterdir()}
        with pytest.raises(InputError) as caught:
            write(tmp_path / name)
        assert str(caught.value) == f"{tmp_path / name}: {message.format(tmp_path)}"
        assert {path: path.lstat() for path in tmp_path.iterdir()} == before


def test_a_closed_or_read_only_descriptor():
    opened = os.open("/dev/null", os.O_RDONLY)
    with pytest.raises(InputError, match=f"/dev/fd/{opened}: is not open for writing"):
        require_writable(f"/dev/fd/{opened}")
    os.close(opened)
    with pytest.raises(InputError, match=f"/dev/fd/{opened}: is closed"):
        require_writable(f"/dev/fd/{opened}")


def test_the_files_of_other_processes_and_of_the_kernel():
    with pytest.raises(InputError, match="is in /proc"):
        require_writable("/proc/uptime")


def test_output_folders(tmp_path):
    require_folder(tmp_path / "a/b/c")
    require_folder(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="file: is a file; name a folder to write to"):
        require_folder(tmp_path / "file")
    with pytest.raises(InputError, match="file is not a folder"):
        require_folder(tmp_path / "file/b/c")


def test_a_stream_that_does_not_fit_into_the_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(InputError) as caught, replacing("/dev/null"):
        raise OSError(28, "No space left on device")
    message = f"/dev/null: does not fit into {tmp_path}; set TMPDIR to a folder with more space"
    assert str(caught.value) == message
    only(tmp_path)
