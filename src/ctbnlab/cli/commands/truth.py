"""`ctbnlab truth`: the true network or graph that learned graphs are compared with, checked and copied."""

from __future__ import annotations

import argparse

from ctbnlab.cli.file_kinds import ARCS, GRAPH, NETWORK
from ctbnlab.cli.options import add_output
from ctbnlab.cli.paths import Data, Input

HELP = "check a true network or graph, and copy it"
DESCRIPTION = """\
Check a network and write a copy of it; or, with --data, write the true graph of a data set, given as a
network, a learned graph, or a CSV file of arcs with the header from,to. The workflow calls this for the
networks and data sets that a design names; `ctbnlab evaluate`, `compare` and `plot` read the result.

  ctbnlab truth my_network.json -o network.json
  ctbnlab truth arcs.csv --data data.arrow -o truth.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "truth",
        type=Input(NETWORK, GRAPH, ARCS),
        metavar="TRUTH",
        help="a network; with --data also a graph or a list of arcs",
    )
    parser.add_argument(
        "--data", type=Data(), metavar="FILE", help="the trajectories whose true graph is to be written"
    )
    add_output(parser, "write the network or graph to this .json file")


def run(args: argparse.Namespace) -> None:
    from ctbnlab.model.network import Network

    if args.data is None:
        Network.read(args.truth).write(args.output)
        return
    from ctbnlab.data.formats.reading import read
    from ctbnlab.learning.truth import truth_for

    truth_for(args.truth, read(args.data), args.data).write(args.output)
