"""A command that is told to stop: one line, the status of a shell, within a second, nothing left behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from ctbnlab.cli.main import main
from ctbnlab.cli.signals import Interrupted, report
from tests.support.unmeasured import unmeasured

STOPPING = {
    signal.SIGINT: (130, "ctbnlab: interrupted\n"),
    signal.SIGTERM: (143, "ctbnlab: stopped by SIGTERM\n"),
    signal.SIGHUP: (129, "ctbnlab: stopped by SIGHUP\n"),
}
SECOND = 1.0
_started: list[subprocess.Popen[str]] = []


@pytest.fixture(autouse=True)
def nothing_goes_on():
    """Kill what a failed test has left running: some programs take minutes, and no signal ends them."""
    yield
    while _started:
        process = _started.pop()
        process.kill()
        process.communicate()


def begun(command: list[str], **options) -> subprocess.Popen[str]:
    """Start a command, which ends with the test."""
    process = subprocess.Popen(command, env=unmeasured(), stderr=subprocess.PIPE, text=True, **options)
    _started.append(process)
    return process


def started(program: str, *arguments: object, **options) -> subprocess.Popen[str]:
    """Start a Python program, and wait until it has printed a line."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    process = begun(command, stdout=subprocess.PIPE, **options)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


def stopped(process: subprocess.Popen[str], *numbers: int) -> tuple[int, str, float]:
    """Send signals; return the exit status, what was written to stderr, and the seconds that it took."""
    began = time.monotonic()
    for number in numbers:
        process.send_signal(number)
        time.sleep(0.1 * (len(numbers) > 1))
    _, text = process.communicate(timeout=30)
    return process.returncode, text, time.monotonic() - began


# ---- What the main thread may be doing ----

PROGRAM = """
import concurrent.futures, hashlib, sys, threading, time
from pathlib import Path
from ctbnlab.cli import signals
from ctbnlab.io.scratch import scratch

def kernel():
    hashlib.pbkdf2_hmac("sha256", b"x", b"x", 10**9)  # minutes, without the GIL

def sleep():
    time.sleep(600)

def spin():
    while True:
        pass

def wait():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        pool.map(lambda _: kernel(), range(2))

def clean_up_slowly():
    try:
        sleep()
    finally:
        kernel()

def ignore():
    while True:
        try:
            sleep()
        except BaseException:
            pass

def leave_threads():
    concurrent.futures.ThreadPoolExecutor(1).submit(kernel)
    sleep()

def main():
    with scratch(Path(sys.argv[2]), sys.argv[2]) as path:
        path.write_text("half of it")
        print("ready", flush=True)
        globals()[sys.argv[1]]()
    return 0

signals.run(main)
"""
ACTIVITIES = ("sleep", "spin", "kernel", "wait", "clean_up_slowly", "ignore", "leave_threads")


@pytest.mark.parametrize("activity", ACTIVITIES)
@pytest.mark.parametrize("number", STOPPING, ids=lambda number: number.name)
def test_whatever_the_main_thread_does(number, activity, tmp_path):
    process = started(PROGRAM, activity, tmp_path / "out.json")
    assert len(list(tmp_path.iterdir())) == 1
    status, text, seconds = stopped(process, number)
    assert (status, text) == STOPPING[number]
    assert seconds < SECOND
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("activity", ["kernel", "clean_up_slowly", "ignore"])
def test_a_second_signal_ends_at_once(activity, tmp_path):
    program = PROGRAM.replace("signals.run(main)", "signals.GRACE = 60\nsignals.run(main)")
    process = started(program, activity, tmp_path / "out.json")
    status, text, seconds = stopped(process, signal.SIGINT, signal.SIGINT)
    assert (status, text) == STOPPING[signal.SIGINT]
    assert seconds < SECOND
    assert not list(tmp_path.iterdir())


def test_ignored_signals_stay_ignored(tmp_path):
    """As under nohup, or for a command that a shell runs in the background."""
    process = started(
        PROGRAM,
        "sleep",
        tmp_path / "out.json",
        preexec_fn=lambda: [signal.signal(n, signal.SIG_IGN) for n in (signal.SIGHUP, signal.SIGINT)],
    )
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGINT)
    time.sleep(0.8)
    assert process.poll() is None
    assert stopped(process, signal.SIGTERM)[:2] == STOPPING[signal.SIGTERM]


def test_a_status_that_is_not_of_a_signal_is_kept():
    program = "from ctbnlab.cli import signals\nsignals.run(lambda: 3)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 3


def test_another_signal_does_not_stop(tmp_path):
    program = PROGRAM.replace(
        "signals.run(main)",
        "import signal\nsignal.signal(signal.SIGUSR1, lambda *_: None)\nsignals.run(main)",
    )
    process = started(program, "sleep", tmp_path / "out.json")
    process.send_signal(signal.SIGUSR1)
    time.sleep(0.8)
    assert process.poll() is None
    assert stopped(process, signal.SIGTERM)[:2] == STOPPING[signal.SIGTERM]


def test_a_child_does_not_stop_its_parent(tmp_path):
    program = PROGRAM.replace(
        "def sleep():\n",
        "def sleep():\n    import os, signal\n"
        "    if os.fork() == 0:\n        os.kill(os.getpid(), signal.SIGTERM)\n    os.wait()\n",
    )
    process = started(program, "sleep", tmp_path / "out.json")
    time.sleep(0.8)
    assert process.poll() is None
    process.kill()
    process.communicate()


