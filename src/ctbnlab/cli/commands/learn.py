"""`ctbnlab learn`: learns a graph from trajectories, with the evidence for each arc."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ctbnlab.cli import model_checks, options, paths, values
from ctbnlab.cli.arc_effects import add_min_effect, check_min_effect, measured
from ctbnlab.cli.messages import tell
from ctbnlab.cli.text import duration
from ctbnlab.errors import InputError, one_line, printable
from ctbnlab.io.limits import MAX_MEGABYTES
from ctbnlab.io.shown import counted

if TYPE_CHECKING:
    from ctbnlab.cli.isolation import Isolation
    from ctbnlab.data.trajectories import Trajectories
    from ctbnlab.learning.nodes import Learned

HELP = "learn a graph from trajectories"
DESCRIPTION = """\
Learn from trajectories which variables influence which.

  ctbnlab learn data.csv                               print the arcs and the evidence for each
  ctbnlab learn data.arrow -o learned.json             write the graph with all evidence
  ctbnlab learn data.csv --json | jq .nodes            print it for another program
  ctbnlab learn data.csv --learner ctss --option search=exhaustive --max-parents 3
  ctbnlab learn data.csv --max-fdr 0.05                at most 5% of the arcs are expected to be false
  ctbnlab learn data.csv --robust                      take in clocks where the model does not hold
  ctbnlab learn data.csv --strict                      fail if the model does not hold
  ctbnlab learn data.csv --forbid 'Age->*' --require 'Dose->Pain'
  ctbnlab learn data.arrow --part 3/20 -o part-3.json  one of 20 jobs; see `ctbnlab merge`
  ctbnlab learn data.csv --command 'Rscript my.R {data} {arcs} {alpha}' --option alpha=0.01

`ctbnlab learn --list` describes the learners and their options.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    options.add_data(parser, nargs="?")
    options.add_output(
        parser, "write the graph and all evidence to this .json file (default: print the arcs)", printed=True
    )
    parser.add_argument(
        "--json", action="store_true", help="print the graph and all evidence as JSON, as -o writes it"
    )
    parser.add_argument(
        "--list",
        nargs="?",
        const="",
        metavar="NAME",
        help="list the learners with their options, or only one of them",
    )
    add_learner_options(parser)
    add_min_effect(parser.add_argument_group("effects"))
    model_checks.add_check_options(parser)
    _add_resource_options(parser)
    options.add_reading(parser)


def add_learner_options(parser: argparse.ArgumentParser, *, command: bool = True) -> None:
    """Add the options that choose a learner and what is known of the graph; `command` adds `--command`."""
    group = parser.add_argument_group("learner")
    group.add_argument(
        "--learner",
        type=paths.Learner(),
        metavar="NAME",
        help="name of a learner, or your own file.py or file.py:Class (default: empirical-bayes)",
    )
    if command:
        options.add_command(group)
    group.add_argument(
        "--option", action="append", metavar="NAME=VALUE", help="set an option of the learner; repeatable"
    )
    group.add_argument(
        "--max-fdr",
        type=values.share,
        metavar="Q",
        help="keep the most probable arcs, with an expected share of false ones of at most Q "
        "(empirical-bayes; default: arcs that are more likely than not)",
    )
    group.add_argument(
        "--memory",
        type=values.whole(1, MAX_MEGABYTES),
        metavar="MB",
        help="memory limit for the count tables of one node; those shared by all nodes take up to four "
        "times as much",
    )
    group = parser.add_argument_group("prior knowledge")
    group.add_argument(
        "--require",
        action="append",
        metavar="A->B",
        help="an arc that must be in the graph; * matches every variable; put names that contain -> in "
        "double quotes, as in '\"A->B\"->C'; repeatable",
    )
    group.add_argument(
        "--forbid",
        action="append",
        metavar="A->B",
        help="an arc that must not be in the graph, written in the same way; repeatable",
    )
    group.add_argument("--max-parents", type=int, metavar="K", help="maximum number of parents per variable")


