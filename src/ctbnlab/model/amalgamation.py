"""A small network as one Markov process over joint states: its intensity matrix and initial distribution.

Joint states are numbered in C order, the first variable varying slowest: 00, 01, 10, 11 for two binary
variables. `numpy.unravel_index(k, network.cardinalities)` returns the states of joint state k.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError

if TYPE_CHECKING:
    from ctbnlab.model.network import Network

MAX_JOINT_STATES = 4096


def joint_states(network: Network) -> NDArray[np.int64]:
    """Return all joint states, [number, variable]; at most 4096."""
    count = 1
    for cardinality in network.cardinalities:
        count *= int(cardinality)
    if count > MAX_JOINT_STATES:
        raise InputError(
            f"the network has {count:,} joint states; at most {MAX_JOINT_STATES:,} are supported"
        )
    return np.arange(count)[:, None] // _strides(network) % network.cardinalities


def _strides(network: Network) -> NDArray[np.int64]:
    """Return for each variable by how much its state changes the number of the joint state."""
    return np.append(np.cumprod(network.cardinalities[:0:-1], dtype=np.int64)[::-1], 1)


def joint_intensities(network: Network) -> NDArray[np.float64]:
    """Return the amalgamated intensity matrix: one variable changes at a time, at the rate of its CIM."""
    if network.roles.clocks:
        raise InputError(
            f"the network has the clock {network.roles.clocks[0].name!r}, so it has no constant joint rates"
        )
    states = joint_states(network)
    cardinalities = network.cardinalities.astype(np.int64)
    strides = _strides(network)
    numbers = np.arange(len(states))
    matrix = np.zeros((len(states), len(states)))
    for i, cims in enumerate(network.cims):
        rows = cims.matrices(_configurations(states, network.parents[i], cardinalities))
        for new in range(int(cardinalities[i])):
            moving = np.flatnonzero(states[:, i] != new)
            target = numbers[moving] + (new - states[moving, i]) * strides[i]
            matrix[moving, target] = rows[moving, states[moving, i], new]
    matrix[numbers, numbers] = -matrix.sum(axis=1)
    return matrix


def joint_initial(network: Network) -> NDArray[np.float64]:
    """Return the initial probability of every joint state."""
    states = joint_states(network)
    cardinalities = network.cardinalities.astype(np.int64)
    probability = np.ones(len(states))
    for i in network.initial.order:
        rows = _configurations(states, network.initial.parents[i], cardinalities)
        probability *= network.initial.tables[i][rows, states[:, i]]
    return probability


def _configurations(
    states: NDArray[np.int64], parents: tuple[int, ...], cardinalities: NDArray[np.int64]
) -> NDArray[np.int64]:
    result = np.zeros(len(states), np.int64)
    for parent in parents:
        result = result * cardinalities[parent] + states[:, parent]
    return result
