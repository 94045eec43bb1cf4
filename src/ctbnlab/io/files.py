"""Atomic output files, and errors that name the file they are about.

A file is written under a temporary name and then renamed: a reader never sees half of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ctbnlab.errors import InputError


def require_folder_of(path: str | os.PathLike[str]) -> Path:
    """Refuse an output path whose folder does not exist; call it before long work, not after."""
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist; create it first", path=path)
    if path.is_dir():
        raise InputError("is a folder; name a file to write", path=path)
    return path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path next to `path`; rename it on success, remove it on failure."""
    path = require_folder_of(path)
    # The extension stays the same: some writers choose the format by it.
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def naming_file(path: str | os.PathLike[str]) -> Iterator[None]:
    """Add the file's name to input errors that lack one."""
    try:
        yield
    except InputError as error:
        raise error.within(path) from None


@contextmanager
def naming_output(path: str | os.PathLike[str]) -> Iterator[None]:
    """Add the output's name to system errors that lack one, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(
            error.errno, os.strerror(error.errno) if error.errno else str(error), str(path)
        ) from None
