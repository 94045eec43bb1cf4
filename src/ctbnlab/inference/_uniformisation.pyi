from typing import Any

from numpy.typing import NDArray

Floats = NDArray[Any]

class Stepper:
    block: int
    n_blocks: int
    def __init__(
        self, moves: Floats, configurations: Floats, places: Floats, stay: Floats, shares: Floats, block: int
    ) -> None: ...
    def step(
        self,
        source: Floats,
        out: Floats,
        total: Floats,
        weight: float,
        scratch: Floats,
        first: int,
        last: int,
    ) -> None: ...
