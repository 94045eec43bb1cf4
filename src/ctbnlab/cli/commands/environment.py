"""`ctbnlab environment`: the software and the machine that results were made with."""

from __future__ import annotations

import argparse

from ctbnlab.cli.paths import Output

HELP = "print the versions, the machine and the git revision, as JSON"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        type=Output(printed=True),
        metavar="FILE",
        help="write to this file (default: print)",
    )


def run(args: argparse.Namespace) -> None:
    from ctbnlab.io import json_text
    from ctbnlab.workflow.provenance import environment

    if args.output is None:
        print(json_text.dumps(environment()), end="")
    else:
        json_text.write(environment(), args.output)
