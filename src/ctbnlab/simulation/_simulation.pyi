import numpy as np
from numpy.typing import NDArray

from ctbnlab.simulation.layout import SimulationLayout

class Walker:
    def __init__(
        self,
        layout: SimulationLayout,
        key: int,
        initial_key: int,
        first: int,
        count: int,
        duration: float | None,
        transitions: int | None,
        given: NDArray[np.int32],
    ) -> None: ...
    @property
    def finished(self) -> bool: ...
    @property
    def has_ties(self) -> bool: ...
    def advance(
        self,
        time: NDArray[np.float64],
        variable: NDArray[np.uint8],
        old: NDArray[np.uint8],
        new: NDArray[np.uint8],
        stop: NDArray[np.int64],
        end: NDArray[np.float64],
        initial: NDArray[np.uint8],
    ) -> tuple[int, int]: ...
