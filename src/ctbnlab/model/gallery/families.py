"""Chains, rings and trees of any size in which every child imitates its parent.

A child enters its parent's current state at rate `follow` and any other state at rate `stray`; by default,
with two states, it joins its parent's state at rate 5 and leaves it at rate 0.5. A variable without a parent
goes from any state to any other at rate 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.model.generate import node_names, state_names
from ctbnlab.model.network import Network
from ctbnlab.model.variables import MAX_STATES, MAX_VARIABLES

_ROOT_RATE = 1.0


def chain(nodes: int = 5, states: int = 2, follow: float = 5.0, stray: float = 0.5) -> Network:
    """A chain X1 → X2 → … in which each variable follows the one before."""
    _check_sizes("chain", nodes, states)
    return _imitators("chain", [i - 1 for i in range(nodes)], states, follow, stray)


def ring(nodes: int = 5, states: int = 2, follow: float = 5.0, stray: float = 0.5) -> Network:
    """A ring X1 → X2 → … → X1 in which each variable follows the one before."""
    if nodes < 2:
        raise InputError(f"a ring needs at least 2 variables, not {nodes}")
    _check_sizes("ring", nodes, states)
    return _imitators("ring", [(i - 1) % nodes for i in range(nodes)], states, follow, stray)


def tree(
    nodes: int = 7, states: int = 2, branches: int = 2, follow: float = 5.0, stray: float = 0.5
) -> Network:
    """A tree with root X1 in which each variable follows its parent."""
    if branches < 1:
        raise InputError(f"a tree needs at least 1 branch per variable, not {branches}")
    _check_sizes("tree", nodes, states)
    return _imitators("tree", [(i - 1) // branches for i in range(nodes)], states, follow, stray)


def _check_sizes(family: str, nodes: int, states: int) -> None:
    """Refuse sizes before anything of that size is made."""
    if nodes < 1 or states < 2:
        raise InputError(f"a {family} needs at least 1 variable and 2 states")
    if nodes > MAX_VARIABLES or states > MAX_STATES:
        raise InputError(f"a {family} has at most {MAX_VARIABLES:,} variables and {MAX_STATES} states")


def _imitators(family: str, imitated: Sequence[int], n_states: int, follow: float, stray: float) -> Network:
    """Build the network in which variable i imitates variable `imitated[i]`, or none if that is −1."""
    if not 0 <= stray < np.inf or not 0 <= follow < np.inf:
        raise InputError("rates must not be negative or infinite")
    names = node_names(len(imitated))
    child = np.stack([_towards(np.where(np.arange(n_states) == p, follow, stray)) for p in range(n_states)])
    root = _towards(np.full(n_states, _ROOT_RATE))
    return Network.build(
        variables=[(name, state_names(n_states)) for name in names],
        parents={name: [names[j]] for name, j in zip(names, imitated, strict=True) if j >= 0},
        cims={name: root if j < 0 else child for name, j in zip(names, imitated, strict=True)},
        about={"gallery": family, "follow": follow, "stray": stray},
    )


def _towards(rates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the intensity matrix in which state x' is entered at rates[x'] from every other state."""
    matrix = np.tile(rates, (len(rates), 1))
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    return matrix
