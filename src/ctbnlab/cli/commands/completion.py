"""`ctbnlab completion`: a completion script for a shell."""

from __future__ import annotations

import argparse

HELP = "print a completion script for your shell"
DESCRIPTION = """\
Print a script that completes commands, options and their values: files, learners and their options, names of
the gallery, formats. Add a line to the start-up file of your shell:

  eval "$(ctbnlab completion bash)"                # bash: ~/.bashrc
  eval "$(ctbnlab completion zsh)"                 # zsh: ~/.zshrc
  ctbnlab completion fish | source                 # fish: ~/.config/fish/config.fish
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")


def run(args: argparse.Namespace) -> None:
    from ctbnlab.cli.completion_scripts import SCRIPTS

    print(SCRIPTS[args.shell], end="")
