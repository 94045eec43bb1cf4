"""Answers by simulation, for networks with too many joint states: many weighted copies, and standard errors.

Copies start from the initial distribution and follow the same timeline as the exact engine. Evidence weighs
them: a point by its likelihood, an observed interval by the probability of not leaving, a change seen at a
time by its rate. Answers are weighted means; their standard errors are those of a ratio of means (importance
sampling). If too few copies agree with the evidence, the number of equally weighted copies that would be
worth as much is small, and the question is refused rather than answered by chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctbnlab import seeds
from ctbnlab.errors import InputError
from ctbnlab.inference._particles import Copies
from ctbnlab.inference.first_passage import Target
from ctbnlab.inference.reduction import JointModel
from ctbnlab.inference.timeline import Stretch, Timeline, impossible

Floats = NDArray[np.float64]
Groups = Sequence[tuple[int, ...]]

MIN_EFFECTIVE = 100.0
_BATCH = 2000  # copies that one thread advances


@dataclass(frozen=True)
class Estimate:
    """A weighted mean and its standard error."""

    mean: Floats
    standard_error: Floats


class Sampler:
    """Copies of the process of a timeline, one stretch after another."""

    def __init__(self, timeline: Timeline, samples: int, seed: int, targets: Sequence[Target] = ()):
        self.timeline, self.samples = timeline, samples
        model = timeline.model
        self.key = seeds.key64(seed, "query")
        self.copies = _laid_out(model)
        n = len(model.variables)
        self.drawn = np.zeros(samples, np.uint64)
        self.log_weight = np.zeros(samples)
        self.hit, self.label = np.full(samples, math.inf), np.full(samples, -1, np.int32)
        self.targets = _target_rows(model, targets)
        self.slots, self.move_slots = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
        self.time, self.moves = np.zeros((samples, 1)), np.zeros((samples, 1))
        self.states = self._start(seeds.generator(seed, "query", "start"))

    def count(self, timed: Sequence[int], counted: Sequence[int]) -> None:
        """From now on add up the times and the transitions of variables."""
        sizes = self.timeline.model.sizes
        self.slots[:] = self.move_slots[:] = -1
        width = 0
        for v in timed:
            self.slots[v], width = width, width + sizes[v]
        self.time = np.zeros((self.samples, max(width, 1)))
        width = 0
        for v in counted:
            self.move_slots[v], width = width, width + sizes[v] ** 2
        self.moves = np.zeros((self.samples, max(width, 1)))

    def _start(self, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Draw initial states, and set those that are fixed."""
        model, joint = self.timeline.model, self.timeline.scenario.joint
        codes = (
            self._initial_codes(rng) if joint is None else self._codes_like(joint.drawn(self.samples, rng))
        )
        states = np.zeros((self.samples, len(model.variables)), np.uint8)
        for v, i in enumerate(model.variables):
            place = np.zeros(len(model.network.variables[i].states), np.int64)
            for state in range(
                model.sizes[v] - 1, -1, -1
            ):  # the first of a code is that before a terminal change
                place[model.codes[v][state]] = state
            states[:, v] = place[codes[i]]
        self._point_evidence(states, self.timeline.stretches[0])
        return states

    def _initial_codes(self, rng: np.random.Generator) -> dict[int, NDArray[np.int64]]:
        """Return initial states drawn from the initial distribution; those observed are set, and weigh."""
        model, first = self.timeline.model, self.timeline.stretches[0]
        network, initial = model.network, model.initial
        codes: dict[int, NDArray[np.int64]] = {}
        local = self.timeline.local
        for i in initial.order:
            if i not in local and not _needed(i, local, initial.parents):
                continue
            sizes = [len(network.variables[j].states) for j in initial.parents[i]]
            row = np.zeros(self.samples, np.int64)
            for j, size in zip(initial.parents[i], sizes, strict=True):
                row = row * size + codes[j]
            table = initial.tables[i][row]
            v = local.get(i)
            if v is not None and v in first.observed:
                codes[i] = np.full(self.samples, model.codes[v][first.fixed[v]])
                self._weigh(np.take_along_axis(table, codes[i][:, None], axis=1)[:, 0])
            else:
                drawn = rng.random(self.samples)[:, None] * table.sum(axis=1, keepdims=True)
                codes[i] = (drawn >= np.cumsum(table, axis=1)[:, :-1]).sum(axis=1)
        return codes

    def _codes_like(self, drawn: NDArray[np.uint8]) -> dict[int, NDArray[np.int64]]:
        """Return joint initial states drawn from those of data; those observed are set, and weigh."""
        model, first = self.timeline.model, self.timeline.stretches[0]
        codes = {i: drawn[:, i].astype(np.int64) for i in model.variables}
        for v in first.observed:
            seen = model.codes[v][first.fixed[v]]
            self._weigh((codes[model.variables[v]] == seen).astype(np.float64))
            codes[model.variables[v]][:] = seen
        return codes

    def _weigh(self, likelihood: Floats) -> None:
        with np.errstate(divide="ignore"):
            self.log_weight += np.log(likelihood)

    def _point_evidence(self, states: NDArray[np.uint8], stretch: Stretch) -> None:
        for v, likelihood in self.timeline.points(stretch.begin):
            self._weigh(likelihood[states[:, v]])

    def stretches(self, jobs: int = 1) -> Iterator[Stretch]:
        """Yield each stretch before the copies are advanced through it."""
        before: Stretch | None = None
        with ThreadPoolExecutor(jobs) as pool:
            for stretch in self.timeline.stretches:
                if before is not None:
                    self._enter(before, stretch)
                yield stretch
                if stretch.end > stretch.begin:
                    starts = range(0, self.samples, _BATCH)
                    list(pool.map(lambda first, s=stretch: self._advance(first, s), starts))
                before = stretch

    def _enter(self, before: Stretch, after: Stretch) -> None:
        under_way = ~np.isfinite(self.hit)
        for v in before.observed & after.observed:
            x, y = before.fixed[v], after.fixed[v]
            if x != y:
                rates = self.timeline.model.rates[v]
                if rates is None:
                    raise impossible(after.begin)
                index = tuple(self.states[:, p] for p in self.timeline.model.parents[v])
                self._weigh(rates[(*index, x, y)])
        for v, state in after.fixed.items():
            if v in after.observed and not (v in before.observed and before.fixed[v] != state):
                self._weigh((self.states[:, v] == state).astype(np.float64))
            self.states[under_way, v] = state
        self._point_evidence(self.states, after)

    def _advance(self, first: int, stretch: Stretch) -> None:
        status = np.zeros(len(stretch.chain.model.variables), np.uint8)
        for v in range(len(status)):
            if v in stretch.observed:
                status[v] = 2
            elif v in stretch.fixed or stretch.chain.model.rates[v] is None:
                status[v] = 1
        part = slice(first, first + _BATCH)
        self.copies.advance(
            self.states[part], status, stretch.end - stretch.begin, self.log_weight[part], self.key, first,
            self.drawn[part], np.zeros(len(status)), self.slots, self.time[part], self.moves[part],
            self.move_slots, *self.targets, stretch.begin, self.hit[part], self.label[part],
        )  # fmt: skip

    def weights(self) -> Floats:
        """Return the weights of the copies, the largest of which is 1; refuse to go on with too few."""
        if not np.isfinite(self.log_weight).any():
            raise InputError(
                "no simulated copy agrees with the evidence; use more --samples, or ask for fewer variables"
            )
        weights: Floats = np.exp(self.log_weight - self.log_weight.max())
        effective = weights.sum() ** 2 / (weights**2).sum()
        if effective < min(MIN_EFFECTIVE, self.samples):
            raise InputError(
                f"the evidence leaves {effective:.0f} of {self.samples:,} simulated copies, too few for an "
                "answer; use more --samples, or ask for fewer variables"
            )
        return weights

    def log_likelihood(self) -> Estimate:
        """Return the log-likelihood of the evidence."""
        weights, shift = self.weights(), self.log_weight.max()
        mean = weights.mean()
        error = weights.std() / math.sqrt(self.samples) / mean
        return Estimate(np.array(math.log(mean) + shift), np.array(error))


