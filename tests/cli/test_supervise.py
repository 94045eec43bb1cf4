"""Supervised work: what hangs, is killed or fails ends with a status and a reason."""

from __future__ import annotations

import os
import signal
import time

from ctbnlab.cli.supervise import supervise


def test_endings():
    assert supervise(lambda: 0, None) == ("done", "", 0)
    assert supervise(lambda: 0, 60) == ("done", "", 0)
    assert supervise(lambda: 3, 60) == ("failed", "ended with status 3", 3)


def test_a_kill_is_told():
    def work() -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    assert supervise(work, 60) == ("failed", "was killed by SIGKILL", -9)


def test_what_hangs_is_ended():
    def work() -> int:
        time.sleep(600)
        return 0

    began = time.monotonic()
    assert supervise(work, 0.2) == ("timed out", "did not end within 0.2 seconds", None)
    assert time.monotonic() - began < 60


def test_an_exception_in_the_child_stays_there(capfd):
    def work() -> int:
        raise RuntimeError("oops")

    ending = supervise(work, 60)
    assert (ending.status, ending.code) == ("failed", 1)
