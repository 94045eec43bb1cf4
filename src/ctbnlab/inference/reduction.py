"""The part of a network that a question depends on, as tables over a few variables.

Rates of a variable depend on its parents, theirs on their parents, and on nothing else: for the probabilities
of some variables, only their ancestors count. What an intervention holds from the start has no ancestors.

A terminal variable ends the trajectory by its first change, so it stops every other variable and belongs to
every question. It has its states twice, before and after that change, and is made a parent of all other
variables, whose rates are 0 after it: what has ended stays as it was.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.model.cims import n_configurations
from ctbnlab.model.initial import InitialDistribution
from ctbnlab.model.network import Network
from ctbnlab.model.network_roles import first_period, has_rates

Floats = NDArray[np.float64]
MAX_RATES = 2**26  # half a gigabyte in one table


@dataclass(frozen=True, eq=False)
class JointModel:
    """Variables with their states, parents and rates; indices are those of this model.

    `variables` are indices in the network. `codes[v]` are the network's states of v's states: a terminal
    variable may have one of them twice. `rates[v]` is [states of the parents …, x, x'] with 0 on the
    diagonal, None if all are 0. `cuts[v]` are the times at which a clock changes. `shared` gives the initial
    distribution.
    """

    network: Network
    variables: tuple[int, ...]
    codes: tuple[NDArray[np.int64], ...]
    parents: tuple[tuple[int, ...], ...]
    rates: tuple[Floats | None, ...]
    cuts: tuple[tuple[float, ...] | None, ...]
    initial: InitialDistribution

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of states of each variable."""
        return tuple(len(codes) for codes in self.codes)

    def name(self, v: int) -> str:
        """Return the name of a variable."""
        return self.network.variables[self.variables[v]].name

    def exit_rate_bound(self) -> float:
        """Return a bound on the total rate of any joint state."""
        return math.fsum(
            float(rates.sum(axis=-1).max()) for rates in self.rates if rates is not None and rates.size
        )

    def states_with(self, v: int, code: int) -> NDArray[np.int64]:
        """Return the states of a variable that are a given state of the network."""
        return np.flatnonzero(self.codes[v] == code)

    def initial_factor(self, free: Sequence[int], fixed: Mapping[int, int]) -> Floats:
        """Return the initial probabilities of the free variables, together with the states of the fixed."""
        local = {i: v for v, i in enumerate(self.variables)}
        needed = closure(list(self.variables), self.initial.parents)
        order = [i for i in self.initial.order if i in needed]
        axes: list[int] = []
        joint = np.ones(())
        for k, i in enumerate(order):
            axes, joint = _multiplied(axes, joint, *self._factor(i, local, fixed))
            later = {p for j in order[k + 1 :] for p in self.initial.parents[j]}
            gone = [a for a in axes if a not in local and a not in later]
            joint = np.asarray(joint.sum(axis=tuple(axes.index(a) for a in gone)))
            axes = [a for a in axes if a not in gone]
        wanted = [self.variables[v] for v in free]
        return np.ascontiguousarray(joint.transpose([axes.index(i) for i in wanted]))

    def _factor(self, i: int, local: Mapping[int, int], fixed: Mapping[int, int]) -> tuple[list[int], Floats]:
        """Return the table of an initial state, with an axis per variable that is not fixed."""
        axes = [*self.initial.parents[i], i]
        sizes = [len(self.network.variables[j].states) for j in axes]
        table = self.initial.tables[i].reshape(sizes)
        for position, j in reversed(list(enumerate(axes))):
            v = local.get(j)
            if v is None:
                continue
            if j == i:  # a state after a terminal variable's change is no initial one
                table = table.take(self.codes[v], axis=position)
                table = np.where(self._begins(v), table, 0.0)
            else:
                table = table.take(self.codes[v], axis=position)
            if v in fixed:
                table = np.asarray(table.take(fixed[v], axis=position))
                axes.pop(position)
        return axes, table

    def _begins(self, v: int) -> NDArray[np.bool_]:
        """Return which states of a variable come before a terminal change: the first of each code."""
        codes = self.codes[v]
        live = supported(self.initial, self.variables[v])
        if self.name(v) not in self.network.roles.terminal:
            return np.ones(len(codes), bool)
        return np.arange(len(codes)) < len(live)


def reduced(
    network: Network,
    wanted: Iterable[int],
    initial: InitialDistribution,
    held: Iterable[int] = (),
) -> JointModel:
    """Return the model of some variables, their ancestors, and terminal variables with theirs.

    Variables in `held` do not change from the start on, so that their parents do not count.
    """
    _require_answerable(network)
    held = set(held)
    terminal = [network.index(name) for name in network.roles.terminal]
    ending = [i for i in terminal if i not in held]
    arcs = [() if i in held else row for i, row in enumerate(network.parents)]
    chosen = sorted(closure([*wanted, *ending], arcs))
    local = {i: v for v, i in enumerate(chosen)}
    codes = [
        _terminal_codes(network, initial, i) if i in ending else np.arange(len(network.variables[i].states))
        for i in chosen
    ]
    parents, rates = [], []
    for i in chosen:
        row, table = _rates(network, i, arcs[i], i in held)
        if table is not None:
            if i in ending:
                table = _before_and_after(table, codes[local[i]], initial, i)
            enders = [j for j in ending if j != i]
            row, table = (
                (*row, *enders),
                _stopped(table, [_ended(codes[local[j]], initial, j) for j in enders]),
            )
        parents.append(tuple(local[j] for j in row))
        rates.append(table)
    if sum(table.size for table in rates if table is not None) > 2 * MAX_RATES:
        raise InputError("the variables that matter have too many rates; ask for fewer variables")
    cuts = tuple(_cuts(network, i) for i in chosen)
    return JointModel(network, tuple(chosen), tuple(codes), tuple(parents), tuple(rates), cuts, initial)


def supported(initial: InitialDistribution, i: int) -> NDArray[np.int64]:
    """Return the states in which a variable may start."""
    return np.flatnonzero((initial.tables[i] > 0).any(axis=0))


def closure(start: Sequence[int], parents: Sequence[Sequence[int]]) -> set[int]:
    """Return some variables and all their ancestors."""
    found, waiting = set(start), list(start)
    while waiting:
        for j in parents[waiting.pop()]:
            if j not in found:
                found.add(j)
                waiting.append(j)
    return found


def _require_answerable(network: Network) -> None:
    for clock in network.roles.clocks:
        if clock.kind != "entry":
            raise InputError(
                f"the clock {clock.name!r} is of the kind {clock.kind!r}; "
                "only networks whose clocks count the time since entry can be queried"
            )
    if network.roles.own_clock:
        raise InputError("the network has own clocks; only clocks of time since entry can be queried")


def _cuts(network: Network, i: int) -> tuple[float, ...] | None:
    for clock in network.roles.clocks:
        if clock.name == network.variables[i].name:
            return clock.cuts[first_period(clock.cuts) :]
    return None


def _rates(network: Network, i: int, row: Sequence[int], held: bool) -> tuple[tuple[int, ...], Floats | None]:
    """Return a variable's parents and its rates with an axis per parent; None if they are 0."""
    cims = network.cims[i]
    sizes = [len(network.variables[j].states) for j in network.parents[i]]
    c = len(network.variables[i].states)
    if held or c == 1 or network.variables[i].name in network.roles.never_targets:
        return (), None
    if n_configurations(sizes) * c * c > MAX_RATES:
        place = f"variable {network.variables[i].name!r}"
        raise InputError(f"its {len(sizes)} parents have too many configurations to be queried", place=place)
    if not has_rates(cims):
        return (), None
    table = cims.table().reshape(*sizes, c, c).copy()
    diagonal = np.arange(c)
    table[..., diagonal, diagonal] = 0
    return tuple(row), table


def _terminal_codes(network: Network, initial: InitialDistribution, i: int) -> NDArray[np.int64]:
    """Return the states before the first change, then those after it."""
    live = supported(initial, i)
    every = np.arange(len(network.variables[i].states))
    return np.concatenate([live, every if len(live) > 1 else np.setdiff1d(every, live)])


def _ended(codes: NDArray[np.int64], initial: InitialDistribution, i: int) -> NDArray[np.bool_]:
    return np.arange(len(codes)) >= len(supported(initial, i))


def _before_and_after(table: Floats, own: NDArray[np.int64], initial: InitialDistribution, i: int) -> Floats:
    """Return a terminal variable's rates from its states before the change to those after it."""
    result = np.zeros((*table.shape[:-2], len(own), len(own)))
    over = _ended(own, initial, i)
    live, after = np.flatnonzero(~over), np.flatnonzero(over)
    result[..., live[:, None], after] = table[..., own[live][:, None], own[after]]
    return result


def _stopped(table: Floats, ended: Sequence[NDArray[np.bool_]]) -> Floats:
    """Return the rates with an axis per terminal variable: they are 0 once it has ended the trajectory."""
    for over in ended:
        table = table[..., None, :, :] * np.where(over, 0.0, 1.0)[:, None, None]
    return table


def _multiplied(
    axes: list[int], joint: Floats, other_axes: list[int], other: Floats
) -> tuple[list[int], Floats]:
    merged = [*axes, *(a for a in other_axes if a not in axes)]
    joint = np.asarray(joint).reshape((*joint.shape, *(1,) * (len(merged) - len(axes))))
    position = [other_axes.index(a) for a in merged if a in other_axes]
    other = np.asarray(other).transpose(position)
    sizes = iter(other.shape)
    return merged, joint * other.reshape([next(sizes) if a in other_axes else 1 for a in merged])
