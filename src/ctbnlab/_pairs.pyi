import numpy as np
from numpy.typing import NDArray

from ctbnlab._counting import EventScan

def pair_counts(scan: EventScan, targets: NDArray[np.int32]) -> list[NDArray[np.int64]]: ...
