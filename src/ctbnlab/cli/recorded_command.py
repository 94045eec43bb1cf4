"""The command of a call, written from its arguments: what results depend on, and nothing else."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Collection, Iterator
from pathlib import Path

from ctbnlab.cli import messages
from ctbnlab.cli.paths import PathArgument
from ctbnlab.errors import shown


def recorded_command(args: argparse.Namespace, left_out: Collection[str] = ()) -> str:
    """Return the command with the arguments that differ from their defaults, without those `left_out`.

    Files are named without their folders: where they are on one machine does not matter on another.
    """
    return shlex.join(["ctbnlab", args.command, *words(args, left_out)])


def words(args: argparse.Namespace, left_out: Collection[str] = ()) -> list[str]:
    """Return the arguments that were given, those of positions first."""
    positions: list[str] = []
    options: list[str] = []
    for action in args.parser._actions:
        value = getattr(args, action.dest, None)
        if action.dest in (*left_out, *messages.NAMES) or value is None or value == action.default:
            continue
        if not action.option_strings:
            positions += _texts(action, value)
        elif isinstance(value, bool):
            options.append(_option_of(action, value))
        else:
            options += [word for text in _texts(action, value) for word in _pair(action, text)]
    return [*positions, *options]


def _option_of(action: argparse.Action, value: bool) -> str:
    """Return the name of a switch; the one of a pair that sets this value."""
    negative = [name for name in action.option_strings if name.startswith("--no-")]
    return negative[0] if negative and not value else _long(action)


def _pair(action: argparse.Action, text: str) -> list[str]:
    # A value that looks like an option is attached to its name.
    return [f"{_long(action)}={text}"] if text.startswith("-") else [_long(action), text]


def _long(action: argparse.Action) -> str:
    return max(action.option_strings, key=len)


def _texts(action: argparse.Action, value: object) -> Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        text = str(each)
        yield Path(shown(text)).name or text if isinstance(action.type, PathArgument) else text
