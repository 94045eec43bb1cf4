"""What a command prints for people, on standard error: notes, warnings and a summary, fewer or more of them.

Errors are not printed here: they remain with --quiet.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import logging

# The options that change what is printed about a run, and nothing of its results.
NAMES = ("quiet", "verbose", "traceback")
_state = {"quiet": False}


def add_options(parser: argparse._ActionsContainer, default: Any) -> None:
    """Add the options that every command has."""
    options = {"action": "store_true", "default": default}
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("-q", "--quiet", help="print no notes, warnings and progress, only errors", **options)
    chosen.add_argument(
        "-v", "--verbose", help="print what is read, chosen and written, with times", **options
    )
    parser.add_argument("--traceback", help="print the Python traceback of an error", **options)


@contextmanager
def as_asked(args: argparse.Namespace) -> Iterator[None]:
    """Print messages as the options ask for, until the end of the block."""
    before = _state["quiet"]
    _state["quiet"] = args.quiet
    handler = _logging_to_stderr() if args.verbose else None
    try:
        yield
    finally:
        _state["quiet"] = before
        if handler is not None:
            import logging

            logging.getLogger("ctbnlab").removeHandler(handler)


def tell(line: str) -> None:
    """Print a line for people; not with --quiet."""
    if not _state["quiet"]:
        print(line, file=sys.stderr)


def shows_progress() -> bool:
    """Return whether to draw progress bars: on terminals, not with --quiet."""
    return not _state["quiet"] and sys.stderr.isatty()


def _logging_to_stderr() -> logging.Handler:
    """Print what the library logs, with the seconds since the command began."""
    import logging

    began = time.perf_counter()

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            # Not a stream kept from the start: a supervised learner may have replaced it.
            print(f"{time.perf_counter() - began:8.2f} s  {record.getMessage()}", file=sys.stderr)

    handler = Handler()
    logger = logging.getLogger("ctbnlab")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    return handler
