"""Scratch paths do not outlive their process, or only until the next one writes the same output."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ctbnlab.errors import InputError, shown
from ctbnlab.io import scratch as module
from ctbnlab.io.scratch import remove_all, remove_stale, scratch, temporary_folder

# Makes a scratch file and a scratch folder for the output in argv, says so, and waits.
WAITING = """
import sys, time
from pathlib import Path
from ctbnlab.io.scratch import scratch
output = Path(sys.argv[1])
with scratch(output, output) as file, scratch(output, output) as folder:
    file.write_text("half")
    folder.mkdir()
    (folder / "column").write_text("half")
    print("ready", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def waiting(tmp_path):
    """Return a process that holds scratch for out.arrow."""
    command = [sys.executable, "-c", WAITING, str(tmp_path / "out.arrow")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_path_keeps_the_extension_and_is_removed(tmp_path):
    with scratch(tmp_path / "data.csv.gz", "data") as path:
        assert path.parent == tmp_path and path.name.endswith(".csv.gz") and not path.exists()
        path.write_text("x")
    assert names(tmp_path) == []


def test_a_folder_is_removed_on_failure(tmp_path):
    with pytest.raises(KeyError), scratch(tmp_path / "data.arrow", "data") as path:
        path.mkdir()
        (path / "column").write_text("x")
        raise KeyError
    assert names(tmp_path) == []


def test_errors_name_the_output(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, scratch(tmp_path / "a", "the output") as path:
        assert shown(path / "column") == "the output"
        assert str(InputError("is bad", path=path)) == "the output: is bad"
        (path / "column").read_text()
    assert caught.value.filename == "the output"
    assert shown(path) == str(path)


@pytest.mark.parametrize("name", ["a" * 255, "ä" * 127, "a" * 100 + "." + "b" * 154, "a." + "€" * 84])
def test_the_longest_names_work(tmp_path, name):
    (tmp_path / name).write_text("the system allows it")
    with scratch(tmp_path / name, name) as path:
        path.write_text("x")
        path.replace(tmp_path / name)
    assert names(tmp_path) == [name]


def test_threads_do_not_share_a_path(tmp_path):
    found, barrier = [], threading.Barrier(8)

    def make():
        with scratch(tmp_path / "out.json", "out") as path:
            path.touch(exist_ok=False)
            found.append(path)
            barrier.wait()

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 8 and names(tmp_path) == []


def test_remove_all(tmp_path):
    with scratch(tmp_path / "a", "a") as file, scratch(tmp_path / "b", "b") as folder:
        file.write_text("x")
        folder.mkdir()
        (folder / "column").write_text("x")
        remove_all()
        assert names(tmp_path) == []


def test_a_child_does_not_remove_what_its_parent_writes(tmp_path):
    with scratch(tmp_path / "a", "a") as path:
        path.write_text("x")
        child = os.fork()
        if child == 0:
            remove_all()
            os._exit(0)
        os.waitpid(child, 0)
        assert path.exists()


def test_what_a_killed_process_left_is_removed(tmp_path, waiting):
    (tmp_path / ".ctbnlab-other").write_text("not ours")
    assert len(names(tmp_path)) == 3
    remove_stale(tmp_path / "out.arrow")
    assert len(names(tmp_path)) == 3, "the process still runs"
    waiting.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, waiting.pid, os.WEXITED | os.WNOWAIT)  # a zombie now
    remove_stale(tmp_path / "other.arrow")
    assert len(names(tmp_path)) == 3, "another output"
    remove_stale(tmp_path / "out.arrow")
    assert names(tmp_path) == [".ctbnlab-other"]


def test_numbers_of_processes_are_used_again(tmp_path, waiting, monkeypatch):
    # A process with the same number that started at another time is another process.
    real = module._started
    monkeypatch.setattr(module, "_started", lambda pid: f"{real(pid)}1")
    remove_stale(tmp_path / "out.arrow")
    assert names(tmp_path) == []


def test_scratch_of_other_machines_and_users_stays(tmp_path, waiting, monkeypatch):
    waiting.kill()
    waiting.wait()
    with monkeypatch.context() as patch:
        patch.setattr(module, "_machine", lambda: "00000000")
        remove_stale(tmp_path / "out.arrow")
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: 12345)
        remove_stale(tmp_path / "out.arrow")
    assert len(names(tmp_path)) == 2


def test_temporary_folders_are_private(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with temporary_folder("standard input") as folder:
        assert folder.parent == tmp_path and folder.stat().st_mode & 0o777 == 0o700
        assert shown(folder / "input") == "standard input"
    assert names(tmp_path) == []


def test_a_folder_that_cannot_be_listed_is_no_error(tmp_path):
    remove_stale(tmp_path / "none" / "out.arrow")


def test_messages_of_other_libraries_are_reworded(tmp_path):
    with scratch(tmp_path / "a", "standard input") as path:
        error = InputError(f"bad ('{path}/input': empty, {path})", path=path)
        assert str(error) == "standard input: bad ('standard input': empty, standard input)"
