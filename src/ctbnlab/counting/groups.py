"""Groups of variables that are counted together: one addition to the cell of their joint state serves all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Groups(NamedTuple):
    """Which variables are counted together: each one's group, its step, and where the cells of groups begin.

    A variable is so many `step` cells from one of its states to the next.
    """

    group: NDArray[np.int32]
    step: NDArray[np.int64]
    cells: NDArray[np.int64]


def grouped(states: Sequence[int], most_cells: int) -> Groups:
    """Put neighbours together while their joint states are few; a variable of many is a group by itself."""
    group: list[int] = []
    step: list[int] = []
    sizes = [0]
    for count in states:
        if group and sizes[-1] * count <= most_cells:
            step.append(sizes[-1])
            sizes[-1] *= count
        else:
            step.append(1)
            sizes.append(count)
        group.append(len(sizes) - 2)
    return Groups(np.array(group, np.int32), np.array(step, np.int64), np.cumsum(sizes))
