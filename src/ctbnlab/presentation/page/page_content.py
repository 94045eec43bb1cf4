"""What the page on one's own data is made of, and numbers short enough for its data block."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ctbnlab.data.trajectories import Trajectories
from ctbnlab.errors import InputError
from ctbnlab.learning.bootstrap_result import Bootstrap
from ctbnlab.learning.graph import LearnedGraph
from ctbnlab.learning.parameters import FittedParameters, fit_parameters

Arc = tuple[str, str]


@dataclass(frozen=True)
class HowToAsk:
    """Commands that write the network and the data, as files that `ctbnlab query` reads."""

    before: tuple[str, ...]
    network: str
    data: str


@dataclass(frozen=True)
class HowMade:
    """How the results were made: the command, versions, what else a reader needs to make them again."""

    command: str
    versions: Mapping[str, str] = field(default_factory=dict)
    citations: Sequence[str] = ()
    config: str = ""  # of a workflow, as text
    asking: HowToAsk | None = None


@dataclass(frozen=True, eq=False)
class PageContent:
    """A learned graph, the data it was learned from, and what it is compared with.

    `data` have the clocks of the graph; None if they are not at hand. `changes` are lines on what learning
    robustly took in. `seed` is that of answers of the fitted network that are simulated.
    """

    title: str
    source: str
    label: str  # of the learner
    graph: LearnedGraph
    data: Trajectories | None
    made: HowMade
    compared: Mapping[str, LearnedGraph] = field(default_factory=dict)
    bootstrap: Bootstrap | None = None
    truth: frozenset[Arc] | None = None
    changes: Sequence[str] = ()
    seed: int = 0

    @cached_property
    def fitted(self) -> FittedParameters | None:
        """The rates of the graph; None without data, or if a table of rates would be too large."""
        data = self.data
        if data is None:
            return None
        parents: list[tuple[int, ...]] = [()] * data.n_variables
        for node in self.graph.nodes:
            parents[node.target] = node.parents
        try:
            return fit_parameters(data, parents)
        except InputError:
            return None

    @property
    def learned(self) -> frozenset[Arc]:
        """The arcs of the graph."""
        return frozenset(self.graph.arcs)


def short(value: float | None, digits: int = 4) -> float | None:
    """Return a number with a few significant digits, as the page's data have it; None if it is not finite."""
    if value is None or not math.isfinite(value):
        return None
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded
