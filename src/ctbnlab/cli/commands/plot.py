"""`ctbnlab plot`: a picture of a network or learned graph."""

from __future__ import annotations

import argparse

from ctbnlab.errors import InputError

HELP = "draw a network or learned graph"
DESCRIPTION = """\
Draw a network or learned graph; the picture's format goes by the name's ending (png, pdf, svg).

  ctbnlab plot learned.json -o graph.svg
  ctbnlab plot learned.json --true network.json -o graph.png   arcs found, missed and invented
  ctbnlab plot learned.json --true network.json --kind heatmap -o matrix.png
  ctbnlab plot network.json --cims -o network.pdf              with its intensity matrices
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("graph", help="a network or a learned graph")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="where to write the picture")
    parser.add_argument("--true", metavar="FILE", help="the true network: colour arcs by what they are")
    parser.add_argument("--kind", choices=("graph", "heatmap"), default="graph", help="what to draw (graph)")
    parser.add_argument(
        "--layout",
        choices=("auto", "circle", "springs"),
        default="auto",
        help="where nodes stand: on a circle, as springs have it, or whichever suits (auto)",
    )
    parser.add_argument("--cims", action="store_true", help="add the intensity matrices of a small network")


def run(args: argparse.Namespace) -> None:
    from pathlib import Path

    from ctbnlab.io.files import require_folder_of
    from ctbnlab.presentation.draw.plot import plot, read_graph

    output = require_folder_of(Path(args.output))
    graph = read_graph(args.graph)
    true = None if args.true is None else read_graph(args.true)
    try:
        plot(graph, output, true=true, kind=args.kind, layout=args.layout, cims=args.cims)
    except InputError as error:
        raise error.within(args.graph) from None
