import numpy as np
from numpy.typing import NDArray

def philox_block(key: int, c0: int, c1: int, c2: int, c3: int) -> tuple[int, int, int, int]: ...
def intensity_matrices(
    law: int,
    low: float,
    high: float,
    effect: float,
    key: int,
    configurations: NDArray[np.uint64],
    parent_cardinalities: NDArray[np.int32],
    n_states: int,
) -> NDArray[np.float64]: ...
