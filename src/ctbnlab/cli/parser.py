"""The parser of the command line: commands in groups, common options, and usage errors with a suggestion."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from ctbnlab._version import __version__
from ctbnlab.cli import messages, paths
from ctbnlab.cli.commands import COMMANDS, GROUPS
from ctbnlab.cli.help_text import fitted
from ctbnlab.errors import one_line


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Fits descriptions to the terminal, and leaves room for `-o FILE, --output FILE` before its help."""

    def __init__(self, prog: str, **options: Any):
        super().__init__(prog, max_help_position=28, **options)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(indent + line for line in fitted(text, width))


class _Parser(argparse.ArgumentParser):
    """Reports a usage error in one line, like every other error; the full usage is in `--help`.

    Options must be written in full: what an abbreviation means changes as soon as an option is added.
    """

    def __init__(self, **options: Any):
        super().__init__(**{"formatter_class": _HelpFormatter, "allow_abbrev": False, **options})

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {one_line(message)} (see {self.prog} --help)\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse ignores errors here, and so a help text that a full disk or a closed pipe cuts off.
        if message:
            (file or sys.stderr).write(message)


class _MainParser(_Parser):
    """Lists the commands in groups."""

    def format_help(self) -> str:
        formatter = self._get_formatter()
        formatter.add_text(f"usage: {self.prog} COMMAND …")
        formatter.add_text(self.description)
        actions = {action.dest: action for action in subparsers_of(self)._choices_actions}
        for title, names in GROUPS.items():
            formatter.start_section(title)
            formatter.add_arguments([actions[name] for name in names if name in actions])
            formatter.end_section()
        formatter.start_section("options, before or after the command")
        formatter.add_arguments([action for action in self._actions if action.option_strings])
        formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of all commands, or of only one: a job should not pay for loading the others."""
    parser = _MainParser(
        prog="ctbnlab",
        description="Learn continuous-time Bayesian networks from trajectories.",
        epilog="`ctbnlab help COMMAND` describes a command.",
    )
    parser.add_argument(
        "-V", "--version", action="version", version=f"ctbnlab {__version__}", help="print the version"
    )
    messages.add_options(parser, default=False)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    for name in COMMANDS if only is None else (only,):
        module: Any = import_module(f"ctbnlab.cli.commands.{name.replace('-', '_')}")
        subparser = subparsers.add_parser(
            name,
            help=module.HELP,
            description=getattr(module, "DESCRIPTION", module.HELP[0].upper() + module.HELP[1:] + "."),
        )
        module.add_arguments(subparser)
        # What was given before the command stays if it is not given after it, too.
        messages.add_options(subparser.add_argument_group("messages"), default=argparse.SUPPRESS)
        subparser.epilog = "\n".join(filter(None, (subparser.epilog, paths.note(subparser))))
        subparser.set_defaults(run=module.run, parser=subparser)
    return parser


def subparsers_of(parser: argparse.ArgumentParser) -> Any:
    """Return the action that holds the parsers of the commands."""
    return next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))


# ---- Suggestions ----


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Read a command line; a usage error, which may suggest what was meant, ends the process."""
    at = next((i for i, word in enumerate(arguments) if not word.startswith("-")), None)
    command = None if at is None else arguments[at]
    parser = build_parser(command if command in COMMANDS else None)
    refuse_unknown_options(parser, arguments[:at], COMMANDS if at is None else ())
    if at is not None and command is not None:
        if command not in COMMANDS:
            parser.error(unknown_command(command))
        refuse_unknown_options(subparsers_of(parser).choices[command], arguments[at + 1 :])
    args, unknown = parser.parse_known_args(arguments)
    if args.quiet and args.verbose:  # one of them before the command
        args.parser.error("use either --quiet or --verbose, not both")
    if unknown:
        args.parser.error(f"unknown arguments: {' '.join(unknown)}")
    return args


def unknown_command(name: str) -> str:
    """Return the error about a command that does not exist."""
    return f"unknown command {name!r}{nearest(name, COMMANDS)}"


def refuse_unknown_options(
    parser: argparse.ArgumentParser, arguments: Iterable[str], commands: Sequence[str] = ()
) -> None:
    """Refuse an unknown long option before argparse complains about an argument that it hides."""
    known = parser._option_string_actions
    for word in arguments:
        if word == "--":
            return
        name = word.partition("=")[0]
        # argparse takes a word that contains a space for a value.
        if not word.startswith("--") or name in known or " " in word:
            continue
        if name[2:] in commands:
            parser.error(f"unknown option {name!r}; did you mean the command {name[2:]!r}?")
        parser.error(f"unknown option {name!r}{nearest(name, known)}")


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the nearest of the known names as a question, or nothing if none is near."""
    longer = sorted((other for other in known if len(name) > 3 and other.startswith(name)), key=len)
    near = longer or difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
