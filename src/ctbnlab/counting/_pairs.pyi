import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._scan import EventScan

def pair_counts(
    scan: EventScan,
    targets: NDArray[np.int32],
    order: NDArray[np.int32],
    group: NDArray[np.int32],
    step: NDArray[np.int64],
    cells: NDArray[np.int64],
    buffered: int,
) -> list[NDArray[np.int64]]: ...
