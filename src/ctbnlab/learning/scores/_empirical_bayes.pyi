import numpy as np
from numpy.typing import NDArray

def at_shape(values: NDArray[np.float64], rates: NDArray[np.float64], k: float) -> float: ...
def best_shape(
    values: NDArray[np.float64], rates: NDArray[np.float64], shapes: NDArray[np.float64]
) -> tuple[float, int]: ...
