"""`ctbnlab evaluate`: the metrics of one learned graph."""

from __future__ import annotations

import argparse

from ctbnlab.cli import options
from ctbnlab.cli.file_kinds import GRAPH, NETWORK
from ctbnlab.cli.paths import Data, Input

HELP = "compute the metrics of a learned graph"
DESCRIPTION = """\
Compare a learned graph with the true network, rank all arcs by the learner's evidence, compute the
likelihood and BIC of the graph on the data it was learned from, and write these metrics and the cost of
learning as JSON. The workflow calls this once per network and learner; `ctbnlab collect` makes one table of
all results.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "network", type=Input(NETWORK, GRAPH), metavar="NETWORK", help="the true network or graph"
    )
    parser.add_argument("graph", type=Input(GRAPH), metavar="GRAPH", help="the learned graph")
    parser.add_argument("data", type=Data(), metavar="DATA", help="the trajectories it was learned from")
    parser.add_argument(
        "--timings",
        nargs="*",
        type=Input("a file of timings"),
        default=[],
        metavar="FILE",
        help="files written by `ctbnlab learn --timings`",
    )
    options.add_output(parser, "write the metrics to this .json file")
    options.add_reading(parser)


def run(args: argparse.Namespace) -> None:
    from ctbnlab.evaluation.row import evaluate, read_timings
    from ctbnlab.io import json_text
    from ctbnlab.io.files import naming_file
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.learning.truth import read_true_graph

    network, graph = read_true_graph(args.network), LearnedGraph.read(args.graph)
    data, timings = options.read_data(args), [read_timings(path) for path in args.timings]
    with naming_file(args.graph):
        row = evaluate(network, graph, data, timings)
    json_text.write(row, args.output)