def test_a_command_called_as_a_function_returns_the_status(monkeypatch, capsys):
    from ctbnlab.cli.commands import gallery

    def interrupt(args):
        raise KeyboardInterrupt

    monkeypatch.setattr(gallery, "run", interrupt)
    assert main(["gallery"]) == 130
    assert capsys.readouterr().err == "ctbnlab: interrupted\n"


def test_a_command_out_of_memory_is_one_line(monkeypatch, capsys):
    from ctbnlab.cli.commands import gallery

    def run(args):
        raise MemoryError

    monkeypatch.setattr(gallery, "run", run)
    assert main(["gallery"]) == 2
    assert capsys.readouterr().err == "ctbnlab: gallery ran out of memory; use less data or more memory\n"
    with pytest.raises(MemoryError):
        main(["--traceback", "gallery"])


@pytest.fixture(autouse=True)
def _unreported(monkeypatch):
    """Each test reports as if it were the first: the module remembers what it has printed."""
    from ctbnlab.cli import signals

    monkeypatch.setattr(signals, "_unreported", dict(signals._MESSAGES))


def test_a_signal_is_reported_once(capsys):
    assert [report(Interrupted(signal.SIGTERM)) for _ in range(2)] == [143, 143]
    assert capsys.readouterr().err == "ctbnlab: stopped by SIGTERM\n"


# ---- Real commands, in the middle of their work ----


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A network of 50 nodes and its data: large enough that no command below ends by itself in a second."""
    folder = tmp_path_factory.mktemp("signals")
    network, data = folder / "network.json", folder / "data.arrow"
    assert main(f"generate --nodes 50 --states 3 --density 0.1 --seed 4 -o {network}".split()) == 0
    length = "--trajectories 150 --duration 200 --seed 1 --jobs 2"
    assert main(f"simulate {network} {length} -o {data}".split()) == 0
    assert main(["convert", str(data), str(folder / "data.csv")]) == 0
    return folder


COMMANDS = {
    "simulate": "simulate {0}/network.json --trajectories 5000 --duration 200 --seed 1 -o out.arrow",
    "simulate with threads": (
        "simulate {0}/network.json --trajectories 5000 --duration 200 --seed 1 --jobs 3 -o out.arrow"
    ),
    "convert to arrow": "convert {0}/data.csv out.arrow",
    "convert to csv": "convert {0}/data.arrow out.csv.gz",
    "learn": "learn {0}/data.arrow -o out.json",
    "learn with threads": "learn {0}/data.arrow --jobs 3 --learner ctss -o out.json",
    "learn supervised": "learn {0}/data.arrow --jobs 2 --record-failures -o out.json",
    "fit": "fit {0}/network.json {0}/data.arrow -o out.json",
}
WRITING = ("simulate", "simulate with threads", "convert to arrow")


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_command_stops_and_leaves_nothing(number, name, folder, tmp_path):
    command = [sys.executable, "-m", "ctbnlab", *COMMANDS[name].format(folder).split()]
    process = begun(command, cwd=tmp_path)
    _wait_until_busy(process, tmp_path if name in WRITING else None)
    family = [process.pid, *(child.pid for child in psutil.Process(process.pid).children(True))]
    status, text, seconds = stopped(process, number)
    assert (status, text) == STOPPING[number]
    assert seconds < SECOND
    assert not list(tmp_path.iterdir())
    time.sleep(0.1)
    assert not any(psutil.pid_exists(pid) for pid in family)


def _wait_until_busy(process: subprocess.Popen[str], output: Path | None) -> None:
    """Wait until there is a temporary file with content, or half a second of work has been done."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        assert process.poll() is None, "the command has ended by itself"
        if output is not None:
            if any(path.stat().st_size for path in output.rglob("*") if path.is_file()):
                return
        elif _cpu_seconds(process.pid) > 0.8:
            return
        time.sleep(0.01)
    raise AssertionError("the command did not begin to work")


def _cpu_seconds(pid: int) -> float:
    """Return the processor time of a process and its children."""
    processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    return sum(process.cpu_times().user + process.cpu_times().system for process in processes)


def test_an_interrupted_learner_leaves_no_temporary_file(folder, tmp_path):
    """Also not of the supervised process, which gets no chance to clean up."""
    (tmp_path / "mine.py").write_text(
        "import time\nfrom dataclasses import dataclass\nfrom pathlib import Path\n"
        "from ctbnlab.io.scratch import scratch\n\n\n@dataclass(frozen=True)\nclass Mine:\n"
        "    def learn_node(self, statistics, knowledge):\n"
        "        with scratch(Path('out.json'), 'out.json') as path:\n"
        "            path.write_text('half')\n            time.sleep(600)\n"
    )
    command = [sys.executable, "-m", "ctbnlab", "learn", str(folder / "data.arrow"), "--learner", "mine.py"]
    process = begun([*command, "-o", "out.json"], cwd=tmp_path)
    deadline = time.monotonic() + 20
    while not list(tmp_path.glob(".*")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert stopped(process, signal.SIGTERM)[:2] == STOPPING[signal.SIGTERM]
    assert {path.name for path in tmp_path.iterdir()} <= {"mine.py", "__pycache__"}
