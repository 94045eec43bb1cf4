"""`ctbnlab learn`: the graph of a file of trajectories, with the evidence for each arc."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ctbnlab.cli import options
from ctbnlab.errors import InputError

if TYPE_CHECKING:
    from ctbnlab.cli.supervise import Ending
    from ctbnlab.learning.nodes import Learned

TRY_AGAIN = 75  # the exit status for "not now": sysexits.h calls it EX_TEMPFAIL
HELP = "learn the graph from trajectories"
DESCRIPTION = """\
Learn which variables drive which from a file of trajectories.

  ctbnlab learn data.csv                               print the arcs and the evidence for each
  ctbnlab learn data.arrow -o learned.json             keep everything the learner knows
  ctbnlab learn data.csv --learner ctss --option search=exhaustive --max-parents 3
  ctbnlab learn data.csv --forbid 'Age->*' --require 'Dose->Pain'
  ctbnlab learn data.arrow --part 3/20 -o part-3.json  one of 20 jobs; join them with `ctbnlab merge`

`ctbnlab learn --list` shows the learners and their options.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", nargs="?", help="trajectories in any format that `ctbnlab convert` knows")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the graph and its evidence as JSON")
    parser.add_argument("--list", action="store_true", help="list the learners and their options")
    group = parser.add_argument_group("learner")
    group.add_argument(
        "--learner", metavar="NAME", help="a learner's name or your own file.py (default: the first listed)"
    )
    group.add_argument(
        "--option", action="append", metavar="NAME=VALUE", help="an option of the learner; repeat for more"
    )
    group.add_argument("--memory", type=int, metavar="MB", help="bound on the memory for tables of one node")
    group = parser.add_argument_group("what you know already")
    group.add_argument("--require", action="append", metavar="A->B", help="an arc that is there; * for all")
    group.add_argument("--forbid", action="append", metavar="A->B", help="an arc that is not; * for all")
    group.add_argument("--max-parents", type=int, metavar="K", help="at most K parents a variable")
    group = parser.add_argument_group("which nodes, and how many at once")
    group.add_argument("--nodes", action="append", metavar="A,B", help="learn the parents of these only")
    group.add_argument("--part", metavar="K/N", help="learn the K-th of N equal parts of the nodes")
    group.add_argument("--jobs", type=int, default=1, metavar="N", help="learn N nodes at a time (1)")
    group.add_argument(
        "--timings", metavar="FILE", help="write what learning took in time and memory as JSON"
    )
    group.add_argument("--time-limit", type=float, metavar="S", help="end after S seconds and record that")
    group.add_argument(
        "--record-failures",
        action="store_true",
        help="write a learner's failure into the graph, with its reason, instead of stopping",
    )
    group = parser.add_argument_group("as a cluster's job, with --record-failures")
    group.add_argument("--job-memory", type=int, metavar="MB", help="end before the job takes more memory")
    group.add_argument("--job-time", type=float, metavar="S", help="end before the job takes more seconds")
    group.add_argument(
        "--last-attempt",
        action="store_true",
        help="record it if the job took more; otherwise exit with status 75, to be tried again with more",
    )
    options.add_reading(parser)


def run(args: argparse.Namespace) -> int:
    if args.list:
        _list_learners()
        return 0
    if args.data is None:
        raise InputError("name a file of trajectories to learn from (see ctbnlab learn --help)")
    if args.learner is None:
        from ctbnlab.learning.registry import DEFAULT

        args.learner = DEFAULT
    if args.time_limit is None and not args.record_failures:
        return _learn(args)
    return _learn_supervised(args)


