"""`ctbnlab report` on trajectories: learns, checks, compares, and writes the page and the files beside it."""

from __future__ import annotations

import argparse
import platform
import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ctbnlab.cli import options
from ctbnlab.cli.commands.learn import take_max_fdr
from ctbnlab.cli.data_options import KEYWORDS
from ctbnlab.cli.messages import tell
from ctbnlab.cli.recorded_command import recorded_command, words
from ctbnlab.cli.text import duration
from ctbnlab.errors import InputError, one_line, printable, shown
from ctbnlab.io.shown import counted

if TYPE_CHECKING:
    from ctbnlab.cli.isolation import Isolation
    from ctbnlab.data.trajectories import Trajectories
    from ctbnlab.learning.bootstrap_result import Bootstrap
    from ctbnlab.learning.contract import Check, Learner
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.learning.nodes import Learned
    from ctbnlab.presentation.page.page_content import HowMade, HowToAsk, PageContent


def report_on_data(args: argparse.Namespace) -> int:
    """Write the page; return the exit status. Code from outside runs in a separate process."""
    from ctbnlab.learning.registry import DEFAULT, runs_foreign_code
    from ctbnlab.model.names import parse_list

    take_max_fdr(args)
    args.learner = DEFAULT if args.learner is None else args.learner
    compared = [] if args.compare is None else parse_list(args.compare)
    if len({args.learner, *compared}) < 1 + len(compared):
        raise InputError("--compare names a learner twice, or the one that is learned with anyway")
    given = options.name_values(args.option)
    if runs_foreign_code(args.learner, given) or any(map(runs_foreign_code, compared)):
        from ctbnlab.cli.isolation import learn_isolated

        return learn_isolated(lambda args, isolation: _report(args, compared, isolation), args)
    return _report(args, compared)


def _report(args: argparse.Namespace, compared: Sequence[str], isolation: Isolation | None = None) -> int:
    from ctbnlab.learning import registry
    from ctbnlab.learning.contract import Skip
    from ctbnlab.learning.nodes import LearnerError

    learner = registry.make(args.learner, options.name_values(args.option))
    others = {name: registry.make(name) for name in compared}
    data = options.read_data(args)
    truth, bootstrap = _truth(args, data), _bootstrap(args, data)
    try:
        found = _learned(args, data, learner)
        graphs = {
            name: _learn(args, found.data, other, name, record_failures=True).graph
            for name, other in others.items()
        }
    except (LearnerError, Skip) as error:
        if isolation is not None:
            isolation.restore()
            isolation.tell(failed=one_line(str(error)))
        print(f"ctbnlab: learner {args.learner} failed: {one_line(str(error))}", file=sys.stderr)
        return 1
    if isolation is not None:
        isolation.restore()
    from ctbnlab.presentation.page.page_content import PageContent

    content = PageContent(
        title=args.title or _title(_name(args.data)),
        source=_name(args.data),
        label=args.learner,
        graph=found.learned.graph,
        data=found.data,
        made=_made(args, [learner, *others.values()]),
        compared=graphs,
        bootstrap=bootstrap,
        truth=truth,
        changes=found.changes,
        seed=args.page_seed,
    )
    _write(args, content)
    _summarise(found.learned)
    return 0


class _Found(NamedTuple):
    learned: Learned
    data: Trajectories  # with the clocks that were taken in
    changes: Sequence[str]


def _learned(args: argparse.Namespace, data: Trajectories, learner: Learner) -> _Found:
    """Learn the graph, robustly unless that is not wanted; add its checks and effects."""
    from dataclasses import replace

    from ctbnlab.learning.checks import model_checks
    from ctbnlab.learning.effects import with_effects
    from ctbnlab.learning.robust import learn_robustly

    changes: Sequence[str] = ()
    if args.robust:
        result = learn_robustly(data, lambda data: _learn(args, data, learner, args.learner))
        learned, data, changes = result.learned, result.data, result.lines
        graph = replace(learned.graph, checks=_without_robust(result.checks))
    else:
        learned = _learn(args, data, learner, args.learner)
        graph = replace(learned.graph, checks=model_checks(data, learned.graph))
    return _Found(replace(learned, graph=with_effects(graph, data)), data, changes)


def _without_robust(checks: Sequence[Check]) -> tuple[Check, ...]:
    """Return the checks without the advice to learn robustly, which was followed."""
    from dataclasses import replace

    return tuple(replace(check, advice="") if check.advice == "--robust" else check for check in checks)


