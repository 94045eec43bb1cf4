"""The options of the model checks, and what a command does with their warnings."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ctbnlab.cli.messages import tell
from ctbnlab.errors import InputError
from ctbnlab.io.shown import counted

if TYPE_CHECKING:
    from ctbnlab.data.trajectories import Trajectories
    from ctbnlab.learning.contract import Check
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.learning.nodes import Learned
    from ctbnlab.learning.robust import LearnOnce


def add_check_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of checks that follow learning."""
    group = parser.add_argument_group("model checks")
    group.add_argument(
        "--robust",
        action="store_true",
        help="where the model does not hold, take in clocks and a pace for each trajectory, learn again, and "
        "mark arcs that are no stronger than differences between trajectories",
    )
    chosen = group.add_mutually_exclusive_group()
    chosen.add_argument(
        "--strict", action="store_true", help="treat a warning of the model checks as an error"
    )
    chosen.add_argument(
        "--no-checks",
        action="store_true",
        help="do not check whether the model holds (default: check, unless only some nodes are learned)",
    )


def with_checks(graph: LearnedGraph, data: Trajectories, *, strict: bool = False) -> LearnedGraph:
    """Return a graph with its model checks, after printing their warnings; refuse them if `strict`."""
    from ctbnlab.learning.checks import model_checks

    checks = model_checks(data, graph)
    report(checks, strict=strict)
    return replace(graph, checks=checks)


def learned_robustly(data: Trajectories, learn_once: LearnOnce) -> tuple[Learned, Trajectories]:
    """Learn with what the model checks ask for, print what changed, and return the data as adjusted."""
    from ctbnlab.learning.robust import learn_robustly

    result = learn_robustly(data, learn_once)
    for line in result.lines:
        tell(f"robust: {line}")
    return result.learned, result.data


def report(checks: Sequence[Check], *, strict: bool = False) -> None:
    """Print warnings, one line each; refuse them if `strict`."""
    from ctbnlab.presentation.check_lines import warning_lines

    lines = warning_lines(checks)
    for line in lines:
        tell(f"warning: {line}")
    if lines and strict:
        raise InputError(f"the model does not hold: {counted(len(lines), 'warning')} (--strict)")
