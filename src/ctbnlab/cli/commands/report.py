"""`ctbnlab report`: one HTML page about a folder of results."""

from __future__ import annotations

import argparse

from ctbnlab.cli.options import add_output
from ctbnlab.cli.paths import InputFolder, refuse_overwriting

HELP = "write a report on a folder of results as one HTML page"
DESCRIPTION = """\
Write one HTML page about a folder of results that the workflow wrote: a summary, figures, tables and the
record of the run, or for your own data the graph, the arcs and the rates. It needs no other file and no
network.

  ctbnlab report results/quick -o report.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results",
        type=InputFolder(),
        metavar="RESULTS",
        help="a folder of results, with its config.json and environment.json",
    )
    add_output(parser, "write the page to this .html file")


def run(args: argparse.Namespace) -> None:
    from pathlib import Path

    from ctbnlab.errors import InputError
    from ctbnlab.io.files import replacing
    from ctbnlab.presentation.report.results_folder import files_of, report_on_folder
    from ctbnlab.workflow.config import load, parse

    recorded = Path(args.results) / "config.json"
    if not recorded.is_file():
        raise InputError("is not a folder of results: it has no config.json", path=args.results)
    refuse_overwriting(args.output, files_of(args.results))
    config = load(*parse(str(recorded))).model_dump(mode="json")
    page = report_on_folder(args.results, config)
    with replacing(args.output) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
