"""`ctbnlab generate`: draws a random network."""

from __future__ import annotations

import argparse

from ctbnlab.cli.options import add_network_output, add_seed, write_network

HELP = "generate a random network"
DESCRIPTION = """\
Generate a network with random arcs and random rates. The same options and seed always give the same
file, byte for byte.

  ctbnlab generate --nodes 10 --states 3 --density 0.2 --seed 1 -o network.json
  ctbnlab generate --nodes 20 --states 2,3,4 --density 0.1 --connectivity none -o mixed.json
  ctbnlab generate --nodes 20 --scattered 5 --states 2 --density 0.1 -o hundred.json
  ctbnlab generate --nodes 6 --static 2 --terminal 1 --clock-cuts 1,2,5 -o cohort.json
"""
# The choices of the library, which is not loaded for --help; a test compares them.
COUNTS = ("exact", "probability")
CONNECTIVITIES = ("connected", "no-isolated", "none")
LAWS = ("uniform", "split", "log-uniform", "additive")
RATES = ("auto", "explicit", "recipe")


def _cardinalities(text: str) -> list[int]:
    """Return the numbers in `3` or `2,3,4`."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, or several as in 2,3,4, not {text!r}") from None


def _cuts(text: str) -> list[float]:
    """Return the numbers in `1,2.5,5`."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be numbers, as in 1,2.5,5, not {text!r}") from None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _add_graph_options(parser)
    _add_role_options(parser)
    _add_rate_options(parser)
    add_seed(parser)
    parser.add_argument(
        "--rates",
        choices=RATES,
        default="auto",
        help="store the intensity matrices (explicit), or only how to draw them again (recipe); auto is "
        "explicit up to 20,000 rates (default: auto)",
    )
    add_network_output(parser)


def _add_graph_options(parser: argparse.ArgumentParser) -> None:
    graph = parser.add_argument_group("graph")
    graph.add_argument("--nodes", type=int, required=True, metavar="N", help="number of variables")
    graph.add_argument(
        "--states",
        type=_cardinalities,
        default=[3],
        metavar="C",
        help="number of states per variable; several, as in 2,3,4, are used in turn (default: 3)",
    )
    graph.add_argument(
        "--density",
        type=float,
        default=0.1,
        metavar="D",
        help="fraction of the n(n−1) possible arcs (default: 0.1)",
    )
    graph.add_argument(
        "--count",
        choices=COUNTS,
        default="exact",
        help="draw exactly round(D·n(n−1)) arcs, or each arc with probability D (default: exact)",
    )
    graph.add_argument(
        "--connectivity",
        choices=CONNECTIVITIES,
        default="connected",
        help="require a connected graph, which has at least n−1 arcs; only that every variable has an arc "
        "(no-isolated); or nothing (none) (default: connected)",
    )
    graph.add_argument(
        "--scattered", type=int, metavar="K", help="join K such networks into one, without arcs between them"
    )


def _add_role_options(parser: argparse.ArgumentParser) -> None:
    roles = parser.add_argument_group("roles")
    roles.add_argument(
        "--static", type=int, default=0, metavar="K", help="add K variables S1 … that never change"
    )
    roles.add_argument(
        "--terminal",
        type=int,
        default=0,
        metavar="K",
        help="add K events T1 … that end the trajectory, at a tenth of the other rates",
    )
    roles.add_argument(
        "--clock-cuts",
        type=_cuts,
        default=[],
        metavar="T,…",
        help="add a clock whose state changes at these times since entry, as in 1,2,5",
    )


def _add_rate_options(parser: argparse.ArgumentParser) -> None:
    rates = parser.add_argument_group("rates")
    rates.add_argument(
        "--law",
        choices=LAWS,
        default="uniform",
        help="distribution of the rates: each uniform on [low, high] (uniform), the exit rate uniform and "
        "split at random among the next states (split), the logarithm uniform (log-uniform), or uniform "
        "times exp(sum of one effect per parent) (additive) (default: uniform)",
    )
    rates.add_argument("--low", type=float, default=1.0, metavar="RATE", help="lowest rate (default: 1)")
    rates.add_argument("--high", type=float, default=5.0, metavar="RATE", help="highest rate (default: 5)")
    rates.add_argument(
        "--effect",
        type=float,
        default=0.0,
        metavar="E",
        help="additive: effects are uniform on [−E, E] (default: 0)",
    )


def run(args: argparse.Namespace) -> None:
    from ctbnlab.model.cims import Law
    from ctbnlab.model.generate import generate, generate_scattered

    options = {
        "states": args.states if len(args.states) > 1 else args.states[0],
        "density": args.density,
        "count": args.count,
        "connectivity": args.connectivity,
        "law": Law(args.law, args.low, args.high, args.effect),
        "seed": args.seed,
        "static": args.static,
        "terminal": args.terminal,
        "clock_cuts": args.clock_cuts,
    }
    if args.scattered is None:
        network = generate(args.nodes, **options)
    else:
        network = generate_scattered(args.scattered, args.nodes, **options)
    write_network(network, args.output, args.rates)
