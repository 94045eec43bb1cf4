"""Learning in a supervised process, for limits and for code from outside; records or reports how it failed.

A learner from outside may do anything: exit, crash, close files, change the working folder. Its process
keeps what the results need, and this one knows in the end what happened.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ctbnlab.cli import options
from ctbnlab.cli.main import run_command
from ctbnlab.cli.supervise import Ending, Tell, supervise

TRY_AGAIN = 75  # the exit status of a temporary failure: EX_TEMPFAIL in sysexits.h

# Signals that come from outside: of a user, a system without memory, or a scheduler. With any other, the
# learner has killed itself, and would do so again.
FROM_OUTSIDE = {
    getattr(signal, name)
    for name in (
        "SIGKILL",
        "SIGTERM",
        "SIGHUP",
        "SIGINT",
        "SIGQUIT",
        "SIGUSR1",
        "SIGUSR2",
        "SIGXCPU",
        "SIGPWR",
    )
    if hasattr(signal, name)
}


class Isolation:
    """The surroundings of code from outside: what it must not change, and how to tell the parent about it."""

    def __init__(self, tell: Tell):
        self.tell = tell
        self._folder = os.open(".", os.O_RDONLY)
        streams = ((name, getattr(sys, name), number) for name, number in (("stdout", 1), ("stderr", 2)))
        self._streams = [(*kept, os.dup(kept[2])) for kept in streams if kept[1] is not None]

    def run(self, work: Callable[[argparse.Namespace], int], args: argparse.Namespace) -> int:
        """Call a function that runs code from outside, and report bad input in one line, as for a command."""
        return run_command(lambda args: self._restored_after(work, args), args)

    def _restored_after(self, work: Callable[[argparse.Namespace], int], args: argparse.Namespace) -> int:
        try:
            return work(args)
        except KeyboardInterrupt as error:  # not the user's: Ctrl-C does not reach this process
            raise RuntimeError("the learner raised KeyboardInterrupt") from error
        finally:
            self.restore()

    def restore(self) -> None:
        """Return to the folder, and to the streams, from before the code ran."""
        os.fchdir(self._folder)
        for name, stream, number, copy in self._streams:
            os.dup2(copy, number)
            setattr(sys, name, open(number, "w", closefd=False) if stream.closed else stream)  # noqa: SIM115


def learn_isolated(learn: Callable[[argparse.Namespace, Isolation], int], args: argparse.Namespace) -> int:
    """Learn in a child process; if that fails, hangs or is killed, report it or record it for every node."""

    def work(tell: Tell) -> int:
        isolation = Isolation(tell)
        return isolation.run(lambda args: _learn(learn, args, isolation), args)

    limits = [seconds for seconds in (args.time_limit, args.job_time) if seconds is not None]
    done = False
    try:
        ending = supervise(work, min(limits, default=None), args.job_memory, show_traceback=args.traceback)
        done = ending.status == "done"
    finally:
        if not done:
            _remove_scratch(args)
    if done:
        return 0
    told = ending.facts.get("failed")
    if told is None and not ending.reason:
        return ending.code or 1  # bad input, which the child has reported
    if told is not None and not args.record_failures:
        return 1  # the child has reported this, too
    ending = ending._replace(reason=told or ending.reason)
    if _is_temporary(args, ending):
        return TRY_AGAIN
    _report(args, ending)
    if not args.record_failures:
        return 1
    _record(args, ending)
    return 0


def _learn(
    learn: Callable[[argparse.Namespace, Isolation], int], args: argparse.Namespace, isolation: Isolation
) -> int:
    """Learn in the child; tell its parent if the learner could not even be made."""
    from ctbnlab.learning.plugins import LoadError

    try:
        return learn(args, isolation)
    except LoadError as error:
        if not args.record_failures:
            raise
        isolation.tell(failed=str(error))
        return 1


def _remove_scratch(args: argparse.Namespace) -> None:
    """Remove temporary files of a child that was killed while it wrote its outputs."""
    from ctbnlab.io.scratch import remove_stale

    for output in filter(None, (args.output, args.timings)):
        remove_stale(Path(output))


def _is_temporary(args: argparse.Namespace, ending: Ending) -> bool:
    """Return whether to fail so that the job is tried again, rather than record the ending; say why."""
    if args.job_memory is not None or args.job_time is not None:  # a cluster's job
        if args.last_attempt or not args.record_failures or not _exceeded_request(args, ending):
            return False
        _report(args, ending)
        return True
    if ending.code is None or -ending.code not in FROM_OUTSIDE:
        return False
    print(
        f"ctbnlab: learning was {ending.reason}; nothing was recorded: run the same command again, with "
        "fewer cores if memory ran out",
        file=sys.stderr,
    )
    return True


def _exceeded_request(args: argparse.Namespace, ending: Ending) -> bool:
    """Return whether the job's request ended learning, rather than the config's limit or an error."""
    if ending.status == "timed out":
        return args.job_time is not None and (args.time_limit is None or args.job_time < args.time_limit)
    # A kill that did not come from us is most likely the cluster's, for exceeding the memory.
    return args.job_memory is not None and ending.code in (None, -signal.SIGKILL)


def _report(args: argparse.Namespace, ending: Ending) -> None:
    """Print in one line how learning ended."""
    hit = ending.code is None or ending.code < 0
    learner = "the command" if args.external_command is not None else f"learner {args.learner}"
    what = f"learning {ending.status}" if hit else f"{learner} failed"
    print(f"ctbnlab: {what}: {ending.reason}", file=sys.stderr)


def _record(args: argparse.Namespace, ending: Ending) -> None:
    """Write a graph in which every node failed."""
    from ctbnlab.cli.commands.learn import chosen_nodes
    from ctbnlab.io import json_text
    from ctbnlab.learning.contract import NodeFailure
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.learning.nodes import description_of

    data = options.read_data(args, notes=False)
    targets = sorted(data.index(name) for name in chosen_nodes(args, data.names))
    described = description_of(data, args.learner, _parameters(args, ending))
    graph = LearnedGraph(
        data.variables,
        (),
        described["learner"],
        described["data"],
        failures=tuple(NodeFailure(target, ending.status, ending.reason) for target in targets),
        roles=data.roles,
    )
    if args.timings is not None:
        unknown = dict.fromkeys(("cpu_seconds", "wall_seconds", "peak_memory_mb"))
        json_text.write({"nodes": {}, **unknown}, args.timings)
    graph.write(args.output)


def _parameters(args: argparse.Namespace, ending: Ending) -> dict[str, Any]:
    """Return the learner's options as the child told them; this process does not run code from outside."""
    from ctbnlab.learning import registry

    given = options.name_values(args.option)
    if "parameters" in ending.facts:
        return dict(ending.facts["parameters"])
    if args.learner in registry.LEARNERS:
        return registry.parameters(registry.make(args.learner, given))
    return given
