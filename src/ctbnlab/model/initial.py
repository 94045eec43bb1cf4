"""The initial distribution of a network: a Bayesian network over the initial states."""

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

# A row of probabilities must sum to 1 up to this error.
SUM_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class InitialDistribution:
    """A Bayesian network over the initial states: for each variable its parents and a table.

    `tables[i]` is [configuration of the parents, state]; each row is a distribution. `order` lists the
    variables with parents before children.
    """

    parents: tuple[tuple[int, ...], ...]
    tables: tuple[NDArray[np.float64], ...]
    order: tuple[int, ...]

    @classmethod
    def build(
        cls, variables: Sequence[Variable], parents: Sequence[Sequence[int]], tables: Sequence[Any]
    ) -> InitialDistribution:
        """Check the parents and tables, and return the distribution."""
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
        """Whether no variable has a parent in the initial distribution."""
        return not any(self.parents)

    @property
    def uniform(self) -> bool:
        """Whether the initial states are independent and each is uniform."""
        return self.independent and all((table == 1 / table.shape[1]).all() for table in self.tables)

    @property
    def fixed(self) -> tuple[int, ...] | None:
        """The joint state that has probability 1, or None."""
        if not self.independent or not all(((table == 0) | (table == 1)).all() for table in self.tables):
            return None
        return tuple(int(table[0].argmax()) for table in self.tables)

    def equals(self, other: InitialDistribution) -> bool:
        """Return whether `other` has the same parents and, bit for bit, the same tables."""
        return self.parents == other.parents and all(
            np.array_equal(a, b) for a, b in zip(self.tables, other.tables, strict=True)
        )


def uniform_initial(variables: Sequence[Variable]) -> InitialDistribution:
    """Return the distribution in which all variables are independent and uniform."""
    tables = [np.full((1, len(states)), 1 / len(states)) for _, states in variables]
    return InitialDistribution.build(variables, [()] * len(tables), tables)


def fixed_initial(variables: Sequence[Variable], states: Mapping[str, str]) -> InitialDistribution:
    """Return the distribution that always starts in one joint state, {variable: state} for every variable."""
    unknown = [name for name in states if name not in {variable.name for variable in variables}]
    if unknown:
        raise InputError(f"an initial state is given for {unknown[0]!r}, which is not a variable")
    tables = []
    for name, labels in variables:
        if name not in states:
            raise InputError("has no initial state", place=f"variable {name!r}")
        if states[name] not in labels:
            raise InputError(
                f"unknown initial state {states[name]!r}; its states are {', '.join(labels)}",
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
        raise InputError("the variable is its own parent, or has a parent twice", place=place)
    rows = np.array(table, np.float64, ndmin=2)
    expected = (n_configurations([len(variables[j].states) for j in parents]), len(states))
    if rows.shape != expected:
        raise InputError(f"its table has shape {rows.shape} instead of {expected}", place=place)
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
    """Return an order with parents before children: always the first variable whose parents are placed."""
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
