"""`ctbnlab collect`: all rows of an experiment as one table."""

from __future__ import annotations

import argparse

HELP = "collect an experiment's rows of results into one table"
DESCRIPTION = """\
Read the metrics of every run that an experiment's config names, and write them as one Parquet file.

  ctbnlab collect results/paper/config.json -o results/paper/metrics.parquet
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", help="the experiment's config, as YAML or JSON")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="where to write the table")


def run(args: argparse.Namespace) -> None:
    import sys
    from collections import Counter

    from ctbnlab.evaluation.collect import collect
    from ctbnlab.evaluation.results_table import write_metrics
    from ctbnlab.workflow.config import load, parse
    from ctbnlab.workflow.plan import Plan

    content, source = parse(args.config)
    rows = collect(Plan(load(content, source)))
    write_metrics(rows, args.output)
    counts = Counter(row["status"] for row in rows)
    print(", ".join(f"{count} {status}" for status, count in counts.items()), file=sys.stderr)
