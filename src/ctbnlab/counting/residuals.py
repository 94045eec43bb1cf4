"""Residuals of one target: its transitions, and those that its rates make one expect, by cell and period."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._residuals import residuals
from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.scan import scan_of
from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.data.trajectories import Trajectories

Floats = NDArray[np.float64]

MAX_PERIODS = 8
EVENTS_PER_PERIOD = 20
MAX_CELLS = 1 << 20  # of all tables of residuals of a target: some 400 MB
_MAX_TIMES = 200_000  # from which quantiles are taken
_GRID = np.arange(841) / 840  # has the cuts of any number of periods up to 8


class TrajectoryCounts(NamedTuple):
    """The observed and expected transitions of a target in each trajectory.

    `estimated` is what the variance of their differences loses, as rates are estimated from the same data.
    """

    observed: Floats
    expected: Floats
    estimated: float


@dataclass(frozen=True, eq=False)
class Residuals:
    """Observed and expected transitions of a target: [observed and expected, cell, period].

    `own` is by the integrated rate since its last change, without the stays whose beginning is unknown;
    `entry` by time since entry; `calendar` by time; `counts` are per trajectory.

    With M the martingale of a trajectory (observed less expected so far) and A the integrated rate,
    `drift` is ∫ M dA by cell, and `spread` ∫ M² dA over all trajectories.
    """

    own: Floats
    entry: Floats
    calendar: Floats
    counts: TrajectoryCounts
    drift: Floats
    spread: float

    @property
    def transitions(self) -> Floats:
        """The transitions in each cell."""
        return np.asarray(self.entry[0].sum(axis=1))


def exit_rates(table: SufficientStatistics, gaps: Sequence[bool]) -> Floats:
    """Return the maximum-likelihood exit rate of each row and state; −1 where a parent is unobserved.

    The table counts "unobserved" as one more state of the parents with `gaps`.
    """
    moves, time = table.transitions.sum(axis=2), table.time
    rates: Floats = np.divide(moves, time, out=np.zeros_like(moves), where=time > 0)
    configurations = table.configurations
    rows = np.arange(len(rates)) if configurations is None else configurations
    if any(gaps) and table.parents:
        codes = np.unravel_index(rows, table.parent_cardinalities)
        last = zip(codes, table.parent_cardinalities, gaps, strict=True)
        hidden = np.any([has_gaps & (code == c - 1) for code, c, has_gaps in last], axis=0)
        rates[hidden] = -1
    return rates


class Cuts(NamedTuple):
    """Quantiles of the times of transitions, at which periods are cut.

    There are none of calendar time if all trajectories start at the same time.
    """

    since_entry: Floats
    calendar: Floats

    @classmethod
    def of(cls, data: Trajectories) -> Cuts:
        """Return those of compact data, from some of their events if these are very many."""
        some = np.arange(0, len(data.time), max(1, len(data.time) // _MAX_TIMES))
        some = some[data.is_transition()[some]]
        time = data.time[some]
        start = data.start[np.searchsorted(data.stop, some, side="right")]
        if not len(time):
            return cls(np.empty(0), np.empty(0))
        same = bool((data.start == data.start[0]).all())
        return cls(np.quantile(time - start, _GRID), np.empty(0) if same else np.quantile(time, _GRID))


def residuals_of(
    data: Trajectories, target: int, parents: Sequence[int], cuts: Cuts, weights: Floats | None = None
) -> Residuals | None:
    """Return the residuals of a target under its maximum-likelihood rates; `weights` multiply them.

    Periods are cut at quantiles of the times of all variables' transitions: at those of the target itself,
    every period would have the same number of transitions, whatever the rates. None if there are too many
    cells for tables of periods.
    """
    chosen = tuple(sorted(parents))
    table = NodeStatistics(data, target).table_with_gaps(chosen)
    if table.values[:, :, 0].size > MAX_CELLS:
        return None
    n_transitions = int(table.transitions.sum())
    own, entry, calendar, observed, expected, (drift, spread, estimated) = residuals(
        scan_of(data),
        target,
        np.array(chosen, np.int32),
        np.empty(0, np.int64) if table.configurations is None else table.configurations,
        np.ascontiguousarray(exit_rates(table, [data.gaps[p] for p in chosen])),
        np.ascontiguousarray(table.transitions.sum(axis=2)),
        np.ones(len(data)) if weights is None else weights,
        exponential_cuts(n_transitions),
        period_cuts(cuts.since_entry, n_transitions),
        period_cuts(cuts.calendar, n_transitions),
    )
    counts = TrajectoryCounts(observed, expected, estimated)
    return Residuals(own, entry, calendar, counts, drift, spread)


def n_periods(n_events: int) -> int:
    """Return the number of periods for a number of events: more see finer changes, if they have events."""
    return max(2, min(MAX_PERIODS, n_events // EVENTS_PER_PERIOD))


def exponential_cuts(n_events: int) -> Floats:
    """Return cuts that divide a standard exponential time into equally likely periods."""
    periods = n_periods(n_events)
    return np.array([-math.log1p(-k / periods) for k in range(1, periods)])


def period_cuts(quantiles: Floats, n_transitions: int) -> Floats:
    """Return the cuts between equally many transitions of all variables, as many as one has events for."""
    periods = n_periods(n_transitions)
    if not len(quantiles):
        return quantiles
    return np.unique(np.interp(np.arange(1, periods) / periods, _GRID, quantiles))
