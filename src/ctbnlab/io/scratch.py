"""Temporary files next to outputs: none outlives its process, and what a killed one left is removed later.

Every scratch path is registered while it exists. A command that is asked to stop removes them all
(`remove_all`). Nothing can run after SIGKILL, so a name tells which process made it: the next process that
writes the same output removes those of processes that are gone.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_registered: set[Path] = set()
os.register_at_fork(after_in_child=_registered.clear)  # a child must not remove what its parent writes


@contextlib.contextmanager
def scratch(path: Path, shown: object = None) -> Iterator[Path]:  # noqa: ARG001 - for messages
    """Yield an unused path next to `path`, with its extension; at the end, remove whatever is there.

    The caller creates a file or a folder at that path, and may move it away.
    """
    remove_stale(path)
    made = path.with_name(_prefix(path) + f"{_process()}{_ending(path)}")
    _registered.add(made)
    try:
        yield made
    finally:
        _remove(made)
        _registered.discard(made)


def remove_all() -> None:
    """Remove every scratch path of this process; for a process that is about to end."""
    for path in list(_registered):
        _remove(path)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def remove_stale(path: Path) -> None:
    """Remove the scratch of processes of this machine that no longer run, for the same output."""
    prefix = _prefix(path)
    try:
        names = [name for name in os.listdir(path.parent) if name.startswith(prefix)]
    except OSError:
        return
    for name in names:
        pid, _, started = name.removeprefix(prefix).partition(".")[0].partition("-")
        if pid.isdecimal() and _started(int(pid)) != started:
            _remove(path.parent / name)


def _prefix(path: Path) -> str:
    """Return how the scratch names of an output begin; those of other machines begin differently."""
    return f".ctbnlab-{_digest(path.name)}-{_digest(os.uname().nodename)}-"


def _process() -> str:
    """Return this process's number and start: numbers are used again."""
    return f"{os.getpid()}-{_started(os.getpid())}"


def _started(pid: int) -> str:
    """Return when a process started, or an empty text if there is none."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


@cache
def _digest(text: str) -> str:
    return hashlib.blake2b(os.fsencode(text), digest_size=4).hexdigest()


def _ending(path: Path) -> str:
    """Return the extensions of a name, such as .csv.gz: some writers choose the format by them."""
    return "".join(path.suffixes[-2:])[-32:]
