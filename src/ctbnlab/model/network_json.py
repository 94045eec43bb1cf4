"""Networks as JSON: documented in docs/file-formats.md, described by schemas/network.schema.json."""

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
from ctbnlab.model.variables import Variable, checked

T = TypeVar("T")
FORMAT = "ctbnlab.network"
VERSION = 1
RATES = ("auto", "explicit", "recipe")
# Drawn rates are written out up to this many in a network; above, their recipe is.
MAX_EXPLICIT_RATES = 20_000
# On request up to this many, some 200 megabytes of text.
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
    """Return the network that a JSON text describes."""
    return from_tree(json_text.parse(text.encode()))


def to_json(network: Network, rates: str = "auto") -> str:
    """Return the network as JSON text; the same network always gives the same text.

    `rates` says how drawn rates are written: "explicit", as their "recipe", or "auto", which is explicit
    up to 20,000 rates in the whole network. Rates that were given as tables have no recipe.
    """
    return json_text.dumps(_tree(network, rates))


def _tree(network: Network, rates: str) -> dict[str, Any]:
    if rates not in RATES:
        raise InputError(f"rates are written as {', '.join(RATES)}, not {rates!r}")
    explicit = rates == "explicit" or (rates == "auto" and network.n_parameters <= MAX_EXPLICIT_RATES)
    if explicit:
        require_writable(network)
    tree: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    if network.about:
        tree["about"] = dict(network.about)
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
    """Refuse to write out more drawn rates than anybody could want."""
    rates = sum(
        cims.n_configurations * cims.n_states * (cims.n_states - 1)
        for cims in network.cims
        if isinstance(cims, DrawnCims)
    )
    if rates > MAX_WRITTEN_RATES:
        raise InputError(f"{rates:,} rates are too many to write out; at most {MAX_WRITTEN_RATES:,} are")


def _given(variables: Sequence[Variable], parents: Sequence[int], configuration: int) -> dict[str, str]:
    states = states_of(configuration, [len(variables[j].states) for j in parents])
    return {variables[j].name: variables[j].states[state] for j, state in zip(parents, states, strict=True)}


def _cims_tree(network: Network, target: int, explicit: bool) -> Any:
    cims = network.cims[target]
    if isinstance(cims, DrawnCims) and not explicit:
        return {"drawn": {**cims.law.described(), "key": f"0x{cims.key:016x}"}}
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
    """Return the network that a parsed JSON value describes, or say where it is wrong."""
    if not isinstance(root.value, dict) or root.value.get("format") != FORMAT:
        root.fail(f'is not a network: it must be a JSON object with "format": "{FORMAT}"')
    version = root.value.get("version")
    if version != VERSION or isinstance(version, bool):
        root.fail(f"has version {version!r} of the format; this program reads version {VERSION}")
    top = root.members(("format", "version", "variables"), ("about", "initial"))
    entries = [node.members(("name", "states", "parents", "cims")) for node in top["variables"].items()]
    variables = _variables(top["variables"], entries)
    index = {variable.name: i for i, variable in enumerate(variables)}
    parents = [_parents(entry["parents"], i, index) for i, entry in enumerate(entries)]
    about = top["about"].plain() if "about" in top else {}
    if not isinstance(about, dict):
        top["about"].fail("must be an object {…}")
    return Network(
        variables=variables,
        parents=tuple(parents),
        cims=tuple(_cims(entry["cims"], variables, i, parents[i]) for i, entry in enumerate(entries)),
        initial=_initial(top["initial"], variables, index)
        if "initial" in top
        else uniform_initial(variables),
        about=about,
    )


def _variables(where: Node, entries: list[dict[str, Node]]) -> tuple[Variable, ...]:
    found = [(entry["name"].text(), [state.text() for state in entry["states"].items()]) for entry in entries]
    return _said_of(where, lambda: checked(found))


def _said_of(node: Node, make: Callable[[], T]) -> T:
    """Call a function that knows the fault but not the place in the file."""
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
            item.fail(f"{name!r} is named twice")
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
        whose = ", ".join(part for part in (f"variable {variables[target].name!r}", given) if part)
        nodes[fault.configuration].fail(f"{whose}, row {variables[target].states[fault.row]!r} {fault.what}")
    return TabledCims(table)


def _drawn(node: Node, cardinalities: tuple[int, ...], n_states: int) -> DrawnCims:
    recipe = node.members(("law", "low", "high", "key"), ("effect",))
    key = recipe["key"].text()
    if not re.fullmatch("0x[0-9a-f]{16}", key):
        recipe["key"].fail(f"must be 64 bits in hexadecimal, 0x and 16 digits, not {key!r}")
    low, high = recipe["low"].number(), recipe["high"].number()
    effect = recipe["effect"].number() if "effect" in recipe else 0.0
    law = recipe["law"].text()
    return _said_of(
        node, lambda: DrawnCims(Law(law, low, high, effect), int(key, 16), cardinalities, n_states)
    )


def _matrix(node: Node, n_states: int) -> list[list[float]]:
    return [_row(row, n_states) for row in _as_many(node, n_states)]


def _row(node: Node, n_states: int) -> list[float]:
    return [entry.number() for entry in _as_many(node, n_states)]


def _as_many(node: Node, n_states: int) -> list[Node]:
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
    """Return what stands under `key` for each configuration, in the configurations' order."""
    items = node.items()
    cardinalities = [len(variables[j].states) for j in parents]
    needed = _said_of(node, lambda: n_configurations(cardinalities))
    if len(items) != needed:
        node.fail(f"has {len(items)} entries; the parents have {needed} configurations")
    found: dict[int, tuple[Any, Node]] = {}
    for item in items:
        members = item.members(("given", key))
        configuration = _configuration(members["given"], variables, parents)
        if configuration in found:
            members["given"].fail(f"{configuration_text(variables, parents, configuration)} comes twice")
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
    def wrong() -> NoReturn:
        node.fail('must be "uniform", {"fixed": {…}} or {"network": […]}')

    if node.value == "uniform":
        return uniform_initial(variables)
    if not isinstance(node.value, dict) or len(node.value) != 1:
        wrong()
    ((kind, inner),) = node.entries()
    if kind == "fixed":
        states = {name: state.text() for name, state in inner.entries()}
        return _said_of(inner, lambda: fixed_initial(variables, states))
    if kind != "network":
        wrong()
    return _initial_network(inner, variables, index)


def _initial_network(
    node: Node, variables: tuple[Variable, ...], index: dict[str, int]
) -> InitialDistribution:
    parents: dict[int, tuple[int, ...]] = {}
    tables: dict[int, NDArray[np.float64]] = {}
    for item in node.items():
        members = item.members(("variable", "parents", "tables"))
        name = members["variable"].text()
        i = index.get(name, -1)
        if i < 0 or i in parents:
            members["variable"].fail(f"{name!r} is named twice or is not a variable of this network")
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
    everyone = range(len(variables))
    missing = [variables[i].name for i in everyone if i not in parents]
    if missing:
        node.fail(f"lacks the variable {missing[0]!r}")
    return _said_of(
        node,
        lambda: InitialDistribution.build(
            variables, [parents[i] for i in everyone], [tables[i] for i in everyone]
        ),
    )
