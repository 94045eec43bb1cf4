"""The effect of each arc that `ctbnlab learn` finds, and `--min-effect`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ctbnlab.errors import InputError

if TYPE_CHECKING:
    from ctbnlab.data.trajectories import Trajectories
    from ctbnlab.learning.nodes import Learned


def add_min_effect(group: argparse._ArgumentGroup) -> None:
    """Add `--min-effect`."""
    group.add_argument(
        "--min-effect",
        type=float,
        metavar="R",
        help="drop arcs whose largest rate ratio is below R, such as 1.2; those required and clocks stay",
    )


def check_min_effect(args: argparse.Namespace) -> None:
    """Refuse `--min-effect` for a part of a graph, and a value that is no ratio."""
    if args.min_effect is None:
        return
    if not _is_whole(args):
        raise InputError("--min-effect is for whole graphs: --nodes and --part do not apply")
    if not 1 <= args.min_effect < float("inf"):
        raise InputError(f"--min-effect must be a rate ratio of at least 1, not {args.min_effect:g}")


def measured(learned: Learned, data: Trajectories, args: argparse.Namespace) -> Learned:
    """Return what was learned with the effects of its arcs; parts stay as they are.

    The parts of a graph are joined without the data, and must give the same file however they are cut.
    """
    from dataclasses import replace

    from ctbnlab.learning.effects import with_effects

    if not _is_whole(args):
        return learned
    return replace(learned, graph=with_effects(learned.graph, data, min_ratio=args.min_effect))


def _is_whole(args: argparse.Namespace) -> bool:
    return args.nodes is None and args.part is None