def estimate(values: Floats, weights: Floats) -> Estimate:
    """Return the weighted mean of each column with the standard error of a ratio."""
    share = weights / weights.sum()
    mean = share @ values
    squares = share**2
    spread = squares @ values**2 - 2 * mean * (squares @ values) + mean**2 * squares.sum()
    return Estimate(mean, np.sqrt(np.maximum(spread, 0)))


def simulated_tables(
    sampler: Sampler, groups: Groups, times: Sequence[float], jobs: int, *, filtering: bool
) -> dict[float, list[Estimate]]:
    """Return the distributions of groups at times given all evidence, or that so far if filtering."""
    seen: dict[float, NDArray[np.uint8]] = {}
    weighed: dict[float, Floats] = {}
    wanted, variables = set(times), sorted({v for group in groups for v in group})
    for stretch in sampler.stretches(jobs):
        if stretch.begin in wanted:
            seen[stretch.begin] = sampler.states[:, variables].copy()
            if filtering:
                weighed[stretch.begin] = sampler.weights()
    final = None if filtering else sampler.weights()
    result = {}
    for t, states in seen.items():
        weights = weighed[t] if final is None else final
        result[t] = [
            _table(sampler, group, states[:, [variables.index(v) for v in group]], weights)
            for group in groups
        ]
    return result


