"""Standard streams that may be closed, full or broken: errors name them, and nothing is left for the exit.

Python prints to a closed stream without a word, and reports what it cannot write at exit with a traceback.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

NAME = "standard output"


class _NamedOutput(io.FileIO):
    """Standard output, whose errors say that they are about it."""

    def write(self, content: Any, /) -> int:
        try:
            return super().write(content)
        except OSError as error:
            reason = "is closed" if error.errno == errno.EBADF else error.strerror
            raise OSError(error.errno, reason, NAME) from None


def guarded(run: Callable[[], int]) -> int:
    """Call the command's function; return the exit status that is right if its output could be written."""
    _secure()
    status = 0
    try:
        try:
            status = run()
        except SystemExit as ending:  # after --help or a usage error
            if isinstance(ending.code, str):
                raise
            status = ending.code or 0
        sys.stdout.flush()
    except OSError as error:
        if error.filename != NAME:
            raise
        discard_output()
        if not isinstance(error, BrokenPipeError):
            print(f"ctbnlab: {NAME}: {error.strerror}", file=sys.stderr)
            return 2
    return status


def _secure() -> None:
    """Fill the places of closed streams, which the next opened files would take, and name errors."""
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None:
            # The wrong direction: using the stream is still an error.
            opened = os.open(os.devnull, os.O_WRONLY if number == 0 else os.O_RDONLY)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - open until the end
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_NamedOutput(1, "w", closefd=False)),
        encoding=getattr(sys.stdout, "encoding", "utf-8"),
        errors=getattr(sys.stdout, "errors", "strict"),
        line_buffering=os.isatty(1),
        write_through=getattr(sys.stdout, "write_through", False),
    )


def was_read_enough(error: BrokenPipeError) -> bool:
    """Return whether the broken pipe is standard output: its reader (`| head`) has seen enough."""
    return error.filename in (None, NAME, "/dev/stdout")


def discard_output() -> None:
    """Forget what could not be written to standard output: it would be tried again at exit."""
    with suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)
