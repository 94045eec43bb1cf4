"""`ctbnlab arcs`: what several learned graphs say of each arc."""

from __future__ import annotations

import argparse

HELP = "set several learned graphs side by side, arc by arc"
DESCRIPTION = """\
A row for every arc that at least one graph has, and what each learner says of it.

  ctbnlab arcs ctpc.json ctss.json                          on the screen
  ctbnlab arcs ctpc.json ctss.json -o arcs.csv arcs.html    with all evidence, also of arcs left out
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("graphs", nargs="+", metavar="GRAPH", help="graphs that `ctbnlab learn` wrote")
    parser.add_argument(
        "-o", "--output", nargs="+", metavar="FILE", help="where to write: .csv (all evidence), .md or .html"
    )


def run(args: argparse.Namespace) -> None:
    from ctbnlab.errors import InputError
    from ctbnlab.io.files import replacing
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.presentation.arc_table import as_csv, as_html, as_markdown

    graphs = [LearnedGraph.read(path) for path in args.graphs]
    if any(graph.variables != graphs[0].variables for graph in graphs):
        raise InputError("the graphs are not of the same variables")
    writers = {"csv": as_csv, "md": as_markdown, "html": as_html}
    if args.output is None:
        print(as_markdown(graphs), end="")
        return
    for path in args.output:
        ending = path.rpartition(".")[2]
        if ending not in writers:
            raise InputError("arcs are written as .csv, .md or .html", path=path)
        with replacing(path) as temporary:
            temporary.write_text(writers[ending](graphs), encoding="utf-8")
