"""Distributions of some variables, out of a vector over joint states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ctbnlab.inference.timeline import Stretch

Floats = NDArray[np.float64]


def singles(array: Floats) -> list[Floats]:
    """Return the sums along all axes but one, for each axis; the vector is read twice in all."""
    if array.ndim <= 1:
        return [array.copy()] if array.ndim else []
    half = array.ndim // 2
    shape = array.shape
    flat = array.reshape(int(np.prod(shape[:half])), -1)
    left, right = flat.sum(axis=1), flat.sum(axis=0)
    return [*singles(left.reshape(shape[:half])), *singles(right.reshape(shape[half:]))]


class Marginals:
    """The distributions of groups of variables (of the model) within a stretch."""

    def __init__(self, stretch: Stretch, groups: Sequence[tuple[int, ...]]):
        self.stretch, self.groups = stretch, groups
        self.shape = stretch.chain.shape
        self.single = all(len(group) == 1 for group in groups)

    def look(self, vector: Floats) -> Floats:
        """Return the numbers that `tables` needs, one after another, and the sum of the vector at the end."""
        array = vector.reshape(self.shape)
        free = self.stretch.free
        parts = []
        each = singles(array) if self.single and len(free) else []
        for group in self.groups:
            present = [v for v in group if v in free]
            if self.single:
                parts.append(each[free.index(present[0])] if present else np.zeros(0))
                continue
            gone = tuple(k for k, v in enumerate(free) if v not in present)
            kept = [v for v in free if v in present]
            summed = array.sum(axis=gone)
            parts.append(summed.transpose([kept.index(v) for v in present]).reshape(-1))
        return np.concatenate([*parts, [vector.sum()]])

    def tables(self, values: Floats, normalised: bool = True) -> list[Floats]:
        """Return for each group its table over the network's states, [state of the first variable, …]."""
        model = self.stretch.chain.model
        result, position = [], 0
        total = values[-1]
        for group in self.groups:
            sizes = [model.sizes[v] for v in group if v in self.stretch.free]
            length = int(np.prod(sizes, dtype=np.int64)) if sizes or not self.single else 0
            part = values[position : position + length] if length else values[-1:]
            position += length
            array = part.reshape(sizes)
            table = np.zeros([len(model.network.variables[model.variables[v]].states) for v in group])
            codes = [
                model.codes[v] if v in self.stretch.free else model.codes[v][[self.stretch.fixed[v]]]
                for v in group
            ]
            full = array.reshape([len(c) for c in codes])
            np.add.at(table, np.ix_(*codes), full)
            result.append(table / total if normalised else table)
        return result
