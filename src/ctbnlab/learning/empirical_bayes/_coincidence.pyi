import numpy as np
from numpy.typing import NDArray

def bucketed(
    source: NDArray[np.uint32],
    first: int,
    count: int,
    steps: NDArray[np.int64],
    free_bits: NDArray[np.int64],
    n_keys: int,
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]: ...
def count_pairs(
    a: NDArray[np.uint32],
    a_starts: NDArray[np.int64],
    b: NDArray[np.uint32],
    b_starts: NDArray[np.int64],
    same: bool,
    histogram: NDArray[np.uint32],
) -> None: ...
def subset_sums(table: NDArray[np.float64]) -> None: ...
def squared_marginals(
    table: NDArray[np.float64], states: NDArray[np.int64], sums: NDArray[np.float64]
) -> None: ...
