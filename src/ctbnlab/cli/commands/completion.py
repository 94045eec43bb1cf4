"""`ctbnlab completion`: a script that completes the command in a shell."""

from __future__ import annotations

import argparse

HELP = "print a script that completes this command in your shell"
DESCRIPTION = """\
Print a completion script. For bash:  eval "$(ctbnlab completion bash)"
To keep it, add that line to ~/.bashrc; for zsh and tcsh see their own documentation.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"), help="the shell to complete in")


def run(args: argparse.Namespace) -> None:
    import shtab

    from ctbnlab.cli.main import build_parser

    print(shtab.complete(build_parser(), args.shell))
