"""`ctbnlab simulate`: simulates trajectories from a network."""

from __future__ import annotations

import argparse
from pathlib import Path

from ctbnlab.cli.options import add_output
from ctbnlab.cli.paths import Input

HELP = "simulate trajectories from a network"
DESCRIPTION = """\
Simulate trajectories from a network, exactly, for a given duration or number of transitions.

  ctbnlab simulate network.json --trajectories 300 --duration 100 --seed 1 -o data.arrow
  ctbnlab simulate network.json --transitions 500 --seed 1 --initial A=on,B=off -o data.csv

Each trajectory depends only on the seed and its own number: `--first 100 --trajectories 50` gives
trajectories 100 to 149 of a run of 150, whatever --jobs is. If the process reaches a joint state that
it never leaves, a trajectory with --duration still lasts until its end; one with --transitions ends
with its last event.

With --on-demand, the output holds no events but records the simulation: it takes a few hundred bytes,
can be given to every command in place of the data, and is simulated each time it is opened. The network
must stay at the same place relative to it.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("network", type=Input(), metavar="NETWORK", help="a network (.json)")
    parser.add_argument(
        "--trajectories", type=int, default=1, metavar="N", help="number of trajectories (default: 1)"
    )
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--duration", type=float, metavar="TIME", help="duration of each trajectory")
    length.add_argument(
        "--transitions", type=int, metavar="N", help="number of transitions of each trajectory"
    )
    parser.add_argument("--seed", type=int, required=True, metavar="S", help="random seed")
    parser.add_argument(
        "--initial",
        metavar="A=x,B=y",
        help="initial states; put names and labels that contain , or = in double quotes (default: drawn "
        "from the initial distribution of the network)",
    )
    parser.add_argument(
        "--first", type=int, default=0, metavar="N", help="number of the first trajectory (default: 0)"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="number of threads (default: 1)")
    parser.add_argument(
        "--on-demand",
        action="store_true",
        help="record the simulation, not its events, in a .arrow file",
    )
    add_output(parser, "write to this file: .arrow (needs little memory), .parquet, .csv[.gz] or .json[.gz]")
    parser.add_argument(
        "--to",
        dest="to_format",
        metavar="FORMAT",
        help="format of the output, as in `ctbnlab convert` (default: by its extension; wide for .csv)",
    )


def run(args: argparse.Namespace) -> None:
    from ctbnlab.cli.progress import progress_bar
    from ctbnlab.data.formats.detect import kind_to_write
    from ctbnlab.model.network import Network
    from ctbnlab.simulation.simulate import simulate, simulate_to

    output = Path(args.output)
    kind = kind_to_write(output, args.to_format)
    if args.on_demand:
        _record(args, output, kind.container)
        return
    network = Network.read(args.network)
    with progress_bar("Simulating", args.trajectories, "trajectories") as progress:
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
        if kind.container == "arrow":
            simulate_to(output, network, **options)
        else:
            from ctbnlab.data.formats.writing import write

            write(simulate(network, **options), output, format=args.to_format)


def _record(args: argparse.Namespace, output: Path, container: str) -> None:
    from ctbnlab.errors import InputError
    from ctbnlab.simulation.on_demand import Simulation, record

    if container != "arrow":
        raise InputError("--on-demand writes .arrow files only", path=output)
    simulation = Simulation(
        trajectories=args.trajectories,
        seed=args.seed,
        duration=args.duration,
        transitions=args.transitions,
        initial=_initial_states(args.initial),
        first=args.first,
    )
    record(output, args.network, simulation)


def _initial_states(text: str | None) -> dict[str, str] | None:
    """Return the states in `A=x,B=y`."""
    from ctbnlab.errors import InputError
    from ctbnlab.model.names import parse_assignments

    try:
        return None if text is None else parse_assignments(text)
    except InputError as error:
        raise InputError(f"--initial must be A=x,B=y with each variable once: {error}") from None
