"""Poisson probabilities for uniformisation, for any mean.

As in Fox and Glynn (1988), they are computed from the mode outwards by ratios, cut where what is left out is
negligible, and divided by their sum: no exponential of the mean appears, which would be 0 from a mean of 750
on.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
TAIL = 1e-14  # probability that is left out on either side, at most


class Window(NamedTuple):
    """The probabilities of `left`, `left` + 1, …; all others together are at most `error`."""

    left: int
    weights: Floats
    error: float

    @property
    def right(self) -> int:
        """The last number in the window."""
        return self.left + len(self.weights) - 1

    def spread(self, length: int) -> Floats:
        """Return the probabilities of 0 … length − 1; the window must fit."""
        full = np.zeros(length)
        full[self.left : self.right + 1] = self.weights
        return full


def window(mean: float) -> Window:
    """Return the probabilities of a Poisson distribution but for its tails."""
    if mean == 0:
        return Window(0, np.ones(1), 0.0)
    mode = math.floor(mean)
    # Ratios of neighbours fall by 1/mean per step, so logarithms fall like a parabola: 9 standard deviations
    # are far below TAIL, and the constant is for small means.
    reach = math.ceil(9 * math.sqrt(mean) + 40)
    up = np.cumprod(mean / np.arange(mode + 1, mode + 1 + reach, dtype=np.float64))
    down = np.cumprod(np.arange(mode, max(mode - reach, 0), -1, dtype=np.float64) / mean)
    values = np.concatenate([down[::-1], [1.0], up])
    total = math.fsum(values)
    values /= total
    left = mode - len(down)
    first = int(np.searchsorted(np.cumsum(values), TAIL))
    last = len(values) - int(np.searchsorted(np.cumsum(values[::-1]), TAIL))
    kept = values[first:last]
    return Window(left + first, kept / math.fsum(kept), 2 * TAIL)


def survival(means: Window) -> Floats:
    """Return the probabilities that the number is above 0, 1, … up to the end of the window."""
    beyond = np.cumsum(means.weights[::-1])[::-1]
    return np.concatenate([np.ones(means.left), beyond[1:], [0.0]])
