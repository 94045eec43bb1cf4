"""How large the effect of each arc is: rate ratios, variation of rates, share of information.

An arc says that the target's rates depend on the parent, and with a million events a ratio of 1.02 is enough
for that. The effect of the arc Y → X is measured within strata: one transition x → x' of X under one
configuration of its other parents, in which only the state of Y differs. Strata in which at most one state of
Y has any time do not enter.

- The rate ratio is the largest one between two states of Y within a stratum, after each rate has been
  shrunken towards its stratum by as much as the data ask for (`shrinkage`). It is at least 1, whichever of
  the two rates is larger. Its interval is that of the ratio of these two rates.
- The variation is the coefficient of variation of the rates of a stratum, without Poisson noise: about 0 for
  an arc that does nothing.
- The information is what knowing Y adds to the expected log-likelihood, relative to what all parents
  together add. Shares of parents that matter only together add up to more than 1.

A clock is a parent like others. The time since the target's own last change, if its rates follow it, is one
more of the other parents, though it is no arc itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.node import NodeStatistics
from ctbnlab.counting.sufficient import SufficientStatistics
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.learning.clocked_nodes import own_clock_statistics
from ctbnlab.learning.contract import Effect, Evidence, NodeResult
from ctbnlab.learning.credible_intervals import checked_level
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.shrinkage import ShrunkenRates, Strata

REQUIRED = "required"
UNKNOWN = "effect unknown"


def with_effects(
    graph: LearnedGraph, data: Trajectories, level: float = 0.95, min_ratio: float | None = None
) -> LearnedGraph:
    """Return the graph with the effect of each arc, from the data that it was learned from.

    With `min_ratio`, arcs with a smaller rate ratio are dropped, the smallest of a node first, as long as
    there are any given the parents that are left. Required arcs and clocks stay.
    """
    if graph.variables != data.variables:
        raise InputError("the graph and the data must have the same variables and states in the same order")
    checked_level(level)
    if min_ratio is not None and not 1 <= min_ratio < float("inf"):
        raise InputError(f"the smallest effect must be a rate ratio of at least 1, not {min_ratio}")
    clocks = {data.index(name) for name in graph.roles.clock_names if name in data.names}
    return replace(
        graph, nodes=tuple(_with_effects(node, data, level, min_ratio, clocks) for node in graph.nodes)
    )


def _with_effects(
    node: NodeResult, data: Trajectories, level: float, min_ratio: float | None, clocks: set[int]
) -> NodeResult:
    """Return a node with the effects of its arcs; arcs without evidence get none."""
    if not node.parents:
        return node
    statistics = own_clock_statistics(data, node.target) if node.own_clock is not None else None
    own = () if statistics is None else (data.n_variables,)
    statistics = statistics or NodeStatistics(data, node.target)
    entries = {entry.candidate: entry for entry in node.evidence}
    parents = list(node.parents)
    while True:
        effects = effects_of(statistics.table((*parents, *own)), parents, level)
        weak = None if min_ratio is None else _weakest(effects, entries, min_ratio, clocks)
        if weak is None:
            break
        effect = effects[weak]
        why = UNKNOWN if effect is None else f"effect below {min_ratio:g}"
        entry = entries.get(weak, Evidence(weak, False, why))
        entries[weak] = replace(entry, kept=False, why=why, effect=effect)
        parents.remove(weak)
    for j in parents:
        if j in entries:
            entries[j] = replace(entries[j], effect=effects[j])
    return replace(node, parents=tuple(parents), evidence=tuple(entries[j] for j in sorted(entries)))


def _weakest(
    effects: dict[int, Effect | None], entries: dict[int, Evidence], min_ratio: float, clocks: set[int]
) -> int | None:
    """Return the parent with the smallest rate ratio if that is too small; None if there is none to drop."""
    ratios = {
        j: 0.0 if effect is None else effect.rate_ratio
        for j, effect in effects.items()
        if j not in clocks and not (j in entries and entries[j].why == REQUIRED)
    }
    weakest = min(sorted(ratios), key=lambda j: ratios[j], default=None)
    return weakest if weakest is not None and ratios[weakest] < min_ratio else None


def effects_of(
    table: SufficientStatistics, parents: Sequence[int], level: float = 0.95
) -> dict[int, Effect | None]:
    """Return the effects of some of a table's parents; None where no two states can be compared."""
    together = _all_together(table)
    known = ShrunkenRates.fit(together).information() if len(together) and parents else 0.0
    return {j: _effect(strata_of(table, j), known, level) for j in parents}


def _effect(strata: Strata, known: float, level: float) -> Effect | None:
    if not len(strata):
        return None
    rates = ShrunkenRates.fit(strata)
    largest = rates.largest_ratio(level)
    share = rates.information() / known if known > 0 else 0.0
    return Effect(*largest[:3], strata.variation(), min(max(share, 0.0), 1.0))


def strata_of(table: SufficientStatistics, parent: int) -> Strata:
    """Return the strata of a parent: its states side by side, for each transition and rest of the parents.

    Only configurations of the rest that occur have rows, however many there are.
    """
    axis = table.parents.index(parent)
    states = table.parent_cardinalities[axis]
    inner = int(np.prod(table.parent_cardinalities[axis + 1 :], dtype=np.int64))
    listed = np.arange(len(table.values)) if table.configurations is None else table.configurations
    rest, row = np.unique(listed // (states * inner) * inner + listed % inner, return_inverse=True)
    values = np.zeros((len(rest), states, *table.values.shape[1:]))
    values[row, listed // inner % states] = table.values
    return _arranged(values)


def _all_together(table: SufficientStatistics) -> Strata:
    """Return one stratum for each transition, with all configurations side by side.

    They are sorted by their numbers: sums over cells must not depend on the order of the parents.
    """
    order = np.lexsort(table.values.reshape(len(table.values), -1).T)
    return _arranged(table.values[order][None])


def _arranged(values: NDArray[np.float64]) -> Strata:
    """Return the strata of times and transitions [rest, cell, x, …]."""
    rest, cells, c, _ = values.shape
    moving = ~np.eye(c, dtype=bool)
    moves = values[..., 1:][:, :, moving]
    time = np.broadcast_to(values[..., :1], (rest, cells, c, c))[:, :, moving]
    moves, time = (part.transpose(0, 2, 1).reshape(-1, cells) for part in (moves, time))
    return Strata.comparable(moves, time)
