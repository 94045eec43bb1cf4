from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._scan import EventScan

MAX_CACHED_CELLS: int  # a larger table does not fit the L2 cache

def joint_counts(
    scan: EventScan, wanted: Sequence[tuple[Sequence[int], Sequence[int]]]
) -> list[tuple[NDArray[np.int64], list[NDArray[np.uint32]]]]: ...
