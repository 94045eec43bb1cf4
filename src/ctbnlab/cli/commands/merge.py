"""`ctbnlab merge`: the parts of a graph that several jobs learned, as one."""

from __future__ import annotations

import argparse

HELP = "join the parts of a graph that several jobs learned"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("parts", nargs="+", metavar="PART", help="graphs of some nodes each, in any order")
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="where to write the whole graph"
    )


def run(args: argparse.Namespace) -> None:
    from ctbnlab.errors import InputError
    from ctbnlab.learning.graph import LearnedGraph, merge

    whole = merge([LearnedGraph.read(part) for part in args.parts])
    if not whole.is_whole:
        present = {node.target for node in whole.nodes}
        missing = [name for i, name in enumerate(whole.names) if i not in present]
        raise InputError(f"no part has the nodes {', '.join(missing)}")
    whole.write(args.output)
