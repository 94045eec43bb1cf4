import numpy as np
from numpy.typing import NDArray

from ctbnlab.counting._scan import EventScan

Floats = NDArray[np.float64]

def residuals(
    scan: EventScan,
    target: int,
    parents: NDArray[np.int32],
    configurations: NDArray[np.int64],
    rates: Floats,
    totals: Floats,
    weights: Floats,
    own_cuts: Floats,
    entry_cuts: Floats,
    clock_cuts: Floats,
) -> tuple[Floats, Floats, Floats, Floats, Floats, tuple[Floats, float, float]]: ...
