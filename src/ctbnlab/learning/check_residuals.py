"""The residuals behind the model checks, for pictures: observed and expected transitions by period."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting.residuals import Cuts, period_cuts, residuals_of
from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.learning.check_statistics import PeriodTest, period_test
from ctbnlab.learning.checks import modelled
from ctbnlab.learning.graph import LearnedGraph


class VariableResiduals(NamedTuple):
    """What the model of one variable says against its transitions.

    `own` is by time since its last change, `entry` by time since entry, cut at `entry_cuts`; `observed` and
    `expected` are per trajectory.
    """

    variable: str
    own: PeriodTest
    entry: PeriodTest
    entry_cuts: NDArray[np.float64]
    observed: NDArray[np.float64]
    expected: NDArray[np.float64]


def check_residuals(data: Trajectories, graph: LearnedGraph) -> Iterator[VariableResiduals]:
    """Yield the residuals of each variable that was learned; one with too many cells is left out."""
    data = data.compact()
    cuts = Cuts.of(data)
    for node in graph.nodes:
        name = data.names[node.target]
        if name in data.roles.never_targets:
            continue
        clocked, parents = modelled(data, node)
        with suppress(InputError):  # more configurations than can be numbered
            found = residuals_of(clocked, node.target, parents, cuts)
            if found is not None:
                yield VariableResiduals(
                    name,
                    period_test(found.own),
                    period_test(found.entry),
                    period_cuts(cuts.since_entry, int(found.transitions.sum())),
                    found.counts.observed,
                    found.counts.expected,
                )
