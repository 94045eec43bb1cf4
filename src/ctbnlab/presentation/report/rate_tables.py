"""The rates of a network as tables that people can read: one row per configuration of the parents."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ctbnlab.model.cims import states_of
from ctbnlab.model.network import Network
from ctbnlab.presentation.report.markup import Html, folded, joined, name, paragraph, plain_table
from ctbnlab.presentation.report.wording import counted, listed

# A page is for reading: larger tables are in network.json.
_MOST_CONFIGURATIONS = 32
_MOST_STATES = 8
_MOST_VARIABLES = 200
_MOST_UNFOLDED = 6


def rate_tables(network: Network, *, unfolded: bool = False) -> Html:
    """Return a table per variable: the rate of each transition given the states of the parents.

    Tables are folded, but the few of a small network can be `unfolded`.
    """
    opened = unfolded and len(network.variables) <= _MOST_UNFOLDED
    shown = range(min(len(network.variables), _MOST_VARIABLES))
    tables = [folded(_title(network, target), _table(network, target), unfolded=opened) for target in shown]
    if len(network.variables) > _MOST_VARIABLES:
        tables.append(paragraph(f"network.json has all {len(network.variables):,} variables.", class_="note"))
    return joined(tables)


def _title(network: Network, target: int) -> Html:
    parents = [name(network.variables[j].name) for j in network.parents[target]]
    driven = joined([" given ", listed(parents)]) if parents else Html(", which has no parents")
    return joined([name(network.variables[target].name), driven])


def _table(network: Network, target: int) -> Html:
    variable = network.variables[target]
    cims = network.cims[target]
    parents = network.parents[target]
    count = min(cims.n_configurations, _MOST_CONFIGURATIONS)
    matrices = cims.matrices(np.arange(count))
    pairs = list(_transitions(min(len(variable.states), _MOST_STATES)))
    head: list[object] = [
        *(name(network.variables[j].name) for j in parents),
        *(joined([name(variable.states[x]), " → ", name(variable.states[y])]) for x, y in pairs),
    ]
    cardinalities = [len(network.variables[j].states) for j in parents]
    body: list[list[object]] = []
    for u in range(count):
        given = [
            name(network.variables[j].states[state])
            for j, state in zip(parents, states_of(u, cardinalities), strict=True)
        ]
        body.append([*given, *(_rate(matrices[u, x, y]) for x, y in pairs)])
    if not parents:
        head, body = ["", *head], [["rate", *row] for row in body]
    first = max(1, len(parents))
    table = plain_table(head, body, label=f"Rates of {variable.name}", numeric=range(first, len(head)))
    return joined([table, *_omitted(cims.n_configurations, len(variable.states))])


def _transitions(states: int) -> Iterator[tuple[int, int]]:
    return ((x, y) for x in range(states) for y in range(states) if x != y)


def _rate(value: float) -> str:
    """Return a rate with three significant digits, in plain notation where that is short."""
    return f"{value:.3g}" if 1e-4 <= abs(value) < 1e5 or not value else f"{value:.2e}"


def _omitted(configurations: int, states: int) -> list[Html]:
    left_out = []
    if configurations > _MOST_CONFIGURATIONS:
        left_out.append(
            f"the first {_MOST_CONFIGURATIONS} of {counted(configurations, 'configuration')} of the parents"
        )
    if states > _MOST_STATES:
        left_out.append(f"the first {_MOST_STATES} of {states} states")
    if not left_out:
        return []
    return [paragraph(f"Shown: {' and '.join(left_out)}; network.json has all.", class_="note")]
