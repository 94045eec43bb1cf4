"""Run work in a child process with limits on time and memory; report how it ended, and why.

The process forks before anything heavy is imported, so that supervision costs milliseconds, and the parent
survives a kill of the child and can record it. The child reports through a pipe that its work is complete:
code from outside may end the process with any exit status.

Nothing survives the parent. The child is in a process group with everything that it starts, and so is a
guardian: a tiny process that waits for the end of a pipe that only the parent holds, and then kills the
group. On Linux the kernel also kills the child when its parent ends, and what has left the group is found
among the child's descendants.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn, Protocol

from ctbnlab.cli import signals
from ctbnlab.errors import described

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_MAX_REPORT = 1 << 15  # bytes: less than a pipe holds, as the parent reads only at the end


class Tell(Protocol):
    """Sends facts from the child to its parent."""

    def __call__(self, **facts: Any) -> None: ...  # noqa: D102


class Ending(NamedTuple):
    """How supervised work ended: `status` is "done", "failed" or "timed out".

    `code` is the exit status, the negative number of the signal that killed it, or None if it hit a limit.
    `facts` are what the work has told. "failed" with a code of 0 or more and no reason means that the work
    itself returned that status and has printed why.
    """

    status: str
    reason: str
    code: int | None
    facts: dict[str, Any]


def supervise(
    work: Callable[[Tell], int],
    seconds: float | None = None,
    megabytes: int | None = None,
    *,
    show_traceback: bool = False,
) -> Ending:
    """Run `work`, which returns an exit status, in a child process with limits on time and memory."""
    _flush()
    with _family(work, show_traceback) as (child, report):
        deadline = None if seconds is None else time.monotonic() + seconds
        state = _wait(child, deadline, megabytes)
    facts = _read(report)
    if state == "time":
        return Ending("timed out", f"exceeded the time limit of {seconds:g} s", None, facts)
    if state == "memory":
        return Ending("failed", f"exceeded the memory limit of {megabytes} MB", None, facts)
    code = os.waitstatus_to_exitcode(state)
    if code < 0:
        return Ending("failed", f"killed by {_signal_name(-code)}", code, facts)
    if "raised" in facts:
        return Ending("failed", facts["raised"], code, facts)
    if "returned" not in facts:
        return Ending("failed", f"the learner ended the process with exit status {code}", code, facts)
    return Ending("done" if code == 0 else "failed", "", code, facts)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # as it is if the command was started with it closed
            stream.flush()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


# ---- The three processes ----


@contextlib.contextmanager
def _family(work: Callable[[Tell], int], show_traceback: bool) -> Iterator[tuple[int, int]]:
    """Yield the number of a child that does the work, and its report; in the end, kill whatever is left."""
    report, told = os.pipe()
    watched, held = os.pipe()
    parent = os.getpid()
    child = guardian = 0
    try:
        # A signal between a fork and the note of its number would leave a process behind.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
        try:
            child = os.fork()
            if child == 0:
                for end in (report, watched, held):
                    os.close(end)
                _work(work, told, parent, before, show_traceback)
            with contextlib.suppress(OSError):  # the child does this too; one of them is first
                os.setpgid(child, child)
            guardian = os.fork()
            if guardian == 0:
                _guard(child, watched)
            with contextlib.suppress(OSError):
                os.setpgid(guardian, child)
        finally:
            os.close(told)
            os.close(watched)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        yield child, report
    except BaseException:
        _kill(child, guardian)
        os.close(report)
        raise
    else:
        _kill(child, guardian)
    finally:
        os.close(held)


def _kill(child: int, guardian: int) -> None:
    """Kill the group: the child, if it has not ended, what it has started, and the guardian."""
    left_the_group = descendants(child) if child else []
    for process, kill in ((child, os.killpg), (guardian, os.kill)):
        if process:
            with contextlib.suppress(OSError):
                kill(process, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process, 0)
    for process in left_the_group:
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGKILL)


def _work(work: Callable[[Tell], int], told: int, parent: int, mask: Any, show_traceback: bool) -> NoReturn:
    """Do the work in the child, and end it."""
    code = 1
    try:
        # A separate process group, so that a kill also reaches the processes that the work has started.
        os.setpgid(0, 0)
        signals.restore_defaults()
        _end_with(parent)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        try:
            code = work(_teller(told))
            _flush()
            _send(told, returned=code)
        except BaseException as error:
            if show_traceback:
                import traceback

                traceback.print_exc()
            _send(told, raised=described(error))
    finally:
        os._exit(code)


def _end_with(parent: int) -> None:
    """Let the kernel kill this process when its parent ends; only Linux can."""
    if sys.platform == "linux":
        import ctypes

        set_parent_death_signal = 1
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended already
        os._exit(1)


def _guard(child: int, watched: int) -> NoReturn:
    """Wait in the child's group until the parent has gone, then kill the group."""
    try:
        for number in _STOPPING:
            signal.signal(number, signal.SIG_IGN)
        # A member of the group: its number cannot be used again as long as the guardian lives.
        with contextlib.suppress(OSError):
            os.setpgid(0, child)
        # Readers of this command's output wait until every process has closed it.
        os.closerange(0, watched)
        os.closerange(watched + 1, _highest_descriptor() + 1)
        os.read(watched, 1)
        os.killpg(child, signal.SIGKILL)
    finally:
        os._exit(0)


def _highest_descriptor() -> int:
    try:
        return max(int(path.name) for path in Path("/dev/fd").iterdir())
    except OSError:
        return 255


# ---- What the child tells ----


def _teller(told: int) -> Tell:
    """Return the function that sends facts; those that do not fit into the pipe are left out."""
    os.set_blocking(told, False)
    left = _MAX_REPORT

    def tell(**facts: Any) -> None:
        nonlocal left
        size = len(json.dumps(facts))
        if size <= left:
            left -= size
            _send(told, **facts)

    return tell


def _send(told: int, **facts: Any) -> None:
    with contextlib.suppress(OSError):  # the work may have closed the pipe
        os.write(told, json.dumps(facts).encode() + b"\n")


def _read(report: int) -> dict[str, Any]:
    """Return all facts; does not wait for a process that still holds the other end of the pipe."""
    os.set_blocking(report, False)
    try:
        content = os.read(report, 1 << 16)
    except BlockingIOError:
        content = b""
    finally:
        os.close(report)
    facts: dict[str, Any] = {}
    for line in content.splitlines():
        with contextlib.suppress(ValueError, TypeError):
            facts |= json.loads(line)
    return facts


# ---- Limits ----


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
        if megabytes is not None and resident_bytes(child) > megabytes * 1_000_000:
            return "memory"
        # Poll often at first, so that short jobs do not wait, then a few times per second.
        time.sleep(min(pause, left))
        pause = min(2 * pause, longest)


def resident_bytes(process: int) -> int:
    """Return the memory of a process and its descendants, as a cluster counts it."""
    pages = 0
    for number in (process, *descendants(process)):
        with contextlib.suppress(OSError):  # the process has just ended, or this system has no /proc
            pages += int(Path(f"/proc/{number}/statm").read_bytes().split()[1])
    return pages * resource.getpagesize()


def descendants(process: int) -> list[int]:
    """Return the numbers of all processes that a process and its descendants have started."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            for child in map(int, (thread / "children").read_bytes().split()):
                found += [child, *descendants(child)]
    return found
