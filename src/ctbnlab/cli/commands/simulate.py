"""`ctbnlab simulate`: simulates trajectories from a network."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ctbnlab.cli.file_kinds import NETWORK
from ctbnlab.cli.options import add_output, add_seed
from ctbnlab.cli.paths import Input

if TYPE_CHECKING:
    from ctbnlab.data.trajectories import Trajectories

HELP = "simulate trajectories from a network"
DESCRIPTION = """\
Simulate trajectories from a network, exactly, for a given duration or number of transitions.

  ctbnlab simulate network.json --trajectories 300 --duration 100 --seed 1 -o data.arrow
  ctbnlab simulate network.json --transitions 500 --seed 1 --initial A=on,B=off -o data.csv
  ctbnlab simulate network.json --duration 100 --seed 1 --hide 0.3 --round 0.5 -o coarse.arrow

Each trajectory depends only on the seed and its own number: `--first 100 --trajectories 50` gives
trajectories 100 to 149 of a run of 150, whatever --jobs is. If the process reaches a joint state that
it never leaves, a trajectory with --duration still lasts until its end; one with --transitions ends
with its last event.

Roles of the network (static and terminal variables, clocks) are stored with the data. A terminal
variable ends its trajectory when it changes. --hide and --round make the data less complete, in this
order; they need memory for all events.

With --on-demand, the output holds no events but records the simulation: it takes a few hundred bytes,
can be given to every command in place of the data, and is simulated each time it is opened. The network
must stay at the same place relative to it.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("network", type=Input(NETWORK), metavar="NETWORK", help="a network (.json)")
    parser.add_argument(
        "--trajectories", type=int, default=1, metavar="N", help="number of trajectories (default: 1)"
    )
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--duration", type=float, metavar="TIME", help="duration of each trajectory")
    length.add_argument(
        "--transitions", type=int, metavar="N", help="number of transitions of each trajectory"
    )
    add_seed(parser)
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
    _add_degrading_options(parser)
    add_output(parser, "write to this file: .arrow (needs little memory), .parquet, .csv[.gz] or .json[.gz]")
    parser.add_argument(
        "--to",
        dest="to_format",
        metavar="FORMAT",
        help="format of the output, as in `ctbnlab convert` (default: by its extension; wide for .csv)",
    )


def _add_degrading_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("incomplete data")
    group.add_argument(
        "--hide",
        type=float,
        metavar="SHARE",
        help="hide each variable for this share of the time, in spells at random; static variables and "
        "clocks stay observed",
    )
    group.add_argument(
        "--hide-mean",
        type=float,
        metavar="TIME",
        help="mean length of a hidden spell (default: a tenth of --duration)",
    )
    group.add_argument(
        "--round",
        type=float,
        metavar="STEP",
        help="round times up to multiples of STEP, so that changes come together; several changes of a "
        "variable within a step become one",
    )


def run(args: argparse.Namespace) -> None:
    from ctbnlab.cli.progress import progress_bar
    from ctbnlab.data.formats.detect import kind_to_write
    from ctbnlab.model.network import Network
    from ctbnlab.simulation.simulate import simulate, simulate_to

    output = Path(args.output)
    kind = kind_to_write(output, args.to_format)
    degrading = _checked_degrading(args)
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
        if kind.container == "arrow" and not degrading:
            simulate_to(output, network, **options)
        else:
            from ctbnlab.data.formats.writing import write

            write(_degraded(simulate(network, **options), args), output, format=args.to_format)


def _checked_degrading(args: argparse.Namespace) -> bool:
    """Return whether data are to be made less complete; refuse options that do not fit together."""
    from ctbnlab.errors import InputError

    if args.hide is None and args.hide_mean is not None:
        raise InputError("--hide-mean is for --hide, which gives the hidden share")
    if args.hide is not None and args.duration is None and args.hide_mean is None:
        raise InputError("--hide with --transitions needs --hide-mean, the mean length of a hidden spell")
    degrading = args.hide is not None or args.round is not None
    if degrading and args.on_demand:
        raise InputError("--on-demand cannot be used with --hide or --round")
    return degrading


def _degraded(data: Trajectories, args: argparse.Namespace) -> Trajectories:
    from ctbnlab.simulation.degrade import coarsen, hide

    if args.hide is not None:
        mean = args.hide_mean if args.hide_mean is not None else args.duration / 10
        data = hide(data, args.hide, mean, args.seed)
    return data if args.round is None else coarsen(data, args.round)


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
