"""Outputs that appear complete or not at all, and errors that name the file they are about.

A file is written under a temporary name and then renamed: a reader never sees half of it. What cannot be
renamed over (a device, a pipe, standard output) gets its content at the end, in one piece.
"""

from __future__ import annotations

import errno
import logging
import os
import select
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ctbnlab.errors import AnyPath, InputError, renamed
from ctbnlab.io.places import Place, access_mode, place_of
from ctbnlab.io.scratch import scratch, temporary_folder

_log = logging.getLogger(__name__)
_CHUNK = 1 << 20


def require_writable(path: AnyPath) -> Place:
    """Return where an output goes; refuse what cannot be written. Call it before long work, not after."""
    place = place_of(path)
    unnamed_socket = place.kind == "socket" and place.descriptor is not None
    if place.kind in ("folder", "block device", "socket", "special file") and not unnamed_socket:
        raise InputError(f"is a {place.kind}; name a file to write", path=path)
    if place.descriptor is not None:
        if access_mode(place.descriptor) == os.O_RDONLY:
            raise InputError("is not open for writing", path=path)
    elif is_stream(place):
        _require_access(place, place.end)
    elif str(place.end).startswith("/proc/"):
        raise InputError("is in /proc; name a file to write", path=path)
    else:
        _require_folder(place)
    return place


def _require_folder(place: Place) -> None:
    folder, given = place.end.parent, Path(place.name)
    if not folder.is_dir():
        linked = folder != Path(os.path.realpath(given.parent))
        shown_folder = folder if linked else given.parent
        if folder.exists():
            raise InputError(f"{shown_folder} is not a folder", path=place.name)
        raise InputError(f"the folder {shown_folder} does not exist; create it first", path=place.name)
    _require_access(place, folder)


def require_folder(path: AnyPath) -> None:
    """Refuse an output folder that cannot be made or written to."""
    place = place_of(path)
    if place.kind not in ("", "folder"):
        raise InputError(f"is a {place.kind}; name a folder to write to", path=path)
    nearest = next(folder for folder in (place.end, *place.end.parents) if folder.exists())
    if not nearest.is_dir():
        raise InputError(f"{nearest} is not a folder", path=path)
    _require_access(place, nearest)


def _require_access(place: Place, path: Path) -> None:
    """Raise the error that writing would raise: hours of work may come before it."""
    if not os.access(path, os.W_OK | os.X_OK if path.is_dir() else os.W_OK):
        read_only = os.statvfs(path).f_flag & os.ST_RDONLY
        code = errno.EROFS if read_only else errno.EACCES
        raise OSError(code, os.strerror(code), place.name)


def is_stream(place: Place) -> bool:
    """Return whether an output is written into rather than replaced."""
    return place.descriptor is not None or place.kind not in ("file", "")


@contextmanager
def scratch_for(place: Place) -> Iterator[Path]:
    """Yield an unused path for preparing an output, on the output's disk if that is a file."""
    if not is_stream(place):
        with scratch(place.end, place.name) as made:
            yield made
        return
    with temporary_folder(place.name) as folder:
        try:
            yield folder / f"output{Path(place.name).suffix}"
        except OSError as error:
            here = error.filename is None or str(error.filename).startswith(f"{folder}/")
            if here and error.errno == errno.ENOSPC:
                raise no_space(folder.parent, place.name) from None
            raise


def no_space(folder: Path, name: AnyPath) -> InputError:
    """Return the error for a stream that does not fit into the folder of temporary files."""
    return InputError(f"does not fit into {folder}; set TMPDIR to a folder with more space", path=name)


@contextmanager
def replacing(path: AnyPath) -> Iterator[Path]:
    """Yield a temporary file; on success it becomes the output `path`, on failure it is removed.

    The file at the end of links is replaced and keeps its permissions; devices and pipes are written into.
    """
    place = require_writable(path)
    with naming_output(path):
        with scratch_for(place) as temporary:
            mode = 0o666 if place.status is None else stat.S_IMODE(place.status.st_mode) & 0o666
            # Private from the start if the output is; O_EXCL: never into a file that somebody else prepared.
            os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode | 0o600))
            yield temporary
            if not is_stream(place):
                _move(temporary, place)
                _log.info("wrote %s", place.name)
                return
            content = temporary.open("rb")
        # The scratch is left: errors from here on are about the output itself.
        with content:
            _pour(content.fileno(), place)


def _move(temporary: Path, place: Place) -> None:
    """Rename a file into place, with the owner and the permissions of the file that it replaces."""
    if place.status is not None:
        made = temporary.stat()
        if (made.st_uid, made.st_gid) != (place.status.st_uid, place.status.st_gid):
            with suppress(OSError):
                os.chown(temporary, place.status.st_uid, place.status.st_gid)
        temporary.chmod(stat.S_IMODE(place.status.st_mode) & 0o777)
    temporary.replace(place.end)


def _pour(source: int, place: Place) -> None:
    """Copy a complete file into a device, a pipe or an open descriptor, from its current position on."""
    if place.descriptor is None:
        target = os.open(place.end, os.O_WRONLY | os.O_NOCTTY)
    else:
        target = os.dup(place.descriptor)
        for stream in (sys.stdout, sys.stderr):  # what was printed before comes first
            if stream is not None:
                stream.flush()
    try:
        while chunk := os.read(source, _CHUNK):
            _write_all(target, chunk)
    finally:
        os.close(target)


def _write_all(target: int, content: bytes) -> None:
    """Write to a descriptor until everything is written; wait if it was set not to block."""
    rest = memoryview(content)
    while rest:
        try:
            rest = rest[os.write(target, rest) :]
        except BlockingIOError:
            ready = select.poll()
            ready.register(target, select.POLLOUT)
            ready.poll()


@contextmanager
def naming_file(path: AnyPath) -> Iterator[None]:
    """Add the file's name to input errors that lack one."""
    try:
        yield
    except InputError as error:
        raise error.within(path) from None


@contextmanager
def naming_output(path: AnyPath) -> Iterator[None]:
    """Name the output in system errors that lack a name, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        raise renamed(error, path) from None
