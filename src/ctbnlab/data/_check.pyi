from typing import Any

import numpy as np
from numpy.typing import NDArray

class Fault(Exception): ...

class CheckedEvents:
    begin: NDArray[np.int64]
    stop: NDArray[np.int64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    initial: NDArray[np.uint8]
    time: NDArray[np.float64]
    variable: NDArray[Any]
    old: NDArray[np.uint8]
    new: NDArray[np.uint8]
    cardinalities: NDArray[np.int32]
    tied: bool
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
        ties: bool = False,
    ) -> None: ...
    def subset(self, which: Any) -> CheckedEvents: ...
