"""`ctbnlab evaluate`: one row of a benchmark's results."""

from __future__ import annotations

import argparse

from ctbnlab.cli import options

HELP = "judge a learned graph by the true network and its data, as one row of results"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("network", help="the true network")
    parser.add_argument("graph", help="the learned graph")
    parser.add_argument("data", help="the trajectories it was learned from")
    parser.add_argument(
        "--timings", nargs="*", default=[], metavar="FILE", help="what `learn --timings` wrote"
    )
    parser.add_argument(
        "--about", action="append", metavar="NAME=VALUE", help="a further column, such as the cell's factors"
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="where to write the row as JSON"
    )
    options.add_reading(parser)


def run(args: argparse.Namespace) -> None:
    from ctbnlab.evaluation.row import evaluate
    from ctbnlab.io import json_text
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.model.network import Network

    row = evaluate(
        Network.read(args.network),
        LearnedGraph.read(args.graph),
        options.read_data(args),
        [json_text.read(path) for path in args.timings],
    )
    json_text.write(options.pairs(args.about, "a column") | row, args.output)
