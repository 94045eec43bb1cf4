"""Exact answers: distributions at times, filtered or smoothed, occupancies, and the long run.

Vectors are followed over the stretches of a timeline (see `timeline` and `propagation`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ctbnlab.errors import InputError
from ctbnlab.inference.generator import Stepping
from ctbnlab.inference.marginals import Marginals
from ctbnlab.inference.propagation import (
    DENSE_STATES,
    Error,
    backwards,
    exponential,
    forwards,
)
from ctbnlab.inference.timeline import Stretch, Timeline, impossible

Floats = NDArray[np.float64]
Tables = list[Floats]
Groups = Sequence[tuple[int, ...]]  # of the model's variables

MAX_KEPT = 2**28  # numbers kept for smoothing: two gigabytes
_MAX_ROUNDS = 200_000  # steps towards the long run
SETTLED = 1e-11


@dataclass
class Filtered:
    """What a walk over a timeline leaves: tables, the log-likelihood, vectors at starts of stretches."""

    tables: dict[float, Tables] = field(default_factory=dict)
    log_likelihood: float = 0.0
    starts: list[Floats] = field(default_factory=list)
    end: Floats | None = None


def walk(
    timeline: Timeline, groups: Groups, times: Sequence[float], error: Error, *, keep: bool = False
) -> Filtered:
    """Follow probabilities given the evidence so far; return tables at times, and vectors if to `keep`."""
    result = Filtered()
    vector, before = timeline.first(), None
    for stretch in timeline.stretches:
        if before is not None:
            vector = timeline.enter(vector, before, stretch)
        mass = float(vector.sum())
        if not mass > 0:
            raise impossible(stretch.begin)
        vector /= mass
        result.log_likelihood += math.log(mass)
        if keep:
            result.starts.append(vector.copy())
        inside = [t for t in times if stretch.begin <= t < stretch.end or t == stretch.begin]
        marginals = Marginals(stretch, groups)
        leg = forwards(
            stretch.chain,
            vector,
            stretch.end - stretch.begin,
            error,
            at=[t - stretch.begin for t in inside],
            look=marginals.look,
        )
        for t, values in zip(inside, leg.looks, strict=True):
            result.tables[t] = marginals.tables(values)
        vector, before = leg.end, stretch
    result.end = vector
    return result


def smooth(
    timeline: Timeline, groups: Groups, times: Sequence[float], error: Error
) -> tuple[dict[float, Tables], float]:
    """Return tables at times given all evidence, and its log-likelihood; the timeline must break at the
    times.
    """
    kept = sum(stretch.chain.size for stretch in timeline.stretches)
    if kept > MAX_KEPT:
        raise InputError(
            f"smoothing at these times needs {kept:,} numbers in memory; ask for fewer times, or filter"
        )
    found = walk(timeline, groups, (), error, keep=True)
    tables: dict[float, Tables] = {}
    wanted = set(times)
    for k, ahead in expectations(timeline, error):
        stretch = timeline.stretches[k]
        if stretch.begin in wanted:
            marginals = Marginals(stretch, groups)
            tables[stretch.begin] = marginals.tables(marginals.look(found.starts[k] * ahead))
    return tables, found.log_likelihood


def expectations(timeline: Timeline, error: Error) -> Sequence[tuple[int, Floats]]:
    """Return for each stretch, the last first, the likelihood of later evidence given its first joint state.

    Each is scaled so that its largest entry is 1.
    """
    result = []
    last = len(timeline.stretches) - 1
    ahead = np.ones(timeline.stretches[last].chain.size)
    result.append((last, ahead))
    for k in range(last - 1, -1, -1):
        stretch, after = timeline.stretches[k], timeline.stretches[k + 1]
        ahead = timeline.leave(ahead, stretch, after)
        ahead = backwards(stretch.chain, ahead, stretch.end - stretch.begin, error)
        largest = float(ahead.max())
        if not largest > 0:
            raise impossible(timeline.horizon)
        ahead = ahead / largest
        result.append((k, ahead))
    return result


# ---- Occupancy: times and transitions ----


@dataclass
class Occupancy:
    """Expected times in states of groups, and expected transitions [x, x'] of variables, over an interval."""

    times: Tables
    transitions: dict[int, Floats]


def occupancy(
    timeline: Timeline, groups: Groups, counted: Sequence[int], interval: tuple[float, float], error: Error
) -> Occupancy:
    """Return what to expect of an interval; the timeline must break at its start and end there."""
    model = timeline.model
    times = [np.zeros([_states(timeline, v) for v in group]) for group in groups]
    moves = {v: np.zeros((_states(timeline, v),) * 2) for v in counted}
    vector, before = timeline.first(), None
    for stretch in timeline.stretches:
        if before is not None:
            vector = timeline.enter(vector, before, stretch)
        inside = stretch.begin >= interval[0] and stretch.end > stretch.begin
        leg = forwards(stretch.chain, vector, stretch.end - stretch.begin, error, integral=inside)
        if leg.integral is not None:
            marginals = Marginals(stretch, groups)
            for sums, table in zip(
                times, marginals.tables(marginals.look(leg.integral), normalised=False), strict=True
            ):
                sums += table
            for v in counted:
                codes = model.codes[v]
                np.add.at(moves[v], np.ix_(codes, codes), _transitions(stretch, v, leg.integral))
        vector, before = leg.end, stretch
    return Occupancy(times, moves)


def _states(timeline: Timeline, v: int) -> int:
    return len(timeline.model.network.variables[timeline.model.variables[v]].states)


def _transitions(stretch: Stretch, v: int, area: Floats) -> Floats:
    """Return the expected transitions [x, x'] of a variable, out of the time in every joint state."""
    chain = stretch.chain
    size = chain.model.sizes[v]
    rates = chain.rates_of(v)
    if rates is None or v in stretch.fixed:
        return np.zeros((size, size))
    axes = [*chain.free_parents(v), v]
    gone = tuple(k for k, w in enumerate(stretch.free) if w not in axes)
    kept = [w for w in stretch.free if w in axes]
    time = area.reshape(chain.shape).sum(axis=gone).transpose([kept.index(w) for w in axes])
    moves: Floats = (time[..., None] * rates).reshape(-1, size, size).sum(axis=0)
    return moves


# ---- The long run ----


def long_run(timeline: Timeline, groups: Groups, error: Error) -> Tables:
    """Return the distribution that is approached after the end of a timeline."""
    stretch = timeline.stretches[-1]
    vector = walk(timeline, groups, (), error).end
    assert vector is not None
    settled = _limit(stretch, vector, error)
    marginals = Marginals(stretch, groups)
    return marginals.tables(marginals.look(settled))


def _limit(stretch: Stretch, vector: Floats, error: Error) -> Floats:
    chain = stretch.chain
    if chain.rate == 0:
        return vector
    if chain.size <= DENSE_STATES:
        power = exponential(chain, 1 / chain.rate)
        for _ in range(200):
            twice = power @ power
            twice /= twice.sum(axis=1, keepdims=True)
            if np.abs(twice - power).max() <= 1e-14:
                break
            power = twice
        error.add(1e-12)
        result: Floats = vector @ twice
        return result
    return _iterated(stretch, vector, error)


def _iterated(stretch: Stretch, vector: Floats, error: Error) -> Floats:
    """Take steps until what further ones would change, by the rate at which changes fall, is negligible."""
    chain = stretch.chain
    source, out, nothing = vector.copy(), np.empty_like(vector), np.zeros_like(vector)
    last = math.inf
    with Stepping(chain) as stepping:
        for k in range(1, _MAX_ROUNDS):
            stepping.step(source, out, nothing, 0.0)
            # Half a step: a chain that would go back and forth settles too.
            out += source
            out *= 0.5
            source, out = out, source
            if k % 64 == 0:
                change = float(np.abs(source - out).sum())
                ratio = (change / last) ** (1 / 64) if last < math.inf and last > 0 else 1.0
                if change <= 1e-15 or (ratio < 1 and change * ratio / (1 - ratio) <= SETTLED):
                    error.add(SETTLED)
                    return source
                last = change
    raise InputError(
        f"the long run of {chain.size:,} joint states is approached too slowly; ask for a late time with --at"
    )
