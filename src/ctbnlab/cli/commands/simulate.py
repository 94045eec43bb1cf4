"""`ctbnlab simulate`: trajectories of a network."""

from __future__ import annotations

import argparse

HELP = "simulate trajectories of a network"
DESCRIPTION = """\
Simulate trajectories of a network, exactly, for a duration or a number of transitions.

Each trajectory depends on the seed and its own number alone, so that
  ctbnlab simulate network.json --trajectories 50 --first 100 …
gives numbers 100 to 149 of what one run of 150 gives, whatever --jobs is.

A joint state that nothing leaves has no more events: a trajectory of given duration lasts to its end all
the same, one of given transitions ends with its last event.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("network", help="the network, as JSON")
    parser.add_argument("--trajectories", type=int, default=1, metavar="N", help="how many (default 1)")
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--duration", type=float, metavar="TIME", help="how long each lasts")
    length.add_argument("--transitions", type=int, metavar="N", help="how many transitions each makes")
    parser.add_argument("--seed", type=int, required=True, help="the root of all random numbers")
    parser.add_argument(
        "--initial",
        metavar="A=x,B=y",
        help="fix initial states; the other variables' are drawn from the network's initial distribution",
    )
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first (default 0)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="threads (default 1)")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="where to write; the ending says the format: .arrow (memory stays small), .csv, .parquet, …",
    )


def run(args: argparse.Namespace) -> None:
    from ctbnlab.cli.progress import progress_bar
    from ctbnlab.data.arrow_file import ENDING
    from ctbnlab.io.files import require_folder_of
    from ctbnlab.model.network import Network
    from ctbnlab.simulation.simulate import simulate, simulate_to

    output = require_folder_of(args.output)
    network = Network.read(args.network)
    with progress_bar("simulating", args.trajectories, "trajectories") as progress:
        options = {
            "trajectories": args.trajectories,
            "duration": args.duration,
            "transitions": args.transitions,
            "seed": args.seed,
            "initial": _initial_states(args.initial),
            "first": args.first,
            "jobs": args.jobs,
            "progress": progress,
        }
        if output.suffix == ENDING:
            simulate_to(output, network, **options)
        else:
            from ctbnlab.data.formats.writing import write

            write(simulate(network, **options), output)


def _initial_states(text: str | None) -> dict[str, str] | None:
    """Read `A=x,B=y`; a pair with a comma in it stands in double quotes, as in CSV."""
    import csv

    from ctbnlab.errors import InputError

    if text is None:
        return None
    states: dict[str, str] = {}
    for pair in next(csv.reader([text]), []):
        name, equals, label = pair.partition("=")
        if not equals or name in states:
            raise InputError(f"--initial is written A=x,B=y with each variable once, not {text!r}")
        states[name] = label
    return states
