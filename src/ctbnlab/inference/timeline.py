"""Time cut into stretches with constant rates, and what happens to probabilities where they meet.

Within a stretch every variable is free, held (it does not move) or observed (what would leave is lost). At
its start clocks move on, interventions begin and end, and evidence at that time is taken in, in this order.
Vectors have one number per joint state of the free variables only: of what is fixed nothing has to be
followed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.inference.generator import Chain
from ctbnlab.inference.reduction import JointModel, reduced, supported
from ctbnlab.inference.scenario import Scenario

Floats = NDArray[np.float64]
# What is left out of a series is small compared with 1, so no stretch may lose much more than that: exp(−3).
MAX_LOST = 3.0


@dataclass(frozen=True, eq=False)
class Stretch:
    """A time from `begin` to `end`, its chain, and which fixed variables are observed rather than held."""

    begin: float
    end: float
    chain: Chain
    observed: frozenset[int]

    @property
    def fixed(self) -> dict[int, int]:
        """The states of the variables that are not free."""
        return self.chain.fixed

    @property
    def free(self) -> tuple[int, ...]:
        """The variables that are free."""
        return self.chain.free


class Timeline:
    """The stretches of a scenario for some variables, from time 0 to a horizon."""

    def __init__(
        self,
        scenario: Scenario,
        wanted: Iterable[int],
        horizon: float,
        breaks: Iterable[float] = (),
        jobs: int = 1,
        evidence: bool = True,
    ):
        self.scenario = scenario
        self.seen = scenario.seen if evidence else ()
        involved = {s.variable for s in self.seen} | {h.variable for h in scenario.held if h.start > 0}
        self.model: JointModel = reduced(
            scenario.network, {*wanted, *involved}, scenario.initial, scenario.always_held
        )
        self.local = {i: v for v, i in enumerate(self.model.variables)}
        self._supports = [supported(self.model.initial, i) for i in self.model.variables]
        self.jobs = jobs
        self.horizon = horizon
        self.stretches = self._stretches(breaks)

    def _stretches(self, breaks: Iterable[float]) -> list[Stretch]:
        held = [h for h in self.scenario.held if h.variable in self.local]
        moments = {0.0, self.horizon, *(t for t in breaks if t < math.inf)}
        moments |= {t for s in self.seen for t in (s.start, s.end)}
        moments |= {t for h in held for t in (h.start, h.end)}
        moments |= {t for cuts in self.model.cuts if cuts for t in cuts}
        times = sorted(t for t in moments if t <= self.horizon and t < math.inf)
        ends = [*times[1:], self.horizon]
        result: list[Stretch] = []
        known: dict[object, Chain] = {}
        for begin, end in zip(times, ends, strict=True):
            fixed, observed = self._status(begin)
            key = (tuple(sorted(fixed.items())), observed)
            if key not in known:
                free = [v for v in range(len(self.model.variables)) if v not in fixed]
                known[key] = Chain(self.model, free, fixed, observed, self.jobs)
            result += _pieces(begin, end, known[key], observed)
        return result

    def _status(self, begin: float) -> tuple[dict[int, int], frozenset[int]]:
        """Return the fixed variables after `begin`, and which of them are observed."""
        fixed: dict[int, int] = {}
        observed = set()
        for v, i in enumerate(self.model.variables):
            cuts = self.model.cuts[v]
            support = self._supports[v]
            if cuts is not None:
                fixed[v] = int(support[0]) + sum(cut <= begin for cut in cuts)
            elif self.model.sizes[v] == 1 or (self.model.rates[v] is None and len(support) == 1):
                begun = [h for h in self.scenario.held if h.variable == i and h.start <= begin]
                code = max(begun, key=lambda h: h.start).state if begun else support[0]
                fixed[v] = int(np.flatnonzero(self.model.codes[v] == code)[0])
        for s in self.seen:
            if s.start < s.end and s.start <= begin < s.end:
                v = self.local[s.variable]
                state = self._only_state(v, s.state)
                if fixed.get(v, state) != state:
                    raise impossible(begin)
                if v not in fixed:
                    fixed[v] = state
                    observed.add(v)
        for h in self.scenario.held:
            if h.variable in self.local and h.start <= begin < h.end:
                v = self.local[h.variable]
                if v in observed and fixed[v] != h.state:
                    name = self.model.name(v)
                    raise InputError(f"the evidence about {name!r} contradicts the intervention at {begin:g}")
                fixed[v] = h.state
                observed.discard(v)
        return fixed, frozenset(observed)

    def _only_state(self, v: int, code: int | None) -> int:
        states = self.model.states_with(v, -1 if code is None else code)
        if len(states) != 1:
            raise InputError(
                f"{self.model.name(v)!r} is terminal and may start in several states; give its start"
            )
        return int(states[0])

    def points(self, time: float) -> list[tuple[int, Floats]]:
        """Return the evidence at one time, as likelihoods of the states of the model's variables."""
        return [
            (self.local[s.variable], np.array(s.likelihood)[self.model.codes[self.local[s.variable]]])
            for s in self.seen
            if s.start == s.end == time
        ]

    # ---- Where stretches meet ----

    def first(self) -> Floats:
        """Return the probabilities at time 0, with the evidence of that time."""
        stretch = self.stretches[0]
        joint = self.scenario.joint
        vector = (
            self.model.initial_factor(stretch.free, stretch.fixed)
            if joint is None
            else joint.factor(self.model, stretch.free, stretch.fixed)
        )
        return self._weighted(vector, stretch).reshape(-1)

    def enter(self, vector: Floats, before: Stretch, after: Stretch) -> Floats:
        """Carry probabilities from the end of a stretch to the start of the next."""
        array = vector.reshape(before.chain.shape)
        axes = list(before.free)
        for v in after.observed - before.observed:
            if before.fixed.get(v, after.fixed[v]) != after.fixed[v]:
                raise impossible(after.begin)
        for v, factor in self._transitions(before, after):
            array = array * before.chain.spread(v, factor)
        for v in before.free:
            if v in after.fixed:
                axis = axes.index(v)
                seen = v in after.observed
                array = np.asarray(array.take(after.fixed[v], axis) if seen else array.sum(axis=axis))
                axes.remove(v)
        shape = [array.shape[axes.index(v)] if v in axes else 1 for v in after.free]
        array = array.reshape(shape)
        for position, v in enumerate(after.free):
            if v not in before.free:
                array = array * _place(before.fixed[v], self.model.sizes[v], position, len(after.free))
        if after.begin in self._evidence_times:
            array = self._weighted(array, after)
        return np.ascontiguousarray(array).reshape(-1)

    def leave(self, vector: Floats, before: Stretch, after: Stretch) -> Floats:
        """Carry expectations from the start of a stretch back to the end of the one before."""
        array = vector.reshape(after.chain.shape)
        if after.begin in self._evidence_times:
            array = self._weighted(array, after)
        axes = list(after.free)
        for v in after.free:
            if v not in before.free:
                array = np.asarray(array.take(before.fixed[v], axis=axes.index(v)))
                axes.remove(v)
        shape = [array.shape[axes.index(v)] if v in axes else 1 for v in before.free]
        array = np.broadcast_to(array.reshape(shape), before.chain.shape)
        for position, v in enumerate(before.free):
            if v in after.observed:
                array = array * _place(after.fixed[v], self.model.sizes[v], position, len(before.free))
        for v, factor in self._transitions(before, after):
            array = array * before.chain.spread(v, factor)
        return np.ascontiguousarray(array).reshape(-1)

    @property
    def _evidence_times(self) -> set[float]:
        return {s.start for s in self.seen if s.start == s.end}

    def _weighted(self, array: Floats, stretch: Stretch) -> Floats:
        for v, likelihood in self.points(stretch.begin):
            if v in stretch.fixed:
                array = array * likelihood[stretch.fixed[v]]
            else:
                position = stretch.free.index(v)
                shape = [1] * len(stretch.free)
                shape[position] = len(likelihood)
                array = array * likelihood.reshape(shape)
        return array

    def _transitions(self, before: Stretch, after: Stretch) -> list[tuple[int, Floats]]:
        """Return the variables seen to change where two stretches meet, and the rates of these changes.

        Each is [free parents …, state], to be spread over joint states: rates count under the states just
        before.
        """
        found = []
        for v in sorted(before.observed & after.observed):
            x, y = before.fixed[v], after.fixed[v]
            if x != y:
                rates = before.chain.rates_of(v)
                if rates is None:
                    raise impossible(after.begin)
                found.append((v, rates[..., :, y]))
        if len(found) > 1:
            names = " and ".join(repr(self.model.name(v)) for v, _ in found[:2])
            raise InputError(f"the evidence has {names} change at the same time, {after.begin:g}")
        return found


def impossible(time: float) -> InputError:
    """Return the error of evidence that has probability 0."""
    return InputError(f"the evidence up to time {time:g} is impossible under the network")


def _place(state: int, size: int, position: int, n: int) -> Floats:
    """Return an indicator of a state along one of n axes."""
    shape = [1] * n
    shape[position] = size
    place: Floats = (np.arange(size) == state).astype(np.float64).reshape(shape)
    return place


def _pieces(begin: float, end: float, chain: Chain, observed: frozenset[int]) -> list[Stretch]:
    """Return a stretch, cut where much would be lost."""
    count = 1
    if observed and end > begin:
        rates = [chain.rates_of(v) for v in observed]
        lost = sum(float(r.sum(axis=-1).max()) for r in rates if r is not None)
        count = max(1, math.ceil(lost * (end - begin) / MAX_LOST))
    edges: Sequence[float] = np.linspace(begin, end, count + 1).tolist()
    edges = [begin, *edges[1:-1], end]
    return [Stretch(a, b, chain, observed) for a, b in pairwise(edges)]
