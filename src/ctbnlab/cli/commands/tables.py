"""`ctbnlab tables`: metrics in the layout of the paper's tables, next to the published values."""

from __future__ import annotations

import argparse

from ctbnlab.cli import options
from ctbnlab.cli.messages import tell
from ctbnlab.io.shown import counted

HELP = "write tables of metrics, next to the paper's values"
DESCRIPTION = """\
Write tables of a file of metrics as CSV, Markdown, LaTeX and HTML, in the layout of the paper's
tables and, with --reference, next to the published values, with a table of what the paper claims and
whether it holds.

  ctbnlab tables metrics.parquet --reference main -o tables
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    options.add_metrics(parser)


def run(args: argparse.Namespace) -> None:
    from pathlib import Path

    from ctbnlab.errors import InputError
    from ctbnlab.evaluation.results_table import read_metrics
    from ctbnlab.presentation.paper_tables import write_tables

    try:
        written = write_tables(read_metrics(args.metrics), args.reference, Path(args.output))
    except InputError as error:
        raise error.within(args.metrics) from None
    first = Path(args.output) / "summary.md"
    tell(f"Wrote {counted(len(written), 'file')} to {args.output}; start with {first}")
