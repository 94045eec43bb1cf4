"""`ctbnlab completion`: a completion script for a shell."""

from __future__ import annotations

import argparse

HELP = "print a completion script for your shell"
DESCRIPTION = """\
Print a script that completes the commands and options of ctbnlab. For bash, add to ~/.bashrc:

  eval "$(ctbnlab completion bash)"

For zsh and tcsh, see the documentation of the shell.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"), help="the shell")


def run(args: argparse.Namespace) -> None:
    import shtab

    from ctbnlab.cli.main import build_parser

    print(shtab.complete(build_parser(), args.shell))
