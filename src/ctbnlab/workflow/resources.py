"""The memory and time that jobs request from a cluster; both grow with the data and with the attempt.

A cluster kills a job that exceeds its request, and the job leaves no trace. So a learning job stops itself
slightly below its request. On every attempt but the last it fails, and is submitted again with a larger
request; on the last attempt the failure is recorded as a row of the results. Local runs have neither
requests nor these limits.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

from ctbnlab.workflow.plan import Plan
from ctbnlab.workflow.snakemake_glue import RunningWorkflow

SMALL_GROUP_JOBS = 15
ATTEMPTS = "CTBNLAB_ATTEMPTS"  # an environment variable, which a cluster's jobs inherit
WORKFLOW_MB = 350  # Snakemake's own processes around the commands of a submission
INTERPRETER_MB = 150
TABLES_MB = 200  # count tables of one node while it is learned
BYTES_PER_EVENT = 11
SECONDS_PER_EVENT_AND_NODE = 1e-7  # about twenty times what the slowest built-in learner needs
START_MINUTES = 2
SPARE_SECONDS = 30  # between a job's own limit and its request: start-up, and recording a failure


class JobResources:
    """The memory (MB) and time (minutes) of each kind of job, and the limits of a learning job."""

    def __init__(self, plan: Plan, running: RunningWorkflow):
        self.plan = plan
        self.running = running

    @property
    def attempts(self) -> int:
        """How many times a job may be submitted; the driving process knows and passes it to its jobs."""
        if self.running.in_cluster_job:
            return int(os.environ.get(ATTEMPTS, "1"))
        return self.running.retries + 1

    def export_attempts(self) -> None:
        """Pass the number of attempts to the jobs of a cluster."""
        os.environ[ATTEMPTS] = str(self.attempts)

    def group(self, wildcards: Any) -> str | None:
        """Return the group whose jobs share a submission, if the profile packs them.

        A group is a network with its trajectories and everything learned from them: jobs that depend on
        one another run together. Several small networks can share a submission, but Snakemake's time
        grows with the cube of a group's number of jobs. Jobs that learn from the user's own data are
        not grouped, so that they can run on many machines.
        """
        design = self.plan.config.design
        if design is None:
            return None
        graphs = len(design.trajectories) * len(self.plan.learners)
        jobs = 2 + graphs * (self.plan.n_parts(wildcards) + 2)
        name = "small_networks" if jobs <= SMALL_GROUP_JOBS else "large_networks"
        return name if self.running.in_cluster_job or self.running.packs(name) else None

    def data_mb(self, wildcards: Any) -> int:
        """Return the size of a network's trajectories, estimated before they are simulated."""
        config = self.plan.config
        if config.data is not None:
            return math.ceil(_size(config.data.path) / 1e6)
        assert config.design is not None
        if hasattr(wildcards, "network"):
            return self._given_mb(wildcards)
        trajectories = int(getattr(wildcards, "trajectories", max(config.design.trajectories)))
        states = [int(text) for text in wildcards.states.split("-")]
        # The expected exit rate: a rate to each of the other states.
        rate = (sum(states) / len(states) - 1) * (config.network.low + config.network.high) / 2
        events = trajectories * config.design.duration * self.plan.n_variables(wildcards) * rate
        return math.ceil(events * BYTES_PER_EVENT / 1e6)

    def _given_mb(self, wildcards: Any) -> int:
        """Return the size of the trajectories of a given network, or of a data set, all of it."""
        design, facts = self.plan.config.design, self.plan.given.facts[wildcards.network]
        assert design is not None
        events = max(design.trajectories) * design.duration * facts.events_per_time
        return math.ceil(facts.megabytes + events * BYTES_PER_EVENT / 1e6)

    def small_memory_mb(self, wildcards: Any, attempt: int) -> int:  # noqa: ARG002
        """Return the memory for drawing a network or merging a graph."""
        return WORKFLOW_MB + 2 * INTERPRETER_MB * _growth(attempt)

    def small_minutes(self, wildcards: Any, attempt: int) -> int:  # noqa: ARG002
        """Return the time for jobs that do not read the data: start-up on a slow file system."""
        return START_MINUTES * _growth(attempt) ** 2

    def scan_memory_mb(self, wildcards: Any, attempt: int) -> int:
        """Return the memory for simulating trajectories, evaluating a graph or fitting rates."""
        return WORKFLOW_MB + (3 * INTERPRETER_MB + self.data_mb(wildcards)) * _growth(attempt)

    def scan_minutes(self, wildcards: Any, attempt: int) -> int:
        """Return the time for writing or reading the data once, at less than a tenth of the usual speed."""
        return (START_MINUTES + math.ceil(self.data_mb(wildcards) / 100)) * _growth(attempt) ** 2

    def learning_memory_mb(self, wildcards: Any, attempt: int) -> int:
        """Return the memory of a learning job: interpreter, mapped data, and tables for each thread."""
        own = INTERPRETER_MB + self.data_mb(wildcards) + TABLES_MB * self.plan.threads(wildcards)
        return WORKFLOW_MB + own * _growth(attempt)

    def learning_minutes(self, wildcards: Any, attempt: int) -> int:
        """Return the time of a learning job: a generous estimate, on the last attempt the full time limit."""
        events = self.data_mb(wildcards) * 1e6 / BYTES_PER_EVENT
        nodes = math.ceil(self.plan.n_variables(wildcards) / self.plan.n_parts(wildcards))
        expected = START_MINUTES + math.ceil(events * nodes * SECONDS_PER_EVENT_AND_NODE / 60)
        grown = expected * _growth(attempt) ** 2
        limit = self.plan.config.time_limit
        if limit is None:
            return 5 * grown  # at least ten minutes, then forty, then almost three hours
        whole = math.ceil((limit + SPARE_SECONDS) / 60)
        return whole if attempt >= self.attempts else min(grown, whole)

    def learning_limits(self, wildcards: Any, resources: Any) -> str:  # noqa: ARG002
        """Return the options that keep a cluster's learning job below its request."""
        if not self.running.in_cluster_job:
            return ""
        options = (
            f"--job-memory {max(resources.mem_mb - WORKFLOW_MB, INTERPRETER_MB)} "
            f"--job-time {max(resources.runtime * 60 - SPARE_SECONDS, SPARE_SECONDS)}"
        )
        return options + (" --last-attempt" if self.running.attempt >= self.attempts else "")


def _growth(attempt: int) -> int:
    return 1 << (attempt - 1)  # memory doubles with each attempt, time quadruples


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0
