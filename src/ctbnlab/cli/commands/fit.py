"""`ctbnlab fit`: the rates of a graph, estimated from trajectories."""

from __future__ import annotations

import argparse
import sys

from ctbnlab.cli import options
from ctbnlab.errors import InputError

HELP = "estimate the rates of a graph from trajectories"
DESCRIPTION = """\
Estimate the intensities of a graph's variables given their parents, and write the whole network.

  ctbnlab fit learned.json data.csv -o network.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("graph", help="a learned graph, or a network whose arcs are used")
    parser.add_argument("data", help="trajectories in any format that `ctbnlab convert` knows")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="where to write the network")
    parser.add_argument(
        "--method",
        choices=("ml", "bayes"),
        default="ml",
        help="maximum likelihood (default), or posterior means",
    )
    parser.add_argument("--alpha", type=float, default=1.0, help="imaginary transitions of the prior (1)")
    parser.add_argument("--tau", type=float, default=1.0, help="imaginary time of the prior (1)")
    options.add_reading(parser)


def run(args: argparse.Namespace) -> None:
    from ctbnlab.cli.commands.compare import read_arcs
    from ctbnlab.io.files import require_folder_of
    from ctbnlab.learning.parameters import fit_parameters

    require_folder_of(args.output)
    names, arcs = read_arcs(args.graph)
    data = options.read_data(args)
    if set(names) != set(data.names):
        odd = sorted(set(names) ^ set(data.names))[0]
        raise InputError(f"the variable {odd!r} is in only one of the graph and the data", path=args.data)
    parents = [sorted(data.index(a) for a, b in arcs if b == name) for name in data.names]
    fitted = fit_parameters(data, parents, method=args.method, alpha=args.alpha, tau=args.tau)
    fitted.network.write(args.output)
    unseen = sum(len(configurations) for configurations in fitted.unseen)
    if unseen:
        print(f"note: {unseen} parent configurations never occur in the data", file=sys.stderr)
    print(
        f"log-likelihood {fitted.log_likelihood:.6g}, {fitted.n_parameters:,} parameters, "
        f"BIC {fitted.bic:.6g}",
        file=sys.stderr,
    )
