"""Conditional intensity matrices (CIMs): one matrix for each configuration of a variable's parents.

Configurations are numbered in C order of the parents' states, the first parent varying slowest. Rates are
either given as a table or drawn on demand from a law and a key: a node with ten quaternary parents has a
million matrices, of which a simulation visits only a few.
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
# Sums of more than this could be infinite, and a simulation would never end.
MAX_RATE = 1e100
# A row must sum to 0 up to this share of its largest entry: hand-rounded decimals leave such errors.
ROW_TOLERANCE = 1e-9


def n_configurations(parent_cardinalities: Sequence[int]) -> int:
    """Return the number of configurations of parents with these cardinalities."""
    count = 1
    for cardinality in parent_cardinalities:
        count *= int(cardinality)
    if count > MAX_CONFIGURATIONS:
        raise InputError(f"the parents have {count:.3g} configurations; at most 2^62 are supported")
    return count


def states_of(configuration: int, parent_cardinalities: Sequence[int]) -> tuple[int, ...]:
    """Return the parents' states in a configuration, in Python integers, which do not overflow."""
    states = []
    for cardinality in reversed(parent_cardinalities):
        configuration, state = divmod(configuration, int(cardinality))
        states.append(state)
    return tuple(reversed(states))


def configuration_of(states: Sequence[int], parent_cardinalities: Sequence[int]) -> int:
    """Return the number of the configuration with these parent states."""
    configuration = 0
    for state, cardinality in zip(states, parent_cardinalities, strict=True):
        configuration = configuration * int(cardinality) + int(state)
    return configuration


def configuration_text(variables: Sequence[Variable], parents: Sequence[int], configuration: int) -> str:
    """Return a readable configuration, such as `Full=yes, Hungry=no`; empty if there are no parents."""
    states = states_of(configuration, [len(variables[j].states) for j in parents])
    return ", ".join(
        f"{variables[j].name}={variables[j].states[state]}" for j, state in zip(parents, states, strict=True)
    )


class Fault(NamedTuple):
    """An invalid row in a table of matrices: its configuration, the row, and what is wrong."""

    configuration: int
    row: int
    message: str


def first_fault(q: NDArray[np.float64]) -> Fault | None:
    """Return the first row with an entry that is not finite, a negative rate, or a sum other than 0."""
    off_diagonal = ~np.eye(q.shape[1], dtype=bool)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = q.sum(axis=2)
        unbalanced = ~(np.abs(sums) <= ROW_TOLERANCE * np.abs(q).max(axis=2, initial=0.0))
    infinite = np.asarray(~np.isfinite(q).all(axis=2))
    huge = np.asarray((np.abs(q) > MAX_RATE).any(axis=2))
    negative = np.asarray(((q < 0) & off_diagonal).any(axis=2))
    places = np.argwhere(infinite | huge | negative | unbalanced)
    if not len(places):
        return None
    configuration, row = (int(k) for k in places[0])
    if infinite[configuration, row]:
        message = "has an entry that is not finite"
    elif huge[configuration, row]:
        message = f"has a rate above {MAX_RATE:g}; use a smaller unit of time"
    elif negative[configuration, row]:
        rate = q[configuration, row][off_diagonal[row]].min()
        message = f"has a negative rate, {rate:.6g}; only the diagonal may be negative"
    else:
        message = f"sums to {sums[configuration, row]:.6g}, not 0"
    return Fault(configuration, row, message)


class Cims(Protocol):
    """The intensity matrices of one variable, by parent configuration."""

    @property
    def n_configurations(self) -> int:
        """The number of parent configurations."""

    @property
    def n_states(self) -> int:
        """The number of states of the variable."""

    def matrices(self, configurations: Any) -> NDArray[np.float64]:
        """Return the matrices of the given configurations: [configuration, x, x']."""

    def table(self) -> NDArray[np.float64]:
        """Return the matrices of all configurations, in order."""


@dataclass(frozen=True, eq=False)
class TabledCims:
    """Intensity matrices given as a table: q[configuration, x, x'], with rows that sum to 0."""

    q: NDArray[np.float64]

    @property
    def n_configurations(self) -> int:
        """The number of parent configurations."""
        return int(self.q.shape[0])

    @property
    def n_states(self) -> int:
        """The number of states of the variable."""
        return int(self.q.shape[1])

    def matrices(self, configurations: Any) -> NDArray[np.float64]:
        """Return the matrices of the given configurations."""
        return self.q[np.asarray(configurations, np.int64)]

    def table(self) -> NDArray[np.float64]:
        """Return all matrices."""
        return self.q


@dataclass(frozen=True)
class Law:
    """The law that rates are drawn from: kind (see `_philox.pxd`), bounds, and size of additive effects."""

    kind: str = "uniform"
    low: float = 1.0
    high: float = 5.0
    effect: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in LAWS:
            raise InputError(f"unknown rate law {self.kind!r}; known laws: {', '.join(LAWS)}")
        if not 0 < self.low <= self.high < float("inf"):
            raise InputError(f"rate bounds must satisfy 0 < low ≤ high, not low={self.low}, high={self.high}")
        if not 0 <= self.effect < 100:
            raise InputError(f"the effect of additive rates must be in [0, 100), not {self.effect}")
        if self.effect and self.kind != "additive":
            raise InputError(f"an effect requires the rate law 'additive', not {self.kind!r}")

    def to_json(self) -> dict[str, str | float]:
        """Return the law as a JSON object."""
        entry: dict[str, str | float] = {"law": self.kind, "low": float(self.low), "high": float(self.high)}
        if self.kind == "additive":
            entry["effect"] = float(self.effect)
        return entry


@dataclass(frozen=True)
class DrawnCims:
    """Intensity matrices determined by a law and a 64-bit key, and drawn again on each request."""

    law: Law
    key: int
    parent_cardinalities: tuple[int, ...]
    n_states: int

    def __post_init__(self) -> None:
        if not 0 <= self.key < 2**64:
            raise InputError(f"a key must have 64 bits (0 ≤ key < 2^64), not {self.key}")
        n_configurations(self.parent_cardinalities)
        largest = math.log(self.law.high) + self.law.effect * len(self.parent_cardinalities)
        if largest + math.log(self.n_states) > 700:
            raise InputError("the rates are too large for a double; lower the law's bounds or its effect")

    @property
    def n_configurations(self) -> int:
        """The number of parent configurations."""
        return n_configurations(self.parent_cardinalities)

    def matrices(self, configurations: Any) -> NDArray[np.float64]:
        """Return the matrices of the given configurations."""
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
        """Return all matrices; refused if they need more than a gigabyte."""
        size = self.n_configurations * self.n_states**2
        if size > 2**27:
            raise InputError(f"a table of {size:.3g} rates is too large; request single configurations")
        return self.matrices(np.arange(self.n_configurations, dtype=np.uint64))


def equal_cims(a: Cims, b: Cims, chunk: int = 4096) -> bool:
    """Return whether two variables have the same matrices bit for bit, given or drawn."""
    if a is b or a == b:
        return True
    if (a.n_configurations, a.n_states) != (b.n_configurations, b.n_states):
        return False
    return all(
        np.array_equal(a.matrices(part), b.matrices(part))
        for first in range(0, a.n_configurations, chunk)
        for part in (np.arange(first, min(first + chunk, a.n_configurations)),)
    )
