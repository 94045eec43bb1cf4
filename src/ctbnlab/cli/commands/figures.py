"""`ctbnlab figures`: metrics as the paper's figures, with the published values."""

from __future__ import annotations

import argparse

from ctbnlab.cli import options
from ctbnlab.cli.messages import tell
from ctbnlab.io.shown import counted

HELP = "draw figures of metrics, with the paper's values"
DESCRIPTION = """\
Draw every figure that a file of metrics has data for: F1, precision and recall, SHD, ΔBIC % and time
against the number of nodes, or for each given network; curves of the arcs ranked by their evidence, and
the areas under them; F1 against the number of trajectories; the effect of swept options; time and memory
of big networks.

  ctbnlab figures metrics.parquet --reference main -o figures --formats png,svg
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    options.add_metrics(parser)
    parser.add_argument(
        "--formats",
        default="png,pdf,svg",
        metavar="A,B",
        help="file formats, separated by commas (default: png,pdf,svg)",
    )
    parser.add_argument(
        "--placeholders", action="store_true", help="for a figure without data, write an image that says why"
    )
    parser.add_argument("--only", action="append", metavar="NAME", help="draw only this figure; repeatable")


def run(args: argparse.Namespace) -> None:
    from pathlib import Path

    from ctbnlab.errors import InputError
    from ctbnlab.evaluation.results_table import read_metrics
    from ctbnlab.presentation.figures.catalogue import write_figures

    formats = options.names([args.formats]) or []
    metrics = read_metrics(args.metrics)
    try:
        written, absent = write_figures(
            metrics,
            args.reference,
            Path(args.output),
            formats,
            options.names(args.only),
            placeholders=args.placeholders,
        )
    except InputError as error:
        raise error.within(args.metrics) from None
    for name, reason in absent.items():
        tell(f"note: no data for {name}: {reason}")
    tell(f"Wrote {counted(len(written), 'file')} to {args.output}")
