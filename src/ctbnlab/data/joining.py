"""Several sets of trajectories as one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError


def concat(parts: Iterable[Trajectories]) -> Trajectories:
    """Return the trajectories of several sets as one set, in order.

    They must have the same variables, states and roles.

    Example:
        >>> import ctbnlab
        >>> data = ctbnlab.gallery.get("eating").simulate(10, duration=5.0, seed=1)
        >>> ctbnlab.concat([data[:4], data[7:]])
        <Trajectories: 3 variables, 7 trajectories, 71 events, time 35>
    """
    compact = [part.compact() for part in parts]
    if not compact:
        raise InputError("there are no trajectories to concatenate")
    first = compact[0]
    for part in compact:
        if part.variables != first.variables or part.roles != first.roles:
            raise InputError("the trajectories to concatenate differ in their variables, states or roles")
    shifts = np.cumsum([0, *(len(part.time) for part in compact[:-1])])
    columns = {
        name: np.concatenate([getattr(part, name) for part in compact])
        for name in ("start", "end", "initial", "time", "variable", "old", "new")
    }
    for name in ("begin", "stop"):
        columns[name] = np.concatenate(
            [getattr(part, name) + shift for part, shift in zip(compact, shifts, strict=True)]
        )
    gaps = tuple(map(any, zip(*(part.gaps for part in compact), strict=True)))
    ids = [label for part in compact for label in part.ids]
    ties = any(part.tied for part in compact)
    return Trajectories.from_columns(first.variables, ids, ties=ties, gaps=gaps, roles=first.roles, **columns)
