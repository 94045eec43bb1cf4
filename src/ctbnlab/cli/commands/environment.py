"""`ctbnlab environment`: what a result was made with."""

from __future__ import annotations

import argparse

HELP = "tell the versions, the machine and the revision that results are made with"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of the screen")


def run(args: argparse.Namespace) -> None:
    from ctbnlab.io import json_text
    from ctbnlab.workflow.provenance import environment

    if args.output is None:
        print(json_text.dumps(environment()), end="")
    else:
        json_text.write(environment(), args.output)
