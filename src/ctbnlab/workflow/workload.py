"""How much data an experiment has and how long learning takes, estimated before anything runs.

The estimates decide whether trajectories are stored, how many nodes a learning job takes, and what jobs
request from a cluster. They are rough: a network's rates are known only when it has been drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

from ctbnlab.data.formats.reading import size_of
from ctbnlab.errors import InputError
from ctbnlab.workflow.config import Config, LearnerSection
from ctbnlab.workflow.design import Cell, GivenCell
from ctbnlab.workflow.given import GivenFacts

BYTES_PER_EVENT = 11
MAX_STORED_MB = 25  # trajectories of a network; larger ones are simulated on demand
MIN_JOB_SECONDS = 5.0  # starting a job takes half a second, submitting it to a cluster about four
# CPU seconds per event and node, from docs/results/sizing.csv.
_SECONDS = {"ctpc-chi2": 2e-9, "ctpc-ks": 2e-9, "ctss": 1.2e-8, "empirical-bayes": 5e-8}
_OTHER_SECONDS = 1e-6  # a learner that nobody has measured; most are written in plain Python


class Workload:
    """Estimates for one experiment; `wildcards` is any object with the parts of a path as attributes."""

    def __init__(
        self,
        config: Config,
        learners: Mapping[str, LearnerSection],
        cells: Sequence[Cell | GivenCell],
        given: Mapping[str, GivenFacts],
        n_variables: Callable[[Any], int],
    ):
        self.config = config
        self.learners = learners
        self.cells = cells
        self.given = given
        self.n_variables = n_variables

    def n_events(self, wildcards: Any) -> float:
        """Return the number of events that a job reads; for a data set, those of all its trajectories."""
        config = self.config
        if config.data is not None:
            return _events_in_file(config.data.path)
        assert config.design is not None
        given = self.given.get(getattr(wildcards, "network", ""))
        if given is not None and given.megabytes:
            return given.megabytes * 1e6 / BYTES_PER_EVENT
        number = int(getattr(wildcards, "trajectories", max(config.design.trajectories)))
        if given is not None:
            return number * config.design.duration * given.events_per_time
        states = [int(text) for text in wildcards.states.split("-")]
        # The expected exit rate: a rate to each of the other states.
        rate = (sum(states) / len(states) - 1) * (config.network.low + config.network.high) / 2
        return number * config.design.duration * self.n_variables(wildcards) * rate

    def stores_trajectories(self, network: Any) -> bool:
        """Return whether the trajectories of a network are stored; otherwise jobs simulate what they need.

        This depends on the network alone: if the design's total size decided, extending the design could
        change how finished networks are stored, and everything learned from them would be learned again.
        """
        setting = self.config.keep.trajectories
        return megabytes(self.n_events(network)) <= MAX_STORED_MB if setting == "auto" else setting

    def nodes_per_job(self, wildcards: Any) -> int:
        """Return the number of nodes that a learning job takes: as the config sets, or worth a job."""
        setting, nodes = self.config.nodes_per_job, self.n_variables(wildcards)
        learner = self.learners[wildcards.learner]
        robust = self.config.data is not None and self.config.data.robust
        if setting == "all" or robust or learner.command is not None:
            return nodes
        if setting != "auto":
            return setting
        per_event = _SECONDS.get(learner.algorithm or "", _OTHER_SECONDS)
        seconds = max(per_event * self.n_events(wildcards), 1e-9)
        return min(nodes, math.ceil(MIN_JOB_SECONDS / seconds))

    def n_parts(self, wildcards: Any) -> int:
        """Return the number of jobs that learn one graph."""
        return math.ceil(self.n_variables(wildcards) / self.nodes_per_job(wildcards))

    def parts_of_graphs(self, network: Any) -> list[int]:
        """Return the number of learning jobs of each graph that is learned from one network."""
        cell = next(cell for cell in self.cells if self._is_of(cell, network))
        return [self.n_parts(graph) for graph in self._graphs(cell)]

    def packing(self) -> str:
        """Return a line about how many nodes learning jobs take, if the estimate decides that."""
        if self.config.nodes_per_job != "auto":
            return ""
        graphs = [graph for cell in self.cells for graph in self._graphs(cell)]
        if self.config.data is not None:
            graphs = [SimpleNamespace(learner=learner, replicates=1) for learner in self.learners]
        sizes = sorted({self.nodes_per_job(graph) for graph in graphs})
        jobs = sum(self.n_parts(graph) * graph.replicates for graph in graphs)
        nodes = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
        return (
            f"Learning jobs take {nodes} nodes each, for about {MIN_JOB_SECONDS:g} s or a whole graph: "
            f"{jobs:,} jobs in all. For one job per node, set nodes_per_job: 1."
        )

    def _graphs(self, cell: Cell | GivenCell) -> list[SimpleNamespace]:
        """Return the wildcards of every graph that is learned from a network of a cell."""
        assert self.config.design is not None
        if isinstance(cell, GivenCell):
            factors: dict[str, Any] = {"network": cell.label, "replicates": cell.replicates}
            numbers: Sequence[int | None] = cell.trajectories
        else:
            factors, numbers = asdict(cell), self.config.design.trajectories
        return [
            SimpleNamespace(**factors, trajectories=number, learner=learner)
            for number in numbers
            for learner in self.learners
        ]

    @staticmethod
    def _is_of(cell: Cell | GivenCell, wildcards: Any) -> bool:
        if isinstance(cell, GivenCell):
            return cell.label == getattr(wildcards, "network", None)
        names = ("nodes", "states", "density", "scattered")
        return all(str(getattr(cell, name)) == str(getattr(wildcards, name)) for name in names)


def megabytes(n_events: float) -> int:
    """Return the size of events in memory and on disk."""
    return math.ceil(n_events * BYTES_PER_EVENT / 1e6)


def _events_in_file(path: str) -> float:
    try:
        return size_of(path) / BYTES_PER_EVENT
    except (OSError, InputError):
        return 0.0
