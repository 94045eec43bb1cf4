"""Options that several commands share, said and read in one place."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ctbnlab.errors import InputError

if TYPE_CHECKING:
    from ctbnlab.data.trajectories import Trajectories


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how a file of trajectories is to be read."""
    group = parser.add_argument_group("reading the data")
    group.add_argument(
        "--format", metavar="NAME", help="the data's format, where its name and content do not tell"
    )
    group.add_argument(
        "--states", metavar="FILE", help="JSON with each variable's states, or a network that has them"
    )
    group.add_argument(
        "--ties",
        choices=("error", "order", "jitter"),
        default="error",
        help="variables that change at one instant: refuse them (default), keep the order given, or draw one",
    )
    group.add_argument("--trajectories", type=int, metavar="N", help="use the first N trajectories only")


def read_data(args: argparse.Namespace) -> Trajectories:
    """Read the trajectories named by `args.data` as `add_reading`'s options say, and check them."""
    from ctbnlab.data.formats.reading import read

    data: Trajectories = read(args.data, format=args.format, states=args.states, ties=args.ties)
    try:
        data.check()
    except InputError as error:
        raise error.within(args.data) from None
    if args.trajectories is None:
        return data
    if not 1 <= args.trajectories <= data.n_trajectories:
        raise InputError(f"has {data.n_trajectories} trajectories, not {args.trajectories}", path=args.data)
    return data.subset(slice(args.trajectories))


def pairs(texts: list[str] | None, what: str) -> dict[str, Any]:
    """Read repeated NAME=VALUE options."""
    result: dict[str, Any] = {}
    for text in texts or []:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise InputError(f"{what} is written NAME=VALUE, not {text!r}")
        result[name.strip().replace("-", "_")] = value.strip()
    return result


def names(texts: list[str] | None) -> list[str] | None:
    """Read names given as repeated options, or several in one with commas between."""
    if texts is None:
        return None
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]
