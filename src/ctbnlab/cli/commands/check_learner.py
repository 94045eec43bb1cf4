"""`ctbnlab check-learner`: checks that a user's learner follows the contract."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ctbnlab.cli import options, paths
from ctbnlab.errors import InputError

if TYPE_CHECKING:
    from ctbnlab.cli.isolation import Isolation
    from ctbnlab.cli.supervise import Tell
    from ctbnlab.learning.conformance import Check
    from ctbnlab.learning.external import Command

HELP = "check that your own learner follows the contract"
DESCRIPTION = """\
Run a learner on small data sets and check everything that the contract of learners requires. The exit
status is 1 if a check fails.

  ctbnlab check-learner my_learner.py
  ctbnlab check-learner my_learner.py:MyLearner --option alpha=0.01
  ctbnlab check-learner --command 'Rscript my.R {data} {arcs}'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "learner",
        nargs="?",
        type=paths.Learner(),
        metavar="LEARNER",
        help="file.py or file.py:Class; or a learner's name",
    )
    options.add_command(parser)
    parser.add_argument(
        "--option", action="append", metavar="NAME=VALUE", help="set an option of the learner; repeatable"
    )


def run(args: argparse.Namespace) -> int:
    from ctbnlab.learning import registry

    if args.external_command is not None:
        from ctbnlab.cli.external_command import command_of
        from ctbnlab.io.scratch import temporary_folder

        command = command_of(args)
        with temporary_folder("the files of the command") as folder:
            return _check_supervised(args, partial(_checks_of_command, command, folder))
    if args.learner is None:
        raise InputError("no learner given (see ctbnlab check-learner --help)")
    given = options.name_values(args.option)
    if registry.runs_foreign_code(args.learner, given):
        return _check_supervised(args, partial(_checks_of_learner, args.learner, given))
    return _summary(*_check(_checks_of_learner(args.learner, given, isolated=False)))


def _checks_of_learner(name: str, given: dict[str, str], isolated: bool = True) -> Iterator[Check]:
    from ctbnlab.learning import registry
    from ctbnlab.learning.conformance import checks

    return checks(registry.make(name, given), isolated=isolated)


def _checks_of_command(command: Command, folder: Path) -> Iterator[Check]:
    from ctbnlab.cli.external_command import learn_graph
    from ctbnlab.learning.conformance import checks_of_command
    from ctbnlab.learning.knowledge import Knowledge

    return checks_of_command(lambda data: learn_graph(data, command, folder, Knowledge())[0].graph)


def _check_supervised(args: argparse.Namespace, make: Callable[[], Iterator[Check]]) -> int:
    """Do all checks of code from outside in child processes, and print the summary."""
    from ctbnlab.cli.supervise import supervise

    total = failed = 0
    while True:
        # A learner may end the process in the middle of a check: the next process begins with the next check.
        ending = supervise(partial(_check_isolated, args, make, total), show_traceback=args.traceback)
        if ending.reason == "" and "finished" not in ending.facts:
            return ending.code or 1  # bad input, which the child has reported
        started = ending.facts.get("started", "loading")
        total, failed = ending.facts.get("total", total), failed + ending.facts.get("failed", 0)
        if ending.reason:
            print(f"FAIL  {started}: {ending.reason}")
            total, failed = total + 1, failed + 1
        if not ending.reason or started == "loading":
            return _summary(total, failed)


def _check(checks: Iterator[Check], isolation: Isolation | None = None, first: int = 0) -> tuple[int, int]:
    """Do the checks from that number on; return the numbers of checks done and failed."""
    from ctbnlab.learning.conformance import Nonconformance

    total = failed = 0
    for name, check in islice(checks, first, None):
        line = f"PASS  {name}"
        if isolation is not None:
            isolation.tell(started=name, total=first + total, failed=failed)
        try:
            check()
        except Nonconformance as error:
            failed += 1
            line = f"FAIL  {name}: {error}"
        total += 1
        if isolation is not None:
            isolation.restore()
        print(line, flush=True)
    return first + total, failed


def _check_isolated(
    args: argparse.Namespace, make: Callable[[], Iterator[Check]], first: int, tell: Tell
) -> int:
    """Make and check a learner in a child process."""
    from ctbnlab.cli.isolation import Isolation

    isolation = Isolation(tell)

    def work(_: argparse.Namespace) -> int:
        from ctbnlab.learning.plugins import LoadError

        try:
            checks = make()
        except LoadError as error:
            isolation.restore()
            print(f"FAIL  loading: {error}")
            tell(total=1, failed=1, finished=True)
            return 1
        total, failed = _check(checks, isolation, first)
        tell(total=total, failed=failed, finished=True)
        return 1 if failed else 0

    return isolation.run(work, args)


def _summary(total: int, failed: int) -> int:
    print(f"{failed} of {total} checks failed" if failed else "All checks passed")
    return 1 if failed else 0
