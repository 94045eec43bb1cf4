"""`ctbnlab check-learner`: tests that a learner of one's own keeps the contract."""

from __future__ import annotations

import argparse

from ctbnlab.cli import options

HELP = "test that a learner of your own keeps the contract"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("learner", help="your file.py or file.py:Class; or the name of any learner")
    parser.add_argument("--option", action="append", metavar="NAME=VALUE", help="an option of the learner")


def run(args: argparse.Namespace) -> int:
    from ctbnlab.learning import registry
    from ctbnlab.learning.conformance import Nonconformance, checks

    learner = registry.make(args.learner, options.pairs(args.option, "an option"))
    failed = 0
    for question, check in checks(learner):
        try:
            check()
            print(f"yes  {question}")
        except Nonconformance as error:
            failed += 1
            print(f"NO   {question}: {error}")
    print(f"{failed} of the contract's points are not kept" if failed else "the contract is kept")
    return 1 if failed else 0
