"""Trajectories drawn given evidence, exactly.

Within a stretch the number of uniformised steps and then each step is drawn from its distribution given the
evidence still to come: with v_m the expectation of the evidence m steps before the stretch's end, the number
n has a probability proportional to Poisson(n) v_n, and a step leads from i to j with a probability
proportional to P_ij v_(n−1)(j). The steps fall at uniform times; those that stay where they are are no
events.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ctbnlab import seeds
from ctbnlab.data.trajectories import Trajectories, index_type
from ctbnlab.errors import InputError
from ctbnlab.inference.exact import expectations
from ctbnlab.inference.generator import Chain, Stepping
from ctbnlab.inference.poisson import window
from ctbnlab.inference.propagation import Error
from ctbnlab.inference.timeline import Stretch, Timeline
from ctbnlab.io.limits import require_between

Floats = NDArray[np.float64]
Change = tuple[float, int, int, int]  # time, variable, old and new state, by the network's indices

MAX_KEPT = 2**27  # numbers kept within a stretch: a gigabyte
MAX_TRAJECTORIES = 1_000_000


def sampled_paths(timeline: Timeline, trajectories: int, seed: int, end: float) -> Trajectories:
    """Return paths from time 0 to `end`, all given the evidence of the timeline."""
    require_between(trajectories, 1, MAX_TRAJECTORIES, "the number of trajectories")
    network = timeline.model.network
    if network.roles.terminal:
        raise InputError("paths of a network with terminal variables cannot be drawn given evidence")
    if any(h.start > 0 for h in timeline.scenario.held):
        raise InputError("an intervention that begins later is no event of the network; paths cannot hold it")
    return _Drawer(timeline, trajectories, seed).drawn(end)


class _Drawer:
    """Draws all paths through one stretch after another."""

    def __init__(self, timeline: Timeline, trajectories: int, seed: int):
        self.timeline, self.n = timeline, trajectories
        self.rng = seeds.generator(seed, "query", "paths")
        self.changes: list[list[Change]] = [[] for _ in range(trajectories)]
        self.ahead = dict(expectations(timeline, Error()))

    def drawn(self, end: float) -> Trajectories:
        """Return the paths until `end`."""
        stretches = self.timeline.stretches
        first = self.timeline.first() * self.ahead[0]
        places = self.rng.choice(len(first), self.n, p=first / first.sum())
        initial = self._states(places, stretches[0])
        for k, stretch in enumerate(stretches):
            if k:
                places = self._entered(places, stretches[k - 1], stretch)
            if k + 1 < len(stretches) and stretch.end > stretch.begin:
                after = self.timeline.leave(self.ahead[k + 1], stretch, stretches[k + 1])
                places = self._through(places, stretch, after)
        self.changes = [[change for change in row if change[0] <= end] for row in self.changes]
        return self._trajectories(initial, end)

    def _states(self, places: NDArray[np.int64], stretch: Stretch) -> NDArray[np.uint8]:
        states = np.zeros((self.n, len(self.timeline.model.variables)), np.uint8)
        for v, state in stretch.fixed.items():
            states[:, v] = state
        for v, digits in zip(stretch.free, np.unravel_index(places, stretch.chain.shape), strict=True):
            states[:, v] = digits
        return states

    def _entered(self, places: NDArray[np.int64], before: Stretch, after: Stretch) -> NDArray[np.int64]:
        """Return the places in the next stretch; what was seen or is a clock's changes there."""
        states = self._states(places, before)
        for v, state in after.fixed.items():
            for p in np.flatnonzero(states[:, v] != state):
                self.changes[p].append((after.begin, v, int(states[p, v]), state))
            states[:, v] = state
        free = [states[:, v].astype(np.int64) for v in after.free]
        if not free:
            return np.zeros(self.n, np.int64)
        return np.ravel_multi_index(free, after.chain.shape).astype(np.int64)

    def _through(self, places: NDArray[np.int64], stretch: Stretch, after: Floats) -> NDArray[np.int64]:
        chain = stretch.chain
        if chain.rate == 0:
            return places
        w = window(chain.rate * (stretch.end - stretch.begin))
        if (w.right + 1) * chain.size > MAX_KEPT:
            raise InputError(
                "drawing these paths needs too much memory; observe more variables, or end earlier"
            )
        powers = [after / after.max()]
        nothing = np.empty(0)
        with Stepping(chain, backwards=True) as stepping:
            for _ in range(w.right):
                out = np.empty_like(after)
                stepping.step(powers[-1], out, nothing, 0.0)
                powers.append(out)
        weights = w.spread(w.right + 1)
        moves = _Moves(chain)
        result = places.copy()
        for p in range(self.n):
            i = int(places[p])
            chances = weights * np.array([power[i] for power in powers])
            count = int(self.rng.choice(len(chances), p=chances / chances.sum()))
            times = np.sort(self.rng.uniform(stretch.begin, stretch.end, count))
            for k, time in enumerate(times.tolist()):
                targets, shares = moves.of(i)
                likely = shares * powers[count - 1 - k][targets]
                total = likely.cumsum()
                chosen = int(np.searchsorted(total, self.rng.random() * total[-1], side="right"))
                j = int(targets[min(chosen, len(targets) - 1)])
                if j != i:
                    self.changes[p].append(_change(chain, time, i, j))
                i = j
            result[p] = i
        return result

    def _trajectories(self, initial: NDArray[np.uint8], end: float) -> Trajectories:
        model = self.timeline.model
        network = model.network
        counts = np.array([len(row) for row in self.changes])
        rows = [change for row in self.changes for change in sorted(row)]
        stop = np.cumsum(counts).astype(np.int64)
        n = len(network.variables)
        order = np.argsort(model.variables)
        columns = list(zip(*rows, strict=True)) if rows else [(), (), (), ()]
        return Trajectories.from_columns(
            network.variables,
            [str(k) for k in range(self.n)],
            begin=stop - counts,
            stop=stop,
            start=np.zeros(self.n),
            end=np.full(self.n, end),
            initial=np.ascontiguousarray(initial[:, order]),
            time=np.array(columns[0], np.float64),
            variable=np.array(columns[1], np.int64).astype(index_type(n)),
            old=np.array(columns[2], np.uint8),
            new=np.array(columns[3], np.uint8),
            ties=True,
            roles=network.roles,
        )


