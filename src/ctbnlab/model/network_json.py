"""Networks as JSON; docs/file-formats.md documents the format, schemas/network.schema.json defines it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.io import json_text
from ctbnlab.io.json_text import Node
from ctbnlab.model.cims import (
    Cims,
    DrawnCims,
    Law,
    TabledCims,
    configuration_of,
    configuration_text,
    first_fault,
    n_configurations,
    states_of,
)
from ctbnlab.model.initial import InitialDistribution, fixed_initial, uniform_initial
from ctbnlab.model.network import Network
from ctbnlab.model.network_roles import checked_roles
from ctbnlab.model.roles import Roles
from ctbnlab.model.variables import Variable, checked_variables

T = TypeVar("T")
FORMAT = "ctbnlab.network"
VERSION = 1
RATES = ("auto", "explicit", "recipe")
# Above this number of rates, drawn rates are written as recipes by default.
MAX_EXPLICIT_RATES = 20_000
# Explicit drawn rates are refused above this number, some 200 megabytes of text.
MAX_WRITTEN_RATES = 10_000_000


def write(network: Network, path: str | os.PathLike[str], rates: str = "auto") -> None:
    """Write a network to a file; gzipped if its name ends in .gz."""
    json_text.write(_tree(network, rates), path)


def read(path: str | os.PathLike[str]) -> Network:
    """Read a network from a file, gzipped or not."""
    try:
        return from_tree(json_text.read_tree(path))
    except InputError as error:
        raise error.within(path) from None


def from_json(text: str) -> Network:
    """Return the network described by a JSON text."""
    return from_tree(json_text.parse(text))


def to_json(network: Network, rates: str = "auto") -> str:
    """Return the network as JSON text; the same network always gives the same text.

    Drawn rates are written as numbers if `rates` is "explicit", as law and key if it is "recipe"; "auto"
    is explicit for up to 20,000 rates in the whole network. Rates given as tables are always explicit.
    """
    return json_text.dumps(_tree(network, rates))


def _tree(network: Network, rates: str) -> dict[str, Any]:
    if rates not in RATES:
        raise InputError(f"rates must be one of {', '.join(RATES)}, not {rates!r}")
    explicit = rates == "explicit" or (rates == "auto" and network.n_parameters <= MAX_EXPLICIT_RATES)
    if explicit:
        require_writable(network)
    tree: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    if network.about:
        tree["about"] = dict(network.about)
    if network.roles:
        tree["roles"] = network.roles.described()
    tree["variables"] = [
        {
            "name": name,
            "states": list(states),
            "parents": [network.variables[j].name for j in network.parents[i]],
            "cims": _cims_tree(network, i, explicit),
        }
        for i, (name, states) in enumerate(network.variables)
    ]
    tree["initial"] = _initial_tree(network)
    return tree


def require_writable(network: Network) -> None:
    """Refuse to write out more drawn rates than is reasonable."""
    rates = sum(
        cims.n_configurations * cims.n_states * (cims.n_states - 1)
        for cims in network.cims
        if isinstance(cims, DrawnCims)
    )
    if rates > MAX_WRITTEN_RATES:
        raise InputError(f"{rates:,} rates are too many to write out; the limit is {MAX_WRITTEN_RATES:,}")


def _given(variables: Sequence[Variable], parents: Sequence[int], configuration: int) -> dict[str, str]:
    states = states_of(configuration, [len(variables[j].states) for j in parents])
    return {variables[j].name: variables[j].states[state] for j, state in zip(parents, states, strict=True)}


def _cims_tree(network: Network, target: int, explicit: bool) -> Any:
    cims = network.cims[target]
    if isinstance(cims, DrawnCims) and not explicit:
        return {"drawn": {**cims.law.to_json(), "key": f"0x{cims.key:016x}"}}
    return [
        {"given": _given(network.variables, network.parents[target], u), "intensities": matrix}
        for u, matrix in enumerate(cims.table().tolist())
    ]


def _initial_tree(network: Network) -> Any:
    initial = network.initial
    if initial.uniform:
        return "uniform"
    if (fixed := initial.fixed) is not None:
        return {"fixed": {v.name: v.states[x] for v, x in zip(network.variables, fixed, strict=True)}}
    return {
        "network": [
            {
                "variable": variable.name,
                "parents": [network.variables[j].name for j in initial.parents[i]],
                "tables": [
                    {"given": _given(network.variables, initial.parents[i], u), "probabilities": row}
                    for u, row in enumerate(initial.tables[i].tolist())
                ],
            }
            for i, variable in enumerate(network.variables)
        ]
    }


def from_tree(root: Node) -> Network:
    """Return the network described by a parsed JSON value."""
    if not isinstance(root.value, dict) or root.value.get("format") != FORMAT:
        root.fail(f'is not a network: expected a JSON object with "format": "{FORMAT}"')
    version = root.value.get("version")
    if version != VERSION or isinstance(version, bool):
        root.fail(f"has format version {version!r}; this program reads version {VERSION}")
    top = root.members(("format", "version", "variables"), ("about", "roles", "initial"))
    entries = [node.members(("name", "states", "parents", "cims")) for node in top["variables"].items()]
    variables = _variables(top["variables"], entries)
    index = {variable.name: i for i, variable in enumerate(variables)}
    parents = [_parents(entry["parents"], i, index) for i, entry in enumerate(entries)]
    about = top["about"].plain() if "about" in top else {}
    if not isinstance(about, dict):
        top["about"].fail("must be an object {…}")
    cims = tuple(_cims(entry["cims"], variables, i, parents[i]) for i, entry in enumerate(entries))
    return Network(
        variables=variables,
        parents=tuple(parents),
        cims=cims,
        initial=_initial(top["initial"], variables, index)
        if "initial" in top
        else uniform_initial(variables),
        about=about,
        roles=_roles(top["roles"], variables, parents, cims) if "roles" in top else Roles(),
    )


def _roles(
    node: Node, variables: tuple[Variable, ...], parents: list[tuple[int, ...]], cims: tuple[Cims, ...]
) -> Roles:
    entry = node.plain()
    roles = _with_place(node, lambda: Roles.from_description(entry))
    return _with_place(node, lambda: checked_roles(variables, parents, cims, roles))


def _variables(node: Node, entries: list[dict[str, Node]]) -> tuple[Variable, ...]:
    found = [(entry["name"].text(), [state.text() for state in entry["states"].items()]) for entry in entries]
    return _with_place(node, lambda: checked_variables(found))


def _with_place(node: Node, make: Callable[[], T]) -> T:
    """Call a function that does not know the place in the file; add the node's place to its errors."""
    try:
        return make()
    except InputError as error:
        node.fail(f"{error.place}: {error.message}" if error.place else error.message)


