"""Learning with an external command: writes its data, runs it, times it as a process, and reads its arcs.

This runs in the supervised child of `cli.isolation`. The command gets neither a shell nor an input; what it
prints goes to standard error. Whatever it leaves running is killed when it ends.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ctbnlab.cli import options
from ctbnlab.cli.supervise import descendants, resident_bytes
from ctbnlab.errors import InputError, one_line

if TYPE_CHECKING:
    from ctbnlab.cli.isolation import Isolation
    from ctbnlab.data.trajectories import Trajectories
    from ctbnlab.learning.external import Command
    from ctbnlab.learning.knowledge import Knowledge
    from ctbnlab.learning.nodes import Learned

_SAMPLING_SECONDS = (0.0005, 0.02)  # often at first, as a command may end within milliseconds
_MAX_TAIL = 4096  # bytes of standard error in which the last line is looked for


class Cost(NamedTuple):
    """What running the command took, the processes that it started and waited for included."""

    cpu_seconds: float
    wall_seconds: float
    peak_memory_mb: float


def command_of(args: argparse.Namespace) -> Command:
    """Return the command of `--command`, `--option` and `--data-format`; refuse what cannot be run."""
    from ctbnlab.learning.external import Command

    if args.learner is not None:
        raise InputError("use either --learner or --command, not both")
    if getattr(args, "nodes", None) is not None or getattr(args, "part", None) not in (None, "1/1"):
        raise InputError("a command learns the whole graph: --nodes and --part do not apply")
    command = Command(args.external_command, options.name_values(args.option), args.data_format or "wide")
    command.require_program()
    return command


def learn_with_command(args: argparse.Namespace, command: Command, folder: Path, isolation: Isolation) -> int:
    """Learn, write or print the graph, and return the exit status; `folder` is for the command's files."""
    from ctbnlab.cli.arc_effects import measured
    from ctbnlab.cli.commands.learn import write_learned
    from ctbnlab.learning.knowledge import Knowledge, parse_arc
    from ctbnlab.learning.nodes import LearnerError

    isolation.tell(parameters=command.parameters)
    required, forbidden = ([parse_arc(text) for text in texts or ()] for texts in (args.require, args.forbid))
    knowledge = Knowledge.from_arcs(required, forbidden, args.max_parents)
    data = options.read_data(args)
    knowledge.for_nodes(data.names)  # bad input is reported before the command runs
    try:
        learned, cost = learn_graph(data, command, folder, knowledge, args.jobs)
    except LearnerError as error:
        reason = one_line(str(error))
        isolation.tell(failed=reason)
        if not args.record_failures:
            print(f"ctbnlab: the command failed: {reason}", file=sys.stderr)
        return 1
    timings = {"nodes": {}, **cost._asdict(), "timed": "process"}
    write_learned(measured(learned, data, args), data, args, timings)
    return 0


def learn_graph(
    data: Trajectories, command: Command, folder: Path, knowledge: Knowledge, threads: int = 1
) -> tuple[Learned, Cost]:
    """Return the graph that the command finds, and what that took; raise `LearnerError` if it fails."""
    from ctbnlab.data.formats.writing import write
    from ctbnlab.learning.arc_list import read_arc_list
    from ctbnlab.learning.external import DATA_FORMATS, graph_of_arcs
    from ctbnlab.learning.nodes import Learned, LearnerError

    file, arcs = folder / f"data{DATA_FORMATS[command.data_format]}", folder / "arcs.csv"
    write(data, file, format=command.data_format)
    arcs.unlink(missing_ok=True)
    cost = run(command.words(str(file), str(arcs), threads))
    if not arcs.is_file():
        raise LearnerError("it did not write {arcs}: a CSV file with the header from,to")
    try:
        listed = read_arc_list(arcs, data.names)
    except InputError as error:
        place = "" if error.place is None else f"{error.place}: "
        raise LearnerError(f"{{arcs}}: {place}{error.message}") from error
    return Learned(graph_of_arcs(data, command, listed, knowledge), {}, cost.wall_seconds), cost


def run(words: list[str]) -> Cost:
    """Run a command to its end; raise `LearnerError` with the last line of its standard error if it fails."""
    from ctbnlab.learning.nodes import LearnerError

    _adopt_orphans()
    before, began = _cpu_seconds(), time.perf_counter()
    try:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=2, stderr=subprocess.PIPE)
    except OSError as error:
        raise InputError(f"the command cannot be started ({error.strerror}): {words[0]}") from None
    with process, _forwarded(process) as tail, _sampled(process.pid) as peak:
        code = process.wait()
        wall = time.perf_counter() - began
        _end_orphans()
    if code < 0:
        _end_like(-code)
    if code:
        lines = tail.decode(errors="replace").split("\n")
        last = next((line for line in reversed(lines) if line.strip()), "")
        raise LearnerError(f"exit status {code}" + (f": {last}" if last else ""))
    return Cost(_cpu_seconds() - before, wall, peak[0] / 1e6)


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _end_like(number: int) -> None:
    """After a kill from outside, end as the command did: the parent knows whether to repeat the job."""
    from ctbnlab.cli.isolation import FROM_OUTSIDE
    from ctbnlab.learning.nodes import LearnerError

    if number in FROM_OUTSIDE:
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    try:
        name = signal.Signals(number).name
    except ValueError:  # a real-time signal
        name = f"signal {number}"
    raise LearnerError(f"killed by {name}")


# ---- While the command runs ----


@contextlib.contextmanager
def _forwarded(process: subprocess.Popen[bytes]) -> Iterator[bytearray]:
    """Pass the command's standard error on as it comes; yield its end, complete after the block."""
    assert process.stderr is not None
    descriptor, tail = process.stderr.fileno(), bytearray()

    def forward() -> None:
        with contextlib.suppress(OSError):
            while chunk := os.read(descriptor, 1 << 16):
                tail.extend(chunk)
                del tail[:-_MAX_TAIL]
                with contextlib.suppress(OSError):  # nobody reads ours
                    os.write(2, chunk)

    thread = threading.Thread(target=forward, daemon=True)
    thread.start()
    try:
        yield tail
    finally:
        thread.join(timeout=5)


@contextlib.contextmanager
def _sampled(process: int) -> Iterator[list[int]]:
    """Yield the memory of a process and its descendants in bytes, sampled until the end of the block.

    The kernel's own record of a child's peak is of no use: it begins with the memory of the process that
    started the child, which has the data loaded.
    """
    peak, ended = [resident_bytes(process)], threading.Event()

    def sample() -> None:
        pause, longest = _SAMPLING_SECONDS
        while not ended.wait(pause):
            peak[0] = max(peak[0], resident_bytes(process))
            pause = min(2 * pause, longest)

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        ended.set()
        thread.join()


def _adopt_orphans() -> None:
    """Become the parent of processes whose own parent has ended, so that none can hide; only Linux can."""
    if sys.platform == "linux":
        import ctypes

        set_child_subreaper = 36
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def _end_orphans() -> None:
    """Kill and reap what the command has left running."""
    while left := descendants(os.getpid()):
        for number in left:
            with contextlib.suppress(OSError):
                os.kill(number, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)
    _reap()


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
