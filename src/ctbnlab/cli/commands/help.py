"""`ctbnlab help`: the commands in groups, or one of them."""

from __future__ import annotations

import argparse

from ctbnlab.cli.commands import COMMANDS

HELP = "list the commands, or describe one"
DESCRIPTION = """\
Without a name, list the commands; with a name, describe that command, as its --help does.

  ctbnlab help
  ctbnlab help learn
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", nargs="?", metavar="COMMAND", help="name of the command")


def run(args: argparse.Namespace) -> None:
    from ctbnlab.cli.parser import build_parser, subparsers_of, unknown_command

    if args.topic is None:
        print(build_parser().format_help(), end="")
        return
    if args.topic not in COMMANDS:
        args.parser.error(unknown_command(args.topic))
    parser = build_parser(args.topic)
    print(subparsers_of(parser).choices[args.topic].format_help(), end="")