def _table(sampler: Sampler, group: tuple[int, ...], states: NDArray[np.uint8], weights: Floats) -> Estimate:
    model = sampler.timeline.model
    sizes = [len(model.network.variables[model.variables[v]].states) for v in group]
    codes = [model.codes[v][states[:, k]] for k, v in enumerate(group)]
    number = np.ravel_multi_index(codes, sizes)
    share = weights / weights.sum()
    count = math.prod(sizes)
    mean = np.asarray(np.bincount(number, share, count), np.float64)
    squares = np.bincount(number, share**2, count)
    error = np.sqrt(np.maximum(squares * (1 - 2 * mean) + mean**2 * (share**2).sum(), 0))
    return Estimate(mean.reshape(sizes), error.reshape(sizes))


def _needed(i: int, local: dict[int, int], parents: Sequence[Sequence[int]]) -> bool:
    """Return whether a variable is an ancestor of the model's in the initial distribution."""
    waiting, found = list(local), set(local)
    while waiting:
        for j in parents[waiting.pop()]:
            if j not in found:
                found.add(j)
                waiting.append(j)
    return i in found


def _target_rows(model: JointModel, targets: Sequence[Target]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    local = {i: v for v, i in enumerate(model.variables)}
    start, rows = [0], []
    for target in targets:
        for i, code in target.items():
            states = [*model.states_with(local[i], code).tolist(), -1, -1]
            rows.append((local[i], states[0], states[1]))
        start.append(len(rows))
    return np.array(start, np.int64), np.array(rows, np.int32).reshape(-1, 3)


def _laid_out(model: JointModel) -> Copies:
    """Return the flat tables that the simulation reads."""
    n = len(model.variables)
    tables, rates, parent_start, parents, steps = [], [], [0], [], []
    children: list[list[int]] = [[] for _ in range(n)]
    place = 0
    for v in range(n):
        table = model.rates[v]
        flat = np.zeros(model.sizes[v] ** 2) if table is None else table.reshape(-1)
        tables.append(place)
        rates.append(flat)
        place += flat.size
        if table is not None:
            step = model.sizes[v] ** 2
            own = []
            for p in reversed(model.parents[v]):
                own.append((p, step))
                step *= model.sizes[p]
                children[p].append(v)
            parents += [p for p, _ in own]
            steps += [s for _, s in own]
        parent_start.append(len(parents))
    child_start = np.cumsum([0, *map(len, children)])
    flat_children = [c for row in children for c in row]
    return Copies(
        np.array(model.sizes, np.int64),
        np.array(tables, np.int64),
        np.array(parent_start, np.int64),
        np.array(parents, np.int64),
        np.array(steps, np.int64),
        child_start.astype(np.int64),
        np.array(flat_children, np.int64),
        np.concatenate(rates),
    )
