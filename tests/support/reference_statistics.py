"""Sufficient statistics counted plainly: what the compiled ways to them must equal, and are timed against."""

from __future__ import annotations

from math import prod

import numpy as np

from ctbnlab.counting.sufficient import SufficientStatistics


def plain_statistics(data, target, parents) -> SufficientStatistics:
    """Count event by event, as the definition says."""
    parents = tuple(sorted(parents))
    cards = tuple(int(data.cardinalities[p]) for p in parents)
    c = int(data.cardinalities[target])
    values = np.zeros((prod(cards), c, c + 1))
    for t in range(data.n_trajectories):
        state = data.initial[t].copy()
        now = data.start[t]
        for e in range(int(data.begin[t]), int(data.stop[t])):
            u = int(np.ravel_multi_index(tuple(state[p] for p in parents), cards)) if parents else 0
            x = state[target]
            values[u, x, 0] += data.time[e] - now
            now = data.time[e]
            if data.variable[e] == target:
                values[u, x, 1 + data.new[e]] += 1
            state[data.variable[e]] = data.new[e]
        u = int(np.ravel_multi_index(tuple(state[p] for p in parents), cards)) if parents else 0
        values[u, state[target], 0] += data.end[t] - now
    return SufficientStatistics(target, parents, cards, values)


class BincountStatistics:
    """The same with numpy: every table is a bincount over all rows, as the paper's code has it.

    A row is a stretch of time in which nothing changes, with the states of all variables meanwhile.
    """

    def __init__(self, data):
        data = data.compact()
        self.cardinalities = [int(c) for c in data.cardinalities]
        sizes = np.diff(data.offsets)
        # A trajectory of k events has k + 1 rows, the last one up to the end of observation.
        first = data.offsets[:-1] + np.arange(data.n_trajectories)
        last = first + sizes
        events = np.ones(data.n_events + data.n_trajectories, bool)
        events[last] = False
        until = np.empty(len(events))
        until[events], until[last] = data.time, data.end
        since = np.empty(len(events))
        since[1:] = until[:-1]
        since[first] = data.start
        self.duration = until - since
        self.variable = np.full(len(events), -1)
        self.variable[events] = data.variable
        self.new = np.zeros(len(events), np.int64)
        self.new[events] = data.new
        self.states = np.empty((len(events), data.n_variables), np.uint8)
        for j in range(data.n_variables):
            known = np.zeros(len(events), np.int64)
            changes = np.flatnonzero(self.variable == j)
            changes = changes[~np.isin(changes + 1, first)]
            known[changes + 1] = changes + 1
            known[first] = first
            column = np.zeros(len(events), np.uint8)
            column[changes + 1] = self.new[changes]
            column[first] = data.initial[:, j]
            self.states[:, j] = column[np.maximum.accumulate(known)]

    def of(self, target, parents) -> SufficientStatistics:
        """Return one table, from all rows."""
        parents = tuple(sorted(parents))
        cards = tuple(self.cardinalities[p] for p in parents)
        c = self.cardinalities[target]
        columns = [*parents, target]
        steps = np.cumprod([1, *(self.cardinalities[j] for j in reversed(columns[1:]))])[::-1]
        key = (self.states[:, columns] * steps).sum(axis=1)
        cells = prod(cards) * c
        values = np.empty((prod(cards), c, c + 1))
        values[:, :, 0] = np.bincount(key, self.duration, cells).reshape(-1, c)
        mine = self.variable == target
        moves = np.bincount(key[mine] * c + self.new[mine], minlength=cells * c)
        values[:, :, 1:] = moves.reshape(-1, c, c)
        return SufficientStatistics(target, parents, cards, values)
