import numpy as np
from numpy.typing import NDArray

def log_evidence(
    values: NDArray[np.float64],
    codes: NDArray[np.int32],
    first: NDArray[np.intp],
    shapes: NDArray[np.float64],
    log_weights: NDArray[np.float64],
    start: int,
) -> float: ...