def _learn(args: argparse.Namespace) -> int:
    from ctbnlab.cli.progress import progress_bar
    from ctbnlab.io.files import require_folder_of
    from ctbnlab.learning import registry
    from ctbnlab.learning.contract import Skip
    from ctbnlab.learning.knowledge import Knowledge, parse_arc
    from ctbnlab.learning.nodes import LearnerError, learn

    for output in (args.output, args.timings):
        if output is not None:
            require_folder_of(output)
    learner = registry.make(args.learner, options.pairs(args.option, "an option"))
    required, forbidden = ([parse_arc(text) for text in texts or ()] for texts in (args.require, args.forbid))
    data = options.read_data(args)
    nodes = _chosen(args, data.names)
    try:
        with progress_bar("learning", len(nodes), unit="node") as advance:
            learned = learn(
                data,
                learner,
                label=args.learner,
                knowledge=Knowledge.of(required, forbidden, args.max_parents),
                nodes=nodes,
                jobs=args.jobs,
                memory=None if args.memory is None else args.memory << 20,
                record_failures=args.record_failures,
                progress=None if advance is None else lambda _: advance(1),
            )
    except (LearnerError, Skip) as error:
        print(f"ctbnlab: the learner {args.learner} failed: {error}", file=sys.stderr)
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
    """Learn in a child process; what hangs or is killed is written down as every node's failure."""
    from ctbnlab.cli.main import run_command
    from ctbnlab.cli.supervise import supervise

    if args.output is None:
        raise InputError("--time-limit and --record-failures need an output to record to (-o FILE)")
    limits = [seconds for seconds in (args.time_limit, args.job_time) if seconds is not None]
    ending = supervise(lambda: run_command(_learn, args), min(limits, default=None), args.job_memory)
    if ending.status == "done" or (ending.code is not None and ending.code > 0):
        return ending.code or 0
    print(f"ctbnlab: learning {ending.status}: {ending.reason}", file=sys.stderr)
    if not args.record_failures:
        return 1
    if not args.last_attempt and _might_do_with_more(args, ending):
        return TRY_AGAIN
    _record(args, ending.status, ending.reason)
    return 0


def _might_do_with_more(args: argparse.Namespace, ending: Ending) -> bool:
    """Say whether it was the job's request that ended learning, not the config's limit or a fault."""
    if ending.status == "timed out":
        return args.job_time is not None and (args.time_limit is None or args.job_time < args.time_limit)
    # A kill that is not ours is most often the cluster's, for memory.
    return args.job_memory is not None and ending.code in (None, -signal.SIGKILL)


def _record(args: argparse.Namespace, status: str, reason: str) -> None:
    from ctbnlab.io import json_text
    from ctbnlab.learning import registry
    from ctbnlab.learning.contract import NodeFailure
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.learning.nodes import about

    data = options.read_data(args)
    learner = registry.make(args.learner, options.pairs(args.option, "an option"))
    failures = [NodeFailure(data.index(name), status, reason) for name in _chosen(args, data.names)]
    graph = LearnedGraph(
        data.variables,
        (),
        failures=tuple(sorted(failures, key=lambda f: f.target)),
        **about(data, learner, args.learner),
    )
    if args.timings is not None:
        nothing: dict[str, Any] = {
            "nodes": {},
            "cpu_seconds": None,
            "wall_seconds": None,
            "peak_memory_mb": None,
        }
        json_text.write(nothing, args.timings)
    graph.write(args.output)


def _chosen(args: argparse.Namespace, every: Sequence[str]) -> list[str]:
    named = options.names(args.nodes)
    if args.part is None:
        return list(every) if named is None else named
    if named is not None:
        raise InputError("give --nodes or --part, not both")
    k, _, n = args.part.partition("/")
    if not (k.isdecimal() and n.isdecimal() and 1 <= int(k) <= int(n)):
        raise InputError(f"--part is written K/N with 1 ≤ K ≤ N, not {args.part!r}")
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
        print(f"{failure.status}: {failure.reason}", file=sys.stderr)
    counted: dict[str, int] = {}
    for node in graph.nodes:
        for name, count in node.counts.items():
            counted[name] = counted.get(name, 0) + count
    details = ", ".join(f"{count:,} {name}" for name, count in counted.items())
    print(
        f"{len(graph.arcs)} arcs into {len(graph.nodes)} of {len(graph.variables)} variables, "
        f"from {graph.data['events']:,} events "
        f"({details}; {sum(learned.seconds.values()):.3g} s of learning)",
        file=sys.stderr,
    )


def _list_learners() -> None:
    import dataclasses
    import inspect

    from ctbnlab.learning import registry

    for name, entry in registry.LEARNERS.items():
        found, preset = registry.learner_class(name)
        print(f"{name}: {entry.summary}")
        for field in dataclasses.fields(found):  # type: ignore[arg-type]
            if field.name not in preset:
                print(f"    {field.name} = {field.default!r}")
        print(f"    cites {inspect.cleandoc(found.citation)}\n")
