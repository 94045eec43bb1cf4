"""Facts about a network or a data set, as plain values for JSON or the terminal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.model.cims import states_of
from ctbnlab.model.network import Network
from ctbnlab.model.network_json import require_writable

# Events are counted in pieces of this many, so that memory does not grow with the data.
_PIECE = 1 << 20


def network_facts(network: Network, *, with_cims: bool) -> dict[str, Any]:
    """Return a network's variables, arcs, sizes and initial distribution, and its matrices on request."""
    if with_cims:
        require_writable(network)
    children: list[list[str]] = [[] for _ in network.variables]
    for name, row in zip(network.names, network.parents, strict=True):
        for parent in row:
            children[parent].append(name)
    variables = []
    for i, (name, states) in enumerate(network.variables):
        entry: dict[str, Any] = {
            "name": name,
            "states": list(states),
            "parents": [network.variables[j].name for j in network.parents[i]],
            "children": children[i],
            "configurations": network.cims[i].n_configurations,
        }
        if network.roles:
            entry["role"] = network.roles.role_of(name)
        if with_cims:
            entry["cims"] = _tables(network, network.parents[i], network.cims[i].table(), "intensities")
        variables.append(entry)
    return {
        "kind": "network",
        "n_variables": len(network.variables),
        "n_arcs": network.n_arcs,
        "density": network.density,
        "n_rates": network.n_parameters,
        "about": dict(network.about),
        **({"roles": network.roles.described()} if network.roles else {}),
        "variables": variables,
        "arcs": [list(arc) for arc in network.arcs],
        "initial": _initial_facts(network),
    }


def _initial_facts(network: Network) -> dict[str, Any]:
    initial = network.initial
    return {
        "kind": "uniform" if initial.uniform else "fixed" if initial.fixed is not None else "network",
        "variables": [
            {
                "name": name,
                "parents": [network.variables[j].name for j in initial.parents[i]],
                "tables": _tables(network, initial.parents[i], initial.tables[i], "probabilities"),
            }
            for i, name in enumerate(network.names)
        ],
    }


def _tables(network: Network, parents: tuple[int, ...], values: Any, key: str) -> list[dict[str, Any]]:
    cardinalities = [len(network.variables[j].states) for j in parents]
    return [
        {
            "given": {
                network.variables[j].name: network.variables[j].states[state]
                for j, state in zip(parents, states_of(u, cardinalities), strict=True)
            },
            key: value,
        }
        for u, value in enumerate(values.tolist())
    ]


def data_facts(data: Trajectories) -> dict[str, Any]:
    """Return a data set's sizes, and for each variable the time in each state and the rates.

    A rate is the number of transitions divided by the time in the state they leave, regardless of other
    variables; None if no time was spent there.
    """
    variables = []
    for (name, states), time, transitions in zip(data.variables, *occupancy(data), strict=True):
        with np.errstate(divide="ignore", invalid="ignore"):
            rates = transitions / time[:, None]
        np.fill_diagonal(rates, -rates.sum(axis=1))
        variables.append(
            {
                "name": name,
                "states": list(states),
                "events": int(transitions.sum()),
                "time": time.tolist(),
                "transitions": transitions.tolist(),
                "rates": [
                    row if spent > 0 else [None] * len(row)
                    for row, spent in zip((rates + 0.0).tolist(), time, strict=True)
                ],
            }
        )
    return {
        "kind": "trajectories",
        "n_variables": data.n_variables,
        "n_trajectories": data.n_trajectories,
        "n_events": data.n_events,
        "time_observed": data.total_time,
        "variables": variables,
        **({} if data.is_plain else _extras(data)),
    }


def _extras(data: Trajectories) -> dict[str, Any]:
    """Return what plain data do not have: roles, and the share of instants with several changes."""
    instants, tied = data.tied_instants()
    return {
        "roles": data.roles.described(),
        "tied_instants": tied / instants if instants else 0.0,
        "gaps": [name for name, gaps in zip(data.names, data.gaps, strict=True) if gaps],
    }


def occupancy(data: Trajectories) -> tuple[list[NDArray[np.float64]], list[NDArray[np.int64]]]:
    """Return for each variable the time in each state, T[x], and its transitions, M[x, x'].

    The time in x is the sum of the times at which x is left minus those at which it is entered, measured
    from the start of the trajectory; the end of the trajectory counts as leaving.
    """
    data = data.compact()
    cardinalities = data.events.cardinalities.astype(np.int64)  # gaps are counted as states, then left out
    first_state = np.concatenate([[0], np.cumsum(cardinalities)])
    first_pair = np.concatenate([[0], np.cumsum(cardinalities**2)])
    time = np.zeros(first_state[-1])
    transitions = np.zeros(first_pair[-1], np.int64)
    final = data.initial.copy()
    for begin in range(0, data.n_changes, _PIECE):
        events = slice(begin, min(begin + _PIECE, data.n_changes))
        variable, old, new = (
            column[events].astype(np.int64) for column in (data.variable, data.old, data.new)
        )
        trajectory = _trajectory_of(data, events)
        elapsed = data.time[events] - data.start[trajectory]
        final[trajectory, variable] = new  # with several events of a variable, the last assignment wins
        time += np.bincount(first_state[variable] + old, elapsed, len(time))
        time -= np.bincount(first_state[variable] + new, elapsed, len(time))
        pair = first_pair[variable] + old * cardinalities[variable] + new
        transitions += np.bincount(pair, minlength=len(transitions))
    times = np.split(time, first_state[1:-1])
    for j, spent in enumerate(times):
        spent += np.bincount(final[:, j], data.end - data.start, len(spent))
        np.maximum(spent, 0.0, out=spent)  # rounding can make a time of almost 0 negative
    pairs = np.split(transitions, first_pair[1:-1])
    moves = [part.reshape(c, c) for part, c in zip(pairs, cardinalities, strict=True)]
    states = data.cardinalities
    return (
        [spent[:c] for spent, c in zip(times, states, strict=True)],
        [part[:c, :c] for part, c in zip(moves, states, strict=True)],
    )


def _trajectory_of(data: Trajectories, events: slice) -> NDArray[np.int64]:
    """Return the trajectory of each event in a range of compact data."""
    first = int(np.searchsorted(data.stop, events.start, side="right"))
    last = int(np.searchsorted(data.begin, events.stop, side="left"))
    counts = np.minimum(data.stop[first:last], events.stop) - np.maximum(data.begin[first:last], events.start)
    return np.repeat(np.arange(first, last), counts)
