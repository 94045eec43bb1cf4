"""What a path leads to: a file, a folder, a device, a pipe, or an open descriptor of this process.

Links are followed by hand, because the kernel does not say where it went: `/dev/stdout` is a link to a
descriptor, which looks like a link to the file that the shell opened, and must be written into, not replaced.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

from ctbnlab.errors import AnyPath, InputError, shown

# Where Linux and other systems list the descriptors of a process.
_DESCRIPTORS = re.compile(r"/proc/\d+(/task/\d+)?/fd|/dev/fd")
_NAMED = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_MAX_LINKS = 40  # as the kernel
_KINDS = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "block device",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
}


class Place(NamedTuple):
    """What a path, called `name` in messages, leads to: `end` is where its links end, if not a descriptor."""

    name: str
    end: Path
    descriptor: int | None
    status: os.stat_result | None

    @property
    def kind(self) -> str:
        """The kind of file, such as "file", "folder" or "pipe"; "" if nothing is there."""
        return "" if self.status is None else _KINDS.get(stat.S_IFMT(self.status.st_mode), "special file")

    @property
    def identity(self) -> object:
        """What two names of one file share; None for devices and sockets, which several may share."""
        if self.kind in ("device", "socket"):
            return None
        return str(self.end) if self.status is None else (self.status.st_dev, self.status.st_ino)


def place_of(path: AnyPath) -> Place:
    """Follow the links of a path and look at what is there."""
    name = shown(path)
    if not name:
        raise InputError("the name of a file must not be empty")
    try:
        end, descriptor = _followed(Path(path), name)
        if descriptor is None:
            return Place(name, end, None, end.stat() if end.exists() else None)
        return Place(name, end, descriptor, os.fstat(descriptor))
    except OSError as error:
        if error.errno == errno.EBADF:
            raise InputError("is closed", path=name) from None
        raise OSError(error.errno, error.strerror, name) from None


def access_mode(descriptor: int) -> int:
    """Return what a descriptor was opened for: os.O_RDONLY, os.O_WRONLY or os.O_RDWR."""
    return fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE


def _followed(path: Path, name: str) -> tuple[Path, int | None]:
    """Return where the links of a path end, and the descriptor of this process that this is, if it is."""
    for _ in range(_MAX_LINKS):
        if path.name in ("", ".."):
            return path.resolve(), None
        path = Path(os.path.realpath(path.parent), path.name)
        if _DESCRIPTORS.fullmatch(str(path.parent)) or not path.is_symlink():
            return path, _descriptor(path)
        path = path.parent / path.readlink()
    raise InputError("is a loop of symbolic links; name a file", path=name)


def _descriptor(path: Path) -> int | None:
    """Return the number of the descriptor of this process that a path without links stands for, if any."""
    folder, process = str(path.parent), os.path.realpath("/proc/self")
    if path.name.isdecimal() and (
        folder in ("/dev/fd", f"{process}/fd") or folder.startswith(f"{process}/task/")
    ):
        return int(path.name)
    return _NAMED.get(str(path))
