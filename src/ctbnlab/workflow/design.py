"""A simulated design unfolded: its cells, the networks of each cell, and the trials on each network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from ctbnlab.workflow.config import DesignSection


@dataclass(frozen=True)
class Cell:
    """One combination of the design's factors, as written in paths."""

    nodes: int
    states: str  # "3", or "2-3-4" for mixed cardinalities
    density: str
    scattered: int
    replicates: int
    extension: bool

    @property
    def path(self) -> str:
        """The cell's part of a path: its factors, not its position in the design."""
        return f"nodes~{self.nodes}/states~{self.states}/density~{self.density}/scattered~{self.scattered}"


@dataclass(frozen=True)
class Run:
    """One network of the design: a replicate of a cell."""

    cell: Cell
    replicate: int

    @property
    def path(self) -> str:
        """The network's folder, relative to the experiment's."""
        return f"{self.cell.path}/replicate~{self.replicate}"


@dataclass(frozen=True)
class Trial:
    """One learner on the first `trajectories` trajectories of a network: one row of the results."""

    run: Run
    trajectories: int
    learner: str

    @property
    def path(self) -> str:
        """The trial's folder, relative to the experiment's."""
        return f"{self.run.path}/trajectories~{self.trajectories}/{self.learner}"


def cells(design: DesignSection) -> Iterator[Cell]:
    """Yield the cells in the order of their factors, with the design's exceptions applied."""
    for nodes, states, density, scattered in product(
        design.nodes, design.states, design.density, design.scattered
    ):
        replicates, extension, skip = design.replicates, False, False
        for entry in design.exceptions:
            selected = (entry.nodes, entry.states, entry.density)
            if all(s is None or s == v for s, v in zip(selected, (nodes, states, density), strict=True)):
                replicates = entry.replicates or replicates
                skip, extension = skip or entry.skip, extension or entry.extension
        if not skip:
            text = str(states) if isinstance(states, int) else "-".join(map(str, states))
            yield Cell(nodes, text, f"{density:g}", scattered, replicates, extension)
