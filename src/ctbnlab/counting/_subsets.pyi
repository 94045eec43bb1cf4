import numpy as np
from numpy.typing import NDArray

def subset_tables(
    table: NDArray[np.int64],
    states: NDArray[np.int64],
    group: NDArray[np.int32],
    wanted: NDArray[np.uint8],
    size: int,
    c: int,
    tick: float,
    max_subsets: int,
    max_rows: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]: ...
