"""`ctbnlab fit`: estimates the rates of a graph from trajectories."""

from __future__ import annotations

import argparse
import sys

from ctbnlab.cli import options
from ctbnlab.cli.paths import Input
from ctbnlab.cli.text import count
from ctbnlab.errors import InputError, shown

HELP = "estimate the rates of a graph from trajectories"
DESCRIPTION = """\
Estimate the intensity matrices of each variable given its parents in a graph, and write the network.

  ctbnlab fit learned.json data.csv -o network.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "graph", type=Input(), metavar="GRAPH", help="a learned graph, or a network whose arcs are used"
    )
    options.add_data(parser)
    options.add_output(parser, "write the network to this .json or .json.gz file")
    parser.add_argument(
        "--method",
        choices=("ml", "bayes"),
        default="ml",
        help="maximum likelihood (ml) or posterior means (bayes) (default: ml)",
    )
    parser.add_argument(
        "--alpha",
        type=float,
        default=1.0,
        metavar="A",
        help="bayes: prior number of transitions (default: 1)",
    )
    parser.add_argument(
        "--tau", type=float, default=1.0, metavar="T", help="bayes: prior time in a state (default: 1)"
    )
    options.add_reading(parser)


def run(args: argparse.Namespace) -> None:
    from ctbnlab.cli.commands.compare import read_arcs
    from ctbnlab.learning.parameters import fit_parameters

    names, arcs = read_arcs(args.graph)
    data = options.read_data(args)
    if set(names) != set(data.names):
        name = sorted(set(names) ^ set(data.names))[0]
        path, other = (args.data, args.graph) if name in names else (args.graph, args.data)
        raise InputError(f"lacks the variable {name!r}, which {shown(other)} has", path=path)
    parents = [sorted(data.index(a) for a, b in arcs if b == name) for name in data.names]
    try:
        fitted = fit_parameters(data, parents, method=args.method, alpha=args.alpha, tau=args.tau)
    except InputError as error:
        # An error about a variable is one of the graph, any other one of the options.
        raise (error.within(args.graph) if error.place else error) from None
    fitted.network.write(args.output)
    unseen = sum(len(configurations) for configurations in fitted.unseen)
    if unseen:
        what = count(unseen, "parent configuration never occurs", "parent configurations never occur")
        print(f"note: {what} in the data", file=sys.stderr)
    print(
        f"Estimated {count(fitted.n_parameters, 'parameter')}: "
        f"log-likelihood {fitted.log_likelihood:.6g}, BIC {fitted.bic:.6g}",
        file=sys.stderr,
    )
