"""A design unfolded: its cells, the networks or data sets of each cell, and the trials on each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from ctbnlab.workflow.config import DesignSection


@dataclass(frozen=True)
class Cell:
    """One combination of the factors of random networks, as written in paths."""

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
class GivenCell:
    """A given network, from which several data sets are simulated, or a data set with a known truth."""

    label: str
    replicates: int
    trajectories: tuple[int | None, ...]  # None: all of a data set

    @property
    def path(self) -> str:
        """The cell's part of a path."""
        return f"network~{self.label}"


@dataclass(frozen=True)
class Run:
    """One network and its trajectories: a replicate of a cell."""

    cell: Cell | GivenCell
    replicate: int

    @property
    def path(self) -> str:
        """The network's folder, relative to the experiment's."""
        return f"{self.cell.path}/replicate~{self.replicate}"


@dataclass(frozen=True)
class Trial:
    """One learner on the first `trajectories` trajectories of a run, or on all: one row of the results."""

    run: Run
    trajectories: int | None
    learner: str

    @property
    def path(self) -> str:
        """The trial's folder, relative to the experiment's."""
        count = "all" if self.trajectories is None else self.trajectories
        return f"{self.run.path}/trajectories~{count}/{self.learner}"


def cells(design: DesignSection) -> Iterator[Cell | GivenCell]:
    """Yield the cells: of random networks in the order of their factors, of given ones as they are given."""
    return random_cells(design) if design.is_random else given_cells(design)


def given_cells(design: DesignSection) -> Iterator[GivenCell]:
    """Yield the given networks, then the data sets."""
    for label in design.networks:
        yield GivenCell(label, design.replicates, tuple(design.trajectories))
    for label, data_set in design.data_sets.items():
        yield GivenCell(label, 1, tuple(data_set.trajectories or [None]))


def random_cells(design: DesignSection) -> Iterator[Cell]:
    """Yield the cells of random networks, with the design's exceptions applied."""
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
