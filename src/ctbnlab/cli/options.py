"""Options that several commands share, declared and read in one place."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ctbnlab.cli import values
from ctbnlab.cli.data_options import add_table_options, asked
from ctbnlab.cli.file_kinds import METRICS, NETWORK
from ctbnlab.cli.messages import tell
from ctbnlab.cli.paths import Data, Folder, Input, Output
from ctbnlab.errors import InputError, printable
from ctbnlab.io.shown import counted

if TYPE_CHECKING:
    from ctbnlab.data.trajectories import Trajectories
    from ctbnlab.model.network import Network


# ---- Reading trajectories ----


def add_data(parser: argparse.ArgumentParser, **options: Any) -> None:
    """Add the positional argument DATA."""
    parser.add_argument(
        "data",
        type=Data(),
        metavar="DATA",
        help="trajectories, in any format that `ctbnlab convert` reads",
        **options,
    )


def add_reading(parser: argparse.ArgumentParser, *, seed: bool = True) -> None:
    """Add the options that control how a file of trajectories is read; `seed` is that of ties."""
    group = parser.add_argument_group("reading the data")
    group.add_argument(
        "--format", metavar="FORMAT", help="format of DATA (default: detected from its name and content)"
    )
    add_states(group)
    group.add_argument("--trajectories", type=int, metavar="N", help="use only the first N trajectories")
    add_table_options(parser, seed=seed)


def add_states(parser: argparse._ActionsContainer) -> None:
    """Add the option that declares states."""
    parser.add_argument(
        "--states",
        type=Input("declared states", NETWORK),
        metavar="FILE",
        help="JSON file with the states of each variable, {variable: [state, ...]}, or a network that has "
        "them (default: the states that occur, sorted)",
    )


def read_data(args: argparse.Namespace, *, notes: bool = True) -> Trajectories:
    """Read the trajectories in `args.data`, following the options of `add_reading`; print what to know."""
    if args.trajectories is not None and args.trajectories < 1:
        raise InputError(f"--trajectories must be at least 1, not {args.trajectories}")
    data = read_or_simulate(
        args.data, args.trajectories, notes=notes, format=args.format, states=args.states, **asked(args)
    )
    if args.trajectories is None:
        return data
    if args.trajectories > data.n_trajectories:
        has = counted(data.n_trajectories, "trajectory", "trajectories")
        raise InputError(f"has {has}, fewer than --trajectories {args.trajectories}", path=args.data)
    return data.subset(slice(args.trajectories))


def read_or_simulate(
    path: str, trajectories: int | None = None, *, notes: bool = True, **keywords: Any
) -> Trajectories:
    """Read a file of trajectories, or simulate them if the file records a simulation.

    `trajectories` is the number that is needed: no more are simulated.
    """
    from ctbnlab.data.arrow_file import RecordedSimulation
    from ctbnlab.data.formats.reading import load, with_roles

    try:
        data, report = load(path, **keywords)
    except RecordedSimulation as recorded:
        from ctbnlab.simulation.on_demand import simulated

        data, report = with_roles(simulated(recorded, path, trajectories), **keywords)
    if notes:
        print_notes(report.notes)
    return data


def print_notes(notes: Iterable[str]) -> None:
    """Print what users should know about the data."""
    for note in notes:
        tell(f"note: {printable(note)}")


# ---- Outputs ----


def add_output(parser: argparse.ArgumentParser, help: str, *, printed: bool = False) -> None:
    """Add `-o` for one file; without it, results are printed if `printed`, and it is required otherwise."""
    parser.add_argument(
        "-o", "--output", type=Output(printed), required=not printed, metavar="FILE", help=help
    )


def add_seed(
    parser: argparse._ActionsContainer, what: str = "", *, default: int = 0, dest: str = "seed"
) -> None:
    """Add `--seed`; `dest` is another one where `seed` is an option of reading."""
    parser.add_argument(
        "--seed",
        dest=dest,
        type=values.seed,
        default=default,
        metavar="N",
        help=f"random seed{what} (default: {default})",
    )


# ---- External commands ----


def add_command(parser: argparse._ActionsContainer) -> None:
    """Add `--command` and `--data-format`."""
    parser.add_argument(
        "--command",
        dest="external_command",
        metavar="WORDS",
        help="an external command as the learner: it reads {data} and writes the CSV file {arcs} with the "
        "columns from, to and optionally score and kept; {threads} is the number of threads, {NAME} the "
        "option NAME; no shell runs it",
    )
    parser.add_argument(
        "--data-format",
        choices=("wide", "long", "pyagrum", "pyctbn", "parquet", "arrow"),
        help="format of {data} (default: wide)",
    )


# ---- Writing networks ----


def add_network_output(parser: argparse.ArgumentParser) -> None:
    """Add `-o` for a network."""
    add_output(parser, "write the network to this .json or .json.gz file (default: print it)", printed=True)


def write_network(network: Network, output: str | None, rates: str = "auto") -> None:
    """Write a network to a file, or print its JSON."""
    from ctbnlab.model.network_json import to_json, write

    if output is None:
        sys.stdout.write(to_json(network, rates))
    else:
        write(network, output, rates)


# ---- Tables and figures of metrics ----


def add_metrics(parser: argparse.ArgumentParser) -> None:
    """Add what `tables` and `figures` share: METRICS, `-o` and `--reference`."""
    parser.add_argument(
        "metrics",
        type=Input(METRICS),
        metavar="METRICS",
        help="a metrics.parquet file: one row per network and learner",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Folder(),
        required=True,
        metavar="FOLDER",
        help="write the files to this folder",
    )
    parser.add_argument(
        "--reference",
        choices=("main", "tests", "big"),
        help="published values to compare with: the paper's main experiment (main), its first experiment, "
        "which compares tests (tests), or its big networks (big) (default: none)",
    )


# ---- Values in one option ----


def name_values(texts: list[str] | None) -> dict[str, str]:
    """Return the values of a repeated `--option NAME=VALUE`."""
    result: dict[str, str] = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError(f"--option must be NAME=VALUE, not {text!r}")
        result[name.strip().replace("-", "_")] = value.strip()
    return result


def names(texts: list[str] | None) -> list[str] | None:
    """Return the names in a repeated option, each of which may hold several, separated by commas."""
    from ctbnlab.model.names import parse_list

    if texts is None:
        return None
    found = [name for text in texts for name in parse_list(text)]
    if not found:
        raise InputError(f"expected names, as in A,B, not {', '.join(texts)!r}")
    return found
