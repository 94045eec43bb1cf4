"""`ctbnlab generate`: a random network."""

from __future__ import annotations

import argparse

from ctbnlab.cli.network_output import add_output, put

HELP = "draw a random network"
DESCRIPTION = """\
Draw a random network: a random graph, and rates drawn from a law. The same options and seed give the
same file, byte for byte.

  ctbnlab generate --nodes 10 --states 3 --density 0.2 --seed 1 -o network.json
  ctbnlab generate --nodes 20 --states 2,3,4 --density 0.1 --connectivity none -o mixed.json
  ctbnlab generate --nodes 20 --scattered 5 --states 2 --density 0.1 -o hundred.json
"""
COUNTS = ("exact", "probability")
CONNECTIVITIES = ("connected", "no-isolated", "none")
LAWS = ("uniform", "split", "log-uniform", "additive")
RATES = ("auto", "explicit", "recipe")


def _several(text: str) -> list[int]:
    """Read `3` or `2,3,4`."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number, nor several with commas") from None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    graph = parser.add_argument_group("graph")
    graph.add_argument("--nodes", type=int, required=True, metavar="N", help="number of variables")
    graph.add_argument(
        "--states",
        type=_several,
        default=[3],
        metavar="C",
        help="states a variable; several with commas, 2,3,4, are taken in turn (default: 3)",
    )
    graph.add_argument(
        "--density", type=float, default=0.1, metavar="D", help="share of all n(n−1) arcs (default: 0.1)"
    )
    graph.add_argument(
        "--count",
        choices=COUNTS,
        default="exact",
        help="exactly round(D·n(n−1)) arcs, or each arc with probability D (default: exact)",
    )
    graph.add_argument(
        "--connectivity",
        choices=CONNECTIVITIES,
        default="connected",
        help="connected: in one piece, with at least n−1 arcs; no-isolated: every variable has an arc "
        "(default: connected)",
    )
    graph.add_argument(
        "--scattered", type=int, metavar="K", help="unite K such networks, with no arc between them"
    )
    rates = parser.add_argument_group("rates")
    rates.add_argument(
        "--law",
        choices=LAWS,
        default="uniform",
        help="uniform: each rate in [low, high]; split: exit rate in [low, high], split at random over the "
        "next states; log-uniform: log of each rate; additive: uniform times exp(one effect a parent) "
        "(default: uniform)",
    )
    rates.add_argument("--low", type=float, default=1.0, help="least rate (default: 1)")
    rates.add_argument("--high", type=float, default=5.0, help="greatest rate (default: 5)")
    rates.add_argument(
        "--effect", type=float, default=0.0, metavar="E", help="additive: effects lie in [−E, E] (default: 0)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="root of all randomness (default: 0)"
    )
    parser.add_argument(
        "--rates",
        choices=RATES,
        default="auto",
        help="write out the matrices, or the recipe that gives the same ones; auto writes them out up to "
        "20,000 rates (default: auto)",
    )
    add_output(parser)


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
    }
    if args.scattered is None:
        network = generate(args.nodes, **options)
    else:
        network = generate_scattered(args.scattered, args.nodes, **options)
    put(network, args.output, args.rates)
