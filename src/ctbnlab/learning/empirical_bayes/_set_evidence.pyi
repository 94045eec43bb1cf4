import numpy as np
from numpy.typing import NDArray

def log_evidence(
    values: NDArray[np.float64],
    moves: NDArray[np.float64],
    rates: NDArray[np.float64],
    shapes: NDArray[np.float64],
    log_weights: NDArray[np.float64],
) -> float: ...
