"""`ctbnlab environment`: the software and the machine that results were made with."""

from __future__ import annotations

import argparse
from typing import Any

from ctbnlab.cli.file_kinds import METRICS
from ctbnlab.cli.options import add_output
from ctbnlab.cli.paths import Input

HELP = "print versions, machine and revision as JSON"
DESCRIPTION = "Print the versions, the machine and the workflow's revision, as JSON."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--metrics",
        type=Input(METRICS),
        metavar="FILE",
        help="add the versions and revisions that made the rows of this metrics.parquet file",
    )
    add_output(parser, "write to this file (default: print)", printed=True)


def run(args: argparse.Namespace) -> None:
    from ctbnlab.io import json_text
    from ctbnlab.workflow.provenance import environment

    rows: list[dict[str, Any]] = []
    if args.metrics is not None:
        from ctbnlab.evaluation.results_table import read_metrics

        made = read_metrics(args.metrics)[["version", "revision"]].astype(object)
        made = made.where(made.notna(), None)
        rows = [dict(zip(made.columns, row, strict=True)) for row in made.to_numpy()]
    found = environment(rows)
    if args.output is None:
        print(json_text.dumps(found), end="")
    else:
        json_text.write(found, args.output)
