"""Times of birth, one per trajectory, from a column that the user named or that has a usual name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ctbnlab.data.formats.request import Options
from ctbnlab.data.formats.source import Chunk


class Births:
    """Collects times of birth while a table is read; they are needed for the clock of ages only."""

    def __init__(self, options: Options):
        clocks = options.roles.clocks
        needed = any(clock.partition(":")[0] == "age" for clock in clocks)
        self.wanted = ["birth"] if needed else []
        self.column: str | None = None
        self.times: list[float] = []

    @property
    def columns(self) -> list[str]:
        """The column to read, if any."""
        return [] if self.column is None else [self.column]

    def take(self, trajectory: NDArray[np.int64], chunk: Chunk) -> None:
        """Note the births of trajectories that begin in this chunk."""
        if self.column is not None:
            numbers, first = np.unique(trajectory, return_index=True)
            new = first[numbers >= len(self.times)]
            self.times.extend(chunk.numbers[self.column][new].tolist())
