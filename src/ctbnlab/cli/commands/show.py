"""`ctbnlab show`: summarises trajectories, a network or a learned graph."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ctbnlab.cli import options
from ctbnlab.cli.file_kinds import GRAPH, NETWORK, kind_of
from ctbnlab.cli.paths import Data
from ctbnlab.io.shown import counted

HELP = "summarise trajectories, a network or a learned graph"
DESCRIPTION = """\
Summarise a file, whose content decides what it is.

A network: variables, states, parents, density, initial distribution and, if there are only a few, the
intensity matrices. A learned graph: learner, data, the arcs with their evidence and effects, notes, failures
and the model checks that warn. Trajectories: variables, trajectories, events, the time spent in each state
and the transition rates.

  ctbnlab show network.json
  ctbnlab show learned.json
  ctbnlab show data.csv
"""
# Without --cims, matrices are shown for at most this many configurations or variables, and states.
_MAX_MATRICES = 16
_MAX_STATES = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        type=Data(NETWORK, GRAPH),
        metavar="FILE",
        help="a network, a learned graph, or trajectories in any format of `ctbnlab convert`",
    )
    parser.add_argument(
        "--cims", action="store_true", help="show all matrices and rates, even if there are many"
    )
    parser.add_argument("--json", action="store_true", help="print as JSON")
    options.add_reading(parser)


def run(args: argparse.Namespace) -> None:
    from ctbnlab.errors import shown
    from ctbnlab.io.files import naming_file
    from ctbnlab.io.json_text import dumps
    from ctbnlab.model.network import Network
    from ctbnlab.presentation.describe import data_facts, network_facts

    if Path(args.file).is_file() and kind_of(args.file) == GRAPH:
        from ctbnlab.learning.graph import LearnedGraph
        from ctbnlab.presentation.graph_summary import graph_facts, graph_lines

        graph = LearnedGraph.read(args.file)
        facts, lines = graph_facts(graph), iter(graph_lines(graph))
    elif _is_network(Path(args.file)):
        network = Network.read(args.file)
        small = sum(cims.n_configurations for cims in network.cims) <= _MAX_MATRICES
        with naming_file(args.file):
            facts = network_facts(network, with_cims=args.cims or small)
        lines = _network_lines(facts, args.cims)
    else:
        args.data = args.file
        facts = data_facts(options.read_data(args))
        lines = _data_lines(facts, args.cims)
    if args.json:
        print(dumps({"file": shown(args.file), **facts}), end="")
    else:
        print(shown(args.file))
        print("\n".join(lines))


def _is_network(path: Path) -> bool:
    """Return whether a file holds a network: data in JSON are a list, a network is an object."""
    import gzip

    from ctbnlab.io.bounded import GZIP_ERRORS

    if path.is_dir():
        return False
    with path.open("rb") as file:
        head = file.read(2)
    if head == b"\x1f\x8b":
        try:
            with gzip.open(path) as file:
                head = file.read(256)
        except (OSError, *GZIP_ERRORS):
            head = b""
    else:
        with path.open("rb") as file:
            head = file.read(256)
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    named_json = path.name.removesuffix(".gz").endswith(".json")
    return head.startswith(b"{") or (named_json and not head.startswith(b"["))


def _network_lines(facts: dict[str, Any], all_matrices: bool) -> Iterator[str]:
    from ctbnlab.presentation.terminal import clipped, number, shown, table

    yield (
        f"{counted(facts['n_variables'], 'variable')}, {counted(facts['n_arcs'], 'arc')}, "
        f"density {number(facts['density'])}, {counted(facts['n_rates'], 'rate')}"
    )
    for key, value in facts["about"].items():
        yield clipped(f"  {shown(str(key))}: {shown(_plain(value))}")
    yield ""
    roles = "roles" in facts
    rows: list[Sequence[str]] = [
        ("variable", *(["role"] if roles else []), "states", "configurations", "parents")
    ]
    for entry in facts["variables"]:
        rows.append(
            (
                clipped(shown(entry["name"]), 24),
                *([entry["role"] or "–"] if roles else []),
                clipped(", ".join(map(shown, entry["states"])), 24),
                f"{entry['configurations']:,}",
                ", ".join(map(shown, entry["parents"])) or "–",
            )
        )
    yield from (clipped(line) for line in table(rows, right=(3 if roles else 2,)))
    yield from _clock_lines(facts)
    yield ""
    yield from _initial_lines(facts)
    if "cims" in facts["variables"][0]:
        yield from _matrix_lines(facts, all_matrices)
    else:
        matrices = sum(entry["configurations"] for entry in facts["variables"])
        yield ""
        yield f"{counted(matrices, 'intensity matrix', 'intensity matrices')}: use --cims to show them"


def _clock_lines(facts: dict[str, Any]) -> Iterator[str]:
    from ctbnlab.presentation.terminal import clipped, number, shown

    roles = facts.get("roles", {})
    for clock in roles.get("clocks", []):
        cuts = ", ".join(map(number, clock.get("cuts", [])))
        yield ""
        kind = f"{shown(clock['name'])}: clock of the kind {clock['kind']}"
        yield clipped(f"{kind}, cut at {cuts}" if cuts else kind)
    if "tiers" in roles:
        yield ""
        tiers = " > ".join(", ".join(map(shown, tier)) for tier in roles["tiers"])
        yield clipped(f"tiers: {tiers}")


def _matrix_lines(facts: dict[str, Any], all_matrices: bool) -> Iterator[str]:
    from ctbnlab.presentation.terminal import clipped, number, shown, table

    for entry in facts["variables"]:
        if entry.get("role") in ("static", "clock"):
            continue  # all rates are 0
        labels = [clipped(shown(state), 12) for state in entry["states"]]
        if len(labels) > _MAX_STATES and not all_matrices:
            yield ""
            yield f"{shown(entry['name'])}: {counted(len(labels), 'state')}; use --cims to show its matrices"
            continue
        for cim in entry["cims"]:
            yield ""
            yield _given(entry["name"], cim["given"])
            rows = zip(labels, cim["intensities"], strict=True)
            matrix = [["", *labels], *([label, *map(number, row)] for label, row in rows)]
            yield from table(matrix, right=range(1, len(labels) + 1), indent="  ")


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _initial_lines(facts: dict[str, Any]) -> Iterator[str]:
    from ctbnlab.presentation.terminal import clipped, number, shown, table

    initial = facts["initial"]
    if initial["kind"] == "uniform":
        yield "initial distribution: independent and uniform"
        return
    rows = []
    for entry, variable in zip(initial["variables"], facts["variables"], strict=True):
        for row in entry["tables"]:
            states = list(zip(map(shown, variable["states"]), row["probabilities"], strict=True))
            if initial["kind"] == "fixed":
                text = next(state for state, p in states if p == 1)
            else:
                text = "   ".join(f"{state}: {number(p)}" for state, p in states)
            rows.append([_given(entry["name"], row["given"]), text])
    yield "initial state" if initial["kind"] == "fixed" else "initial distribution"
    yield from (clipped(line) for line in table(rows, indent="  "))


def _given(name: str, given: dict[str, str]) -> str:
    from ctbnlab.presentation.terminal import shown

    states = ", ".join(f"{shown(parent)}={shown(state)}" for parent, state in given.items())
    return f"{shown(name)} given {states}" if states else shown(name)


def _data_lines(facts: dict[str, Any], all_matrices: bool) -> Iterator[str]:
    from ctbnlab.presentation.terminal import clipped, number, table

    observed = facts["time_observed"]
    yield (
        f"{counted(facts['n_variables'], 'variable')}, "
        f"{counted(facts['n_trajectories'], 'trajectory', 'trajectories')}, "
        f"{counted(facts['n_events'], 'event')}, total time {number(observed)}"
    )
    if facts.get("tied_instants"):
        yield f"{facts['tied_instants']:.0%} of the instants have several changes, counted together"
    yield ""
    rows = _variable_rows(facts, observed)
    yield from (clipped(line) for line in table(rows, right=range(1, len(rows[0]) - 1)))
    yield from _clock_lines(facts)
    if facts["n_variables"] > _MAX_MATRICES and not all_matrices:
        yield ""
        yield "Use --cims to show the time spent in each state and the transition rates"
        return
    for entry in facts["variables"]:
        yield ""
        yield from _occupancy_lines(entry, observed, all_matrices)


def _variable_rows(facts: dict[str, Any], observed: float) -> list[tuple[str, ...]]:
    """Return a table of variables; columns for roles and gaps are there only if needed."""
    from ctbnlab.model.roles import Roles
    from ctbnlab.presentation.terminal import clipped, number, shown

    roles = Roles.from_description(facts.get("roles", {}))
    gaps = facts.get("gaps", [])
    rows = [("variable", *(["role"] if roles else []), *(["observed"] if gaps else []), "events",
             "per time unit", "states")]  # fmt: skip
    for entry in facts["variables"]:
        time = sum(entry["time"])
        share = f"{time / observed:.0%}" if observed else "–"
        rows.append(
            (
                clipped(shown(entry["name"]), 24),
                *([roles.role_of(entry["name"]) or "–"] if roles else []),
                *([share if entry["name"] in gaps else "100%"] if gaps else []),
                f"{entry['events']:,}",
                number(entry["events"] / time if time else None),
                ", ".join(map(shown, entry["states"])),
            )
        )
    return rows


def _occupancy_lines(entry: dict[str, Any], observed: float, all_matrices: bool) -> Iterator[str]:
    from ctbnlab.presentation.terminal import clipped, number, shown, table

    labels = [clipped(shown(state), 12) for state in entry["states"]]
    wide = len(labels) > _MAX_STATES and not all_matrices
    to = [] if wide else [f"to {label}" for label in labels]
    block = [[clipped(shown(entry["name"]), 24), "time spent", "share", "exit rate", *to]]
    for x, label in enumerate(labels):
        spent, row = entry["time"][x], entry["rates"][x]
        share = f"{spent / observed:.1%}" if observed else "–"
        exits = None if row[x] is None else 0.0 - row[x]
        rates = [] if wide else ["" if k == x else number(rate) for k, rate in enumerate(row)]
        block.append([f"  {label}", number(spent), share, number(exits), *rates])
    yield from table(block, right=range(1, len(block[0])))
    if wide:
        yield "  (use --cims to show the rates between states)"
