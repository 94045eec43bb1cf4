"""The memory and time that jobs request from a cluster; both grow with the data and with the attempt.

A cluster kills a job that exceeds its request, and the job leaves no trace. So a learning job stops itself
slightly below its request. On every attempt but the last it fails, and is submitted again with a larger
request; on the last attempt the failure is recorded as a row of the results. Local runs have neither
requests nor these limits.
"""

from __future__ import annotations

import math
import os
from typing import Any

from ctbnlab.workflow.plan import Plan
from ctbnlab.workflow.snakemake_glue import RunningWorkflow
from ctbnlab.workflow.workload import megabytes

SMALL_GROUP_JOBS = 15
ATTEMPTS = "CTBNLAB_ATTEMPTS"  # an environment variable, which a cluster's jobs inherit
WORKFLOW_MB = 350  # Snakemake's own processes around the commands of a submission
INTERPRETER_MB = 150
TABLES_MB = 200  # count tables of one node while it is learned
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

    def _prepare(self) -> None:
        """Make ready for submitting jobs, which inherit the environment of the driving process."""
        if not self.running.in_cluster_job:
            os.environ[ATTEMPTS] = str(self.attempts)
        self.running.prepare()

    def group(self, wildcards: Any) -> str | None:
        """Return the group whose jobs share a submission, if the profile packs them.

        A group is a network with its trajectories and everything learned from them: jobs that depend on
        one another run together. Several small networks can share a submission, but Snakemake's time
        grows with the cube of a group's number of jobs. Jobs that learn from the user's own data are
        not grouped, so that they can run on many machines.
        """
        if self.plan.config.design is None:
            return None
        jobs = 2 + sum(parts + 2 for parts in self.plan.workload.parts_of_graphs(wildcards))
        name = "small_networks" if jobs <= SMALL_GROUP_JOBS else "large_networks"
        return name if self.running.in_cluster_job or self.running.packs(name) else None

    def data_mb(self, wildcards: Any) -> int:
        """Return the size of the data that a job reads or simulates, by estimate."""
        return megabytes(self.plan.workload.n_events(wildcards))

    def small_memory_mb(self, wildcards: Any, attempt: int) -> int:  # noqa: ARG002
        """Return the memory for drawing a network or merging a graph."""
        return self._memory(2 * INTERPRETER_MB, attempt)

    def small_minutes(self, wildcards: Any, attempt: int) -> int:  # noqa: ARG002
        """Return the time for jobs that do not read the data: start-up on a slow file system."""
        return START_MINUTES * _growth(attempt) ** 2

    def merging_memory_mb(self, wildcards: Any, attempt: int) -> int:
        """Return the memory for merging a graph, and for checking it if it is one of the user's own data."""
        kind = self.small_memory_mb if self.plan.config.data is None else self.scan_memory_mb
        return kind(wildcards, attempt)

    def merging_minutes(self, wildcards: Any, attempt: int) -> int:
        """Return the time for the same."""
        kind = self.small_minutes if self.plan.config.data is None else self.scan_minutes
        return kind(wildcards, attempt)

    def scan_memory_mb(self, wildcards: Any, attempt: int) -> int:
        """Return the memory for simulating trajectories, evaluating a graph or fitting rates."""
        return self._memory(3 * INTERPRETER_MB + self.data_mb(wildcards), attempt)

    def scan_minutes(self, wildcards: Any, attempt: int) -> int:
        """Return the time for writing or reading the data once, at less than a tenth of the usual speed."""
        return (START_MINUTES + math.ceil(self.data_mb(wildcards) / 100)) * _growth(attempt) ** 2

    def learning_memory_mb(self, wildcards: Any, attempt: int) -> int:
        """Return the memory of a learning job: interpreter, mapped data, and tables for each thread."""
        own = INTERPRETER_MB + self.data_mb(wildcards) + TABLES_MB * self.plan.threads(wildcards)
        return self._memory(own, attempt)

    def _memory(self, own: int, attempt: int) -> int:
        """Return the memory to request for a job; every job that is submitted asks for it first."""
        self._prepare()
        return WORKFLOW_MB + own * _growth(attempt)

    def learning_minutes(self, wildcards: Any, attempt: int) -> int:
        """Return the time of a learning job: a generous estimate, on the last attempt the full time limit."""
        events = self.plan.workload.n_events(wildcards)
        nodes = self.plan.workload.nodes_per_job(wildcards)
        expected = START_MINUTES + math.ceil(events * nodes * SECONDS_PER_EVENT_AND_NODE / 60)
        grown = expected * _growth(attempt) ** 2
        limit = self.plan.config.time_limit
        if limit is None:
            return 5 * grown  # at least ten minutes, then forty, then almost three hours
        whole = math.ceil((limit + SPARE_SECONDS) / 60)
        return whole if attempt >= self.attempts else min(grown, whole)

    def bootstrap_minutes(self, wildcards: Any, attempt: int) -> int:
        """Return the time of a batch of a bootstrap: that of learning the graph, for each replicate."""
        graphs = self.plan.resampling.replicates_per_batch()
        events = self.plan.workload.n_events(wildcards) * self.plan.n_variables(wildcards) * graphs
        expected = START_MINUTES + math.ceil(events * SECONDS_PER_EVENT_AND_NODE / 60)
        return 5 * expected * _growth(attempt) ** 2

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
