import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._scan import EventScan

def sampled_points(
    scan: EventScan,
    target: int,
    bit: NDArray[np.int32],
    n_planes: int,
    rarity: NDArray[np.uint64],
    max_events: NDArray[np.int64],
    due: NDArray[np.float64],
    controls: NDArray[np.int64],
) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.uint32], NDArray[np.int64]]: ...
