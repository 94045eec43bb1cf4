"""`ctbnlab query`: answers questions to a network."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctbnlab.cli import options, values
from ctbnlab.cli.file_kinds import CHANGES, EVIDENCE, NETWORK, RATES
from ctbnlab.cli.messages import tell
from ctbnlab.cli.paths import Data, Input, Output
from ctbnlab.errors import InputError

if TYPE_CHECKING:
    from ctbnlab.inference.answer import Answer
    from ctbnlab.inference.question import Query
    from ctbnlab.model.network import Network

HELP = "answer questions to a network: when, how likely, what if"
DESCRIPTION = """\
Answer a question to a network: probabilities at times, times in states, first passages; given a start,
interventions and evidence.

  ctbnlab query network.json --at 0.5,1,2 --start Eating=no,Full=no,Hungry=no
  ctbnlab query network.json --at 0:10:0.1 --of Pain --do 2:Uptake=no --compare --plot pain.svg
  ctbnlab query network.json --until Pain=yes --at 1,2 --start Pain=no
  ctbnlab query network.json --at 0:5:0.5 --observe 1:Pain=yes --observe 2..3:Drowsy=no
  ctbnlab query network.json --at 2 --of Pain --posterior rates.csv --sensitivity

An item X=x holds from the start, 2:X=x from (or at) time 2, 2..5:X=x from 2 to 5. Only the ancestors of
the variables in question count. Up to some four million joint states of them the answer is exact; beyond,
it is simulated, with standard errors. The engine and its error are printed with the answer.
"""
QUESTIONS = ("at", "long_run", "expect", "until", "likelihood", "sample")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("network", type=Input(NETWORK), metavar="NETWORK", help="a network (.json)")
    _add_questions(parser.add_argument_group("questions"))
    _add_situation(parser.add_argument_group("the situation"))
    _add_uncertainty(parser.add_argument_group("uncertainty"))
    group = parser.add_argument_group("engine")
    group.add_argument(
        "--engine",
        choices=("auto", "exact", "simulation"),
        default="auto",
        help="exact, simulation, or auto: by the number of joint states (default: auto)",
    )
    group.add_argument(
        "--samples", type=int, default=10_000, metavar="N", help="simulated copies (default: 10000)"
    )
    options.add_seed(group, default=1)
    group.add_argument("--jobs", type=int, default=1, metavar="N", help="number of threads (default: 1)")
    options.add_output(
        parser,
        "write the answer to this .csv or .json file; with --sample, trajectories to .arrow, .parquet, .csv "
        "or .json (default: print the answer)",
        printed=True,
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--plot", type=Output(), metavar="FILE", help="draw the answer: .svg, .pdf or .png")
    parser.add_argument(
        "--stacked", action="store_true", help="with --plot: areas on top of each other instead of curves"
    )


def _add_questions(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--at",
        metavar="TIMES",
        help="probabilities of states at times: 0.5,1,2 or start:stop:step; with --until, the times by which",
    )
    group.add_argument("--long-run", action="store_true", help="probabilities of states in the long run")
    group.add_argument(
        "--expect", metavar="A,B", help="expected times in states and numbers of transitions from A to B"
    )
    group.add_argument(
        "--until",
        action="append",
        metavar="A=x,B=y",
        help="when a set of joint states is first reached; if repeated, the sets compete",
    )
    group.add_argument("--likelihood", action="store_true", help="log-likelihood of the evidence")
    group.add_argument(
        "--sample", type=int, metavar="N", help="N trajectories given the evidence, until the time --at"
    )
    group.add_argument("--of", metavar="A,B", help="the variables to ask for (default: all)")
    group.add_argument("--joint", action="store_true", help="ask for the joint states of --of")
    group.add_argument(
        "--most-probable", action="store_true", help="with --at: only the most probable state at each time"
    )
    group.add_argument(
        "--filter", action="store_true", help="with --at: only the evidence up to each time counts"
    )
    group.add_argument(
        "--quantiles",
        metavar="P,Q",
        help="with --until: quantiles of the time (default: 0.25,0.5,0.75)",
    )


def _add_situation(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--start", metavar="A=x,B=y", help="states at time 0 (default: the network's initial distribution)"
    )
    group.add_argument(
        "--start-like",
        type=Data(),
        metavar="DATA",
        help="start in the joint initial states of these trajectories, all equally likely; --start replaces "
        "states",
    )
    group.add_argument(
        "--do",
        action="append",
        default=[],
        metavar="ITEM",
        help="hold a variable in a state; may be repeated",
    )
    group.add_argument(
        "--observe", action="append", default=[], metavar="ITEM", help="evidence; may be repeated"
    )
    group.add_argument(
        "--evidence",
        type=Input(EVIDENCE),
        metavar="FILE",
        help="CSV file of evidence: variable,state,start and optionally end, likelihood",
    )
    group.add_argument(
        "--change",
        type=Input(CHANGES),
        metavar="FILE",
        help="CSV file of changed rates: variable,parents,from,to,rate",
    )
    group.add_argument(
        "--compare", action="store_true", help="also the answer without --do and --change, and the difference"
    )


def _add_uncertainty(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--posterior",
        type=Input(RATES),
        metavar="FILE",
        help="table of rates from `ctbnlab fit --rates`: adds intervals from the posterior of the rates",
    )
    group.add_argument(
        "--draws", type=int, default=200, metavar="N", help="networks drawn from it (default: 200)"
    )
    group.add_argument(
        "--level", type=values.share, default=0.95, metavar="P", help="level of the intervals (default: 0.95)"
    )
    group.add_argument(
        "--sensitivity",
        action="store_true",
        help="instead of the answer, its change per relative change of each rate, the strongest first",
    )


def run(args: argparse.Namespace) -> None:
    question = _question(args)
    from ctbnlab.inference.question import Query
    from ctbnlab.model.network import Network

    _check_outputs(args, question)
    network = Network.read(args.network)
    evidence, changes, posterior = _read(network, args)
    query = Query(
        network,
        start=_assigned(args.start, "--start"),
        do=args.do,
        observe=[*args.observe, *evidence],
        rates=changes,
        compare=args.compare,
        posterior=posterior,
        draws=args.draws,
        level=args.level,
        engine=args.engine,
        samples=args.samples,
        seed=args.seed,
        jobs=args.jobs,
        start_like=_data(network, args),
    )
    if question == "sample":
        _write_sample(query, args)
        return
    if args.sensitivity:
        answer = query.sensitivity(lambda varied: _answer(varied, question, args))
    else:
        answer = _answer(query, question, args)
    _report(answer, args)


def _read(network: Network, args: argparse.Namespace) -> tuple[Any, Any, Any]:
    """Return evidence, changed rates and the posterior of rates; errors in them name their file."""
    from ctbnlab.inference.rate_draws import RateDraws, read_rows
    from ctbnlab.inference.scenario import scenario
    from ctbnlab.inference.situation_files import read_evidence, read_rate_changes
    from ctbnlab.io.files import naming_file

    evidence: Any = []
    changes: Any = ()
    posterior: Any = None
    if args.evidence is not None:
        with naming_file(args.evidence):
            evidence = read_evidence(args.evidence)
            scenario(network, observe=evidence)
    if args.change is not None:
        with naming_file(args.change):
            changes = read_rate_changes(args.change)
            scenario(network, rates=changes)
    if args.posterior is not None:
        with naming_file(args.posterior):
            posterior = read_rows(args.posterior)
            RateDraws(network, posterior)
    return evidence, changes, posterior


def _data(network: Network, args: argparse.Namespace) -> Any:
    """Return the trajectories to start like; errors in them name their file."""
    if args.start_like is None:
        return None
    from ctbnlab.inference.joint_start import JointStart
    from ctbnlab.io.files import naming_file

    data = options.read_or_simulate(args.start_like)
    with naming_file(args.start_like):
        JointStart.of_data(data, network, args.seed)
    return data


def _question(args: argparse.Namespace) -> str:
    """Return the one question that is asked; refuse options that belong to others."""
    asked = [name for name in QUESTIONS if getattr(args, name)]
    if len(asked) > 1 and "at" in asked:
        asked.remove("at")  # the times of --until and --sample
        if asked[0] not in ("until", "sample"):
            raise InputError(f"--at cannot be used with --{asked[0].replace('_', '-')}")
    if len(asked) != 1:
        listed = ", ".join("--" + name.replace("_", "-") for name in QUESTIONS)
        raise InputError(f"ask one question: {listed}" + (f"; not {len(asked)} of them" if asked else ""))
    for option, questions in (
        ("most_probable", ("at",)),
        ("filter", ("at",)),
        ("quantiles", ("until",)),
        ("joint", ("at", "long_run", "expect")),
        ("of", ("at", "long_run", "expect")),
    ):
        if getattr(args, option) and asked[0] not in questions:
            raise InputError(
                f"--{option.replace('_', '-')} cannot be used with --{asked[0].replace('_', '-')}"
            )
    if args.joint and not args.of:
        raise InputError("--joint needs --of, the variables whose joint states are meant")
    if args.sensitivity and (args.posterior is not None or args.compare or args.plot is not None):
        raise InputError("--sensitivity cannot be used with --posterior, --compare or --plot")
    if args.most_probable and (args.posterior is not None or args.compare or args.filter):
        raise InputError("--most-probable cannot be used with --posterior, --compare or --filter")
    return asked[0]


def _check_outputs(args: argparse.Namespace, question: str) -> None:
    """Refuse unknown formats before the work."""
    from ctbnlab.inference.answer import checked_ending

    if question == "sample":
        if args.output is None or args.at is None:
            raise InputError("--sample needs -o, the file of trajectories, and --at, the time when they end")
        if args.plot is not None or args.json:
            raise InputError("--sample cannot be used with --plot or --json")
    elif args.output is not None:
        checked_ending(args.output)
    if args.stacked and (args.plot is None or question != "at"):
        raise InputError("--stacked needs --plot and --at, a figure over time")
    if args.plot is not None:
        from ctbnlab.presentation.style import picture_format

        picture_format(args.plot, _stream_format(args.plot, "svg"))


def _answer(query: Query, question: str, args: argparse.Namespace) -> Answer:
    """Put the question."""
    from ctbnlab.model.names import parse_list

    of = parse_list(args.of) if args.of is not None else None
    if question == "at":
        times = _times(args.at, "--at")
        if args.most_probable:
            return query.most_probable(times, of, joint=args.joint)
        return query.at(times, of, joint=args.joint, filtering=args.filter)
    if question == "long_run":
        return query.long_run(of, joint=args.joint)
    if question == "expect":
        begin_and_end = _numbers(args.expect, "--expect")
        if len(begin_and_end) != 2:
            raise InputError(f"--expect must be two times A,B, not {args.expect!r}")
        return query.expect(begin_and_end[0], begin_and_end[1], of, joint=args.joint)
    if question == "until":
        times = _times(args.at, "--at") if args.at is not None else []
        levels = _numbers(args.quantiles, "--quantiles") if args.quantiles else (0.25, 0.5, 0.75)
        return query.until(args.until, times, levels)
    return query.likelihood()


def _write_sample(query: Query, args: argparse.Namespace) -> None:
    from ctbnlab.data.formats.detect import kind_to_write
    from ctbnlab.data.formats.writing import write

    format = _stream_format(args.output, "csv")
    kind_to_write(Path(args.output), format)
    times = _times(args.at, "--at")
    if len(times) != 1:
        raise InputError("--sample needs one time --at, when the trajectories end")
    write(query.sample(args.sample, times[0]), Path(args.output), format=format)


def _report(answer: Answer, args: argparse.Namespace) -> None:
    """Write the answer, draw it, or print it."""
    if args.plot is not None:
        from ctbnlab.presentation.answer_plot import plot_answer

        kind = "stacked" if args.stacked else "curves"
        plot_answer(answer, args.plot, kind, _stream_format(args.plot, "svg"))
    if args.output is not None:
        answer.write(args.output)
    elif args.json:
        sys.stdout.write(answer.to_json())
    else:
        from ctbnlab.presentation.answer_table import answer_lines

        for line in answer_lines(answer):
            print(line)
    from ctbnlab.presentation.answer_table import engine_line

    tell(engine_line(answer))


def _stream_format(path: str, format: str) -> str | None:
    """Return the format of what is written to a stream, which has no extension; None for a file."""
    from ctbnlab.io.files import is_stream, require_writable

    return format if is_stream(require_writable(path)) else None


# ---- Values of options ----


def _assigned(text: str | None, option: str) -> dict[str, str] | None:
    from ctbnlab.model.names import parse_assignments

    try:
        return None if text is None else parse_assignments(text)
    except InputError as error:
        raise InputError(f"{option} must be A=x,B=y with each variable once: {error}") from None


def _numbers(text: str, option: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"{option} must be numbers separated by commas, not {text!r}") from None


def _times(text: str, option: str) -> list[float]:
    """Read `0.5,1,2` or `start:stop:step`."""
    parts = text.split(":")
    if len(parts) != 3:
        return _numbers(text, option)
    try:
        start, stop, step = map(float, parts)
        count: Any = (stop - start) / step
    except (ValueError, ZeroDivisionError):
        count = -1
    if not 0 <= count <= 100_000:
        raise InputError(
            f"{option} must be times or start:stop:step with at most 100,000 times, not {text!r}"
        )
    # The last time is the stop, whatever rounding made of the number of steps.
    return [min(start + k * step, stop) for k in range(int(count + 1e-9) + 1)]
