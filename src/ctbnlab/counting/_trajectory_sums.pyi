import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._scan import EventScan

def trajectory_sums(
    scan: EventScan,
    target: int,
    parents: NDArray[np.int32],
    configurations: NDArray[np.int64],
    per_time: NDArray[np.float64],
    per_transition: NDArray[np.float64],
) -> NDArray[np.float64]: ...
