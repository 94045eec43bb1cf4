"""Small networks as one Markov process over joint states: its intensity matrix and initial distribution.

Joint states are numbered in C order over the variables, the first variable slowest: with two binary
variables 00, 01, 10, 11. `numpy.unravel_index(k, network.cardinalities)` gives the states of number k.
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
    """Return all joint states, [number, variable]; refused where there are more than 4096."""
    count = 1
    for cardinality in network.cardinalities:
        count *= int(cardinality)
    if count > MAX_JOINT_STATES:
        raise InputError(
            f"the network has {count:,} joint states; the joint matrix is for at most {MAX_JOINT_STATES}"
        )
    return np.arange(count)[:, None] // _steps(network) % network.cardinalities


def _steps(network: Network) -> NDArray[np.int64]:
    """How far apart in number two joint states are that differ by one in a variable."""
    return np.append(np.cumprod(network.cardinalities[:0:-1], dtype=np.int64)[::-1], 1)


def joint_intensities(network: Network) -> NDArray[np.float64]:
    """Return the amalgamated intensity matrix: one variable changes at a time, at its own CIM's rate."""
    states = joint_states(network)
    cardinalities = network.cardinalities.astype(np.int64)
    steps = _steps(network)
    numbers = np.arange(len(states))
    matrix = np.zeros((len(states), len(states)))
    for i, cims in enumerate(network.cims):
        rows = cims.matrices(_configurations(states, network.parents[i], cardinalities))
        for to in range(int(cardinalities[i])):
            moving = np.flatnonzero(states[:, i] != to)
            target = numbers[moving] + (to - states[moving, i]) * steps[i]
            matrix[moving, target] = rows[moving, states[moving, i], to]
    matrix[numbers, numbers] = -matrix.sum(axis=1)
    return matrix


def joint_initial(network: Network) -> NDArray[np.float64]:
    """Return the probability of every joint state at the start."""
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
