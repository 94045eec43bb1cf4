"""`ctbnlab bootstrap`: learns again and again from resampled trajectories, and counts the arcs."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ctbnlab.cli import options, values
from ctbnlab.cli.commands.learn import add_learner_options, take_max_fdr
from ctbnlab.cli.file_kinds import BOOTSTRAP, GRAPH
from ctbnlab.cli.messages import tell
from ctbnlab.cli.paths import Input, Output
from ctbnlab.errors import InputError, one_line
from ctbnlab.io.shown import counted

if TYPE_CHECKING:
    from ctbnlab.cli.isolation import Isolation
    from ctbnlab.data.trajectories import Trajectories
    from ctbnlab.learning.bootstrap_result import Bootstrap
    from ctbnlab.learning.contract import Learner
    from ctbnlab.learning.graph import LearnedGraph

HELP = "learn from resampled data: how often is each arc found?"
DESCRIPTION = """\
Learn from halves of the trajectories, many times, and count how often each arc is found.

  ctbnlab bootstrap data.csv                                    print the frequencies
  ctbnlab bootstrap data.csv -n 500 --jobs 4 -o bootstrap.json --table frequencies.csv
  ctbnlab bootstrap data.csv --batch 3/10 -o batch-3.json       one of 10 jobs
  ctbnlab bootstrap --merge batch-*.json -o bootstrap.json      join them: the same bytes as one job

