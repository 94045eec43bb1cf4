"""A start like that of data: the joint initial states of trajectories, each equally likely.

Unlike an initial distribution of a network, this keeps whatever goes together in the data, among any number
of variables. Clocks start as those of the network do. A state that is unobserved at the start of a trajectory
is drawn from the network's initial distribution, given those of its parents there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctbnlab import seeds
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.inference.reduction import JointModel
from ctbnlab.model.initial import InitialDistribution
from ctbnlab.model.network import Network
from ctbnlab.model.network_roles import first_period

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JointStart:
    """Joint initial states, [start, variable of the network], that are equally likely."""

    codes: NDArray[np.uint8]

    @classmethod
    def of_data(cls, data: Trajectories, network: Network, seed: int) -> JointStart:
        """Return the initial states of the trajectories, by the names of variables and states."""
        if not len(data):
            raise InputError("start: there are no trajectories to start like")
        periods = {clock.name: first_period(clock.cuts) for clock in network.roles.clocks}
        codes = np.zeros((len(data), len(network.variables)), np.uint8)
        names = {name: j for j, name in enumerate(data.names)}
        unknown: dict[int, NDArray[np.bool_]] = {}
        for i, name in enumerate(network.names):
            if name in periods:
                codes[:, i] = periods[name]
                continue
            known, codes[:, i] = _observed(data, names, network, i)
            if not known.all():
                unknown[i] = ~known
        rng = seeds.generator(seed, "query", "unobserved start")
        for i in network.initial.order:
            if i in unknown:
                codes[unknown[i], i] = _drawn(network, codes[unknown[i]], i, rng)
        return cls(codes)

    def starting(self, i: int, code: int) -> JointStart:
        """Return the same states with one variable in a given state."""
        codes = self.codes.copy()
        codes[:, i] = code
        return JointStart(codes)

    def each(self, network: Network) -> InitialDistribution:
        """Return the distribution of each variable by itself."""
        counts = [
            np.bincount(self.codes[:, i], minlength=len(states))
            for i, (_, states) in enumerate(network.variables)
        ]
        tables = [count[None] / len(self.codes) for count in counts]
        return InitialDistribution.build(network.variables, [()] * len(tables), tables)

    def drawn(self, count: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Return joint initial states drawn at random, [copy, variable of the network]."""
        return self.codes[rng.integers(len(self.codes), size=count)]

    def factor(self, model: JointModel, free: Sequence[int], fixed: Mapping[int, int]) -> Floats:
        """Return the probabilities of the free variables' joint states, together with those of the fixed."""
        agree = np.ones(len(self.codes), bool)
        for v, state in fixed.items():
            agree &= self._states(model, v) == state
        shape = [model.sizes[v] for v in free]
        place = np.zeros(int(agree.sum()), np.int64)
        for v, size in zip(free, shape, strict=True):
            place = place * size + self._states(model, v)[agree]
        counts = np.bincount(place, minlength=int(np.prod(shape, dtype=np.int64)))
        return np.asarray(counts.reshape(shape) / len(self.codes))

    def _states(self, model: JointModel, v: int) -> NDArray[np.int64]:
        """Return a variable's states in the model: of a terminal one, those before its change."""
        codes = model.codes[v]
        place = np.zeros(256, np.int64)
        place[codes[::-1]] = np.arange(len(codes))[::-1]  # the first place of a code counts
        return place[self.codes[:, model.variables[v]]]


def _observed(
    data: Trajectories, names: Mapping[str, int], network: Network, i: int
) -> tuple[NDArray[np.bool_], NDArray[np.uint8]]:
    """Return in which trajectories a variable's initial state is observed, and its codes in the network."""
    name, states = network.variables[i]
    if name not in names:
        raise InputError(f"start: the data have no variable {name!r}")
    j = names[name]
    labels = data.variables[j].states
    initial = data.initial[:, j]
    table = np.zeros(256, np.uint8)
    for code in np.unique(initial).tolist():
        if code < len(labels):
            if labels[code] not in states:
                raise InputError(
                    f"start: {name!r} has no state {labels[code]!r}, in which trajectories start; its "
                    f"states are {', '.join(states)}"
                )
            table[code] = states.index(labels[code])
    return initial < len(labels), table[initial]


def _drawn(network: Network, codes: NDArray[np.uint8], i: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw initial states of a variable, given those of its parents in the initial distribution."""
    row = np.zeros(len(codes), np.int64)
    for j in network.initial.parents[i]:
        row = row * len(network.variables[j].states) + codes[:, j]
    cumulative = np.cumsum(network.initial.tables[i][row], axis=1)
    uniform = rng.random(len(codes))[:, None] * cumulative[:, -1:]
    return np.asarray((uniform >= cumulative[:, :-1]).sum(axis=1))
