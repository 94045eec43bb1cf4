import numpy as np
from numpy.typing import NDArray

def log_bayes_factors(
    values: NDArray[np.float64],
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    concentrations: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def pooled(
    values: NDArray[np.float64], order: NDArray[np.int64], starts: NDArray[np.int64]
) -> tuple[float, int, float, float, int, int, float]: ...
def informative(
    values: NDArray[np.float64], order: NDArray[np.int64], starts: NDArray[np.int64], states: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
def drawn_again(
    moves: NDArray[np.int64], shares: NDArray[np.float64], key: int, draws: int, enough: float
) -> tuple[int, int, int]: ...
def main_effects(
    values: NDArray[np.float64],
    order: NDArray[np.int64],
    value: NDArray[np.int64],
    starts: NDArray[np.int64],
    states: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
