from typing import Any

import numpy as np
from numpy.typing import NDArray

class EventScan:
    def __init__(
        self,
        begin: NDArray[np.int64],
        stop: NDArray[np.int64],
        start: NDArray[np.float64],
        end: NDArray[np.float64],
        initial: NDArray[np.uint8],
        time: NDArray[np.float64],
        variable: NDArray[Any],
        old: NDArray[np.uint8],
        new: NDArray[np.uint8],
        cardinalities: NDArray[np.int32],
        scale: float,
    ) -> None: ...
    def joint(self, target: int, parents: NDArray[np.int32]) -> NDArray[np.int64]: ...
    def extensions(
        self,
        target: int,
        parents: NDArray[np.int32],
        candidates: NDArray[np.int32],
        group: NDArray[np.int32],
        step: NDArray[np.int64],
        cells: NDArray[np.int64],
    ) -> NDArray[np.int64]: ...
    def steps(self, parents: NDArray[np.int32], step: int) -> tuple[NDArray[np.int64], int]: ...