def _add_resource_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("nodes and resources")
    group.add_argument(
        "--nodes",
        action="append",
        metavar="A,B",
        help="learn the parents of these variables only; put names that contain commas in double quotes; "
        "repeatable",
    )
    group.add_argument(
        "--part",
        metavar="K/N",
        help="learn only the K-th of N equal parts of the variables",
    )
    group.add_argument("--jobs", type=int, default=1, metavar="N", help="number of threads (default: 1)")
    group.add_argument(
        "--timings", type=paths.Output(), metavar="FILE", help="write time and memory used to this .json file"
    )
    group.add_argument(
        "--time-limit", type=values.positive, metavar="S", help="stop after S seconds; requires -o"
    )
    group.add_argument(
        "--record-failures",
        action="store_true",
        help="record a failure or a timeout in the graph, with its reason, instead of stopping; requires -o",
    )
    group = parser.add_argument_group("limits of a cluster job, with --record-failures")
    group.add_argument(
        "--job-memory", type=values.whole(1, MAX_MEGABYTES), metavar="MB", help="stop above this memory"
    )
    group.add_argument("--job-time", type=values.positive, metavar="S", help="stop after S seconds")
    group.add_argument(
        "--last-attempt",
        action="store_true",
        help="record that a limit was exceeded (default: exit with status 75, to be retried with higher "
        "limits)",
    )


def run(args: argparse.Namespace) -> int:
    if args.list is not None:
        from ctbnlab.cli.learner_list import print_learners

        print_learners(args.list or None)
        return 0
    if args.data is None:
        raise InputError("no data file given (see ctbnlab learn --help)")
    if args.json and args.output is not None:
        raise InputError("--json prints the graph, -o writes it; give one of them")
    if args.strict and not _is_checked(args):
        raise InputError("--strict requires all nodes: leave out --part and --nodes")
    if args.robust and (args.part not in (None, "1/1") or args.nodes is not None):
        raise InputError("--robust requires all nodes: leave out --part and --nodes")
    if args.robust and args.external_command is not None:
        raise InputError("--robust requires a learner, not --command: it learns several times")
    check_min_effect(args)
    from ctbnlab.learning.registry import DEFAULT, runs_foreign_code

    take_max_fdr(args)
    if args.external_command is not None:
        return _learn_with_command(args)
    if args.data_format is not None:
        raise InputError("--data-format requires --command")
    args.learner = DEFAULT if args.learner is None else args.learner
    if _is_limited(args) or runs_foreign_code(args.learner, options.name_values(args.option)):
        from ctbnlab.cli.isolation import learn_isolated

        return learn_isolated(_learn, args)
    return _learn(args)


def take_max_fdr(args: argparse.Namespace) -> None:
    """Make --max-fdr an option of the learner; refuse it for one that gives no probabilities."""
    from ctbnlab.learning.registry import DEFAULT

    if args.max_fdr is None:
        return
    if args.external_command is not None or args.learner not in (None, DEFAULT):
        raise InputError(f"--max-fdr needs the probabilities that only the learner {DEFAULT} gives")
    args.option = [*(args.option or ()), f"max_fdr={args.max_fdr}"]


def _is_limited(args: argparse.Namespace) -> bool:
    """Return whether learning has a limit or records failures, which requires a file to write."""
    limited = args.time_limit is not None or args.record_failures
    if limited and args.output is None:
        raise InputError("--time-limit and --record-failures require -o FILE")
    return bool(limited)


def _learn_with_command(args: argparse.Namespace) -> int:
    """Run an external command in a child process, with a folder for its files that this process removes."""
    from ctbnlab.cli.external_command import command_of, learn_with_command
    from ctbnlab.cli.isolation import learn_isolated
    from ctbnlab.io.scratch import temporary_folder
    from ctbnlab.learning.external import NAME

    _is_limited(args)
    command = command_of(args)
    args.learner = NAME
    with temporary_folder("the files of the command") as folder:
        return learn_isolated(
            lambda args, isolation: learn_with_command(args, command, folder, isolation), args
        )


