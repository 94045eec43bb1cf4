"""`ctbnlab check-learner`: checks that a user's learner follows the contract."""

from __future__ import annotations

import argparse

from ctbnlab.cli import options, paths

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
    from ctbnlab.learning import registry
    from ctbnlab.learning.conformance import Nonconformance, checks

    learner = registry.make(args.learner, options.name_values(args.option))
    total = failed = 0
    for name, check in checks(learner):
        total += 1
        try:
            check()
            print(f"PASS  {name}")
        except Nonconformance as error:
            failed += 1
            print(f"FAIL  {name}: {error}")
    print(f"{failed} of {total} checks failed" if failed else "All checks passed")
    return 1 if failed else 0