An arc that is found often does not depend on which trajectories happened to be observed. It may still be
false: where the model does not hold, a bootstrap repeats the bias and does not reveal it.
"""
MAX_REPLICATES = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    options.add_data(parser, nargs="?")
    options.add_output(
        parser, "write all replicates to this .json file (default: print the frequencies)", printed=True
    )
    parser.add_argument(
        "--table", type=Output(), metavar="FILE", help="write the frequencies of all arcs to this .csv file"
    )
    parser.add_argument(
        "-n",
        "--replicates",
        type=values.whole(1, MAX_REPLICATES),
        default=200,
        metavar="N",
        help="number of replicates (default: 200)",
    )
    options.add_seed(parser, default=1, dest="bootstrap_seed")
    parser.add_argument(
        "--replacement",
        action="store_true",
        help="draw as many trajectories as there are, with replacement, which finds false arcs more often "
        "(default: half of them, without)",
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="number of threads (default: 1)")
    parser.add_argument(
        "--batch", metavar="K/N", help="only the K-th of N equal batches of the replicates; requires -o"
    )
    parser.add_argument(
        "--merge",
        nargs="+",
        type=Input(BOOTSTRAP),
        metavar="BATCH",
        help="join these batches instead of learning",
    )
    parser.add_argument(
        "--graph",
        type=Input(GRAPH),
        metavar="FILE",
        help="the graph that this learner found in all data (default: it is learned first)",
    )
    add_learner_options(parser, command=False)
    options.add_reading(parser, seed=False)
    # What learning in a supervised process asks for; a bootstrap has no limits.
    unused = dict.fromkeys(("time_limit", "job_time", "job_memory", "timings", "external_command"))
    parser.set_defaults(**unused, record_failures=False, last_attempt=False)


def run(args: argparse.Namespace) -> int:
    from ctbnlab.learning.registry import DEFAULT, runs_foreign_code

    if args.merge is not None:
        return _merge(args)
    if args.data is None:
        raise InputError("no data file given (see ctbnlab bootstrap --help)")
    if args.batch is not None and args.output is None:
        raise InputError("--batch requires -o FILE")
    take_max_fdr(args)
    args.learner = DEFAULT if args.learner is None else args.learner
    if runs_foreign_code(args.learner, options.name_values(args.option)):
        from ctbnlab.cli.isolation import learn_isolated

        return learn_isolated(_bootstrap, args)
    return _bootstrap(args)


def _merge(args: argparse.Namespace) -> int:
    from ctbnlab.learning.bootstrap_result import Bootstrap, merged

    if args.data is not None or args.batch is not None:
        raise InputError("--merge joins batches: give it no data and no --batch")
    _write(merged([Bootstrap.read(path) for path in args.merge]), args)
    return 0


def _bootstrap(args: argparse.Namespace, isolation: Isolation | None = None) -> int:
    """Learn the replicates, write or print the result, and return the exit status."""
    from ctbnlab.learning import registry
    from ctbnlab.learning.bootstrap import require_enough
    from ctbnlab.learning.contract import Skip
    from ctbnlab.learning.nodes import LearnerError

    numbers = _numbers(args)
    learner = registry.make(args.learner, options.name_values(args.option))
    data = options.read_data(args)
    try:
        require_enough(data)
    except InputError as error:
        raise error.within(args.data) from None
    try:
        found = _resampled(args, learner, data, numbers)
    except (LearnerError, Skip) as error:
        if isolation is not None:
            isolation.restore()
            isolation.tell(failed=one_line(str(error)))
        what = "skipped a node" if isinstance(error, Skip) else "failed"
        print(f"ctbnlab: learner {args.learner} {what}: {one_line(str(error))}", file=sys.stderr)
        return 1
    if isolation is not None:
        isolation.restore()
    _write(found, args)
    return 0


def _numbers(args: argparse.Namespace) -> range:
    """Return the replicates to make."""
    n = args.replicates
    if args.batch is None:
        return range(1, n + 1)
    k, batches = values.part(args.batch, "--batch")
    if batches > n:
        raise InputError(f"--batch {args.batch}: there are {n} replicates, fewer than batches")
    return range((k - 1) * n // batches + 1, k * n // batches + 1)


def _resampled(args: argparse.Namespace, learner: Learner, data: Trajectories, numbers: range) -> Bootstrap:
    from ctbnlab.cli.progress import progress_bar
    from ctbnlab.learning.bootstrap import bootstrap
    from ctbnlab.learning.knowledge import Knowledge, parse_arc

    required, forbidden = ([parse_arc(text) for text in texts or ()] for texts in (args.require, args.forbid))
    with progress_bar("Resampling", len(numbers), "replicates") as advance:
        return bootstrap(
            data,
            learner,
            args.replicates,
            seed=args.bootstrap_seed,
            replacement=args.replacement,
            knowledge=Knowledge.from_arcs(required, forbidden, args.max_parents),
            label=args.learner,
            graph=_graph(args, data),
            which=numbers,
            jobs=args.jobs,
            memory=None if args.memory is None else args.memory << 20,
            progress=None if advance is None else lambda: advance(1),
        )


def _graph(args: argparse.Namespace, data: Trajectories) -> LearnedGraph | None:
    """Return the graph from all data if the user has it."""
    from ctbnlab.learning.bootstrap import require_same
    from ctbnlab.learning.graph import LearnedGraph

    if args.graph is None:
        return None
    graph = LearnedGraph.read(args.graph)
    try:
        require_same(graph, data)
    except InputError as error:
        raise error.within(args.graph) from None
    return graph


def _write(found: Bootstrap, args: argparse.Namespace) -> None:
    from ctbnlab.io.files import replacing
    from ctbnlab.presentation.bootstrap_table import CAUTION, as_csv, as_lines

    with ExitStack() as stack:  # both files or none
        if args.table is not None:
            table = stack.enter_context(replacing(args.table))
            table.write_text(as_csv(found), encoding="utf-8")
        if args.output is not None:
            found.write(args.output)
    if args.output is None:
        print("\n".join(as_lines(found)))
    made = counted(len(found.replicates), "replicate")
    of = "" if len(found.replicates) == found.n else f" of {found.n:,}"
    kept = counted(len(found.ratios), "arc")
    tell(f"Learned from {made}{of}; the graph from all data has {kept}")
    tell(f"note: {CAUTION}")
