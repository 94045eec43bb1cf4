"""`ctbnlab plot`: draws a network or a learned graph."""

from __future__ import annotations

import argparse

from ctbnlab.cli.options import add_output
from ctbnlab.cli.paths import Input
from ctbnlab.errors import InputError

HELP = "draw a network or a learned graph"
DESCRIPTION = """\
Draw a network or a learned graph as PNG, PDF or SVG.

  ctbnlab plot learned.json -o graph.svg
  ctbnlab plot learned.json --true network.json -o graph.png   found, missed and invented arcs
  ctbnlab plot learned.json --true network.json --kind heatmap -o matrix.png
  ctbnlab plot network.json --cims -o network.pdf              with its intensity matrices
"""
# The formats of the library, which is not loaded for --help; a test compares them.
FORMATS = ("png", "pdf", "svg")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("graph", type=Input(), metavar="GRAPH", help="a network or a learned graph")
    add_output(parser, "write to this .png, .pdf or .svg file")
    parser.add_argument(
        "--format", choices=FORMATS, help="format of the picture (default: by the extension of the file)"
    )
    parser.add_argument(
        "--true",
        type=Input(),
        metavar="FILE",
        help="the true network: show which arcs are found, missed and invented",
    )
    parser.add_argument(
        "--kind",
        choices=("graph", "heatmap"),
        default="graph",
        help="a graph, or a heat map of the adjacency matrix (default: graph)",
    )
    parser.add_argument(
        "--layout",
        choices=("auto", "circle", "springs"),
        default="auto",
        help="arrange the nodes on a circle or by a spring model; auto picks one (default: auto)",
    )
    parser.add_argument("--cims", action="store_true", help="add the intensity matrices; for small networks")


def run(args: argparse.Namespace) -> None:
    from ctbnlab.presentation.draw.plot import plot, read_graph
    from ctbnlab.presentation.style import picture_format

    ending = picture_format(args.output, args.format)
    graph = read_graph(args.graph)
    true = None if args.true is None else read_graph(args.true)
    try:
        plot(graph, args.output, true=true, kind=args.kind, layout=args.layout, cims=args.cims, format=ending)
    except InputError as error:
        raise error.within(args.graph) from None