def _parents(node: Node, target: int, index: dict[str, int]) -> tuple[int, ...]:
    result: list[int] = []
    for item in node.items():
        name = item.text()
        if name not in index:
            item.fail(f"{name!r} is not a variable of this network")
        if index[name] == target:
            item.fail(f"{name!r} is its own parent; a variable depends on its own state anyway")
        if index[name] in result:
            item.fail(f"{name!r} appears twice")
        result.append(index[name])
    return tuple(result)


def _cims(node: Node, variables: tuple[Variable, ...], target: int, parents: tuple[int, ...]) -> Cims:
    n_states = len(variables[target].states)
    if isinstance(node.value, dict):
        cardinalities = tuple(len(variables[j].states) for j in parents)
        return _drawn(node.members(("drawn",))["drawn"], cardinalities, n_states)
    rows, nodes = _by_configuration(
        node, variables, parents, "intensities", lambda matrix: _matrix(matrix, n_states)
    )
    table = np.array(rows, np.float64).reshape(len(rows), n_states, n_states)
    fault = first_fault(table)
    if fault is not None:
        given = configuration_text(variables, parents, fault.configuration)
        matrix = ", ".join(part for part in (f"variable {variables[target].name!r}", given) if part)
        row = variables[target].states[fault.row]
        nodes[fault.configuration].fail(f"{matrix}, row {row!r} {fault.message}")
    return TabledCims(table)


