"""`ctbnlab show`: what is in a file, network or data."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HELP = "say what a network or a data set holds"
DESCRIPTION = """\
Say what is in a file. Of a network: variables, states, parents, density, initial distribution, and the
intensity matrices where they are few. Of a data set: variables, trajectories, events, the time spent in
each state and the transition rates. Which of the two it is shows from its content.
"""
# Matrices are shown without being asked for up to this many, and up to this many states.
_FEW_MATRICES = 16
_FEW_STATES = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="a network (.json) or a data set (.arrow, …)")
    parser.add_argument("--cims", action="store_true", help="show every matrix, however many there are")
    parser.add_argument("--json", action="store_true", help="print JSON, for other programs")


def run(args: argparse.Namespace) -> None:
    from ctbnlab.data.formats.reading import read
    from ctbnlab.io.json_text import dumps
    from ctbnlab.model.network import Network
    from ctbnlab.presentation.describe import data_facts, network_facts

    if _is_network(args.file):
        network = Network.read(args.file)
        few = sum(cims.n_configurations for cims in network.cims) <= _FEW_MATRICES
        facts = network_facts(network, with_cims=args.cims or few)
        lines = _network_lines(facts, args.cims)
    else:
        facts = data_facts(read(args.file))
        lines = _data_lines(facts, args.cims)
    if args.json:
        print(dumps({"file": str(args.file), **facts}), end="")
    else:
        print(args.file)
        print("\n".join(lines))


def _is_network(path: Path) -> bool:
    """Tell a network from data: data in JSON are a list, a network is an object."""
    import gzip

    with path.open("rb") as file:
        head = file.read(2)
    if head == b"\x1f\x8b":
        try:
            with gzip.open(path) as file:
                head = file.read(256)
        except (OSError, EOFError):
            head = b""
    else:
        with path.open("rb") as file:
            head = file.read(256)
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    named_json = path.name.removesuffix(".gz").endswith(".json")
    return head.startswith(b"{") or (named_json and not head.startswith(b"["))


def _network_lines(facts: dict[str, Any], all_matrices: bool) -> Iterator[str]:
    from ctbnlab.presentation.terminal import WIDTH, clipped, shown, table

    yield (
        f"{facts['n_variables']:,} variables, {facts['n_arcs']:,} arcs, density {facts['density']:.4g}, "
        f"{facts['n_rates']:,} rates"
    )
    for key, value in facts["about"].items():
        yield clipped(f"  {shown(str(key))}: {shown(_plain(value))}", WIDTH)
    yield ""
    rows = [("variable", "states", "configurations", "parents")]
    for entry in facts["variables"]:
        rows.append(
            (
                clipped(shown(entry["name"]), 24),
                clipped(", ".join(map(shown, entry["states"])), 24),
                f"{entry['configurations']:,}",
                ", ".join(map(shown, entry["parents"])) or "–",
            )
        )
    yield from (clipped(line, WIDTH) for line in table(rows, right=(2,)))
    yield ""
    yield from _initial_lines(facts)
    if "cims" in facts["variables"][0]:
        yield from _matrix_lines(facts, all_matrices)
    else:
        count = sum(entry["configurations"] for entry in facts["variables"])
        yield ""
        yield f"{count:,} intensity matrices; --cims shows them."


def _matrix_lines(facts: dict[str, Any], all_matrices: bool) -> Iterator[str]:
    from ctbnlab.presentation.terminal import clipped, number, shown, table

    for entry in facts["variables"]:
        labels = [clipped(shown(state), 12) for state in entry["states"]]
        if len(labels) > _FEW_STATES and not all_matrices:
            yield ""
            yield f"{shown(entry['name'])}: {len(labels)} states; --cims shows its matrices."
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
    from ctbnlab.presentation.terminal import WIDTH, clipped, number, shown, table

    initial = facts["initial"]
    if initial["kind"] == "uniform":
        yield "initial distribution: independent and uniform"
        return
    rows = []
    for entry, variable in zip(initial["variables"], facts["variables"], strict=True):
        for row in entry["tables"]:
            states = list(zip(map(shown, variable["states"]), row["probabilities"], strict=True))
            if initial["kind"] == "fixed":
                said = next(state for state, p in states if p == 1)
            else:
                said = "   ".join(f"{state}: {number(p)}" for state, p in states)
            rows.append([_given(entry["name"], row["given"]), said])
    yield "initial state" if initial["kind"] == "fixed" else "initial distribution"
    yield from (clipped(line, WIDTH) for line in table(rows, indent="  "))


def _given(name: str, given: dict[str, str]) -> str:
    from ctbnlab.presentation.terminal import shown

    states = ", ".join(f"{shown(parent)}={shown(state)}" for parent, state in given.items())
    return f"{shown(name)} given {states}" if states else shown(name)


def _data_lines(facts: dict[str, Any], all_matrices: bool) -> Iterator[str]:
    from ctbnlab.presentation.terminal import WIDTH, clipped, number, shown, table

    observed = facts["time_observed"]
    yield (
        f"{facts['n_variables']:,} variables, {facts['n_trajectories']:,} trajectories, "
        f"{facts['n_events']:,} events, time observed {number(observed)}"
    )
    yield ""
    rows = [("variable", "events", "per unit of time", "states")]
    for entry in facts["variables"]:
        rate = entry["events"] / observed if observed else None
        states = ", ".join(map(shown, entry["states"]))
        rows.append((clipped(shown(entry["name"]), 24), f"{entry['events']:,}", number(rate), states))
    yield from (clipped(line, WIDTH) for line in table(rows, right=(1, 2)))
    if facts["n_variables"] > _FEW_MATRICES and not all_matrices:
        yield ""
        yield "--cims shows the time spent in each state and the transition rates."
        return
    for entry in facts["variables"]:
        yield ""
        yield from _occupancy_lines(entry, observed, all_matrices)


def _occupancy_lines(entry: dict[str, Any], observed: float, all_matrices: bool) -> Iterator[str]:
    from ctbnlab.presentation.terminal import clipped, number, shown, table

    labels = [clipped(shown(state), 12) for state in entry["states"]]
    wide = len(labels) > _FEW_STATES and not all_matrices
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
        yield "  (--cims adds the rates from state to state)"
