"""`ctbnlab merge`: joins the parts of a graph that separate jobs learned."""

from __future__ import annotations

import argparse

from ctbnlab.cli.options import add_output
from ctbnlab.cli.paths import Input

HELP = "merge the parts of a graph learned by separate jobs"
DESCRIPTION = """\
Merge the parts of a graph learned by separate jobs. The result has the same bytes as the graph learned
by one job.

  ctbnlab learn data.arrow --part 1/2 -o part-1.json
  ctbnlab learn data.arrow --part 2/2 -o part-2.json
  ctbnlab merge part-1.json part-2.json -o learned.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "parts", nargs="+", type=Input(), metavar="PART", help="parts of one graph, in any order"
    )
    add_output(parser, "write the graph to this file")


def run(args: argparse.Namespace) -> None:
    from ctbnlab.errors import InputError
    from ctbnlab.learning.graph import LearnedGraph, merge

    whole = merge([LearnedGraph.read(part) for part in args.parts])
    if not whole.is_whole:
        present = {node.target for node in whole.nodes} | {failure.target for failure in whole.failures}
        missing = [name for i, name in enumerate(whole.names) if i not in present]
        raise InputError(f"no part contains {', '.join(missing)}: merge the parts of all nodes")
    whole.write(args.output)
