"""`ctbnlab check-learner`: checks that a user's learner follows the contract."""

from __future__ import annotations

import argparse
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from ctbnlab.cli import options, paths

if TYPE_CHECKING:
    from ctbnlab.cli.isolation import Isolation
    from ctbnlab.cli.supervise import Tell
    from ctbnlab.learning.contract import Learner

HELP = "check that your own learner follows the contract"
DESCRIPTION = """\
Run a learner on small data sets and check everything that the contract of learners requires. The exit
status is 1 if a check fails.

  ctbnlab check-learner my_learner.py
  ctbnlab check-learner my_learner.py:MyLearner --option alpha=0.01
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "learner",
        type=paths.Learner(),
        metavar="LEARNER",
        help="file.py or file.py:Class; or a learner's name",
    )
    parser.add_argument(
        "--option", action="append", metavar="NAME=VALUE", help="set an option of the learner; repeatable"
    )


def run(args: argparse.Namespace) -> int:
    from ctbnlab.cli.supervise import supervise
    from ctbnlab.learning import registry

    given = options.name_values(args.option)
    if not registry.runs_foreign_code(args.learner, given):
        total, failed = _check(registry.make(args.learner, given))
        return _summary(total, failed)
    total = failed = 0
    while True:
        # A learner may end the process in the middle of a check: the next process begins with the next check.
        ending = supervise(partial(_check_isolated, args, total), show_traceback=args.traceback)
        if ending.reason == "" and "finished" not in ending.facts:
            return ending.code or 1  # bad input, which the child has reported
        started = ending.facts.get("started", "loading")
        total, failed = ending.facts.get("total", total), failed + ending.facts.get("failed", 0)
        if ending.reason:
            print(f"FAIL  {started}: {ending.reason}")
            total, failed = total + 1, failed + 1
        if not ending.reason or started == "loading":
            return _summary(total, failed)


def _check(learner: Learner, isolation: Isolation | None = None, first: int = 0) -> tuple[int, int]:
    """Check a learner from the check of that number on; return the numbers of checks done and failed."""
    from ctbnlab.learning.conformance import Nonconformance, checks

    total = failed = 0
    for name, check in islice(checks(learner, isolated=isolation is not None), first, None):
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


def _check_isolated(args: argparse.Namespace, first: int, tell: Tell) -> int:
    """Make and check a learner in a child process."""
    from ctbnlab.cli.isolation import Isolation

    isolation = Isolation(tell)

    def work(args: argparse.Namespace) -> int:
        from ctbnlab.learning import registry
        from ctbnlab.learning.plugins import LoadError

        try:
            learner = registry.make(args.learner, options.name_values(args.option))
        except LoadError as error:
            isolation.restore()
            print(f"FAIL  loading: {error}")
            tell(total=1, failed=1, finished=True)
            return 1
        total, failed = _check(learner, isolation, first)
        tell(total=total, failed=failed, finished=True)
        return 1 if failed else 0

    return isolation.run(work, args)


def _summary(total: int, failed: int) -> int:
    print(f"{failed} of {total} checks failed" if failed else "All checks passed")
    return 1 if failed else 0
