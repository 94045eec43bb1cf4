"""The command `ctbnlab`: runs a subcommand and reports errors in one line."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from ctbnlab._version import __version__
from ctbnlab.cli import paths, streams
from ctbnlab.cli.commands import COMMANDS
from ctbnlab.errors import InputError, one_line, printable


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the line breaks of descriptions, and leaves room for `-o FILE, --output FILE` before its help."""

    def __init__(self, prog: str, **options: Any):
        super().__init__(prog, max_help_position=28, **options)


class _Parser(argparse.ArgumentParser):
    """Reports a usage error in one line, like every other error; the full usage is in `--help`."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {one_line(message)} (see {self.prog} --help)\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse ignores errors here, and so a help text that a full disk or a closed pipe cuts off.
        if message:
            (file or sys.stderr).write(message)


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of all commands, or of only one: a job should not pay for loading the others."""
    parser = _Parser(
        prog="ctbnlab",
        description="Learn continuous-time Bayesian networks from trajectories.",
        epilog="`ctbnlab COMMAND --help` describes a command.",
        formatter_class=_HelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"ctbnlab {__version__}")
    parser.add_argument("--traceback", action="store_true", help="show the Python traceback of an error")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS if only is None else (only,):
        module: Any = import_module(f"ctbnlab.cli.commands.{name.replace('-', '_')}")
        subparser = subparsers.add_parser(
            name,
            help=module.HELP,
            description=getattr(module, "DESCRIPTION", module.HELP[0].upper() + module.HELP[1:] + "."),
            formatter_class=_HelpFormatter,
        )
        module.add_arguments(subparser)
        subparser.epilog = "\n".join(filter(None, (subparser.epilog, paths.note(subparser))))
        subparser.set_defaults(run=module.run, parser=subparser)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status: 0 done, 1 failed, 2 bad input, 128 + n after signal n."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    known = arguments[0] if arguments and arguments[0] in COMMANDS else None
    parser = build_parser(known)
    if known is None and arguments and not arguments[0].startswith("-"):
        near = difflib.get_close_matches(arguments[0], COMMANDS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        parser.error(f"unknown command {arguments[0]!r}{hint}")
    args, unknown = parser.parse_known_args(arguments)
    if unknown:
        args.parser.error(f"unknown arguments: {' '.join(unknown)}")
    return run_command(_with_files, args)


def _with_files(args: argparse.Namespace) -> int | None:
    """Run a command once the files that it names are checked and ready."""
    with paths.opened(args):
        status: int | None = args.run(args)
        return status


def run_command(run: Callable[[argparse.Namespace], int | None], args: argparse.Namespace) -> int:
    """Call a command's function; report an error in one line and return the exit status."""
    try:
        status = run(args)
        if sys.stdout is not None:  # as it is if the command was started with it closed
            sys.stdout.flush()
        return status or 0
    except (InputError, OSError) as error:
        if isinstance(error, BrokenPipeError) and streams.was_read_enough(error):
            streams.discard_output()
            return 0
        if args.traceback:
            raise
        print(f"ctbnlab: {_one_line(error)}", file=sys.stderr)
        if isinstance(error, OSError) and error.filename == streams.NAME:
            streams.discard_output()
        return 2
    except MemoryError:
        if args.traceback:
            raise
        print(
            f"ctbnlab: {args.command} ran out of memory; use less data or more memory",
            file=sys.stderr,
        )
        return 2
    except ModuleNotFoundError as error:
        if args.traceback or (error.name or "ctbnlab").startswith("ctbnlab"):
            raise
        name = str(error.name).partition(".")[0]
        print(
            f"ctbnlab: {args.command} requires {name}, which is not installed; "
            "run: pip install 'ctbnlab[workflow]'",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt as error:
        from ctbnlab.cli import signals

        return signals.report(error)


def _one_line(error: InputError | OSError) -> str:
    if isinstance(error, OSError) and error.strerror:
        if not isinstance(error.filename, str | bytes | os.PathLike):
            return error.strerror
        return f"{printable(os.fsdecode(error.filename))}: {error.strerror}"
    return str(error) if isinstance(error, InputError) else one_line(str(error))


def entry_point() -> NoReturn:
    """Run the command and exit; called by the installed script."""
    from ctbnlab.cli import signals

    signals.run(lambda: streams.guarded(main))
