"""`ctbnlab fit`: estimates the rates of a graph from trajectories."""

from __future__ import annotations

import argparse

from ctbnlab.cli import options, values
from ctbnlab.cli.file_kinds import GRAPH, NETWORK
from ctbnlab.cli.messages import tell
from ctbnlab.cli.paths import Input, Output
from ctbnlab.errors import InputError, shown
from ctbnlab.io.shown import counted

HELP = "estimate the rates of a graph from trajectories"
DESCRIPTION = """\
Estimate the intensity matrices of each variable given its parents in a graph, and write the network.

  ctbnlab fit learned.json data.csv -o network.json
  ctbnlab fit learned.json data.csv -o network.json --rates rates.csv    with standard errors and intervals
  ctbnlab fit learned.json data.csv -o network.json --method bayes --initial smoothed
"""
# The names that the library has, which is not loaded for --help; a test compares them.
INITIAL = ("empirical", "smoothed", "uniform")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "graph",
        type=Input(GRAPH, NETWORK),
        metavar="GRAPH",
        help="a learned graph, or a network whose arcs are used",
    )
    options.add_data(parser)
    options.add_output(parser, "write the network to this .json or .json.gz file")
    parser.add_argument(
        "--method",
        choices=("ml", "bayes"),
        default="ml",
        help="maximum likelihood (ml) or posterior means (bayes) (default: ml)",
    )
    parser.add_argument(
        "--alpha",
        type=float,
        default=1.0,
        metavar="A",
        help="bayes: number of transitions that the prior is worth (default: 1)",
    )
    parser.add_argument(
        "--tau",
        type=float,
        metavar="T",
        help="bayes: prior time in a state, in the unit of the data (default: the prior has the mean of the "
        "rates without parents)",
    )
    parser.add_argument(
        "--initial",
        type=Input("initial states", NETWORK, words=INITIAL),
        metavar="KIND",
        help="distribution of the initial states: empirical (as in the data), smoothed (half a count per "
        "state added), uniform, or a JSON file: a network, or {variable: {state: probability}} (default: "
        "empirical)",
    )
    group = parser.add_argument_group("uncertainty")
    group.add_argument(
        "--rates",
        type=Output(),
        metavar="FILE",
        help="write a table of all rates, exit rates and probabilities of the next state, with standard "
        "errors and credible intervals, to this .csv, .json or .parquet file",
    )
    group.add_argument(
        "--level", type=values.share, default=0.95, metavar="P", help="level of the intervals (default: 0.95)"
    )
    options.add_reading(parser)


def run(args: argparse.Namespace) -> None:
    from contextlib import ExitStack

    from ctbnlab.cli.commands.compare import read_graph
    from ctbnlab.data.prepare import with_roles_of
    from ctbnlab.io.files import replacing
    from ctbnlab.learning.graph import LearnedGraph
    from ctbnlab.learning.initial_states import given_initial
    from ctbnlab.learning.parameters import fit_parameters
    from ctbnlab.presentation.rate_files import require_known_format, write_rates
    from ctbnlab.presentation.terminal import significant

    if args.rates is not None:
        require_known_format(args.rates)
    graph = read_graph(args.graph)
    names, arcs = graph.names, graph.arcs
    # The graph may have been learned from the same file with clocks added to it.
    data = with_roles_of(options.read_data(args), graph.roles)
    if set(names) != set(data.names):
        name = sorted(set(names) ^ set(data.names))[0]
        path, other = (args.data, args.graph) if name in names else (args.graph, args.data)
        raise InputError(f"lacks the variable {name!r}, which {shown(other)} has", path=path)
    parents = [sorted(data.index(a) for a, b in arcs if b == name) for name in data.names]
    kind = args.initial or INITIAL[0]
    initial = kind if kind in INITIAL else given_initial(data, kind)
    try:
        fitted = fit_parameters(
            data, parents, args.method, alpha=args.alpha, tau=args.tau, initial=initial, level=args.level
        )
    except InputError as error:
        # An error about a variable is one of the graph, any other one of the options.
        raise (error.within(args.graph) if error.place else error) from None
    with ExitStack() as stack:  # both files or none
        if args.rates is not None:
            write_rates(fitted, stack.enter_context(replacing(args.rates)), args.rates)
        fitted.network.write(args.output)
    if isinstance(graph, LearnedGraph) and graph.own_clocks:
        listed = ", ".join(graph.own_clocks)
        tell(f"note: the rates of {listed} are means over the time since the last change")
    unseen = sum(len(configurations) for configurations in fitted.unseen)
    if unseen:
        what = counted(unseen, "parent configuration never occurs", "parent configurations never occur")
        tell(f"note: {what} in the data")
    tell(
        f"Estimated {counted(fitted.n_parameters, 'parameter')}: "
        f"log-likelihood {significant(fitted.log_likelihood, 6)}, BIC {significant(fitted.bic, 6)}"
    )