def _learn(
    args: argparse.Namespace, data: Trajectories, learner: Learner, label: str, record_failures: bool = False
) -> Learned:
    from ctbnlab.cli.progress import progress_bar
    from ctbnlab.learning.knowledge import Knowledge, parse_arc
    from ctbnlab.learning.nodes import learn

    required, forbidden = ([parse_arc(text) for text in texts or ()] for texts in (args.require, args.forbid))
    with progress_bar(f"Learning with {printable(label)}", data.n_variables, "nodes") as advance:
        return learn(
            data,
            learner,
            label=label,
            knowledge=Knowledge.from_arcs(required, forbidden, args.max_parents),
            jobs=args.jobs,
            memory=None if args.memory is None else args.memory << 20,
            record_failures=record_failures,
            progress=None if advance is None else lambda _: advance(1),
        )


def _truth(args: argparse.Namespace, data: Trajectories) -> frozenset[tuple[str, str]] | None:
    """Return the true arcs; clocks that were added to the data need not be in the truth."""
    from ctbnlab.learning.truth import true_parents

    if args.network is None:
        return None
    names: Sequence[str] = data.names
    try:
        parents = true_parents(args.network, names, args.data)
    except InputError:
        names = [name for name in data.names if name not in data.roles.clock_names]
        if len(names) == len(data.names):
            raise
        parents = true_parents(args.network, names, args.data)
    return frozenset((names[j], name) for name, row in zip(names, parents, strict=True) for j in row)


def _bootstrap(args: argparse.Namespace, data: Trajectories) -> Bootstrap | None:
    from ctbnlab.learning.bootstrap_result import Bootstrap

    if args.bootstrap is None:
        return None
    found = Bootstrap.read(args.bootstrap)
    ours = {*data.names} - {*data.roles.clock_names}
    different = sorted(ours ^ ({*found.graph.names} - {*found.graph.roles.clock_names}))
    if different:
        message = f"is of other data: the variable {different[0]!r} is in only one of the two"
        raise InputError(message, path=args.bootstrap)
    return found


def _name(path: str) -> str:
    """Return what a page calls its data: the name of the file, without its folder."""
    return Path(shown(path)).name or shown(path)


def _title(name: str) -> str:
    """Return the name of a file without its extensions."""
    return name.removesuffix(".gz").rpartition(".")[0] or name


def _made(args: argparse.Namespace, learners: Sequence[Learner]) -> HowMade:
    from ctbnlab.cli.commands.report import NOT_RECORDED
    from ctbnlab.presentation.page.page_content import HowMade
    from ctbnlab.presentation.page.versions import citations, versions

    recorded = recorded_command(args, NOT_RECORDED)
    return HowMade(
        f"{recorded} -o report.html",
        {**versions(), "Python": platform.python_version()},
        citations(learners),
        asking=_asking(args, recorded),
    )


def _asking(args: argparse.Namespace, recorded: str) -> HowToAsk | None:
    """Return how `ctbnlab query` gets the network and the data; options of reading are those of `convert`."""
    from ctbnlab.presentation.page.page_content import HowToAsk

    if args.trajectories is not None:  # `convert` takes all of them
        return None
    before, data = [f"{recorded} --folder files -o report.html"], _name(args.data)
    reading = {*KEYWORDS, "format", "states"} - {"seed"}
    options = words(args, [action.dest for action in args.parser._actions if action.dest not in reading])
    if options:
        before.append(shlex.join(["ctbnlab", "convert", data, "read.arrow", *options]))
    return HowToAsk(tuple(before), "files/network.json", "read.arrow" if options else data)


def _write(args: argparse.Namespace, content: PageContent) -> None:
    from ctbnlab.io.files import replacing
    from ctbnlab.presentation.graph_files import write_files
    from ctbnlab.presentation.page.data_page import data_page

    page = data_page(content)
    with ExitStack() as stack:  # the page appears when all files are written
        temporary = stack.enter_context(replacing(args.output))
        temporary.write_text(page, encoding="utf-8", newline="\n")
        if args.folder is not None:
            write_files(content.graph, content.fitted, Path(args.folder))


def _summarise(learned: Learned) -> None:
    from ctbnlab.presentation.check_lines import warning_lines

    graph: LearnedGraph = learned.graph
    for line in warning_lines(graph.checks or ()):
        tell(f"warning: {line}")
    tell(
        f"Learned {counted(len(graph.arcs), 'arc')} among {counted(len(graph.variables), 'variable')} from "
        f"{counted(graph.data['events'], 'event')} in {duration(learned.wall_seconds)}"
    )
