"""`ctbnlab plot`: draws a network, a learned graph, or the frequencies of arcs in a bootstrap."""

from __future__ import annotations

import argparse

from ctbnlab.cli.file_kinds import BOOTSTRAP, GRAPH, NETWORK
from ctbnlab.cli.options import add_output
from ctbnlab.cli.paths import Input
from ctbnlab.errors import InputError

HELP = "draw a network, a learned graph or a bootstrap"
DESCRIPTION = """\
Draw a network, a learned graph, or the frequencies of arcs in a bootstrap as PNG, PDF or SVG.

  ctbnlab plot learned.json -o graph.svg
  ctbnlab plot learned.json --true network.json -o graph.png   found, missed and invented arcs
  ctbnlab plot learned.json --true network.json --kind heatmap -o matrix.png
  ctbnlab plot network.json --cims -o network.pdf              with its intensity matrices
  ctbnlab plot bootstrap.json -o frequencies.svg
  ctbnlab plot learned.json --width effect -o graph.svg        wider arcs have larger rate ratios
"""
# The formats of the library, which is not loaded for --help; a test compares them.
FORMATS = ("png", "pdf", "svg")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "graph",
        type=Input(NETWORK, GRAPH, BOOTSTRAP),
        metavar="GRAPH",
        help="a network, a learned graph or a bootstrap",
    )
    add_output(parser, "write to this .png, .pdf or .svg file")
    parser.add_argument(
        "--to",
        dest="format",
        choices=FORMATS,
        help="format of the picture (default: by the extension of the file)",
    )
    parser.add_argument(
        "--true",
        type=Input(NETWORK, GRAPH),
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
    parser.add_argument(
        "--width",
        choices=("evidence", "effect"),
        default="evidence",
        help="the width of learned arcs shows the strength of evidence, or the effect: the largest rate "
        "ratio (default: evidence)",
    )
    parser.add_argument("--cims", action="store_true", help="add the intensity matrices; for small networks")


def run(args: argparse.Namespace) -> None:
    from ctbnlab.presentation.draw.frequency_dots import is_bootstrap, plot_frequencies
    from ctbnlab.presentation.draw.plot import plot, read_graph
    from ctbnlab.presentation.style import picture_format

    ending = picture_format(args.output, args.format)
    if is_bootstrap(args.graph):
        if args.true is not None or args.cims:
            raise InputError("is a bootstrap; --true and --cims are for graphs", path=args.graph)
        plot_frequencies(args.graph, args.output, ending)
        return
    graph = read_graph(args.graph)
    true = None if args.true is None else read_graph(args.true)
    try:
        plot(
            graph,
            args.output,
            true=true,
            kind=args.kind,
            layout=args.layout,
            cims=args.cims,
            width=args.width,
            format=ending,
        )
    except InputError as error:
        raise error.within(args.graph) from None
