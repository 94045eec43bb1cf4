"""The options that say what a table of trajectories means: its columns, values, ties and roles."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ctbnlab.cli import values
from ctbnlab.cli.file_kinds import TABLE
from ctbnlab.cli.paths import Input

if TYPE_CHECKING:
    from ctbnlab.data.formats.asking import Asked

# The options that are keywords of `ctbnlab.read`, too, under the same names.
KEYWORDS = (
    *("layout", "id", "time", "variables", "start", "end", "event", "birth", "rules", "people"),
    *("na", "missing", "unit", "decimal", "cut", "labels", "ties", "unchanged", "seed"),
    *("static", "terminal", "clock", "periods", "tiers"),
)
_UNITS = ("second", "minute", "hour", "day", "week", "month", "year")


def asked(args: argparse.Namespace) -> Asked:
    """Return the options as keywords of `ctbnlab.read`; those that were not given are left out."""
    found = {name: getattr(args, name, None) for name in KEYWORDS}
    given: Asked = {name: value for name, value in found.items() if value is not None}  # type: ignore[assignment]
    return given


def add_table_options(parser: argparse.ArgumentParser, *, seed: bool = True) -> None:
    """Add all of them, in groups; no `--seed` for a command that has one for something else."""
    _add_columns(parser.add_argument_group("columns of the data"))
    group = parser.add_argument_group("values and ties")
    _add_values(group)
    if seed:
        group.add_argument(
            "--seed", type=values.seed, metavar="N", help="random seed of --ties jitter (default: 0)"
        )
    _add_roles(parser.add_argument_group("roles of variables"))


def _add_columns(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--layout",
        metavar="NAME",
        help="what the rows mean: wide, long, intervals, start-stop, event-log, person, period, sequence or "
        "meds; see `ctbnlab convert --help` (default: detected)",
    )
    group.add_argument(
        "--id", metavar="COLUMN", help="the column that identifies trajectories (default: id, patient, …)"
    )
    group.add_argument("--time", metavar="COLUMN", help="the column of times or dates (default: time, …)")
    group.add_argument(
        "--variables",
        metavar="A,B",
        help="use these variables only; put names that contain commas in double quotes (default: all)",
    )
    for name, what in (
        ("start", "starts of intervals or of observation, or a number"),
        ("end", "ends of intervals or of observation, or a number"),
        ("event", "events (layout person: one or more columns of times, as in A,B)"),
        ("birth", "births, for --clock age"),
    ):
        group.add_argument(f"--{name}", metavar="COLUMN", help=f"the column of {what}")
    group.add_argument(
        "--rules",
        type=Input("rules of an event log"),
        metavar="FILE",
        help="the states that the events of a log lead to: a TOML or JSON file",
    )
    group.add_argument(
        "--people",
        type=Input(TABLE),
        metavar="FILE",
        help="a second table, with one row per trajectory: its start and end, static and terminal variables",
    )


def _add_values(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--na",
        metavar="TEXTS",
        help="texts that stand for missing values, as in NA,999 (default: NA, NaN, null, . and the like)",
    )
    group.add_argument(
        "--missing",
        choices=("gap", "hold", "error"),
        help="a missing state: the variable is unobserved until its next value (gap), the last value holds "
        "(hold), or reject it (error) (default: gap)",
    )
    group.add_argument(
        "--unit", choices=_UNITS, help="the unit of time that dates are converted to (default: day)"
    )
    group.add_argument("--decimal", choices=(".", ","), help="the decimal point (default: .)")
    group.add_argument(
        "--cut",
        action="append",
        metavar="NAME:CUTS",
        help="make states of a measured variable, cut at numbers ('age:40,60') or quantiles "
        "('age:quartiles', 'age:q5'); repeatable",
    )
    group.add_argument("--labels", metavar="A,B", help="variables whose numbers are states as they are")
    group.add_argument(
        "--ties",
        choices=("together", "order", "jitter", "error"),
        help="variables that change at the same time: count all changes under the state before (together), "
        "separate them slightly in the order of the rows (order), spread them at random until the next time "
        "(jitter), or reject them (error) (default: together)",
    )


def _add_roles(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--static", metavar="A,B", help="variables that never change, such as sex: parents, never children"
    )
    group.add_argument(
        "--terminal", metavar="A,B", help="variables whose first change ends the trajectory, such as death"
    )
    group.add_argument(
        "--clock",
        action="append",
        metavar="CLOCK",
        help="let rates depend on time: since entry (entry), calendar, age, since:VARIABLE, own (since the "
        "variable's last change), auto, or a variable that is a clock; cuts may follow, as in "
        "entry:30,90,365; repeatable",
    )
    group.add_argument(
        "--periods",
        type=int,
        metavar="N",
        help="number of periods of a clock (default: by the number of events)",
    )
    group.add_argument(
        "--tiers",
        metavar="TIERS",
        help="groups of variables, causes first, as in 'sex > disease > death'",
    )


def add_conversion_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `convert` has in addition."""
    parser.add_argument(
        "--unchanged",
        choices=("drop", "error"),
        help="rows that change no variable: drop them with a note, or reject them (default: drop)",
    )
