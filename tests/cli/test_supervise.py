"""Supervised work that hangs, is killed or fails ends with a status and a reason, and leaves no process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from ctbnlab.cli.supervise import supervise


def ended(work, *limits):
    """Return how work ended, without what it told."""
    return supervise(work, *limits)[:3]


def test_endings():
    assert ended(lambda tell: 0, None) == ("done", "", 0)
    assert ended(lambda tell: 0, 60) == ("done", "", 0)
    assert ended(lambda tell: 3, 60) == ("failed", "", 3)


@pytest.mark.parametrize("code", [0, 3])
def test_an_exit_without_a_report_is_a_failure(code):
    expected = ("failed", f"the learner ended the process with exit status {code}", code)
    assert ended(lambda tell: os._exit(code)) == expected


def test_a_kill_is_reported():
    def work(tell) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    assert ended(work, 60) == ("failed", "killed by SIGKILL", -9)
    real_time = signal.SIGRTMIN + 1
    assert ended(lambda tell: os.kill(os.getpid(), real_time)).count(f"killed by signal {real_time}") == 1


def test_work_that_hangs_is_stopped():
    def work(tell) -> int:
        time.sleep(600)
        return 0

    began = time.monotonic()
    assert ended(work, 0.2) == ("timed out", "exceeded the time limit of 0.2 s", None)
    assert time.monotonic() - began < 60


def test_work_that_takes_too_much_memory_is_stopped():
    def work(tell) -> int:
        held = bytearray(400_000_000)
        held[::4096] = b"x" * len(held[::4096])
        time.sleep(600)
        return 0

    assert ended(work, 60, 300) == ("failed", "exceeded the memory limit of 300 MB", None)


def test_an_exception_in_the_child_stays_there(capfd):
    def work(tell) -> int:
        raise RuntimeError("oops\nin two lines")

    assert ended(work, 60) == ("failed", "RuntimeError: oops in two lines", 1)
    assert capfd.readouterr() == ("", "")
    supervise(work, show_traceback=True)
    assert capfd.readouterr().err.startswith("Traceback")


def test_facts_are_told_unless_there_are_too_many():
    def work(tell) -> int:
        tell(parameters={"alpha": 0.1}, name="χ²")
        tell(large="x" * 1_000_000)
        tell(last=True)
        return 0

    ending = supervise(work)
    assert ending.facts == {"parameters": {"alpha": 0.1}, "name": "χ²", "last": True, "returned": 0}
    assert ending.status == "done"


def test_what_the_work_has_started_ends_with_it():
    def work(tell) -> int:
        tell(sleeper=subprocess.Popen(["sleep", "600"]).pid)
        return 0

    ending = supervise(work)
    assert ending.status == "done"
    assert gone({ending.facts["sleeper"]})


def test_no_child_is_left_to_reap():
    before = psutil.Process().children()
    supervise(lambda tell: 0)
    supervise(lambda tell: time.sleep(600), 0.05)
    assert psutil.Process().children() == before


def test_output_is_closed_with_the_command():
    """A reader of a pipe waits for its end: the guardian must not hold it open."""
    command = [sys.executable, "-c", SUPERVISOR.format(body="sys.stdout.write('done'); return 0")]
    assert subprocess.run(command, capture_output=True, timeout=20, check=True).stdout == b"done"


# ---- The parent ends first ----

SUPERVISOR = """
import os, subprocess, sys, time
from ctbnlab.cli.supervise import supervise

def work(tell):
    {body}

supervise(work)
"""
READY = "print(os.getpid(), {started}, flush=True)"
BODIES = {
    "sleeps": READY.format(started=0) + "; time.sleep(600)",
    "spins": READY.format(started=0) + "\n    while True: pass",
    "sorts": READY.format(started=0) + "; sorted(range(10**8), key=lambda x: -x)",
    "starts a process": READY.format(started="subprocess.Popen(['sleep', '600']).pid") + "; time.sleep(600)",
    "starts a process that ignores signals": READY.format(
        started="subprocess.Popen(['sh', '-c', 'trap \"\" TERM HUP INT; sleep 600 & wait']).pid"
    )
    + "; time.sleep(600)",
    "closes all files": READY.format(started=0) + "; os.closerange(0, 100); time.sleep(600)",
}


def gone(numbers: set[int], seconds: float = 2.0) -> bool:
    """Return whether these processes end in time; a zombie that nobody reaps has ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(_runs(number) for number in numbers):
            return True
        time.sleep(0.02)
    return False


def _runs(number: int) -> bool:
    try:
        return psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL], ids=lambda n: n.name)
def test_nothing_survives_the_parent(number, body):
    command = [sys.executable, "-c", SUPERVISOR.format(body=body)]
    with started(command) as parent:
        ready = {int(text) for text in parent.stdout.readline().split()} - {0}
        family = ready | guarded(parent, ready)
        parent.send_signal(number)
        assert gone(family)
        assert gone({parent.pid})


@contextlib.contextmanager
def started(command):
    """Run a process; end it with the block, so that a failure in the block is not a wait without end."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        try:
            yield parent
        finally:
            parent.kill()


def guarded(parent, ready: set[int]) -> set[int]:
    """Return the descendants of a process once there is a guardian; the child may print before that."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with contextlib.suppress(psutil.NoSuchProcess):
            family = {process.pid for process in psutil.Process(parent.pid).children(recursive=True)}
            if family - ready:
                return family
        time.sleep(0.01)
    raise AssertionError("there is no guardian")


def test_a_killed_guardian_changes_nothing():
    with started([sys.executable, "-c", SUPERVISOR.format(body=BODIES["sleeps"])]) as parent:
        child = int(parent.stdout.readline().split()[0])
        (guardian,) = guarded(parent, {child}) - {child}
        psutil.Process(guardian).kill()
        parent.kill()
        assert gone({child})