def _learn(args: argparse.Namespace, isolation: Isolation | None = None) -> int:
    """Learn, write or print the graph, and return the exit status; `isolation` if in a child process."""
    from ctbnlab.cli.progress import progress_bar
    from ctbnlab.learning import registry
    from ctbnlab.learning.contract import Skip
    from ctbnlab.learning.knowledge import Knowledge, parse_arc
    from ctbnlab.learning.nodes import LearnerError, learn

    learner = registry.make(args.learner, options.name_values(args.option))
    if isolation is not None:
        isolation.tell(parameters=registry.parameters(learner))
    required, forbidden = ([parse_arc(text) for text in texts or ()] for texts in (args.require, args.forbid))
    data = options.read_data(args)

    def learn_once(data: Trajectories) -> Learned:
        nodes = chosen_nodes(args, data.names)
        with progress_bar("Learning", len(nodes), "nodes") as advance:
            return learn(
                data,
                learner,
                label=args.learner,
                knowledge=Knowledge.from_arcs(required, forbidden, args.max_parents),
                nodes=nodes,
                jobs=args.jobs,
                memory=None if args.memory is None else args.memory << 20,
                record_failures=args.record_failures,
                progress=None if advance is None else lambda _: advance(1),
                isolated=isolation is not None,
            )

    try:
        if args.robust:
            learned, data = model_checks.learned_robustly(data, learn_once)
        else:
            learned = learn_once(data)
    except (LearnerError, Skip) as error:
        if isolation is not None:
            isolation.restore()
            isolation.tell(failed=one_line(str(error)))
        if not args.record_failures:
            what = "skipped a node" if isinstance(error, Skip) else "failed"
            print(f"ctbnlab: learner {args.learner} {what}: {one_line(str(error))}", file=sys.stderr)
        return 1
    if isolation is not None:
        isolation.restore()
    write_learned(measured(learned, data, args), data, args, _timings(learned))
    return 0


def write_learned(
    learned: Learned, data: Trajectories, args: argparse.Namespace, timings: dict[str, Any]
) -> None:
    """Check the model, write or print a graph, write what learning it took, and summarise it."""
    from ctbnlab.io import json_text

    if learned.graph.checks is not None:
        model_checks.report(learned.graph.checks, strict=args.strict)
    elif _is_checked(args):
        learned = replace(learned, graph=model_checks.with_checks(learned.graph, data, strict=args.strict))
    if args.timings is not None:
        json_text.write(timings, args.timings)
    if args.json:
        sys.stdout.write(json_text.dumps(learned.graph.to_json()))
    elif args.output is None:
        _print(learned)
    else:
        learned.graph.write(args.output)
    _summarise(learned)


def _is_checked(args: argparse.Namespace) -> bool:
    """Return whether the model is checked: parts of a graph are not, but `ctbnlab merge --data` checks it."""
    return not (args.part is not None or args.nodes is not None or args.no_checks)


def _timings(learned: Learned) -> dict[str, Any]:
    import resource

    return {
        "nodes": learned.seconds,
        "cpu_seconds": sum(learned.seconds.values()),
        "wall_seconds": learned.wall_seconds,
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "timed": "thread",
    }


def chosen_nodes(args: argparse.Namespace, every: Sequence[str]) -> list[str]:
    """Return the variables selected by --nodes or --part, by default all of them."""
    named = options.names(args.nodes)
    if args.part is None:
        return list(every) if named is None else named
    if named is not None:
        raise InputError("use either --nodes or --part, not both")
    k, n = values.part(args.part)
    return list(every[(k - 1) * len(every) // n : k * len(every) // n])


def _print(learned: Learned) -> None:
    from ctbnlab.model.names import arc_text
    from ctbnlab.presentation.arc_table import effect_text, strength

    rows = [row for row in learned.graph.evidence if row["kept"]]
    cells = [(arc_text(row["from"], row["to"]), strength(row), effect_text(row)) for row in rows]
    widths = [max((len(row[i]) for row in cells), default=0) for i in range(2)]
    for arc, evidence, effect in cells:
        print(f"{arc:<{widths[0]}}  {evidence:<{widths[1]}}  {effect}".rstrip())


def _summarise(learned: Learned) -> None:
    graph = learned.graph
    for note in graph.notes:
        tell(f"note: {printable(note)}")
    for failure in graph.failures:
        name = graph.names[failure.target]
        reason = failure.reason.removeprefix(f"{name}: ")
        tell(one_line(f"{failure.status}: {name}: {reason}"))
    if len(graph.nodes) == len(graph.variables):
        where = f"among {counted(len(graph.variables), 'variable')}"
    else:
        where = f"into {len(graph.nodes)} of {counted(len(graph.variables), 'variable')}"
    tell(
        f"Learned {counted(len(graph.arcs), 'arc')} {where} from {counted(graph.data['events'], 'event')} "
        f"in {duration(learned.wall_seconds)}"
    )
