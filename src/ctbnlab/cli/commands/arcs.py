"""`ctbnlab arcs`: a table of the arcs in several learned graphs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from ctbnlab.cli.file_kinds import GRAPH
from ctbnlab.cli.paths import Input, Output

FORMATS = ("md", "html", "csv")
HELP = "tabulate the arcs of several learned graphs"
DESCRIPTION = """\
Tabulate the arcs of several learned graphs over the same variables: one row per arc that at least one
graph has, with the evidence of each learner.

  ctbnlab arcs ctpc.json ctss.json                         print the table
  ctbnlab arcs ctpc.json ctss.json -o arcs.html arcs.csv   write it; CSV also has the rejected arcs
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "graphs", nargs="+", type=Input(GRAPH), metavar="GRAPH", help="a graph written by `ctbnlab learn`"
    )
    parser.add_argument(
        "-o",
        "--output",
        nargs="+",
        type=Output(printed=True),
        metavar="FILE",
        help="write to these files: .md, .html, or .csv with all evidence (default: print Markdown)",
    )
    parser.add_argument(
        "--to",
        dest="format",
        choices=FORMATS,
        help="format of printed tables, and of files whose extension is none of these (default: md)",
    )
    parser.add_argument(
        "--guard-formulas",
        action="store_true",
        help="CSV: put a single quote before text that a spreadsheet would compute, such as =A1",
    )


def run(args: argparse.Namespace) -> None:
    from contextlib import ExitStack
    from functools import partial

    from ctbnlab.errors import InputError, shown
    from ctbnlab.io.files import replacing
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.presentation.arc_table import as_csv, as_html, as_markdown

    formats = [_format_of(path, args.format) for path in args.output or ()]
    graphs = [LearnedGraph.read(path) for path in args.graphs]
    for path, graph in zip(args.graphs, graphs, strict=True):
        if graph.variables != graphs[0].variables:
            raise InputError(f"has other variables than {shown(args.graphs[0])}", path=path)
    writers: dict[str, Callable[[Sequence[LearnedGraph]], str]] = {
        "csv": partial(as_csv, guard_formulas=args.guard_formulas),
        "md": as_markdown,
        "html": as_html,
    }
    if args.output is None:
        print(writers[args.format or "md"](graphs), end="")
        return
    with ExitStack() as stack:  # all files or none
        for path, name in zip(args.output, formats, strict=True):
            temporary = stack.enter_context(replacing(path))
            temporary.write_text(writers[name](graphs), encoding="utf-8")


def _format_of(path: str, given: str | None) -> str:
    """Return the format that an output's extension names, else the given one; streams get Markdown."""
    from ctbnlab.errors import InputError
    from ctbnlab.io.files import is_stream, require_writable

    extension = path.rpartition(".")[2]
    if extension in FORMATS:
        return extension
    if given is None and not is_stream(require_writable(path)):
        raise InputError("unknown extension: use .csv, .md or .html", path=path)
    return given or "md"
