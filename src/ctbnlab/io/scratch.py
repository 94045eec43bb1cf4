"""Temporary files and folders: none outlives its process, and what a killed one left is removed later.

Every scratch path is registered while it exists. A command that is asked to stop removes them all
(`remove_all`). Nothing can run after SIGKILL, so a name tells which process made it: the next process that
writes the same output removes those of processes that are gone.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ctbnlab.errors import AnyPath, renamed, shown_as

_registered: set[Path] = set()
os.register_at_fork(after_in_child=_registered.clear)  # a child must not remove what its parent writes


@contextlib.contextmanager
def scratch(path: Path, shown: AnyPath) -> Iterator[Path]:
    """Yield an unused path next to `path`, with its extension; at the end, remove whatever is there.

    The caller creates a file or a folder at that path, and may move it away. Messages name it `shown`.
    """
    remove_stale(path)
    # The random part separates the threads of a process, and nobody can guess it in a shared folder.
    made = path.with_name(f"{_prefix(path)}{_process()}-{os.urandom(4).hex()}{_ending(path)}")
    _registered.add(made)
    try:
        with shown_as(made, shown):
            try:
                yield made
            except OSError as error:
                raise renamed(error) from None
    finally:
        _remove(made)
        _registered.discard(made)


@contextlib.contextmanager
def temporary_folder(shown: AnyPath) -> Iterator[Path]:
    """Yield a private scratch folder where the system keeps temporary files."""
    import tempfile

    with scratch(Path(tempfile.gettempdir(), "stream"), shown) as folder:
        folder.mkdir(mode=0o700)
        yield folder


def remove_all() -> None:
    """Remove every scratch path of this process; for a process that is about to end."""
    for path in list(_registered):
        _remove(path)


def remove_stale(path: Path) -> None:
    """Remove what processes of this machine and user that no longer run left behind for an output."""
    prefix = _prefix(path)
    with contextlib.suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            if not entry.name.startswith(prefix):
                continue
            pid, started, *_ = [*entry.name.removeprefix(prefix).split("-"), ""]
            with contextlib.suppress(OSError):
                ours = entry.stat(follow_symlinks=False).st_uid == os.geteuid()
                if ours and pid.isdecimal() and _started(int(pid)) != started:
                    _remove(Path(entry.path))


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            import shutil

            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _prefix(path: Path) -> str:
    """Return how the scratch names of an output begin; those of other machines begin differently."""
    return f".ctbnlab-{_digest(path.name)}-{_machine()}-"


@cache
def _machine() -> str:
    """Return a mark of all processes that can see each other: containers number theirs separately."""
    try:
        namespace = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        namespace = ""
    return _digest(f"{os.uname().nodename} {namespace}")


def _process() -> str:
    """Return this process's number and start: numbers are used again."""
    return f"{os.getpid()}-{_started(os.getpid())}"


def _started(pid: int) -> str:
    """Return when a process started, or an empty text if none runs under this number."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return ""
    # Z and X: the process has ended, and its parent has not asked for its status yet.
    return "" if fields[0] in (b"Z", b"X") else fields[19].decode()


def _digest(text: str) -> str:
    return f"{zlib.crc32(os.fsencode(text)):08x}"


def _ending(path: Path) -> str:
    """Return the extensions of a name, such as .csv.gz: some writers choose the format by them."""
    return "".join(path.suffixes[-2:])[-32:]
