"""When a set of joint states is first reached, and which of several sets.

Targets absorb: the chain of uniformised steps stops where it reaches one. The number that has arrived after k
steps gives the distribution at any time, with Poisson weights. Where no target can be reached any more,
waiting is over too.

In the last stretch, which has no end, the probability of ever arriving and the mean time solve linear
equations (I − B) x = a with B the steps between the other states. Few states: by doubling, x ← x + Bx and B ←
B², in which all numbers are sums of positive products. Many: by steps, until they shrink by a constant
factor.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.inference.generator import Chain, Stepping
from ctbnlab.inference.poisson import survival, window
from ctbnlab.inference.propagation import DENSE_STATES, Error, exponential_and_integral, matrix
from ctbnlab.inference.timeline import Stretch, Timeline

Floats = NDArray[np.float64]
Target = Mapping[int, int]  # states of the network by index of the network's variables; all must hold

MAX_STEPS = 3_000_000
_CHECK_EVERY = 64
_GAP = 1e-13  # what may still be under way when steps end


@dataclass(frozen=True)
class Passage:
    """For each target: the probability at times that it was reached first, ever, and the mean time if it was.

    `quantiles` are those of the time until any target; infinite if it is too unlikely.
    """

    reached: list[Floats]
    ever: Floats
    mean: Floats
    quantiles: list[float]


def labels_of(stretch: Stretch, targets: Sequence[Target]) -> NDArray[np.int64]:
    """Return for each joint state the first target that it is in, or −1."""
    model = stretch.chain.model
    local = {i: v for v, i in enumerate(model.variables)}
    result = np.full(stretch.chain.shape, -1)
    for g in range(len(targets) - 1, -1, -1):
        inside = np.ones(stretch.chain.shape, bool)
        for i, code in targets[g].items():
            v = local[i]
            allowed = model.codes[v] == code
            if v in stretch.fixed:
                inside &= bool(allowed[stretch.fixed[v]])
            else:
                shape = [1] * len(stretch.free)
                shape[stretch.free.index(v)] = len(allowed)
                inside &= allowed.reshape(shape)
        result[inside] = g
    return result.reshape(-1)


class Arrivals:
    """What has arrived at each target after 0, 1, 2, … steps from a vector at the start of a stretch."""

    length = math.inf

    def __init__(self, chain: Chain, start: Floats, places: list[NDArray[np.int64]]):
        self.chain, self.places = chain, places
        self.vector = start.copy()
        self.arrived = [self._absorbed(self.vector, np.zeros(len(places)))]
        self.alive = [float(self.vector.sum())]
        self.out = np.empty_like(start)

    def _absorbed(self, vector: Floats, before: Floats) -> Floats:
        now = before.copy()
        for g, places in enumerate(self.places):
            if len(places):
                now[g] += vector[places].sum()
                vector[places] = 0.0
        return now

    def extend(self, count: int, total: Floats | None = None, weights: Floats | None = None) -> None:
        """Take steps until there are `count`; add the vectors to `total` with weights if given."""
        if count > MAX_STEPS:
            raise InputError(
                f"first passage over {self.chain.size:,} joint states needs more than {MAX_STEPS:,} steps; "
                "use fewer variables or a larger unit of rates, or the engine 'simulation'"
            )
        nothing = np.empty(0) if total is None else total
        with Stepping(self.chain) as stepping:
            while len(self.alive) <= count:
                k = len(self.alive)
                weight = 0.0 if weights is None else float(weights[k])
                stepping.step(self.vector, self.out, nothing, weight)
                self.vector, self.out = self.out, self.vector
                self.arrived.append(self._absorbed(self.vector, self.arrived[-1]))
                self.alive.append(float(self.vector.sum()))

    def solved(self) -> tuple[Floats, Floats]:
        """Return what arrives in all, and the sums of the times at which it does."""
        raise NotImplementedError

    def inverse(self, amount: float) -> float:
        """Return the time by which an amount has arrived in all."""
        raise NotImplementedError

    def at(self, time: float) -> Floats:
        """Return what has arrived at each target after a time."""
        if self.chain.rate == 0 or time == 0:
            return self.arrived[0]
        w = window(self.chain.rate * time)
        self.extend(w.right)
        found: Floats = w.weights @ np.array(self.arrived[w.left : w.right + 1])
        return found


def passage(
    timeline: Timeline,
    targets: Sequence[Target],
    times: Sequence[float],
    levels: Sequence[float],
    error: Error,
) -> Passage:
    """Return when targets are reached; the last stretch of the timeline goes on for ever."""
    n = len(targets)
    reached = {t: np.zeros(n) for t in times}
    quantiles: dict[float, float] = {}
    so_far, weighted = np.zeros(n), np.zeros(n)
    vector, before = timeline.first(), None
    for stretch in timeline.stretches:
        if before is not None:
            vector = timeline.enter(vector, before, stretch)
        labels = labels_of(stretch, targets)
        places = [np.flatnonzero(labels == g) for g in range(n)]
        arrivals: Arrivals
        if stretch is timeline.stretches[-1]:
            arrivals = _Last(stretch.chain, vector, places, error)
        else:
            arrivals = _Bounded(stretch.chain, vector, places, stretch.end - stretch.begin)
            vector = arrivals.end
        for t in times:
            if stretch.begin <= t < stretch.begin + arrivals.length:
                reached[t] = so_far + arrivals.at(t - stretch.begin)
        error.add(2 * window(0.5).error)
        at_end, areas = arrivals.solved()
        for level in levels:
            if level not in quantiles and level <= so_far.sum() + at_end.sum():
                quantiles[level] = stretch.begin + arrivals.inverse(level - float(so_far.sum()))
        weighted += stretch.begin * at_end + areas
        so_far, before = so_far + at_end, stretch
    mean = np.divide(weighted, so_far, out=np.full(n, math.inf), where=so_far > 0)
    return Passage([reached[t] for t in times], so_far, mean, [quantiles.get(q, math.inf) for q in levels])


class _Bounded(Arrivals):
    """The arrivals in a stretch that ends; `end` is the vector of what has not arrived then."""

    def __init__(self, chain: Chain, start: Floats, places: list[NDArray[np.int64]], length: float):
        super().__init__(chain, start, places)
        self.length = length
        self.end = self.vector
        if chain.rate > 0:
            w = window(chain.rate * length)
            weights = w.spread(w.right + 1)
            self.end = weights[0] * self.vector
            self.extend(w.right, self.end, weights)
            for absorbing in places:
                self.end[absorbing] = 0.0

    def solved(self) -> tuple[Floats, Floats]:
        """Return what has arrived at the end, and the sums of the times at which it did."""
        at_end = self.at(self.length)
        return at_end, at_end * self.length - self._area()

    def _area(self) -> Floats:
        """Return the integral of what has arrived."""
        if self.chain.rate == 0:
            return self.arrived[0] * self.length
        w = window(self.chain.rate * self.length)
        left = survival(w) / self.chain.rate
        # Rounding leaves the weights a little off the length; what had arrived at once must count exactly.
        missing = self.arrived[0] * (self.length - left.sum())
        area: Floats = left @ np.array(self.arrived[: len(left)]) + missing
        return area

    def inverse(self, amount: float) -> float:
        """Return the time by which an amount has arrived in all."""
        return _bisected(lambda t: float(self.at(t).sum()) - amount, self.length)


def _bisected(rising: Callable[[float], float], high: float) -> float:
    """Return where a function that rises from below 0 reaches it."""
    low = 0.0
    if rising(0.0) >= 0:
        return 0.0
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return high


class _Last(Arrivals):
    """The arrivals in the last stretch, which has no end."""

    def __init__(self, chain: Chain, start: Floats, places: list[NDArray[np.int64]], error: Error):
        super().__init__(chain, start, places)
        self.start, self.error = self.vector.copy(), error
        self.goal = np.concatenate(places)
        self.hopeless = np.flatnonzero(~_reaching(chain, self.goal))
        self.dense = self.chain.size <= DENSE_STATES
        self._squares: list[Floats] = []

    def solved(self) -> tuple[Floats, Floats]:
        """Return the probabilities of ever arriving, and the mean times since the start, where arrived."""
        if self.chain.rate == 0 or not self.start.any():
            return self.arrived[0], np.zeros(len(self.places))
        return self._solved_dense() if self.dense else self._solved_by_steps()

    def _solved_dense(self) -> tuple[Floats, Floats]:
        step = matrix(self.chain)
        out = np.zeros(self.chain.size, bool)
        out[self.hopeless] = out[self.goal] = True
        inner = np.flatnonzero(~out)
        arriving = np.stack([step[np.ix_(inner, places)].sum(axis=1) for places in self.places], axis=1)
        ever = _doubled(step[np.ix_(inner, inner)], arriving)
        count = _doubled(step[np.ix_(inner, inner)], ever)
        start = self.start[inner]
        return self.arrived[0] + start @ ever, start @ count / self.chain.rate

    def _solved_by_steps(self) -> tuple[Floats, Floats]:
        """Take steps; once all shrinks by one factor, the rest is a geometric series."""
        alive = Arrivals(self.chain, self.start, self.places)
        previous = -1.0
        while True:
            k = len(alive.alive) - 1
            alive.vector[self.hopeless] = 0.0
            alive.extend(k + _CHECK_EVERY)
            alive.vector[self.hopeless] = 0.0
            left = float(alive.vector.sum())
            new = alive.arrived[-1] - alive.arrived[-2]
            ratio = new.sum() / max(float((alive.arrived[-2] - alive.arrived[-3]).sum()), 1e-300)
            steady = 0 < ratio < 1 and abs(ratio - previous) <= 1e-11 * (1 - ratio)
            if left <= _GAP or steady:
                break
            previous = ratio
        arrived = np.array(alive.arrived)
        rest = left * new / new.sum() if steady and new.sum() > 0 else np.zeros(len(new))
        self.error.add(1e-10)
        ever = arrived[-1] + rest
        tail = rest / (1 - ratio) if steady else np.zeros(len(new))
        steps = (ever - arrived[:-1]).sum(axis=0) + tail
        return self.arrived[0] + ever, steps / self.chain.rate

    def at(self, time: float) -> Floats:
        """Return what has arrived after a time."""
        if not self.dense or self.chain.rate * time < 5000:
            return super().at(time)
        whole = exponential_and_integral(self._absorbing(), self.chain.rate, time)[0]
        vector = self.start @ whole
        found: Floats = self.arrived[0] + [vector[places].sum() for places in self.places]
        return found

    def _absorbing(self) -> Floats:
        step = matrix(self.chain)
        for places in self.places:
            step[places] = 0.0
            step[places, places] = 1.0
        return step

    def inverse(self, amount: float) -> float:
        """Return the time by which an amount has arrived in all."""
        amount -= float(self.arrived[0].sum())
        if amount <= 0:
            return 0.0
        if self.dense:
            return self._inverse_dense(amount)
        high = 1 / self.chain.rate
        while super().at(high).sum() - self.arrived[0].sum() < amount:
            high *= 2
        return _bisected(
            lambda t: float(super(_Last, self).at(t).sum() - self.arrived[0].sum()) - amount, high
        )

    def _inverse_dense(self, amount: float) -> float:
        """Add up powers of two of time, the largest first, as long as less than the amount has arrived."""
        if not self._squares:
            rate = self.chain.rate
            self._squares.append(exponential_and_integral(self._absorbing(), rate, 2 / rate)[0])
        squares, unit, goal = self._squares, 2 / self.chain.rate, self.goal
        while (self.start @ squares[-1])[goal].sum() < amount:
            if len(squares) > 150:
                return math.inf
            twice = squares[-1] @ squares[-1]
            squares.append(twice / twice.sum(axis=1, keepdims=True))
        time, vector = 0.0, self.start
        for k in range(len(squares) - 1, -1, -1):
            further = vector @ squares[k]
            if further[goal].sum() < amount:
                time, vector = time + unit * 2.0**k, further
        step, base = self._absorbing(), vector
        powers = [base]
        for _ in range(60):
            powers.append(powers[-1] @ step)
        sums = np.array([p[goal].sum() for p in powers])

        def missing(t: float) -> float:
            w = window(self.chain.rate * t)
            return float(w.weights @ sums[w.left : w.right + 1]) - amount

        return time + _bisected(missing, unit)


def _doubled(step: Floats, right: Floats) -> Floats:
    """Return (I − step)⁻¹ right for steps that lose everything in the end."""
    result, power = right.copy(), step.copy()
    for _ in range(200):
        result += power @ result
        power = power @ power
        if not power.size or power.sum(axis=1).max() < 1e-18:
            return result
    return result


def _reaching(chain: Chain, goal: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the joint states from which a goal can be reached."""
    now, out, nothing = np.zeros(chain.size), np.empty(chain.size), np.empty(0)
    now[goal] = 1.0
    if chain.rate == 0:
        return now > 0
    with Stepping(chain, backwards=True) as stepping:
        while True:
            stepping.step(now, out, nothing, 0.0)
            more = ((out > 0) | (now > 0)).astype(np.float64)
            if more.sum() == now.sum():
                return now > 0
            now = more
