"""The initial distribution of a network: a Bayesian network over the states at the start."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.model.cims import configuration_text, n_configurations
from ctbnlab.model.variables import Variable

# A row of probabilities sums to 1 up to this much.
SUM_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class InitialDistribution:
    """A Bayesian network over the initial states: for each variable its parents and a table.

    `tables[i]` is [configuration of the parents, state], each row a distribution. `order` is an order of
    the variables in which parents come first.
    """

    parents: tuple[tuple[int, ...], ...]
    tables: tuple[NDArray[np.float64], ...]
    order: tuple[int, ...]

    @classmethod
    def build(
        cls, variables: Sequence[Variable], parents: Sequence[Sequence[int]], tables: Sequence[Any]
    ) -> InitialDistribution:
        """Check parents and tables, find the order, and return the distribution."""
        checked_parents = tuple(tuple(int(j) for j in row) for row in parents)
        return cls(
            parents=checked_parents,
            tables=tuple(
                _checked_table(variables, i, checked_parents[i], table) for i, table in enumerate(tables)
            ),
            order=_parents_first(variables, checked_parents),
        )

    @property
    def independent(self) -> bool:
        """Whether no variable has a parent at the start."""
        return not any(self.parents)

    @property
    def uniform(self) -> bool:
        """Whether all joint states are equally likely, said without parents."""
        return self.independent and all((table == 1 / table.shape[1]).all() for table in self.tables)

    @property
    def fixed(self) -> tuple[int, ...] | None:
        """The one joint state that has all the probability, or None."""
        if not self.independent or not all(((table == 0) | (table == 1)).all() for table in self.tables):
            return None
        return tuple(int(table[0].argmax()) for table in self.tables)

    def equals(self, other: InitialDistribution) -> bool:
        """Tell whether the other has the same parents and the same tables to the last bit."""
        return self.parents == other.parents and all(
            np.array_equal(a, b) for a, b in zip(self.tables, other.tables, strict=True)
        )


def uniform_initial(variables: Sequence[Variable]) -> InitialDistribution:
    """Return the distribution in which every variable starts anywhere, independently of the others."""
    tables = [np.full((1, len(states)), 1 / len(states)) for _, states in variables]
    return InitialDistribution.build(variables, [()] * len(tables), tables)


def fixed_initial(variables: Sequence[Variable], states: Mapping[str, str]) -> InitialDistribution:
    """Return the distribution that starts in one joint state: {variable: state}, every variable named."""
    unknown = [name for name in states if name not in {variable.name for variable in variables}]
    if unknown:
        raise InputError(f"there is no variable {unknown[0]!r} to start in a state")
    tables = []
    for name, labels in variables:
        if name not in states:
            raise InputError("has no state to start in", place=f"variable {name!r}")
        if states[name] not in labels:
            raise InputError(
                f"cannot start in {states[name]!r}; its states are {', '.join(labels)}",
                place=f"variable {name!r}",
            )
        tables.append(np.array([[float(label == states[name]) for label in labels]]))
    return InitialDistribution.build(variables, [()] * len(tables), tables)


def _checked_table(
    variables: Sequence[Variable], target: int, parents: tuple[int, ...], table: Any
) -> NDArray[np.float64]:
    name, states = variables[target]
    place = f"initial distribution of {name!r}"
    if target in parents or len(set(parents)) < len(parents):
        raise InputError("a variable appears twice among the variable and its parents", place=place)
    rows = np.array(table, np.float64, ndmin=2)
    expected = (n_configurations([len(variables[j].states) for j in parents]), len(states))
    if rows.shape != expected:
        raise InputError(f"has the shape {rows.shape}; {expected} are needed", place=place)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = rows.sum(axis=1)
    bad = np.flatnonzero(~((rows >= 0).all(axis=1) & (np.abs(sums - 1) <= SUM_TOLERANCE)))
    if len(bad):
        text = configuration_text(variables, parents, int(bad[0]))
        negative = not (rows[bad[0]] >= 0).all()
        raise InputError(
            "has a probability that is negative or not a number"
            if negative
            else f"its probabilities sum to {sums[bad[0]]:.6g}, not 1",
            place=", ".join(part for part in (place, text) if part),
        )
    return rows


def _parents_first(variables: Sequence[Variable], parents: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """Return an order in which parents come first: always the least variable whose parents are all placed."""
    waiting = [len(row) for row in parents]
    children: list[list[int]] = [[] for _ in parents]
    for child, row in enumerate(parents):
        for parent in row:
            children[parent].append(child)
    order: list[int] = []
    ready = [i for i, count in enumerate(waiting) if not count]
    while ready:
        placed = heapq.heappop(ready)
        order.append(placed)
        for child in children[placed]:
            waiting[child] -= 1
            if not waiting[child]:
                heapq.heappush(ready, child)
    if len(order) < len(parents):
        stuck = [variables[i].name for i, count in enumerate(waiting) if count]
        raise InputError(
            f"the initial distribution has a cycle among {', '.join(stuck)}; its graph must be acyclic"
        )
    return tuple(order)
