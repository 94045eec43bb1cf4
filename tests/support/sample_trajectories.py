"""Trajectories for tests: a small example, and changes that should leave most results as they are."""

from __future__ import annotations

import numpy as np

from ctbnlab.data.trajectories import Trajectories

# B goes 0 → 1 → 0 → 2 while A is 0, and stays in 2 while A is 1; it never visits state 3.
SMALL = Trajectories.from_arrays(
    [("A", "01"), ("B", "0123")],
    offsets=[0, 4, 4],
    start=[0, 0],
    end=[8, 1],
    initial=[[0, 0], [0, 2]],
    time=[1.0, 2.0, 3.5, 4.0],
    variable=[1, 1, 1, 0],
    new=[1, 0, 2, 1],
)


def two_trajectories() -> Trajectories:
    """Return two short trajectories with ids, of which the second starts at time 1."""
    return Trajectories.from_arrays(
        [("Hungry", ("no", "yes")), ("Eating", ("no", "yes"))],
        ids=["anna", "ben"],
        offsets=[0, 2, 3],
        start=[0, 1],
        end=[2, 3],
        initial=[[0, 0], [0, 1]],
        time=[0.5, 0.75, 3],
        variable=[0, 1, 1],
        new=[1, 1, 0],
    )


def shared_clock(data: Trajectories) -> Trajectories:
    """Return the trajectories shifted to start at 0 and extended to a common end."""
    offset = np.repeat(data.start, data.stop - data.begin)
    time = np.nextafter(data.time - offset, np.inf)
    return type(data).from_arrays(
        data.variables,
        offsets=data.offsets,
        start=np.zeros(len(data)),
        end=np.full(len(data), max([1.0, *time])),
        initial=data.initial,
        time=time,
        variable=data.variable,
        new=data.new,
    )


def times_multiplied(data: Trajectories, factor: float) -> Trajectories:
    """Return the same data in another unit of time."""
    columns = columns_of(data)
    columns |= {name: columns[name] * factor for name in ("start", "end", "time")}
    return Trajectories.from_columns(data.variables, data.ids, **columns)


def columns_of(data: Trajectories) -> dict[str, np.ndarray]:
    """Return copies of all columns."""
    names = ("begin", "stop", "start", "end", "initial", "time", "variable", "old", "new")
    return {name: np.array(getattr(data, name)) for name in names}


def columns_permuted(data: Trajectories, order) -> Trajectories:
    """Return the same data with the columns in another order: column k is the former column `order[k]`."""
    last = data.offsets[-1]
    return Trajectories.from_arrays(
        [data.variables[j] for j in order],
        offsets=data.offsets,
        start=data.start,
        end=data.end,
        initial=data.initial[:, order],
        time=data.time[:last],
        variable=np.argsort(order)[data.variable[:last]],
        new=data.new[:last],
    )
