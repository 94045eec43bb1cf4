"""A sample of the moments in a target's life, from which evidence for large parent sets is collected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._points import sampled_points
from ctbnlab.counting._scan import EventScan
from ctbnlab.counting.sufficient import SufficientStatistics

MAX_VARIABLES = 32  # bits of a plane


@dataclass(frozen=True, eq=False)
class SampledPoints:
    """Events of a target, and controls between them, with the states of up to 32 candidates at each.

    Points are columns of bit planes (see `_points`). Events from x to x' are the `event_counts[x, x']`
    columns from `event_firsts[x, x']` on, and controls in x the `control_counts[x]` columns from
    `control_firsts[x]` on.
    """

    candidates: tuple[int, ...]
    cardinalities: tuple[int, ...]
    events: NDArray[np.uint32]
    event_counts: NDArray[np.int64]
    event_firsts: NDArray[np.int64]
    controls: NDArray[np.uint32]
    control_counts: NDArray[np.int64]
    control_firsts: NDArray[np.int64]


def sample_points(
    scan: EventScan,
    base: SufficientStatistics,
    candidates: Sequence[int],
    cardinalities: Sequence[int],
    max_events: int,
    ratio: float,
) -> SampledPoints:
    """Sample at most about `max_events` events of each kind, and `ratio` controls per event of the commonest.

    `base` is the target's table without parents; a candidate that is unobserved is in one more state. Events
    are thinned and controls drawn by the ordinal numbers of events and by fractions of time alone, so that
    neither the unit of time nor the order of variables changes the sample.
    """
    # If the target has gaps, the scan knows one more state, which no point is taken from.
    spare = scan.n_codes(base.target) - base.n_states
    time = np.pad(base.time[0], (0, spare))
    moves = np.pad(base.transitions[0].astype(np.int64), (0, spare))
    bit = np.full(len(cardinalities), -1, np.int32)
    bit[list(candidates)] = np.arange(len(candidates))
    share = np.minimum(1.0, max_events / np.maximum(moves, 1))
    # A thinned sample may exceed its expected size: eight standard deviations are left for that.
    places = np.minimum(moves, max_events + int(8 * sqrt(max_events)) + 16)
    rarity = np.where(share < 1, share * 2.0**64, 2.0**63).astype(np.uint64)
    rarity[share >= 1] = np.iinfo(np.uint64).max
    controls = np.ceil(ratio * np.minimum(moves, max_events).max(axis=1)).astype(np.int64)
    controls[time <= 0] = 0
    rng = np.random.default_rng(0)
    due = [np.sort(rng.random(count)) * spent for count, spent in zip(controls, time, strict=True)]
    chosen = tuple(cardinalities[j] for j in candidates)
    n_planes = max(1, (max(chosen, default=2) - 1).bit_length())
    events, event_counts, control_points, control_counts = sampled_points(
        scan, base.target, bit, n_planes, rarity, places, np.concatenate(due), controls
    )
    return SampledPoints(
        candidates=tuple(candidates),
        cardinalities=chosen,
        events=events,
        event_counts=event_counts,
        event_firsts=(np.cumsum(places) - places.reshape(-1)).reshape(places.shape),
        controls=control_points,
        control_counts=control_counts,
        control_firsts=np.cumsum(controls) - controls,
    )
