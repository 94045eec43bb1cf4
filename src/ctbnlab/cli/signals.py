"""A command that is told to stop does so within a second, and leaves nothing behind.

Ctrl-C (SIGINT), SIGTERM and SIGHUP raise an exception in the main thread, so that ordinary clean-up runs.
Python delivers it between two bytecodes only: a thread that is inside a kernel, or waits for a pool of
threads, would notice much later. So a second thread watches, too. It learns of a signal at once through the
wake-up file descriptor, waits for a moment, and then removes temporary files and ends the process.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

GRACE = 0.5  # seconds that the main thread has to clean up
_MESSAGES = {
    signal.SIGINT: "interrupted",
    signal.SIGTERM: "stopped by SIGTERM",
    signal.SIGHUP: "stopped by SIGHUP",
}
_unreported = dict(_MESSAGES)


class Interrupted(KeyboardInterrupt):
    """Raised in the main thread by a signal that asks the command to stop."""

    def __init__(self, number: int):
        super().__init__()
        self.number = number


def run(main: Callable[[], int]) -> NoReturn:
    """Run a command under these handlers, and exit; after a signal with 128 plus its number, as in a shell.

    A signal that is ignored, as under nohup, stays ignored.
    """
    read, write = _pipe()
    os.set_blocking(write, False)
    threading.Thread(target=_watch, args=(read,), daemon=True).start()
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    for number in _MESSAGES:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _raise)
    try:
        status = main()
    except KeyboardInterrupt as error:
        status = report(error)
    if len(_unreported) < len(_MESSAGES):
        # Not through the interpreter's own end: that waits for every thread of a pool.
        _leave(status)
    sys.exit(status)


def _pipe() -> tuple[int, int]:
    """Return the ends of a pipe, none of them with the number of a standard stream that may be closed."""
    ends = os.pipe()
    above = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3) for end in ends]
    for end in ends:
        os.close(end)
    return above[0], above[1]


def report(error: KeyboardInterrupt) -> int:
    """Print that the command was stopped, and return its exit status."""
    number = signal.Signals(getattr(error, "number", signal.SIGINT))
    message = _unreported.pop(number, None)
    if message is not None:
        with contextlib.suppress(OSError, ValueError):
            print(f"ctbnlab: {message}", file=sys.stderr, flush=True)
    return 128 + number


def restore_defaults() -> None:
    """Let signals end this process again, without clean-up; for a child that its parent watches."""
    for number in _MESSAGES:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _raise(number: int, _frame: FrameType | None) -> None:
    """Interrupt the main thread; the thread that watches deals with a second signal."""
    for other in _MESSAGES:
        if signal.getsignal(other) is _raise:
            signal.signal(other, _ignore)  # still wakes the watching thread
    raise Interrupted(number)


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Let clean-up continue."""


def _watch(read: int) -> None:
    """Wait for a signal, then for the end of the grace period or for another signal; end the process."""
    # Signals are for the main thread: supervision blocks them there while it starts a child.
    signal.pthread_sigmask(signal.SIG_BLOCK, _MESSAGES)
    number = _next_signal(read)
    deadline = time.monotonic() + GRACE
    while (left := deadline - time.monotonic()) > 0:
        if select.select([read], [], [], left)[0] and os.read(read, 1)[0] in _MESSAGES:
            break
    message = _unreported.pop(signal.Signals(number), None)
    # Not through sys.stderr, whose lock the main thread may hold; and not if that would block.
    with contextlib.suppress(OSError):
        if message is not None and select.select([], [2], [], 0)[1]:
            os.write(2, f"ctbnlab: {message}\n".encode())
    _leave(128 + number)


def _next_signal(read: int) -> int:
    """Return the number of the next signal that asks the command to stop."""
    while (number := os.read(read, 1)[0]) not in _MESSAGES:
        pass
    return number


def _leave(status: int) -> NoReturn:
    """End the process at once, without its temporary files."""
    scratch = sys.modules.get("ctbnlab.io.scratch")  # not loaded: no temporary files
    if scratch is not None:
        scratch.remove_all()
    os._exit(status)


# A child must not wake its parent's watching thread.
os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))
