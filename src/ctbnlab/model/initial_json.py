"""An initial distribution from a file: that of a network, or {variable: {state: probability}}."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.io import json_text
from ctbnlab.io.json_text import Node
from ctbnlab.model.initial import InitialDistribution
from ctbnlab.model.network import Network
from ctbnlab.model.network_json import FORMAT, from_tree
from ctbnlab.model.variables import Variable

Rows = Mapping[str, NDArray[np.float64]]


def read_initial(
    path: str | os.PathLike[str], variables: Sequence[Variable], otherwise: Rows
) -> InitialDistribution:
    """Read the distribution of these variables; those that the file leaves out may be in `otherwise`.

    The order of variables and of states may differ from the file's. Of a variable that is listed with some
    of its states, the others have probability 0.
    """
    try:
        root = json_text.read_tree(path)
        if isinstance(root.value, dict) and root.value.get("format") == FORMAT:
            return _of_network(from_tree(root), variables, otherwise)
        return _of_lists(root, variables, otherwise)
    except InputError as error:
        raise error.within(path) from None


def _of_lists(root: Node, variables: Sequence[Variable], otherwise: Rows) -> InitialDistribution:
    if not isinstance(root.value, dict):
        root.fail("must be a network, or an object {variable: {state: probability}}")
    by_name = {variable.name: variable for variable in variables}
    rows = dict(otherwise)
    for name, node in root.entries():
        if name not in by_name:
            node.fail(f"{name!r} is not a variable of the data")
        states = by_name[name].states
        row = np.zeros(len(states))
        for state, probability in node.entries():
            if state not in states:
                probability.fail(f"{state!r} is not a state of {name!r}; its states are {', '.join(states)}")
            row[states.index(state)] = probability.number()
        rows[name] = row
    _require_all(variables, rows)
    tables = [rows[variable.name] for variable in variables]
    return InitialDistribution.build(variables, [()] * len(tables), tables)


def _of_network(network: Network, variables: Sequence[Variable], otherwise: Rows) -> InitialDistribution:
    position = {variable.name: i for i, variable in enumerate(variables)}
    index = {name: i for i, name in enumerate(network.names)}
    parents: list[tuple[int, ...]] = []
    tables: list[NDArray[np.float64]] = []
    _require_all(variables, {**otherwise, **dict.fromkeys(index, np.empty(0))})
    for name, _ in variables:
        if name not in index:
            parents.append(())
            tables.append(otherwise[name])
            continue
        i = index[name]
        given = network.initial.parents[i]
        for j in given:
            if network.names[j] not in position:
                raise InputError(
                    f"depends on {network.names[j]!r}, which the data do not have",
                    place=f"initial distribution of {name!r}",
                )
        family = (*given, i)
        table = network.initial.tables[i].reshape([len(network.variables[j].states) for j in family])
        for axis, j in enumerate(family):
            own = variables[position[network.names[j]]]
            table = table.take(_codes(network.variables[j], own), axis=axis)
        parents.append(tuple(position[network.names[j]] for j in given))
        tables.append(table.reshape(-1, table.shape[-1]))
    return InitialDistribution.build(variables, parents, tables)


def _codes(theirs: Variable, ours: Variable) -> list[int]:
    """Return the number that each of our states has in the file."""
    if set(theirs.states) != set(ours.states):
        raise InputError(
            f"its states are {', '.join(theirs.states)}, those of the data {', '.join(ours.states)}",
            place=f"variable {ours.name!r}",
        )
    return [theirs.states.index(state) for state in ours.states]


def _require_all(variables: Sequence[Variable], rows: Rows) -> None:
    for name, _ in variables:
        if name not in rows:
            raise InputError(f"has no initial distribution of {name!r}")
