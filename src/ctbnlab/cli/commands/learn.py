"""`ctbnlab learn`: learns a graph from trajectories, with the evidence for each arc."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from ctbnlab.cli import options, paths
from ctbnlab.cli.text import count, duration
from ctbnlab.errors import InputError

if TYPE_CHECKING:
    from ctbnlab.cli.supervise import Ending
    from ctbnlab.learning.nodes import Learned

TRY_AGAIN = 75  # the exit status of a temporary failure: EX_TEMPFAIL in sysexits.h
HELP = "learn a graph from trajectories"
DESCRIPTION = """\
Learn from trajectories which variables influence which.

  ctbnlab learn data.csv                               print the arcs and the evidence for each
  ctbnlab learn data.arrow -o learned.json             write the graph with all evidence
  ctbnlab learn data.csv --learner ctss --option search=exhaustive --max-parents 3
  ctbnlab learn data.csv --forbid 'Age->*' --require 'Dose->Pain'
  ctbnlab learn data.arrow --part 3/20 -o part-3.json  one of 20 jobs; see `ctbnlab merge`

`ctbnlab learn --list` lists the learners and their options.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    options.add_data(parser, nargs="?")
    parser.add_argument(
        "-o",
        "--output",
        type=paths.Output(printed=True),
        metavar="FILE",
        help="write the graph and all evidence to this .json file (default: print the arcs)",
    )
    parser.add_argument("--list", action="store_true", help="list the learners and their options")
    _add_learner_options(parser)
    _add_resource_options(parser)
    options.add_reading(parser)


def _add_learner_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("learner")
    group.add_argument(
        "--learner",
        type=paths.Learner(),
        metavar="NAME",
        help="name of a learner, or your own file.py or file.py:Class (default: empirical-bayes)",
    )
    group.add_argument(
        "--option", action="append", metavar="NAME=VALUE", help="set an option of the learner; repeatable"
    )
    group.add_argument(
        "--memory", type=int, metavar="MB", help="memory limit for the count tables of one node"
    )
    group = parser.add_argument_group("prior knowledge")
    group.add_argument(
        "--require",
        action="append",
        metavar="A->B",
        help="an arc that must be in the graph; * matches every variable; repeatable",
    )
    group.add_argument(
        "--forbid",
        action="append",
        metavar="A->B",
        help="an arc that must not be in the graph; * matches every variable; repeatable",
    )
    group.add_argument("--max-parents", type=int, metavar="K", help="maximum number of parents per variable")


def _add_resource_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("nodes and resources")
    group.add_argument(
        "--nodes",
        action="append",
        metavar="A,B",
        help="learn the parents of these variables only; repeatable",
    )
    group.add_argument("--part", metavar="K/N", help="learn only the K-th of N equal parts of the variables")
    group.add_argument("--jobs", type=int, default=1, metavar="N", help="number of threads (default: 1)")
    group.add_argument(
        "--timings", type=paths.Output(), metavar="FILE", help="write time and memory used to this .json file"
    )
    group.add_argument("--time-limit", type=float, metavar="S", help="stop after S seconds; requires -o")
    group.add_argument(
        "--record-failures",
        action="store_true",
        help="record a failure or a timeout in the graph, with its reason, instead of stopping; requires -o",
    )
    group = parser.add_argument_group("limits of a cluster job, with --record-failures")
    group.add_argument("--job-memory", type=int, metavar="MB", help="stop above this memory")
    group.add_argument("--job-time", type=float, metavar="S", help="stop after S seconds")
    group.add_argument(
        "--last-attempt",
        action="store_true",
        help="record that a limit was exceeded (default: exit with status 75, to be retried with higher "
        "limits)",
    )


def run(args: argparse.Namespace) -> int:
    if args.list:
        _list_learners()
        return 0
    if args.data is None:
        raise InputError("no data file given (see ctbnlab learn --help)")
    if args.learner is None:
        from ctbnlab.learning.registry import DEFAULT

        args.learner = DEFAULT
    if args.time_limit is None and not args.record_failures:
        return _learn(args)
    return _learn_supervised(args)


def _learn(args: argparse.Namespace) -> int:
    from ctbnlab.cli.progress import progress_bar
    from ctbnlab.learning import registry
    from ctbnlab.learning.contract import Skip
    from ctbnlab.learning.knowledge import Knowledge, parse_arc
    from ctbnlab.learning.nodes import LearnerError, learn

    learner = registry.make(args.learner, options.name_values(args.option))
    required, forbidden = ([parse_arc(text) for text in texts or ()] for texts in (args.require, args.forbid))
    data = options.read_data(args)
    nodes = _chosen(args, data.names)
    try:
        with progress_bar("Learning", len(nodes), "nodes") as advance:
            learned = learn(
                data,
                learner,
                label=args.learner,
                knowledge=Knowledge.from_arcs(required, forbidden, args.max_parents),
                nodes=nodes,
                jobs=args.jobs,
                memory=None if args.memory is None else args.memory << 20,
                record_failures=args.record_failures,
                progress=None if advance is None else lambda _: advance(1),
            )
    except (LearnerError, Skip) as error:
        what = "skipped a node" if isinstance(error, Skip) else "failed"
        print(f"ctbnlab: learner {args.learner} {what}: {error}", file=sys.stderr)
        return 1
    _write(learned, args)
    return 0


