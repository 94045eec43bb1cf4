"""`ctbnlab collect`: the metrics of an experiment as one table."""

from __future__ import annotations

import argparse

from ctbnlab.cli.messages import tell
from ctbnlab.cli.options import add_output
from ctbnlab.cli.paths import Config, refuse_overwriting

HELP = "collect the metrics of an experiment into one table"
DESCRIPTION = """\
Read the metrics.json of every network and learner of an experiment, add the columns of its design,
and write one Parquet file. They are read from the folder of a recorded config.json, and for any other
config from results/<experiment>.

  ctbnlab collect results/paper/config.json -o results/paper/metrics.parquet
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "config", type=Config(), metavar="CONFIG", help="config of the experiment, as YAML or JSON"
    )
    add_output(parser, "write the table to this .parquet file")


def run(args: argparse.Namespace) -> None:
    from collections import Counter
    from pathlib import Path

    from ctbnlab.errors import InputError
    from ctbnlab.evaluation.results_table import write_metrics
    from ctbnlab.io.shown import counted
    from ctbnlab.workflow.collect import collect
    from ctbnlab.workflow.config import load, parse
    from ctbnlab.workflow.plan import Plan

    content, source = parse(args.config)
    plan = Plan(load(content, source))
    recorded = Path(source).name == "config.json"
    folder = str(Path(source).parent) if recorded else plan.root
    refuse_overwriting(args.output, [f"{folder}/{trial.path}/metrics.json" for trial in plan.trials()])
    try:
        rows = collect(plan, folder)
    except InputError as error:
        raise error.within(source) from None
    write_metrics(rows, args.output)
    statuses = Counter(row["status"] for row in rows)
    details = ", ".join(f"{number:,} {status}" for status, number in statuses.items())
    tell(f"Collected {counted(len(rows), 'row')}: {details}")