def _drawn(node: Node, cardinalities: tuple[int, ...], n_states: int) -> DrawnCims:
    recipe = node.members(("law", "low", "high", "key"), ("effect",))
    key = recipe["key"].text()
    if not re.fullmatch("0x[0-9a-f]{16}", key):
        recipe["key"].fail(f"must be 0x followed by 16 hexadecimal digits, not {key!r}")
    low, high = recipe["low"].number(), recipe["high"].number()
    effect = recipe["effect"].number() if "effect" in recipe else 0.0
    law = recipe["law"].text()
    return _with_place(
        node, lambda: DrawnCims(Law(law, low, high, effect), int(key, 16), cardinalities, n_states)
    )


def _matrix(node: Node, n_states: int) -> list[list[float]]:
    return [_row(row, n_states) for row in _items_per_state(node, n_states)]


def _row(node: Node, n_states: int) -> list[float]:
    return [entry.number() for entry in _items_per_state(node, n_states)]


def _items_per_state(node: Node, n_states: int) -> list[Node]:
    items = node.items()
    if len(items) != n_states:
        node.fail(f"has {len(items)} entries; the variable has {n_states} states")
    return items


def _by_configuration(
    node: Node,
    variables: tuple[Variable, ...],
    parents: tuple[int, ...],
    key: str,
    parse: Callable[[Node], Any],
) -> tuple[list[Any], list[Node]]:
    """Return the parsed members `key` of all configurations in order, and their nodes."""
    items = node.items()
    cardinalities = [len(variables[j].states) for j in parents]
    needed = _with_place(node, lambda: n_configurations(cardinalities))
    if len(items) != needed:
        node.fail(f"has {len(items)} entries; the parents have {needed} configurations")
    found: dict[int, tuple[Any, Node]] = {}
    for item in items:
        members = item.members(("given", key))
        configuration = _configuration(members["given"], variables, parents)
        if configuration in found:
            members["given"].fail(f"{configuration_text(variables, parents, configuration)} appears twice")
        found[configuration] = (parse(members[key]), members[key])
    ordered = [found[u] for u in range(needed)]
    return [value for value, _ in ordered], [place for _, place in ordered]


def _configuration(node: Node, variables: tuple[Variable, ...], parents: tuple[int, ...]) -> int:
    members = node.members([variables[j].name for j in parents])
    codes = []
    for j in parents:
        name, states = variables[j]
        state = members[name].text()
        if state not in states:
            members[name].fail(f"{state!r} is not a state of {name!r}; its states are {', '.join(states)}")
        codes.append(states.index(state))
    return configuration_of(codes, [len(variables[j].states) for j in parents])


def _initial(node: Node, variables: tuple[Variable, ...], index: dict[str, int]) -> InitialDistribution:
    def fail() -> NoReturn:
        node.fail('must be "uniform", {"fixed": {…}} or {"network": […]}')

    if node.value == "uniform":
        return uniform_initial(variables)
    if not isinstance(node.value, dict) or len(node.value) != 1:
        fail()
    ((kind, inner),) = node.entries()
    if kind == "fixed":
        states = {name: state.text() for name, state in inner.entries()}
        return _with_place(inner, lambda: fixed_initial(variables, states))
    if kind != "network":
        fail()
    return _initial_network(inner, variables, index)


def _initial_network(
    node: Node, variables: tuple[Variable, ...], index: dict[str, int]
) -> InitialDistribution:
    parents: dict[int, tuple[int, ...]] = {}
    tables: dict[int, NDArray[np.float64]] = {}
    for item in node.items():
        members = item.members(("variable", "parents", "tables"))
        name = members["variable"].text()
        if name not in index:
            members["variable"].fail(f"{name!r} is not a variable of this network")
        i = index[name]
        if i in parents:
            members["variable"].fail(f"{name!r} appears twice")
        parents[i] = _parents(members["parents"], i, index)
        n_states = len(variables[i].states)
        rows, _ = _by_configuration(
            members["tables"],
            variables,
            parents[i],
            "probabilities",
            lambda row, n_states=n_states: _row(row, n_states),  # type: ignore[misc]
        )
        tables[i] = np.array(rows, np.float64).reshape(len(rows), n_states)
    indices = range(len(variables))
    missing = [variables[i].name for i in indices if i not in parents]
    if missing:
        node.fail(f"the variable {missing[0]!r} is missing")
    return _with_place(
        node,
        lambda: InitialDistribution.build(
            variables, [parents[i] for i in indices], [tables[i] for i in indices]
        ),
    )
