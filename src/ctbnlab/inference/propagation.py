"""Following a vector through a leg: probabilities forwards, expectations backwards, exactly up to a stated
error.

The vector after time t is Σ Poisson(k; Λt) (I + Q/Λ)^k times the vector. One series of powers serves every
time in the leg, and integrals over time: only the weights differ. If the powers no longer change, the rest of
the series is known: since steps do not enlarge a difference, the remaining number of steps times the last
difference bounds the error.

Where the series would be long and the joint states are few, the matrix exponential is squared instead. All
its entries stay sums of positive products, and rows are divided by their sums, so that errors do not double
with each squaring.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.inference.generator import Chain, Stepping
from ctbnlab.inference.poisson import Window, survival, window

Floats = NDArray[np.float64]
Look = Callable[[Floats], Floats]

STATIONARY = 1e-12  # error that is allowed when powers are taken not to change any more
_CHECK_EVERY = 32
# Numbers up to which vectors at several times are summed whole, before looking. Looking at a power reads it
# about twice; summing it whole updates it once per time, so with many times that pays for short vectors only.
_WHOLE, _FEW_TIMES = 2**22, 4
_WHOLE_OF_MANY = 2**16
_BUFFER = 2**16  # numbers of powers that are summed at a time
DENSE_STATES = 512
_DENSE_FROM = 50_000  # steps from which matrices are squared, if states are few
MAX_WORK = 2e13  # numbers that may be updated: some hours


@dataclass
class Error:
    """What may be missing from answers: the sum of what was left out along the way."""

    bound: float = 0.0

    def add(self, amount: float) -> None:
        """Add the error of a step."""
        self.bound += amount


@dataclass
class Leg:
    """What came of a leg: the vector at its end, its integral over time, and looks at times within it."""

    end: Floats
    integral: Floats | None = None
    looks: list[Floats] = field(default_factory=list)


def steps_for(chain: Chain, duration: float) -> int:
    """Return the number of steps of a series."""
    return window(chain.rate * duration).right


def is_dense(chain: Chain, duration: float) -> bool:
    """Return whether matrices are squared rather than a series summed."""
    return chain.size <= DENSE_STATES and chain.rate * duration > _DENSE_FROM


def forwards(
    chain: Chain,
    start: Floats,
    duration: float,
    error: Error,
    *,
    at: Sequence[float] = (),
    look: Look | None = None,
    integral: bool = False,
) -> Leg:
    """Follow probabilities for a while; `look` takes what is wanted of them at the times `at`.

    `at` counts from the start of the leg. The integral of the probabilities over the leg is on request.
    """
    if chain.rate == 0 or duration == 0:
        looked = [look(start) for _ in at] if look else []
        return Leg(start.copy(), start * duration if integral else None, looked)
    if is_dense(chain, duration):
        return _forwards_dense(chain, start, duration, error, at, look, integral)
    _require_feasible(chain, duration)
    ends = window(chain.rate * duration)
    integrals = survival(ends) / chain.rate if integral else None
    looking = _Looking(chain, [window(chain.rate * t) for t in at], look) if look and at else None
    end, area = _series(chain, start, ends, error, backwards=False, second=integrals, looking=looking)
    return Leg(end, area, looking.looked() if looking else [])


class _Looking:
    """Sums the powers of a series for several times, or what is looked for in them if they are long."""

    def __init__(self, chain: Chain, windows: Sequence[Window], look: Look):
        self.windows, self.look = windows, look
        most = _WHOLE if len(windows) <= _FEW_TIMES else _WHOLE_OF_MANY
        self.whole = chain.size * len(windows) <= most
        self.length = max(1, _BUFFER // chain.size) if self.whole else 1
        self.first = 0
        self.rows: list[Floats] = []
        self.sums: Floats | None = None

    def take(self, k: int, vector: Floats, final: bool) -> None:
        """Take in the k-th power; if it is the final one, it stands for all that follow."""
        if not self.rows:
            self.first = k
        self.rows.append(vector.copy() if self.whole else vector)
        if len(self.rows) == self.length or final:
            self._sum_up(final)

    def _sum_up(self, final: bool) -> None:
        first, last = self.first, self.first + len(self.rows) - 1
        weights = np.zeros((len(self.windows), len(self.rows)))
        for row, w in zip(weights, self.windows, strict=True):
            low, high = max(first, w.left), min(last, w.right)
            if low <= high:
                row[low - first : high - first + 1] = w.weights[low - w.left : high - w.left + 1]
            if final:
                row[-1] += w.weights[max(last + 1 - w.left, 0) :].sum()
        if weights.any():
            rows = [row if self.whole else self.look(row) for row in self.rows]
            added = weights @ np.array(rows)
            self.sums = added if self.sums is None else self.sums + added
        self.rows = []

    def looked(self) -> list[Floats]:
        """Return what was looked for, at each time."""
        self._sum_up(final=False)
        sums = np.array(self.sums)
        return [self.look(row) for row in sums] if self.whole else list(sums)


def backwards(chain: Chain, end: Floats, duration: float, error: Error) -> Floats:
    """Return expectations at the start of a leg of what `end` says of its end, given the joint state."""
    if chain.rate == 0 or duration == 0:
        return end.copy()
    if is_dense(chain, duration):
        error.add(1e-11)
        result: Floats = exponential(chain, duration) @ end
        return result
    _require_feasible(chain, duration)
    return _series(chain, end, window(chain.rate * duration), error, backwards=True)[0]


def _require_feasible(chain: Chain, duration: float) -> None:
    steps = chain.rate * duration
    if steps * chain.size * max(len(chain.free), 1) > MAX_WORK:
        raise InputError(
            f"{steps:.2g} steps over {chain.size:,} joint states take too long; ask for a shorter time or "
            "fewer variables, or use the engine 'simulation'"
        )


def _series(
    chain: Chain,
    start: Floats,
    ends: Window,
    error: Error,
    *,
    backwards: bool,
    second: Floats | None = None,
    looking: _Looking | None = None,
) -> tuple[Floats, Floats | None]:
    """Sum powers with the weights of a window, and with `second` weights if given."""
    weights = ends.spread(ends.right + 1)
    scale = float(np.abs(start).max()) if backwards else 1.0
    error.add(ends.error * scale)
    total = weights[0] * start
    other = None if second is None else second[0] * start
    source, out = start.copy(), np.empty_like(start)
    if looking:
        looking.take(0, source, False)
    with Stepping(chain, backwards) as stepping:
        for k in range(1, len(weights)):
            stepping.step(source, out, total, float(weights[k]))
            if other is not None and second is not None:
                other += second[k] * out
            source, out = out, source
            left = len(weights) - 1 - k
            settled = False
            if k % _CHECK_EVERY == 0 and left > _CHECK_EVERY:
                difference = np.abs(source - out)
                change = float(difference.max() if backwards else difference.sum())
                settled = change * left <= STATIONARY * scale
            if looking:
                looking.take(k, source, settled)
            if settled:
                error.add(change * left)
                total += float(weights[k + 1 :].sum()) * source
                if other is not None and second is not None:
                    other += float(second[k + 1 :].sum()) * source
                break
    return total, other


# ---- Few joint states, long times ----


def matrix(chain: Chain) -> Floats:
    """Return I + Q/Λ of a chain of few joint states."""
    result = np.empty((chain.size, chain.size))
    unit, nothing = np.zeros(chain.size), np.zeros(chain.size)
    with Stepping(chain) as stepping:
        for j in range(chain.size):
            unit[j] = 1.0
            stepping.step(unit, result[j], nothing, 0.0)
            unit[j] = 0.0
    return result


def exponential(chain: Chain, duration: float) -> Floats:
    """Return the matrix of transition probabilities over a duration."""
    return exponential_and_integral(matrix(chain), chain.rate, duration)[0]


def exponential_and_integral(
    step: Floats, rate: float, duration: float, integral: bool = False
) -> tuple[Floats, Floats | None]:
    """Return exp(Qt) and on request its integral from 0 to t, by doubling t; `step` is I + Q/rate."""
    squarings = max(0, int(np.ceil(np.log2(rate * duration))))
    base = window(rate * duration / 2**squarings)
    kept = abs(step.sum(axis=1) - 1).max() < 1e-12  # nothing is lost by leaving
    power, weights = np.eye(len(step)), base.spread(base.right + 1)
    areas = survival(base) / rate
    result, area = weights[0] * power, areas[0] * power
    for k in range(1, len(weights)):
        power = power @ step
        result += weights[k] * power
        area += areas[k] * power
    for _ in range(squarings):
        if integral:
            area = area + result @ area
        result = result @ result
        if kept:
            result /= result.sum(axis=1, keepdims=True)
    return result, area if integral else None


def _forwards_dense(
    chain: Chain,
    start: Floats,
    duration: float,
    error: Error,
    at: Sequence[float],
    look: Look | None,
    integral: bool,
) -> Leg:
    whole, area = exponential_and_integral(matrix(chain), chain.rate, duration, integral)
    error.add(1e-11)
    looked = []
    now, vector, known = 0.0, start, {}
    for t in at:
        if look is None:
            break
        step = t - now
        if step > 0:
            if is_dense(chain, step):
                if step not in known:
                    known = {step: exponential(chain, step)}  # equal steps follow one another
                vector = vector @ known[step]
            else:
                vector = forwards(chain, vector, step, error).end
            now = t
        looked.append(look(vector))
    return Leg(start @ whole, start @ area if area is not None else None, looked)
