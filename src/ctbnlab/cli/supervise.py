"""Run work in a child process with limits on time and memory; report how it ended, and why.

The process forks before anything heavy is imported, so that supervision costs milliseconds, and the parent
survives a kill of the child and can record it.
"""

from __future__ import annotations

import math
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple


class Ending(NamedTuple):
    """How supervised work ended: `status` is "done", "failed" or "timed out".

    `code` is the exit status, the negative number of the signal that killed it, or None if it hit a limit.
    """

    status: str
    reason: str
    code: int | None


def supervise(work: Callable[[], int], seconds: float | None, megabytes: int | None = None) -> Ending:
    """Run `work`, which returns an exit status, in a child process with limits on time and memory."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        # A separate process group, so that a kill also reaches the processes that the work has started.
        os.setpgid(0, 0)
        code = 1
        try:
            code = work()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    deadline = None if seconds is None else time.monotonic() + seconds
    try:
        state = _wait(child, deadline, megabytes)
        if not isinstance(state, int):
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            if state == "time":
                return Ending("timed out", f"exceeded the time limit of {seconds:g} s", None)
            return Ending("failed", f"exceeded the memory limit of {megabytes} MB", None)
    except BaseException:
        os.killpg(child, signal.SIGKILL)
        raise
    code = os.waitstatus_to_exitcode(state)
    if code < 0:
        return Ending("failed", f"killed by {signal.Signals(-code).name}", code)
    return Ending("done" if code == 0 else "failed", "" if code == 0 else f"exited with status {code}", code)


def _wait(child: int, deadline: float | None, megabytes: int | None) -> int | Literal["time", "memory"]:
    """Return the exit state of the child once it has ended, or the limit that it hit."""
    if deadline is None and megabytes is None:
        return os.waitpid(child, 0)[1]
    # Memory can grow by a gigabyte per second; a check costs about 20 µs.
    pause, longest = 0.001, 0.1 if megabytes is None else 0.02
    while True:
        pid, state = os.waitpid(child, os.WNOHANG)
        if pid:
            return state
        left = math.inf if deadline is None else deadline - time.monotonic()
        if left <= 0:
            return "time"
        if megabytes is not None and _resident_bytes(child) > megabytes * 1_000_000:
            return "memory"
        # Poll often at first, so that short jobs do not wait, then a few times per second.
        time.sleep(min(pause, left))
        pause = min(2 * pause, longest)


def _resident_bytes(process: int) -> int:
    """Return the memory of a process and its descendants, as a cluster counts it."""
    folder = Path(f"/proc/{process}")
    try:
        pages = int((folder / "statm").read_bytes().split()[1])
        children = (folder / f"task/{process}/children").read_bytes().split()
    except OSError:  # the process has just ended, or this system has no /proc
        return 0
    return pages * resource.getpagesize() + sum(_resident_bytes(int(child)) for child in children)
