"""The chain over the joint states of free variables during one leg, laid out for `_uniformisation`.

A leg is a stretch of time with constant rates. Its variables are free, or fixed in one state: held there, so
that they do not move, or observed there, so that what leaves is lost. A chain knows its largest total rate Λ,
and its steps multiply by I + Q/Λ, forwards (rows: probabilities) or backwards (columns: expectations given
the state).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ctbnlab.inference._uniformisation import Stepper
from ctbnlab.inference.reduction import JointModel

Floats = NDArray[np.float64]

BLOCK = 1024  # numbers in a block, at most: it, its result and shares fit in the first cache
MIN_PERIOD = 64  # shares stored along a block, if it has at least this many: loops over fewer are slow
MAX_SHARES = 2**22  # numbers stored along blocks, per variable; beyond, they are gathered from the table
THREADED = 2**14  # joint states from which threads are worth their start

MOVE = np.dtype(
    [(name, np.int64) for name in ("n_states", "stride", "low", "shares", "width", "gather", "n_low")]
)


class Chain:
    """The process of `free` variables while the `fixed` ones stay in the given states.

    What the `observed` among the fixed ones would leave by is lost. Vectors have one number per joint state,
    in C order of `free`.
    """

    def __init__(
        self,
        model: JointModel,
        free: Sequence[int],
        fixed: Mapping[int, int],
        observed: Iterable[int] = (),
        jobs: int = 1,
    ):
        self.model, self.free, self.fixed = model, tuple(free), dict(fixed)
        self.shape = tuple(model.sizes[v] for v in free)
        self.size = math.prod(self.shape)
        self.jobs = jobs
        self.observed = tuple(sorted(observed))

    @cached_property
    def exits(self) -> Floats:
        """The total rate out of every joint state."""
        total = np.zeros(self.shape)
        for v in (*self.free, *self.observed):
            rates = self.rates_of(v)
            if rates is not None:
                total += self.spread(v, rates.sum(axis=-1))
        return total.reshape(-1)

    @cached_property
    def rate(self) -> float:
        """Λ: the largest total rate."""
        return float(self.exits.max(initial=0.0))

    def rates_of(self, v: int) -> Floats | None:
        """Return a variable's rates with an axis per free parent, and two of its own states."""
        rates = self.model.rates[v]
        if rates is None:
            return None
        index = tuple(self.fixed.get(p, slice(None)) for p in self.model.parents[v])
        return rates[index]

    def free_parents(self, v: int) -> list[int]:
        """Return the parents of a variable that are free."""
        return [p for p in self.model.parents[v] if p not in self.fixed]

    def spread(self, v: int, values: Floats) -> Floats:
        """Return values over the free parents and the states of v, shaped to broadcast over joint states."""
        axes = self.free_parents(v)
        if v in self.fixed:
            values = values[..., self.fixed[v]]
        else:
            axes = [*axes, v]
        order = sorted(range(len(axes)), key=lambda k: self.free.index(axes[k]))
        present = set(axes)
        shape = [size if w in present else 1 for w, size in zip(self.free, self.shape, strict=True)]
        return values.transpose(order).reshape(shape)

    @cached_property
    def forwards(self) -> Stepper:
        """The steps of probabilities."""
        return self._stepper(backwards=False)

    @cached_property
    def backwards(self) -> Stepper:
        """The steps of expectations."""
        return self._stepper(backwards=True)

    @cached_property
    def _n_low(self) -> int:
        """The number of low variables: the last ones whose joint states fit in a block, at least one."""
        count, length = 0, 1
        for size in reversed(self.shape):
            if count and length * size > BLOCK:
                break
            count, length = count + 1, length * size
        return count

    def _stepper(self, backwards: bool) -> Stepper:
        split = len(self.free) - self._n_low
        block = int(np.prod(self.shape[split:], dtype=np.int64))
        layout = _Layout(self, split, block)
        for v in self.free:
            rates = self.rates_of(v)
            if rates is not None and rates.any():
                layout.add(v, rates / self.rate, backwards)
        stay = np.maximum(1.0 - self.exits / self.rate, 0.0) if self.rate else np.ones(self.size)
        return Stepper(
            np.array(layout.moves, MOVE),
            np.array(layout.configurations, np.int32).reshape(len(layout.moves), self.size // block),
            np.concatenate([*layout.places, np.zeros(1, np.int32)]),
            stay,
            np.concatenate([*layout.shares, np.zeros(1)]),
            block,
        )


class _Layout:
    """Collects the moves of a stepper."""

    def __init__(self, chain: Chain, split: int, block: int):
        self.chain, self.block = chain, block
        self.high, self.low = chain.free[:split], chain.free[split:]
        self.moves: list[tuple[int, ...]] = []
        self.configurations: list[NDArray[np.int32]] = []
        self.places: list[NDArray[np.int32]] = []
        self.shares: list[Floats] = []
        self.n_shares = self.n_places = 0
        sizes = chain.model.sizes
        self.strides = {}
        for group in (self.high, self.low):
            step = 1
            for v in reversed(group):
                self.strides[v] = step
                step *= sizes[v]

    def add(self, v: int, rates: Floats, backwards: bool) -> None:
        """Add a variable by its rates [free parents …, x, x'], in units of Λ."""
        sizes = self.chain.model.sizes
        c = sizes[v]
        axes = [*self.chain.free_parents(v), v]
        x = np.arange(c)
        ends = [(x, (x + k) % c) if backwards else ((x + k) % c, x) for k in range(1, c)]
        coming = np.stack([rates[..., a, b] for a, b in ends])  # [k, free parents …, x]
        high = [u for u in axes if u in self.high]
        low = [u for u in axes if u in self.low]
        coming = coming.transpose([*(1 + axes.index(u) for u in high), 0, *(1 + axes.index(u) for u in low)])
        n_low = int(np.prod([sizes[u] for u in low], dtype=np.int64))
        table = np.ascontiguousarray(coming).reshape(-1, n_low)
        self.configurations.append(self._places(high, self.chain.size // self.block))
        gather, width, shares = -1, 1, table
        if n_low > 1:
            width = self._period(low)
            places = self._places(low, width)
            if table.shape[0] * width <= MAX_SHARES:
                shares = table[:, places]
            else:
                width, gather = self.block, self.n_places
                self.places.append(self._places(low, self.block))
                self.n_places += self.block
        self.moves.append((c, self.strides[v], int(v in self.low), self.n_shares, width, gather, n_low))
        self.shares.append(shares.reshape(-1))
        self.n_shares += shares.size

    def _period(self, low: Sequence[int]) -> int:
        """Return after how many places the configurations of low variables repeat, or a multiple of it."""
        sizes = self.chain.model.sizes
        period = max(self.strides[u] * sizes[u] for u in low)
        for u in reversed(self.low):
            if period >= MIN_PERIOD:
                break
            period = max(period, self.strides[u] * sizes[u])
        return period

    def _places(self, chosen: Sequence[int], length: int) -> NDArray[np.int32]:
        """Return for each block, or each place in one, the number of the configuration of some variables."""
        index = np.arange(length)
        result = np.zeros(length, np.int64)
        for u in chosen:
            size = self.chain.model.sizes[u]
            result = result * size + index // self.strides[u] % size
        return result.astype(np.int32)


class Stepping:
    """Applies steps of a chain to a vector, on threads if it is long; a context manager."""

    def __init__(self, chain: Chain, backwards: bool = False):
        self.stepper = chain.backwards if backwards else chain.forwards
        blocks = self.stepper.n_blocks
        jobs = min(chain.jobs, blocks) if chain.size >= THREADED else 1
        edges = np.linspace(0, blocks, jobs + 1).astype(int)
        self.parts = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
        self.scratch = [np.empty(self.stepper.block) for _ in self.parts]
        self.pool = ThreadPoolExecutor(jobs - 1) if jobs > 1 else None

    def __enter__(self) -> Stepping:
        return self

    def __exit__(self, *_: object) -> None:
        if self.pool is not None:
            self.pool.shutdown()

    def step(self, source: Floats, out: Floats, total: Floats, weight: float) -> None:
        """Write the next vector to `out` and add `weight` times it to `total`."""
        if self.pool is None:
            self.stepper.step(source, out, total, weight, self.scratch[0], 0, self.stepper.n_blocks)
            return
        arguments = [
            (source, out, total, weight, scratch, first, last)
            for scratch, (first, last) in zip(self.scratch, self.parts, strict=True)
        ]
        waiting = [self.pool.submit(self.stepper.step, *rest) for rest in arguments[1:]]
        self.stepper.step(*arguments[0])
        for part in waiting:
            part.result()
