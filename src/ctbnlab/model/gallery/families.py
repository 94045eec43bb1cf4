"""Chains, rings and trees of any size: every child imitates its parent.

A child goes into its parent's current state at the rate `follow` and into any other state at the rate
`stray`: with two states it joins its parent at 5 and leaves it at 0.5. A variable without a parent goes
from any state to any other at rate 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.model.generate import node_names, state_names
from ctbnlab.model.network import Network

_ROOT_RATE = 1.0


def chain(nodes: int = 5, states: int = 2, follow: float = 5.0, stray: float = 0.5) -> Network:
    """A chain X1 → X2 → … in which each variable follows the one before."""
    return _imitators("chain", [i - 1 for i in range(nodes)], states, follow, stray)


def ring(nodes: int = 5, states: int = 2, follow: float = 5.0, stray: float = 0.5) -> Network:
    """A ring X1 → X2 → … → X1 in which each variable follows the one before."""
    if nodes < 2:
        raise InputError(f"a ring has at least 2 variables, not {nodes}")
    return _imitators("ring", [(i - 1) % nodes for i in range(nodes)], states, follow, stray)


def tree(
    nodes: int = 7, states: int = 2, branches: int = 2, follow: float = 5.0, stray: float = 0.5
) -> Network:
    """A tree from X1 down in which each variable follows the one above."""
    if branches < 1:
        raise InputError(f"a tree has at least 1 branch a variable, not {branches}")
    return _imitators("tree", [(i - 1) // branches for i in range(nodes)], states, follow, stray)


def _imitators(family: str, models: Sequence[int], states: int, follow: float, stray: float) -> Network:
    """Build the network in which variable i imitates variable `models[i]`, or nobody where that is −1."""
    if not models or states < 2:
        raise InputError(f"a {family} has at least 1 variable and 2 states")
    if not 0 <= stray < np.inf or not 0 <= follow < np.inf:
        raise InputError("rates must not be negative or infinite")
    names = node_names(len(models))
    following = np.stack([_towards(np.where(np.arange(states) == p, follow, stray)) for p in range(states)])
    alone = _towards(np.full(states, _ROOT_RATE))
    return Network.build(
        variables=[(name, state_names(states)) for name in names],
        parents={name: [names[m]] for name, m in zip(names, models, strict=True) if m >= 0},
        cims={name: alone if m < 0 else following for name, m in zip(names, models, strict=True)},
        about={"gallery": family, "follow": follow, "stray": stray},
    )


def _towards(rates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the intensity matrix in which state x' is entered at rates[x'] from anywhere."""
    matrix = np.tile(rates, (len(rates), 1))
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    return matrix