def _change(chain: Chain, time: float, i: int, j: int) -> Change:
    before, after = (np.unravel_index(place, chain.shape) for place in (i, j))
    for v, x, y in zip(chain.free, before, after, strict=True):
        if x != y:
            return time, v, int(x), int(y)
    raise ValueError("no variable changes")


class _Moves:
    """The joint states that one step may lead to, and the shares that do; found once per joint state."""

    def __init__(self, chain: Chain):
        self.chain = chain
        self.known: dict[int, tuple[NDArray[np.int64], Floats]] = {}
        self.strides = [math.prod(chain.shape[k + 1 :]) for k in range(len(chain.shape))]

    def of(self, i: int) -> tuple[NDArray[np.int64], Floats]:
        """Return targets, this state among them, and shares."""
        if i not in self.known:
            self.known[i] = self._found(i)
        return self.known[i]

    def _found(self, i: int) -> tuple[NDArray[np.int64], Floats]:
        chain = self.chain
        digits = dict(zip(chain.free, map(int, np.unravel_index(i, chain.shape)), strict=True))
        targets, shares = [i], [1.0 - chain.exits[i] / chain.rate]
        for v, stride in zip(chain.free, self.strides, strict=True):
            rates = chain.rates_of(v)
            if rates is None:
                continue
            row = rates[(*(digits[p] for p in chain.free_parents(v)), digits[v])]
            for y in np.flatnonzero(row > 0).tolist():
                targets.append(i + (y - digits[v]) * stride)
                shares.append(float(row[y]) / chain.rate)
        return np.array(targets), np.array(shares)
