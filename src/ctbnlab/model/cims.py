"""Conditional intensity matrices: one matrix for each configuration of a variable's parents.

A configuration's number is that of C order over the parents' states, the first parent slowest. Rates
are either given (a table) or drawn by a law from a key when asked for: a node of ten quaternary parents
has a million matrices, of which a simulation visits few.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.model._rates import intensity_matrices
from ctbnlab.model.variables import Variable

LAWS = {"uniform": 0, "split": 1, "log-uniform": 2, "additive": 3}
MAX_CONFIGURATIONS = 2**62
# A row sums to 0 if it does so up to this share of its largest entry: what decimals rounded by hand leave.
ROW_TOLERANCE = 1e-9


def n_configurations(parent_cardinalities: Sequence[int]) -> int:
    """Return how many configurations parents of these cardinalities have."""
    count = 1
    for cardinality in parent_cardinalities:
        count *= int(cardinality)
    if count > MAX_CONFIGURATIONS:
        raise InputError(f"the parents have {count:.3g} configurations; at most 2^62 are supported")
    return count


def states_of(configuration: int, parent_cardinalities: Sequence[int]) -> tuple[int, ...]:
    """Return the parents' states in a configuration; Python integers, so that none is too large."""
    states = []
    for cardinality in reversed(parent_cardinalities):
        configuration, state = divmod(configuration, int(cardinality))
        states.append(state)
    return tuple(reversed(states))


def configuration_of(states: Sequence[int], parent_cardinalities: Sequence[int]) -> int:
    """Return the number of the configuration in which the parents are in these states."""
    configuration = 0
    for state, cardinality in zip(states, parent_cardinalities, strict=True):
        configuration = configuration * int(cardinality) + int(state)
    return configuration


def configuration_text(variables: Sequence[Variable], parents: Sequence[int], configuration: int) -> str:
    """Return a configuration for a person: `Full=yes, Hungry=no`; empty without parents."""
    states = states_of(configuration, [len(variables[j].states) for j in parents])
    return ", ".join(
        f"{variables[j].name}={variables[j].states[state]}" for j, state in zip(parents, states, strict=True)
    )


class Fault(NamedTuple):
    """What is wrong with a table of matrices, and in which row of which matrix."""

    configuration: int
    row: int
    what: str


def first_fault(q: NDArray[np.float64]) -> Fault | None:
    """Return the first row that no intensity matrix has: not finite, a negative rate, a sum other than 0."""
    off_diagonal = ~np.eye(q.shape[1], dtype=bool)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = q.sum(axis=2)
        unbalanced = ~(np.abs(sums) <= ROW_TOLERANCE * np.abs(q).max(axis=2, initial=0.0))
    infinite = np.asarray(~np.isfinite(q).all(axis=2))
    negative = np.asarray(((q < 0) & off_diagonal).any(axis=2))
    places = np.argwhere(infinite | negative | unbalanced)
    if not len(places):
        return None
    configuration, row = (int(k) for k in places[0])
    if infinite[configuration, row]:
        what = "has an entry that is not finite"
    elif negative[configuration, row]:
        rate = q[configuration, row][off_diagonal[row]].min()
        what = f"has a negative rate, {rate:.6g}; only the diagonal may be negative"
    else:
        what = f"sums to {sums[configuration, row]:.6g}, not 0"
    return Fault(configuration, row, what)


