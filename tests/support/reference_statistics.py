"""Sufficient statistics counted plainly: what compiled counting must equal, and is benchmarked against."""

from __future__ import annotations

from itertools import groupby
from math import prod

import numpy as np

from ctbnlab.counting.sufficient import SufficientStatistics


def stays(data):
    """Yield (state, since, until, changes) for each period in which no variable changes.

    `state` has the states of all variables, None for those that are unobserved; `changes` are the variables
    that change at its end, with their new states: none if the trajectory ends, several if they tie.
    """
    observed = [len(variable.states) for variable in data.variables]
    for t in range(data.n_trajectories):
        state = [
            code if code < c else None for code, c in zip(data.initial[t].tolist(), observed, strict=True)
        ]
        since = data.start[t]
        events = range(int(data.begin[t]), int(data.stop[t]))
        for now, together in groupby(events, key=lambda e: data.time[e]):
            changes = [(int(data.variable[e]), int(data.new[e])) for e in together]
            changes = [(j, new if new < observed[j] else None) for j, new in changes]
            yield tuple(state), since, now, changes
            for variable, new in changes:
                state[variable] = new
            since = now
        yield tuple(state), since, data.end[t], []


def configuration(state, parents, cardinalities) -> int:
    """Return the number of the parents' configuration; `cardinalities` are those of the parents."""
    return int(np.ravel_multi_index([state[p] for p in parents], cardinalities)) if parents else 0


def plain_statistics(data, target, parents) -> SufficientStatistics:
    """Count event by event, as in the definition."""
    parents = tuple(sorted(parents))
    cardinalities = tuple(int(data.cardinalities[p]) for p in parents)
    c = int(data.cardinalities[target])
    values = np.zeros((prod(cardinalities), c, c + 1))
    for state, since, until, changes in stays(data):
        if any(state[j] is None for j in (target, *parents)):
            continue
        u = configuration(state, parents, cardinalities)
        x = state[target]
        values[u, x, 0] += until - since
        for variable, new in changes:
            if variable == target and new is not None:
                values[u, x, 1 + new] += 1
    return SufficientStatistics(target, parents, cardinalities, values)


class BincountStatistics:
    """Count with numpy: every table is a bincount over all rows, as in the paper's code.

    A row is a period in which no variable changes, with the states of all variables.
    """

    def __init__(self, data):
        data = data.compact()
        self.cardinalities = [int(c) for c in data.cardinalities]
        sizes = np.diff(data.offsets)
        # A trajectory of k events has k + 1 rows, the last one until the end of observation.
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
            latest = np.zeros(len(events), np.int64)  # the row since which the state is known
            changes = np.flatnonzero(self.variable == j)
            changes = changes[~np.isin(changes + 1, first)]
            latest[changes + 1] = changes + 1
            latest[first] = first
            column = np.zeros(len(events), np.uint8)
            column[changes + 1] = self.new[changes]
            column[first] = data.initial[:, j]
            self.states[:, j] = column[np.maximum.accumulate(latest)]

    def table(self, target, parents) -> SufficientStatistics:
        """Return one table."""
        parents = tuple(sorted(parents))
        cardinalities = tuple(self.cardinalities[p] for p in parents)
        c = self.cardinalities[target]
        columns = [*parents, target]
        steps = np.cumprod([1, *(self.cardinalities[j] for j in reversed(columns[1:]))])[::-1]
        key = (self.states[:, columns] * steps).sum(axis=1)
        cells = prod(cardinalities) * c
        values = np.empty((prod(cardinalities), c, c + 1))
        values[:, :, 0] = np.bincount(key, self.duration, cells).reshape(-1, c)
        changes = self.variable == target
        moves = np.bincount(key[changes] * c + self.new[changes], minlength=cells * c)
        values[:, :, 1:] = moves.reshape(-1, c, c)
        return SufficientStatistics(target, parents, cardinalities, values)
