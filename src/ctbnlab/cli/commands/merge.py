"""`ctbnlab merge`: joins the parts of a graph that separate jobs learned."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from ctbnlab.cli.file_kinds import GRAPH
from ctbnlab.cli.model_checks import report, with_checks
from ctbnlab.cli.options import add_output
from ctbnlab.cli.paths import Data, Input

if TYPE_CHECKING:
    from ctbnlab.data.trajectories import Trajectories
    from ctbnlab.learning.graph import LearnedGraph

HELP = "merge the parts of a graph learned by separate jobs"
DESCRIPTION = """\
Merge the parts of a graph learned by separate jobs. With --data, check whether the model holds, as
`ctbnlab learn` does: the result then has the same bytes as the graph learned by one job.

  ctbnlab learn data.arrow --part 1/2 -o part-1.json
  ctbnlab learn data.arrow --part 2/2 -o part-2.json
  ctbnlab merge part-1.json part-2.json --data data.arrow -o learned.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "parts", nargs="+", type=Input(GRAPH), metavar="PART", help="parts of one graph, in any order"
    )
    add_output(parser, "write the graph to this file")
    parser.add_argument(
        "--data",
        type=Data(),
        metavar="DATA",
        help="the .arrow file that the parts were learned from, for the effects of arcs and the model checks",
    )


def run(args: argparse.Namespace) -> None:
    from ctbnlab.errors import InputError
    from ctbnlab.learning.completion import merge
    from ctbnlab.learning.effects import with_effects
    from ctbnlab.learning.graph import LearnedGraph

    parts = [LearnedGraph.read(part) for part in args.parts]
    whole = merge(parts)
    if not whole.is_whole:
        present = {node.target for node in whole.nodes} | {failure.target for failure in whole.failures}
        missing = [name for i, name in enumerate(whole.names) if i not in present]
        raise InputError(f"no part contains {', '.join(missing)}: merge the parts of all nodes")
    if len(parts) == 1 and parts[0].checks is not None:
        whole = replace(whole, checks=parts[0].checks)  # of the data as they were adjusted
        report(parts[0].checks)
    elif args.data is not None:
        data = matching_data(whole, args.data)
        whole = with_checks(with_effects(whole, data), data)
    whole.write(args.output)


def matching_data(graph: LearnedGraph, path: str) -> Trajectories:
    """Read the data that a graph was learned from; refuse others."""
    from ctbnlab.cli.options import read_or_simulate
    from ctbnlab.errors import InputError

    data = read_or_simulate(path)
    if (data.variables, data.roles) != (graph.variables, graph.roles):
        raise InputError("has other variables or roles than the data of the parts", path=path)
    if data.n_events != graph.data.get("events"):
        raise InputError("has another number of events than the data of the parts", path=path)
    return data
