"""The command `ctbnlab`: runs a subcommand and reports errors in one line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from ctbnlab.cli import messages, paths, streams
from ctbnlab.cli.parser import parse
from ctbnlab.errors import InputError, one_line, printable


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status: 0 done, 1 failed, 2 bad input, 128 + n after signal n."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments[:1] == ["__complete"]:  # called by the scripts of `ctbnlab completion`
        from ctbnlab.cli.completing import lines

        print(*lines(arguments[1:]), sep="\n")
        return 0
    args = parse(arguments or ["help"])
    with messages.as_asked(args):
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
