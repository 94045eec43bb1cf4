from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

class Fault(Exception): ...

class Follower:
    finished: list[tuple[int, float, float, bytes]]
    single: list[tuple[int, int]]
    n_unchanged: int
    n_gaps: NDArray[np.int64]
    def __init__(
        self,
        n_variables: int,
        *,
        closing: bool,
        ties: bool,
        unchanged: bool,
        together: bool = False,
        gaps: bool = False,
        hold: bool = False,
        terminal: Sequence[int] = (),
    ) -> None: ...
    def feed(
        self,
        trajectory: NDArray[np.int64],
        row: NDArray[np.int64],
        time: NDArray[np.float64],
        variable: NDArray[np.int32],
        new: NDArray[np.uint8],
    ) -> tuple[
        NDArray[np.float64], NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64]
    ]: ...
    def finish(self) -> None: ...

def states_by_row(
    trajectory: NDArray[np.int64],
    variable: NDArray[np.int32],
    new: NDArray[np.uint8],
    initial: NDArray[np.uint8],
    state: NDArray[np.uint8],
) -> NDArray[np.uint8]: ...