def _write(learned: Learned, args: argparse.Namespace) -> None:
    from ctbnlab.io import json_text

    if args.timings is not None:
        json_text.write(_timings(learned), args.timings)
    if args.output is None:
        _print(learned)
    else:
        learned.graph.write(args.output)
    _summarise(learned)


def _timings(learned: Learned) -> dict[str, Any]:
    import resource

    return {
        "nodes": learned.seconds,
        "cpu_seconds": sum(learned.seconds.values()),
        "wall_seconds": learned.wall_seconds,
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _learn_supervised(args: argparse.Namespace) -> int:
    """Learn in a child process; if that hangs or is killed, record a failure for every node."""
    from ctbnlab.cli.main import run_command
    from ctbnlab.cli.supervise import supervise

    if args.output is None:
        raise InputError("--time-limit and --record-failures require -o FILE")
    limits = [seconds for seconds in (args.time_limit, args.job_time) if seconds is not None]
    ending = supervise(lambda: run_command(_learn, args), min(limits, default=None), args.job_memory)
    if ending.status == "done" or (ending.code is not None and ending.code > 0):
        return ending.code or 0
    print(f"ctbnlab: learning {ending.status}: {ending.reason}", file=sys.stderr)
    if not args.record_failures:
        return 1
    if not args.last_attempt and _exceeded_request(args, ending):
        return TRY_AGAIN
    _record(args, ending.status, ending.reason)
    return 0


def _exceeded_request(args: argparse.Namespace, ending: Ending) -> bool:
    """Return whether the job's request ended learning, rather than the config's limit or an error."""
    if ending.status == "timed out":
        return args.job_time is not None and (args.time_limit is None or args.job_time < args.time_limit)
    # A kill that did not come from us is most likely the cluster's, for exceeding the memory.
    return args.job_memory is not None and ending.code in (None, -signal.SIGKILL)


def _record(args: argparse.Namespace, status: str, reason: str) -> None:
    from ctbnlab.io import json_text
    from ctbnlab.learning import registry
    from ctbnlab.learning.contract import NodeFailure
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.learning.nodes import description

    data = options.read_data(args)
    learner = registry.make(args.learner, options.name_values(args.option))
    failures = [NodeFailure(data.index(name), status, reason) for name in _chosen(args, data.names)]
    graph = LearnedGraph(
        data.variables,
        (),
        failures=tuple(sorted(failures, key=lambda f: f.target)),
        **description(data, learner, args.learner),
    )
    if args.timings is not None:
        unknown = dict.fromkeys(("cpu_seconds", "wall_seconds", "peak_memory_mb"))
        json_text.write({"nodes": {}, **unknown}, args.timings)
    graph.write(args.output)


def _chosen(args: argparse.Namespace, every: Sequence[str]) -> list[str]:
    """Return the variables selected by --nodes or --part, by default all of them."""
    named = options.names(args.nodes)
    if args.part is None:
        return list(every) if named is None else named
    if named is not None:
        raise InputError("use either --nodes or --part, not both")
    k, _, n = args.part.partition("/")
    if not (k.isdecimal() and n.isdecimal() and 1 <= int(k) <= int(n)):
        raise InputError(f"--part must be K/N with 1 ≤ K ≤ N, not {args.part!r}")
    count = len(every)
    return list(every[(int(k) - 1) * count // int(n) : int(k) * count // int(n)])


def _print(learned: Learned) -> None:
    from ctbnlab.presentation.arc_table import strength

    rows = [row for row in learned.graph.evidence if row["kept"]]
    width = max((len(f"{row['from']} -> {row['to']}") for row in rows), default=0)
    for row in rows:
        arc = f"{row['from']} -> {row['to']}"
        print(f"{arc:<{width}}  {strength(row)}")


def _summarise(learned: Learned) -> None:
    graph = learned.graph
    for note in graph.notes:
        print(f"note: {note}", file=sys.stderr)
    for failure in graph.failures:
        name = graph.names[failure.target]
        print(f"{failure.status}: {name}: {failure.reason.removeprefix(f'{name}: ')}", file=sys.stderr)
    if len(graph.nodes) == len(graph.variables):
        where = f"among {count(len(graph.variables), 'variable')}"
    else:
        where = f"into {len(graph.nodes)} of {count(len(graph.variables), 'variable')}"
    print(
        f"Learned {count(len(graph.arcs), 'arc')} {where} from {count(graph.data['events'], 'event')} "
        f"in {duration(learned.wall_seconds)}",
        file=sys.stderr,
    )


def _list_learners() -> None:
    import dataclasses
    import inspect
    import textwrap

    from ctbnlab.learning import registry

    def wrapped(title: str, text: str) -> str:
        return textwrap.fill(
            text, 100, initial_indent=f"  {title:11}", subsequent_indent=" " * 13, break_on_hyphens=False
        )

    print("Learners and the default values of their options; set an option with --option NAME=VALUE.")
    for name, summary in registry.summaries().items():
        try:
            found, preset = registry.learner_class(name)
        except InputError as error:
            print(f"\n{error}")
            continue
        fields = dataclasses.fields(cast(Any, found))
        defaults = [f"{f.name}={_option_text(f.default)}" for f in fields if f.name not in preset]
        print(f"\n{name}{' (default)' if name == registry.DEFAULT else ''}: {summary}")
        print(wrapped("options", ", ".join(defaults) or "none"))
        print(wrapped("reference", inspect.cleandoc(getattr(found, "citation", "none"))))


def _option_text(value: object) -> str:
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
