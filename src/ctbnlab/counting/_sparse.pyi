import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._scan import EventScan

def sparse_counts(
    scan: EventScan, target: int, parents: NDArray[np.int32], limit: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None: ...
