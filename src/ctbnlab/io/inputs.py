"""Inputs that are not files: standard input, pipes and descriptors, copied to a file that readers can map.

Readers open a file several times, look at its start and map it into memory. What can be read only once, from
the beginning to the end, is therefore copied to a scratch file first.
"""

from __future__ import annotations

import errno
import os
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ctbnlab.errors import AnyPath, InputError, shown_as
from ctbnlab.io.files import no_space
from ctbnlab.io.places import Place, access_mode, place_of
from ctbnlab.io.scratch import temporary_folder

PATIENCE = 10.0  # seconds to wait for a process that writes to a named pipe
_CHUNK = 1 << 20


def require_readable(place: Place, *, folders: bool = False) -> None:
    """Refuse what cannot be read to an end: devices other than a terminal or /dev/null, nothing, folders.

    With `folders`, a folder of files is accepted, which are one table.
    """
    if place.status is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), place.name)
    if place.descriptor is not None and access_mode(place.descriptor) == os.O_WRONLY:
        raise InputError("is not open for reading", path=place.name)
    if place.kind == "device" and not _ends(place):
        raise InputError("is a device; name a file to read", path=place.name)
    if place.kind == "folder" and folders and place.descriptor is None:
        return
    named_socket = place.kind == "socket" and place.descriptor is None
    if place.kind in ("folder", "block device", "special file") or named_socket:
        raise InputError(f"is a {place.kind}; name a file to read", path=place.name)


def _ends(device: Place) -> bool:
    """Return whether reading a device comes to an end: others, such as /dev/zero, never do."""
    assert device.status is not None
    if os.path.samestat(device.status, Path(os.devnull).stat()):
        return True
    return is_terminal(device)


def is_terminal(place: Place) -> bool:
    """Return whether an input is typed by the user."""
    if place.kind != "device":
        return False
    if place.descriptor is not None:
        return os.isatty(place.descriptor)
    opened = os.open(place.end, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        return os.isatty(opened)
    finally:
        os.close(opened)


@contextmanager
def as_file(path: AnyPath, *, folders: bool = False) -> Iterator[AnyPath]:
    """Yield `path` if it is a file, else the path of a copy; messages name the copy as the user named it.

    With `folders`, a folder is yielded as it is.
    """
    place = place_of(path)
    require_readable(place, folders=folders)
    if place.descriptor is None and place.kind in ("file", "folder"):
        yield path
        return
    with reading(place) as copy:
        yield copy


@contextmanager
def reading(place: Place) -> Iterator[str]:
    """Yield the path of a file with everything that is left to read in an open descriptor or a pipe."""
    again = _opened_again(place)
    if again is not None:
        with shown_as(again, place.name):
            yield again
        return
    with temporary_folder(place.name) as folder:
        copy = folder / "input"
        try:
            _copy(place, copy)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise no_space(folder.parent, place.name) from None
            raise
        yield str(copy)


def _opened_again(place: Place) -> str | None:
    """Return a path that opens a redirected file from its start, if there is one: no copy is needed then."""
    if place.kind != "file" or place.descriptor is None:
        return None
    path = f"/proc/self/fd/{place.descriptor}"
    try:
        if os.lseek(place.descriptor, 0, os.SEEK_CUR):
            return None  # another program has read the beginning
        os.close(os.open(path, os.O_RDONLY))
    except OSError:  # no /proc, or this user may only use the open descriptor
        return None
    return path


def _copy(place: Place, target: Path) -> None:
    if place.descriptor is not None:
        source = os.dup(place.descriptor)
    else:
        source = os.open(place.end, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        with target.open("wb") as file:
            named_pipe = place.descriptor is None and place.kind == "pipe"
            chunk = _first(source, place.name) if named_pipe else _read(source)
            while chunk:
                file.write(chunk)
                chunk = _read(source)
    finally:
        os.close(source)


def _first(pipe: int, name: str) -> bytes:
    """Return the start of a named pipe; reading gives an end of file as long as no process writes to it."""
    ready = select.poll()
    ready.register(pipe, select.POLLIN)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            chunk = os.read(pipe, _CHUNK)
        except BlockingIOError:  # open for writing, and nothing written yet
            return _read(pipe)
        if chunk:
            return chunk
        events = ready.poll(50)
        if events and not events[0][1] & select.POLLIN:  # a writer has come and gone
            return b""
    raise InputError(
        f"no process opened this pipe for writing within {PATIENCE:g} s; start the one that writes", path=name
    )


def _read(source: int) -> bytes:
    """Read what is there; wait for it if the descriptor was set not to block."""
    while True:
        try:
            return os.read(source, _CHUNK)
        except BlockingIOError:
            ready = select.poll()
            ready.register(source, select.POLLIN)
            ready.poll()