def split_intensities(q_matrix: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the exit rates q[…, x] and the next states' probabilities θ[…, x, x'] of intensity matrices.

    An absorbing state has q = 0 and a row of zeros in θ.
    """
    matrices = np.asarray(q_matrix, np.float64)
    c = matrices.shape[-1]
    diagonal = np.arange(c)
    exits = -matrices[..., diagonal, diagonal] + 0.0  # never the −0.0 of an absorbing state
    theta = np.divide(matrices, exits[..., None], out=np.zeros_like(matrices), where=(exits > 0)[..., None])
    theta[..., diagonal, diagonal] = 0.0
    return exits, theta


def join_intensities(exits: Any, theta: Any) -> NDArray[np.float64]:
    """Return the intensity matrices of exit rates q[…, x] and next states' probabilities θ[…, x, x']."""
    rates = np.asarray(exits, np.float64)
    matrices = rates[..., None] * np.asarray(theta, np.float64)
    diagonal = np.arange(rates.shape[-1])
    matrices[..., diagonal, diagonal] = -rates
    return matrices


class Cims(Protocol):
    """The intensity matrices of one variable, by parent configuration."""

    @property
    def n_configurations(self) -> int:
        """How many parent configurations there are."""

    @property
    def n_states(self) -> int:
        """How many states the variable has."""

    def matrices(self, configurations: Any) -> NDArray[np.float64]:
        """Return the matrices of some configurations: [configuration, x, x']."""

    def table(self) -> NDArray[np.float64]:
        """Return all matrices in the order of their configurations."""


@dataclass(frozen=True, eq=False)
class TabledCims:
    """Intensity matrices that are given: q[configuration, x, x'], rows summing to 0."""

    q: NDArray[np.float64]

    @property
    def n_configurations(self) -> int:
        """How many parent configurations there are."""
        return int(self.q.shape[0])

    @property
    def n_states(self) -> int:
        """How many states the variable has."""
        return int(self.q.shape[1])

    def matrices(self, configurations: Any) -> NDArray[np.float64]:
        """Return the matrices of some configurations."""
        return self.q[np.asarray(configurations, np.int64)]

    def table(self) -> NDArray[np.float64]:
        """Return all matrices."""
        return self.q


@dataclass(frozen=True)
class Law:
    """How rates are drawn: the kind (see `_philox.pxd`), its bounds, and the size of additive effects."""

    kind: str = "uniform"
    low: float = 1.0
    high: float = 5.0
    effect: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in LAWS:
            raise InputError(f"there is no rate law {self.kind!r}; there are {', '.join(LAWS)}")
        if not 0 < self.low <= self.high < float("inf"):
            raise InputError(f"rates must lie between 0 < low ≤ high, not between {self.low} and {self.high}")
        if not 0 <= self.effect < 100:
            raise InputError(f"the effect of additive rates must lie in [0, 100), not {self.effect}")
        if self.effect and self.kind != "additive":
            raise InputError(f"an effect goes with the rate law 'additive', not with {self.kind!r}")

    def described(self) -> dict[str, str | float]:
        """Return the law as JSON has it."""
        words: dict[str, str | float] = {"law": self.kind, "low": float(self.low), "high": float(self.high)}
        if self.kind == "additive":
            words["effect"] = float(self.effect)
        return words


@dataclass(frozen=True)
class DrawnCims:
    """Intensity matrices that a law and a 64-bit key determine; drawn anew whenever asked for."""

    law: Law
    key: int
    parent_cardinalities: tuple[int, ...]
    n_states: int

    def __post_init__(self) -> None:
        if not 0 <= self.key < 2**64:
            raise InputError(f"a key has 64 bits: 0 ≤ key < 2^64, not {self.key}")
        n_configurations(self.parent_cardinalities)
        largest = math.log(self.law.high) + self.law.effect * len(self.parent_cardinalities)
        if largest + math.log(self.n_states) > 700:
            raise InputError("rates this large do not fit a double; lower the law's bounds or its effect")

    @property
    def n_configurations(self) -> int:
        """How many parent configurations there are."""
        return n_configurations(self.parent_cardinalities)

    def matrices(self, configurations: Any) -> NDArray[np.float64]:
        """Return the matrices of some configurations."""
        return intensity_matrices(
            LAWS[self.law.kind],
            self.law.low,
            self.law.high,
            self.law.effect,
            self.key,
            np.ascontiguousarray(configurations, np.uint64).reshape(-1),
            np.array(self.parent_cardinalities, np.int32),
            self.n_states,
        )

    def table(self) -> NDArray[np.float64]:
        """Return all matrices; refused where they would need more than a gigabyte."""
        numbers = self.n_configurations * self.n_states**2
        if numbers > 2**27:
            raise InputError(f"a table of {numbers:.3g} rates would not fit; ask for single configurations")
        return self.matrices(np.arange(self.n_configurations, dtype=np.uint64))


def equal_cims(a: Cims, b: Cims, chunk: int = 4096) -> bool:
    """Tell whether two hold the same matrices to the last bit, given or drawn."""
    if a is b or a == b:
        return True
    if (a.n_configurations, a.n_states) != (b.n_configurations, b.n_states):
        return False
    return all(
        np.array_equal(a.matrices(part), b.matrices(part))
        for first in range(0, a.n_configurations, chunk)
        for part in (np.arange(first, min(first + chunk, a.n_configurations)),)
    )
