from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Number = TypeVar("_Number", np.int64, np.float64)

def sum_axes(
    table: NDArray[_Number], states: Sequence[int], stays: Sequence[bool], block: int
) -> NDArray[_Number]: ...
def sum_rows(
    table: NDArray[_Number], block: int, destinations: NDArray[np.int64], rows: int
) -> NDArray[_Number]: ...
def projected(
    configurations: NDArray[np.int64], cardinalities: NDArray[np.int64], steps: NDArray[np.int64]
) -> NDArray[np.int64]: ...
def values_of(counts: NDArray[np.int64], c: int, tick: float) -> NDArray[np.float64]: ...
def extension_values(
    counts: NDArray[np.int64], offset: int, states: int, inner: int, c: int, tick: float
) -> NDArray[np.float64]: ...
def joint_table(
    times: NDArray[np.int64],
    moves: NDArray[np.uint32] | NDArray[np.int64],
    before: int,
    c: int,
    after: int,
) -> NDArray[np.int64]: ...
