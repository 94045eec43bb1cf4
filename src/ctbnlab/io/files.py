"""Files are written under a temporary name and renamed: a reader never sees half of one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ctbnlab.errors import InputError


def require_folder_of(path: str | os.PathLike[str]) -> Path:
    """Refuse an output whose folder is not there; call it before long work, not after."""
    path = Path(path)
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist; create it first", path=path)
    if path.is_dir():
        raise InputError("is a folder; name a file to write", path=path)
    return path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary name beside `path`; rename it on success, remove it on any failure."""
    path = require_folder_of(path)
    # The ending stays the same, so that a writer that goes by the ending writes the right format.
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
