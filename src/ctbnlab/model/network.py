"""A continuous-time Bayesian network (the paper's Definition 1).

It consists of variables with named states, a directed and possibly cyclic graph, conditional intensity
matrices for each variable given its parents, and an initial distribution that is a Bayesian network.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.io.shown import counted
from ctbnlab.model.cims import (
    Cims,
    TabledCims,
    configuration_of,
    configuration_text,
    equal_cims,
    first_fault,
    n_configurations,
)
from ctbnlab.model.initial import InitialDistribution, fixed_initial, uniform_initial
from ctbnlab.model.network_methods import NetworkMethods
from ctbnlab.model.network_roles import checked_roles
from ctbnlab.model.roles import Roles
from ctbnlab.model.variables import Variable, checked_variables

__all__ = ["InitialDistribution", "Network"]


@dataclass(frozen=True, eq=False, repr=False)
class Network(NetworkMethods):
    """A continuous-time Bayesian network.

    `parents[i]` are the indices of variable i's parents. Their order determines the numbers of the
    configurations in `cims[i]`: the first parent varies slowest. `about` is a free JSON object, meant for
    the origin of the network. `roles` names static and terminal variables and clocks (see `network_roles`).
    """

    variables: tuple[Variable, ...]
    parents: tuple[tuple[int, ...], ...]
    cims: tuple[Cims, ...]
    initial: InitialDistribution
    about: Mapping[str, Any] = field(default_factory=dict)
    roles: Roles = field(default_factory=Roles)

    @classmethod
    def build(
        cls,
        variables: Iterable[tuple[str, Iterable[str]]],
        parents: Mapping[str, Sequence[str]],
        cims: Mapping[str, Any],
        initial: InitialDistribution | Mapping[str, str] | None = None,
        about: Mapping[str, Any] | None = None,
        roles: Roles | None = None,
    ) -> Network:
        """Check everything and return the network.

        `parents` names each variable's parents; a variable left out has none. `cims` maps each variable to
        an array [configuration, x, x'], to a single matrix if it has no parents, or to a `Cims`. `initial`
        is a distribution, or one state for each variable; None is the independent uniform distribution.
        Static variables and clocks need no `cims`: their rates are 0.
        """
        variables, roles = checked_variables(variables), roles or Roles()
        index = {variable.name: i for i, variable in enumerate(variables)}
        for mapping, what in ((parents, "parents"), (cims, "intensity matrices")):
            for name in mapping:
                if name not in index:
                    raise InputError(f"{what} are given for {name!r}, which is not a variable")
        arcs = tuple(_checked_parents(name, parents.get(name, ()), index) for name in index)
        cims = {**_without_rates(variables, roles), **cims}
        checked = tuple(_checked_cims(variables, i, arcs[i], cims.get(name)) for name, i in index.items())
        return cls(
            variables=variables,
            parents=arcs,
            cims=checked,
            initial=uniform_initial(variables) if initial is None else _checked_initial(variables, initial),
            about=dict(about or {}),
            roles=checked_roles(variables, arcs, checked, roles),
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Network:
        """Read a network from JSON (`.json`, `.json.gz`)."""
        from ctbnlab.model.network_json import read

        return read(path)

    def write(self, path: str | os.PathLike[str], rates: str = "auto") -> None:
        """Write the network as JSON; `network_json.to_json` describes `rates`."""
        from ctbnlab.model.network_json import write

        write(self, path, rates)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(variable.name for variable in self.variables)

    @property
    def cardinalities(self) -> NDArray[np.int32]:
        """The number of states of each variable."""
        return np.array([len(variable.states) for variable in self.variables], np.int32)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {variable.name: i for i, variable in enumerate(self.variables)}

    def index(self, name: str) -> int:
        """Return the index of a variable."""
        if name not in self._index:
            raise InputError(f"unknown variable {name!r}; the variables are {', '.join(self.names)}")
        return self._index[name]

    def _named(self, indices: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.variables[j].name for j in indices)

    def parents_of(self, name: str) -> tuple[str, ...]:
        """Return the names of a variable's parents, in the order that determines configuration numbers."""
        return self._named(self.parents[self.index(name)])

    def children_of(self, name: str) -> tuple[str, ...]:
        """Return the names of the variables that have this one as a parent."""
        i = self.index(name)
        return self._named(j for j, row in enumerate(self.parents) if i in row)

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """Return the names of parents, children and the children's other parents."""
        i = self.index(name)
        blanket = set(self.parents[i])
        for j, row in enumerate(self.parents):
            if i in row:
                blanket |= {j, *row}
        return self._named(sorted(blanket - {i}))

    @property
    def arcs(self) -> list[tuple[str, str]]:
        """All arcs as (parent, child), ordered by parent and then by child."""
        return [(self.variables[i].name, self.variables[j].name) for i, j in np.argwhere(self.adjacency())]

    def adjacency(self) -> NDArray[np.bool_]:
        """Return the matrix whose entry [i, j] is True if there is an arc from variable i to j."""
        matrix = np.zeros((len(self.variables),) * 2, bool)
        for child, row in enumerate(self.parents):
            matrix[list(row), child] = True
        return matrix

    @property
    def n_arcs(self) -> int:
        """The number of arcs."""
        return sum(len(row) for row in self.parents)

    @property
    def density(self) -> float:
        """The share of the n·(n − 1) possible arcs that are present; 0 if there is only one variable."""
        n = len(self.variables)
        return self.n_arcs / (n * (n - 1)) if n > 1 else 0.0

    @property
    def n_parameters(self) -> int:
        """The number of off-diagonal rates of all variables that have rates: no static ones, no clocks."""
        without = self.roles.never_targets
        return sum(
            cims.n_configurations * cims.n_states * (cims.n_states - 1)
            for name, cims in zip(self.names, self.cims, strict=True)
            if name not in without
        )

    def cim(
        self, variable: str, given: Mapping[str, str] | None = None, /, **parent_states: str
    ) -> NDArray[np.float64]:
        """Return the intensity matrix of a variable given its parents' states.

        Parents are keyword arguments, as in `network.cim("Hungry", Full="yes")`; names that are not Python
        identifiers go in the mapping `given`.
        """
        i = self.index(variable)
        states = {**(given or {}), **parent_states}
        parents = self.parents[i]
        if set(states) != set(self._named(parents)):
            expected = ", ".join(self._named(parents)) or "none"
            raise InputError(
                f"states are given for {', '.join(states) or 'none'}, but its parents are {expected}",
                place=f"variable {variable!r}",
            )
        codes = [self._code(j, states[self.variables[j].name]) for j in parents]
        configuration = configuration_of(codes, [len(self.variables[j].states) for j in parents])
        matrix: NDArray[np.float64] = self.cims[i].matrices([configuration])[0]
        return matrix

    def _code(self, variable: int, state: str) -> int:
        name, states = self.variables[variable]
        if state not in states:
            raise InputError(
                f"has no state {state!r}; its states are {', '.join(states)}", place=f"variable {name!r}"
            )
        return states.index(state)

    def amalgamated(self) -> NDArray[np.float64]:
        """Return the joint intensity matrix of a small network; see `amalgamation.joint_intensities`."""
        from ctbnlab.model.amalgamation import joint_intensities

        return joint_intensities(self)

    def joint_initial(self) -> NDArray[np.float64]:
        """Return the joint initial distribution of a small network, in the order of `amalgamated`."""
        from ctbnlab.model.amalgamation import joint_initial

        return joint_initial(self)

    def with_initial(self, initial: InitialDistribution | Mapping[str, str]) -> Network:
        """Return the same network with another initial distribution or a fixed initial state."""
        return replace(self, initial=_checked_initial(self.variables, initial))

    def to_networkx(self) -> Any:
        """Return the graph as a networkx DiGraph; nodes carry their `states`."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from((name, {"states": states}) for name, states in self.variables)
        graph.add_edges_from(self.arcs)
        return graph

    def equals(self, other: Network) -> bool:
        """Return whether `other` is the same model, bit for bit; `about` is not compared."""
        return (
            self.variables == other.variables
            and self.parents == other.parents
            and self.roles == other.roles
            and self.initial.equals(other.initial)
            and all(equal_cims(a, b) for a, b in zip(self.cims, other.cims, strict=True))
        )

    def __repr__(self) -> str:
        return f"<Network: {counted(len(self.variables), 'variable')}, {counted(self.n_arcs, 'arc')}>"


def _checked_parents(name: str, parents: Sequence[str], index: Mapping[str, int]) -> tuple[int, ...]:
    place = f"variable {name!r}"
    for parent in parents:
        if parent not in index:
            raise InputError(f"its parent {parent!r} is not a variable", place=place)
        if parent == name:
            raise InputError("is its own parent; a variable depends on its own state anyway", place=place)
    if len(set(parents)) < len(parents):
        twice = next(parent for parent in parents if list(parents).count(parent) > 1)
        raise InputError(f"has the parent {twice!r} twice", place=place)
    return tuple(index[parent] for parent in parents)


def _checked_initial(
    variables: Sequence[Variable], initial: InitialDistribution | Mapping[str, str]
) -> InitialDistribution:
    if isinstance(initial, Mapping):
        return fixed_initial(variables, initial)
    if [table.shape[1] for table in initial.tables] != [len(states) for _, states in variables]:
        raise InputError("the initial distribution does not match the states of the variables")
    return initial


def _without_rates(variables: Sequence[Variable], roles: Roles) -> dict[str, Any]:
    """Return matrices of zeros for the static variables and the clocks."""
    return {
        name: np.zeros((1, len(states), len(states)))
        for name, states in variables
        if name in roles.never_targets
    }


def _checked_cims(variables: Sequence[Variable], target: int, parents: tuple[int, ...], given: Any) -> Cims:
    name, states = variables[target]
    place = f"variable {name!r}"
    if given is None:
        raise InputError("has no intensity matrices", place=place)
    tabled = None
    if not hasattr(given, "matrices"):
        given = np.array(given, np.float64)
        given = tabled = TabledCims(given[None] if given.ndim == 2 else given)
        if given.q.ndim != 3 or given.q.shape[1] != given.q.shape[2]:
            raise InputError(f"its matrices, of shape {given.q.shape}, are not square", place=place)
    if given.n_states != len(states):
        raise InputError(
            f"has {len(states)} states, but its matrices have {given.n_states} rows", place=place
        )
    needed = n_configurations([len(variables[j].states) for j in parents])
    if given.n_configurations != needed:
        raise InputError(
            f"has {given.n_configurations} intensity matrices; its parents have {needed} configurations",
            place=place,
        )
    if tabled is not None and (fault := first_fault(tabled.q)) is not None:
        given_text = configuration_text(variables, parents, fault.configuration)
        parts = [place, given_text, f"row {states[fault.row]!r}"]
        raise InputError(fault.message, place=", ".join(part for part in parts if part))
    result: Cims = given
    return result
