"""`ctbnlab tables`: metrics in the paper's arrangement, beside the published values."""

from __future__ import annotations

import argparse
import sys

from ctbnlab.cli.reference import add_reference

HELP = "make tables of metrics, beside the paper's values"
DESCRIPTION = """\
Make tables of a file of metrics as CSV, Markdown, LaTeX and HTML, every cell beside the published value.

  ctbnlab tables metrics.parquet --reference main -o tables
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("metrics", help="metrics.parquet: one row for each network and learner")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="the folder to write into")
    add_reference(parser)


def run(args: argparse.Namespace) -> None:
    from pathlib import Path

    from ctbnlab.errors import InputError
    from ctbnlab.evaluation.results_table import read_metrics
    from ctbnlab.presentation.paper_tables import write_tables

    try:
        written = write_tables(read_metrics(args.metrics), args.reference, Path(args.output))
    except InputError as error:
        raise error.within(args.metrics) from None
    print(f"{len(written)} files in {args.output}; begin with summary.md", file=sys.stderr)
