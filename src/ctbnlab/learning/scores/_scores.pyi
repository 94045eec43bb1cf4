import numpy as np
from numpy.typing import NDArray

def bde(values: NDArray[np.float64], alpha: float, tau: float) -> float: ...
def bde_of_tables(
    values: NDArray[np.float64],
    first: NDArray[np.int64],
    alpha: NDArray[np.float64],
    tau: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def log_likelihood(values: NDArray[np.float64]) -> float: ...
