from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

INDEPENDENT: float
RULE_OF_THUMB: float
FIXED: float

class TableTester:
    def __init__(
        self, waiting: float | None, transitions: str | None, alpha_transitions: float, conventions: Any
    ) -> None: ...
    def verdicts(
        self,
        values: NDArray[np.float64],
        configurations: NDArray[np.int64] | None,
        cardinalities: Sequence[int],
        axes: Sequence[int],
        largest: Sequence[float],
    ) -> list[float]: ...
    def compare(
        self,
        values: NDArray[np.float64],
        configurations: NDArray[np.int64] | None,
        cardinalities: Sequence[int],
        axis: int,
        complete: bool,
    ) -> tuple[float, str, float, float, float, float, int, int, int, int, int, int]: ...
