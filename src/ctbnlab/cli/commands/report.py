"""`ctbnlab report`: one HTML page about data, or about a folder of results."""

from __future__ import annotations

import argparse
from pathlib import Path

from ctbnlab.cli import options
from ctbnlab.cli.commands.learn import add_learner_options
from ctbnlab.cli.file_kinds import ARCS, BOOTSTRAP, GRAPH, NETWORK
from ctbnlab.cli.paths import Data, Folder, Input, refuse_overwriting
from ctbnlab.errors import InputError

HELP = "write one HTML page on data, or on a folder of results"
DESCRIPTION = """\
Learn from trajectories, check the model, estimate the rates, and write one HTML page: what was learned, a
graph to explore, the data, the evidence for each arc, the rates and the checks. It needs no other file and no
network.

  ctbnlab report data.csv -o report.html
  ctbnlab report data.csv --static sex --terminal death -o report.html --folder files
  ctbnlab report data.csv --compare ctpc-chi2,ctss --bootstrap bootstrap.json -o report.html
  ctbnlab report simulated.csv --network truth.json -o report.html     which arcs are found, missed, invented

Given a folder of results that the workflow wrote, the page is about these:

  ctbnlab report results/quick -o report.html
"""
# What the page does not depend on.
NOT_RECORDED = ("help", "output", "folder", "jobs", "memory")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data",
        type=Data(),
        metavar="DATA",
        help="trajectories, in any format that `ctbnlab convert` reads; or a folder of results, with its "
        "config.json and environment.json",
    )
    options.add_output(parser, "write the page to this .html file")
    parser.add_argument(
        "--folder",
        type=Folder(),
        metavar="FOLDER",
        help="also write the graph (JSON, GraphML, DOT), the network, the arcs and the rates (CSV) here",
    )
    group = parser.add_argument_group("comparison")
    group.add_argument(
        "--compare", metavar="A,B", help="learners to learn with as well, to see which arcs they find"
    )
    group.add_argument(
        "--network",
        type=Input(NETWORK, GRAPH, ARCS),
        metavar="FILE",
        help="the true network, graph or list of arcs, if known",
    )
    group.add_argument(
        "--bootstrap",
        type=Input(BOOTSTRAP),
        metavar="FILE",
        help="the frequencies of arcs in resampled data, from `ctbnlab bootstrap -o FILE`",
    )
    add_learner_options(parser, command=False)
    group = parser.add_argument_group("the page")
    group.add_argument(
        "--robust",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="where the model does not hold, take in clocks and a pace for each trajectory, and learn again "
        "(default: --robust)",
    )
    group.add_argument("--title", metavar="TEXT", help="title of the page (default: the name of the file)")
    options.add_seed(group, " of answers of the network that are simulated", dest="page_seed")
    group.add_argument("--jobs", type=int, default=1, metavar="N", help="number of threads (default: 1)")
    options.add_reading(parser, seed=False)
    # What learning in a supervised process asks for; a report has no limits.
    unused = dict.fromkeys(("time_limit", "job_time", "job_memory", "timings", "external_command"))
    parser.set_defaults(**unused, record_failures=False, last_attempt=False)


def run(args: argparse.Namespace) -> int:
    folder = Path(args.data)
    if folder.is_dir() and (folder / "config.json").is_file():
        _on_results(args)
        return 0
    if (folder / "environment.json").is_file():
        raise InputError("is not a whole folder of results: it has no config.json", path=args.data)
    from ctbnlab.cli.data_report import report_on_data

    return report_on_data(args)


def _on_results(args: argparse.Namespace) -> None:
    from ctbnlab.cli.recorded_command import words
    from ctbnlab.io.files import replacing
    from ctbnlab.presentation.report.results_folder import files_of, report_on_folder
    from ctbnlab.workflow.config import load, parse

    given = words(args, ("help", "output", "data"))
    if given:
        raise InputError(f"is a folder of results: {given[0].partition('=')[0]} is for data", path=args.data)
    refuse_overwriting(args.output, files_of(args.data))
    config = load(*parse(str(Path(args.data) / "config.json"))).model_dump(mode="json")
    page = report_on_folder(args.data, config)
    with replacing(args.output) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
