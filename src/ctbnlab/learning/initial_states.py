"""The distribution of initial states: as in the data, smoothed, uniform, or given in a file."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.model.initial import InitialDistribution
from ctbnlab.model.initial_json import read_initial

INITIAL = ("empirical", "smoothed", "uniform")  # the first is the default
# Added to the count of each state: Jeffreys' prior of a distribution.
PSEUDO_COUNT = 0.5


def initial_distribution(data: Trajectories, kind: str) -> InitialDistribution:
    """Return independent distributions of the initial states.

    Those of static variables and clocks are never uniform, and clocks are not smoothed: many start in their
    first period whatever the data.
    """
    if kind not in INITIAL:
        raise InputError(f"unknown initial distribution {kind!r}; choose {', '.join(INITIAL)}")
    rows = [_row(data, i, kind) for i in range(data.n_variables)]
    n = data.n_variables
    return InitialDistribution(((),) * n, tuple(row[None, :] for row in rows), tuple(range(n)))


def given_initial(data: Trajectories, path: str | os.PathLike[str]) -> InitialDistribution:
    """Return the distribution in a file; static variables and clocks it leaves out are as in the data."""
    fixed = {
        name: _row(data, i, "empirical")
        for i, name in enumerate(data.names)
        if name in data.roles.never_targets
    }
    return read_initial(path, data.variables, fixed)


def _row(data: Trajectories, variable: int, kind: str) -> NDArray[np.float64]:
    c = int(data.cardinalities[variable])
    observed = np.bincount(data.initial[:, variable], minlength=c)[:c]  # without those that are unobserved
    known: NDArray[np.float64] = observed.astype(np.float64)
    name = data.names[variable]
    if kind == "smoothed" and name not in data.roles.clock_names:
        known = known + PSEUDO_COUNT
    elif kind == "uniform" and name not in data.roles.never_targets:
        known = np.zeros(c)
    total = known.sum()
    return np.asarray(known / total) if total else np.full(c, 1 / c)
