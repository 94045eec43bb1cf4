"""`ctbnlab compare`: compares a learned graph with the true one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ctbnlab.cli.file_kinds import GRAPH, NETWORK
from ctbnlab.cli.paths import Input
from ctbnlab.errors import InputError, shown

if TYPE_CHECKING:
    from ctbnlab.evaluation.metrics import Confusion
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.model.network import Network

HELP = "compare two graphs, such as a learned and the true one"
DESCRIPTION = """\
Compare two graphs over the same variables: precision, recall, F1, SHD, and the missed and invented
arcs. Each file is a network or a learned graph; the first is taken as the truth.

  ctbnlab compare network.json learned.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("true", type=Input(NETWORK, GRAPH), metavar="TRUE", help="the true network or graph")
    parser.add_argument(
        "learned",
        type=Input(NETWORK, GRAPH),
        metavar="LEARNED",
        help="the network or graph to compare with it",
    )
    parser.add_argument("--per-node", action="store_true", help="also print one line per node")
    parser.add_argument("--json", action="store_true", help="print as JSON")


def run(args: argparse.Namespace) -> None:
    from ctbnlab.errors import printable
    from ctbnlab.evaluation.metrics import compare
    from ctbnlab.io import json_text
    from ctbnlab.learning.graph_like import comparable
    from ctbnlab.model.names import arc_text

    first, second = comparable(read_graph(args.true), read_graph(args.learned))
    names, true, others, learned = first.names or (), first.arcs, second.names or (), second.arcs
    if set(others) != set(names):
        name = sorted(set(names) ^ set(others))[0]
        path, other = (args.learned, args.true) if name in names else (args.true, args.learned)
        raise InputError(f"lacks the variable {name!r}, which {shown(other)} has", path=path)
    found = compare(true, learned, names)
    whole = found.whole
    if args.json:
        content = _row(whole) | {"missed": found.missed, "invented": found.invented}
        print(json_text.dumps(content | {"nodes": {n: _row(c) for n, c in found.nodes.items()}}), end="")
        return
    print(f"{'arcs':<12}{len(true)} true, {len(learned)} learned, {whole.true_positives} in both")
    for name in ("precision", "recall", "f1"):
        print(f"{name if name != 'f1' else 'F1':<12}{getattr(whole, name):.4f}")
    print(f"{'SHD':<12}{whole.shd}")
    for title, arcs in (("missed", found.missed), ("invented", found.invented)):
        print(f"{title:<12}{', '.join(arc_text(*arc) for arc in arcs) or 'none'}")
    if args.per_node:
        width = max(len(printable(name)) for name in ("node", *names)) + 2
        print(f"\n{'node':<{width}}{'precision':>10}{'recall':>10}{'F1':>10}")
        for name, node in found.nodes.items():
            print(f"{printable(name):<{width}}{node.precision:>10.3f}{node.recall:>10.3f}{node.f1:>10.3f}")


def _row(confusion: Confusion) -> dict[str, Any]:
    fields = ("true_positives", "false_positives", "false_negatives", "true_negatives")
    return {name: getattr(confusion, name) for name in (*fields, "precision", "recall", "f1", "shd")}


def read_graph(path: str) -> Network | LearnedGraph:
    """Return the network or learned graph in a file."""
    from ctbnlab.learning.truth import read_true_graph

    return read_true_graph(path)
