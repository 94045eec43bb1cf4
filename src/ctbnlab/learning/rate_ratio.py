"""How much an arc changes a rate, in one number: the Mantel–Haenszel rate ratio of a contrast.

A contrast compares the rate of one transition x → x' of the target in two states of the parent, y against z,
in every configuration s of the other parents, and pools the ratios:

    Σ_s M_ys T_zs / (T_ys + T_zs)  :  Σ_s M_zs T_ys / (T_ys + T_zs)

The contrast of an arc is the one whose log ratio is largest relative to its standard error (Greenland and
Robins 1985). Effects of opposite sign under different s cancel.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.learning.independence.strata import Strata


class Contrast(NamedTuple):
    """The states to compare: of the parent, `state` against `other`; of the target, `old` → `new`."""

    state: int
    other: int
    old: int
    new: int


def strongest_contrast(statistics: SufficientStatistics, parent: int) -> Contrast | None:
    """Return the contrast with the largest ratio relative to its error; None if no ratio is finite.

    The state with the higher rate comes first.
    """
    time, moves = _by_stratum(statistics, parent)
    best, found = 0.0, None
    for y, z in combinations(range(time.shape[1]), 2):
        for x in range(time.shape[2]):
            for new in range(time.shape[2]):
                if new == x:
                    continue
                above, below, variance = _sums(time[:, :, x], moves[:, :, x, new], y, z)
                if not above > 0 or not below > 0:
                    continue
                log_ratio = math.log(above / below)
                strength = abs(log_ratio) / math.sqrt(variance / (above * below))
                if strength > best:
                    best = strength
                    found = Contrast(*((y, z) if log_ratio > 0 else (z, y)), x, new)
    return found


def rate_ratio(statistics: SufficientStatistics, parent: int, contrast: Contrast) -> float:
    """Return the rate ratio of a contrast: infinite if only `state` has transitions, NaN if neither has."""
    time, moves = _by_stratum(statistics, parent)
    x = contrast.old
    above, below, _ = _sums(time[:, :, x], moves[:, :, x, contrast.new], contrast.state, contrast.other)
    if not below > 0:
        return math.inf if above > 0 else math.nan
    return above / below


def _sums(
    time: NDArray[np.float64], moves: NDArray[np.float64], y: int, z: int
) -> tuple[float, float, float]:
    """Return both sums of the ratio, and the numerator of the variance of its logarithm."""
    both = time[:, y] + time[:, z]
    seen = both > 0
    share_y, share_z = time[seen, y] / both[seen], time[seen, z] / both[seen]
    above = float((moves[seen, y] * share_z).sum())
    below = float((moves[seen, z] * share_y).sum())
    return above, below, float(((moves[seen, y] + moves[seen, z]) * share_y * share_z).sum())


def _by_stratum(
    statistics: SufficientStatistics, parent: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return time [s, y, x] and transitions [s, y, x, x']."""
    strata = Strata.from_table(statistics, parent)
    groups = np.repeat(np.arange(len(strata.starts) - 1), np.diff(strata.starts))
    c = strata.values.shape[1]
    values = np.zeros((len(strata.starts) - 1, strata.states, c, c + 1))
    values[groups, strata.value] = strata.values[strata.order]
    return values[..., 0], values[..., 1:]
