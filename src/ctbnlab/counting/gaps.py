"""Tables of variables with gaps: "unobserved" is counted as one more state, and left out when handed out.

A table for a parent set holds the time during which the target and these parents are all observed, and the
transitions of the target in it. Others may be unobserved: a marginal of a joint table sums over their gaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

Rows = tuple[NDArray[np.float64], NDArray[np.int64] | None]


def observed(
    values: NDArray[np.float64],
    configurations: NDArray[np.int64] | None,
    codes: Sequence[int],
    states: Sequence[int],
    target_states: int,
) -> Rows:
    """Return the rows and states of a table without gaps.

    `values[u, x]` has time and transitions over codes; `codes` and `states` have the numbers of codes and of
    states of each parent. `configurations` lists the rows if only those that occur are there.
    """
    values = values[:, :target_states, : target_states + 1]
    if list(codes) == list(states):
        return np.ascontiguousarray(values), configurations
    if configurations is None:
        block = values.shape[1:]
        kept = values.reshape(*codes, *block)[tuple(slice(c) for c in states)]
        return np.ascontiguousarray(kept).reshape(prod(states), *block), None
    digits = np.array(np.unravel_index(configurations, tuple(codes)))
    inside = (digits < np.array(states)[:, None]).all(axis=0)
    numbers = np.ravel_multi_index(tuple(digits[:, inside]), tuple(states))
    return np.ascontiguousarray(values[inside]), np.asarray(numbers, np.int64)
