"""Residuals of a target counted plainly, stay by stay: what the compiled scan must equal."""

from __future__ import annotations

import numpy as np

from tests.support.reference_statistics import configuration, plain_statistics, stays


def _spread(table, cell, since, until, rate, cuts):
    edges = [-np.inf, *cuts, np.inf]
    for p in range(len(cuts) + 1):
        table[1, cell, p] += rate * max(0.0, min(until, edges[p + 1]) - max(since, edges[p]))


def _place(cuts, moment):
    return int(np.searchsorted(cuts, moment, side="left"))


def plain_residuals(data, target, parents, weights, own_cuts, entry_cuts, clock_cuts):
    """Return (own, entry, clock, observed, expected, ∫ M dA by cell, ∫ M² dA, Σ H²/n)."""
    table = plain_statistics(data, target, parents)
    cardinalities = table.parent_cardinalities
    c = table.n_states
    moves, time = table.transitions.sum(axis=2), table.time
    rates = np.divide(moves, time, out=np.zeros_like(moves), where=time > 0)
    own, entry, clock = (
        np.zeros((2, rates.size, len(cuts) + 1)) for cuts in (own_cuts, entry_cuts, clock_cuts)
    )
    observed, expected = np.zeros(len(data)), np.zeros(len(data))
    drift, spread, estimated = np.zeros(rates.size), 0.0, 0.0
    for t in range(len(data)):
        start = data.start[t]
        since_change, martingale = None, 0.0
        hazards = np.zeros(rates.size)
        for state, since, until, changes in stays(data.subset([t])):
            x = state[target]
            known = all(state[j] is not None for j in (target, *parents))
            cell = configuration(state, parents, cardinalities) * c + x if known else None
            if known:
                rate = rates.reshape(-1)[cell] * weights[t]
                hazard = rate * (until - since)
                if since_change is not None:
                    _spread(own, cell, since_change, since_change + hazard, 1.0, own_cuts)
                    since_change += hazard
                _spread(entry, cell, since - start, until - start, rate, entry_cuts)
                _spread(clock, cell, since, until, rate, clock_cuts)
                steps = (np.arange(1000) + 0.5) / 1000 * hazard
                spread += float(((martingale - steps) ** 2).mean() * hazard)
                drift[cell] += float((martingale - steps).mean() * hazard)
                martingale -= hazard
                hazards[cell] += hazard
                expected[t] += hazard
            elif until > since:
                since_change = None
            for variable, new in changes:
                if variable != target:
                    continue
                if known and new is not None:
                    if since_change is not None:
                        own[0, cell, _place(own_cuts, since_change)] += 1
                    entry[0, cell, _place(entry_cuts, until - start)] += 1
                    clock[0, cell, _place(clock_cuts, until)] += 1
                    observed[t] += 1
                    martingale += 1
                since_change = 0.0 if x is not None and new is not None else None
        total = moves.reshape(-1)
        estimated += float((hazards[total > 0] ** 2 / total[total > 0]).sum())
    return own, entry, clock, observed, expected, drift, spread, estimated
