import numpy as np
from numpy.typing import NDArray

from ctbnlab.data._check import CheckedEvents

class EventScan:
    def __init__(self, events: CheckedEvents, first: int, last: int, scale: float) -> None: ...
    def n_codes(self, variable: int) -> int: ...
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
