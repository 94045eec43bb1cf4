"""Supervised work that hangs, is killed or fails ends with a status and a reason."""

from __future__ import annotations

import os
import signal
import time

from ctbnlab.cli.supervise import supervise


def test_endings():
    assert supervise(lambda tell: 0, None) == ("done", "", 0)
    assert supervise(lambda: 0, 60) == ("done", "", 0)
    assert supervise(lambda: 3, 60) == ("failed", "exited with status 3", 3)


def test_a_kill_is_reported():
    def work() -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    assert supervise(work, 60) == ("failed", "killed by SIGKILL", -9)


def test_work_that_hangs_is_stopped():
    def work() -> int:
        time.sleep(600)
        return 0

    began = time.monotonic()
    assert supervise(work, 0.2) == ("timed out", "exceeded the time limit of 0.2 s", None)
    assert time.monotonic() - began < 60


def test_an_exception_in_the_child_stays_there(capfd):
    def work() -> int:
        raise RuntimeError("oops")

    ending = supervise(work, 60)
    assert (ending.status, ending.code) == ("failed", 1)
