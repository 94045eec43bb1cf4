"""`ctbnlab figures`: metrics as the paper's figures, with the published values drawn in."""

from __future__ import annotations

import argparse
import sys

from ctbnlab.cli.reference import add_reference

HELP = "draw the paper's figures from metrics"
DESCRIPTION = """\
Draw what a file of metrics has data for: F1, ΔBIC %, time, precision and recall, SHD against nodes; F1
against trajectories; time and memory of big networks; the effect of the significance level.

  ctbnlab figures metrics.parquet --reference main -o figures --formats png,svg
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("metrics", help="metrics.parquet: one row for each network and learner")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="the folder to write into")
    add_reference(parser)
    parser.add_argument(
        "--formats", default="png,pdf,svg", metavar="A,B", help="which picture formats (png,pdf,svg)"
    )
    parser.add_argument(
        "--placeholders", action="store_true", help="a figure without data is a picture that says so"
    )
    parser.add_argument("--only", action="append", metavar="NAME", help="this figure only; repeat for more")


def run(args: argparse.Namespace) -> None:
    from pathlib import Path

    from ctbnlab.cli.options import names
    from ctbnlab.errors import InputError
    from ctbnlab.evaluation.results_table import read_metrics
    from ctbnlab.presentation.figures.catalogue import write_figures

    formats = names([args.formats]) or []
    metrics = read_metrics(args.metrics)
    try:
        written, absent = write_figures(
            metrics,
            args.reference,
            Path(args.output),
            formats,
            names(args.only),
            placeholders=args.placeholders,
        )
    except InputError as error:
        raise error.within(args.metrics) from None
    for name, reason in absent.items():
        print(f"not made: {name}: {reason}", file=sys.stderr)
    print(f"{len(written)} files in {args.output}", file=sys.stderr)
