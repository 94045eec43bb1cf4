"""What jobs ask of a cluster: memory and time that grow with the data and with the attempt.

A job that takes more than it asked for is killed by the cluster, and leaves nothing. So a learning job
watches itself, a little below its request: on all attempts but the last it fails, to be submitted again
with a larger request; on the last one what happened is recorded as a row of the results. Local runs
have no requests and no such limits.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

from ctbnlab.workflow.accounts import ask_queue_without_accounts
from ctbnlab.workflow.plan import Plan

SMALL_JOBS = 15
ATTEMPTS = "CTBNLAB_ATTEMPTS"  # in the environment that a cluster's jobs inherit
WORKFLOW_MB = 350  # the workflow's own processes around the steps of a submission
INTERPRETER_MB = 150
TABLES_MB = 200  # of one node while it is learned
BYTES_PER_EVENT = 11
SECONDS_PER_EVENT_AND_NODE = 1e-7  # some twenty times what the slowest of our learners takes
START_MINUTES = 2
SPARE_SECONDS = 30  # between a job's own limit and its request: start-up, and recording a failure


class Requests:
    """The memory (MB) and time (minutes) of each kind of job, and a learning job's own limits.

    `workflow` is what runs the jobs: its settings are complete only once all rules have been read.
    """

    def __init__(self, plan: Plan, workflow: Any):
        self.plan = plan
        self.workflow = workflow

    @property
    def attempts(self) -> int:
        """How often a job may be submitted: the driving process knows, and tells its jobs."""
        if self.workflow.remote_exec:
            return int(os.environ.get(ATTEMPTS, "1"))
        settings = self.workflow.execution_settings  # none where nothing is to be run
        return 1 if settings is None else int(settings.retries) + 1

    def prepare(self, scripts: str) -> None:
        """Put into the environment what a cluster's jobs, and who asks after them, cannot know themselves."""
        os.environ[ATTEMPTS] = str(self.attempts)
        if self.workflow.executor_plugin.name == "slurm":
            ask_queue_without_accounts(Path(scripts, "without_accounts"))

    def group(self, wildcards: Any) -> str | None:
        """Return the group whose jobs share a submission, where the profile asks for that.

        It is a network, its trajectories and all that is learned from them: what depends on each other
        runs in one go. Several small ones can share a submission; Snakemake takes time with the third
        power of a group's jobs. A user's own data are learned from by jobs that go to many machines.
        """
        design = self.plan.config.design
        if design is None:
            return None
        graphs = len(design.trajectories) * len(self.plan.learners)
        jobs = 2 + graphs * (self.plan.n_parts(wildcards) + 2)
        name = "small_networks" if jobs <= SMALL_JOBS else "large_networks"
        asked = self.workflow.remote_exec or name in self.workflow.group_settings.group_components
        return name if asked else None

    def data_mb(self, wildcards: Any) -> int:
        """Return the size of a run's trajectories, as it can be known before they are simulated."""
        config = self.plan.config
        if config.data is not None:
            return math.ceil(_size(config.data.path) / 1e6)
        assert config.design is not None
        trajectories = int(getattr(wildcards, "trajectories", max(config.design.trajectories)))
        states = [int(text) for text in wildcards.states.split("-")]
        # Of a state's rates to each of the others.
        rate = (sum(states) / len(states) - 1) * (config.network.low + config.network.high) / 2
        events = trajectories * config.design.duration * self.plan.n_variables(wildcards) * rate
        return math.ceil(events * BYTES_PER_EVENT / 1e6)

    def small_memory_mb(self, wildcards: Any, attempt: int) -> int:  # noqa: ARG002
        """Return what drawing a network or merging a graph asks for."""
        return WORKFLOW_MB + 2 * INTERPRETER_MB * _growth(attempt)

    def small_minutes(self, wildcards: Any, attempt: int) -> int:  # noqa: ARG002
        """Return the time for what does not read the data: start-up, on a slow file system."""
        return START_MINUTES * _growth(attempt) ** 2

    def scan_memory_mb(self, wildcards: Any, attempt: int) -> int:
        """Return what simulating trajectories, evaluating a graph or fitting rates asks for."""
        return WORKFLOW_MB + (3 * INTERPRETER_MB + self.data_mb(wildcards)) * _growth(attempt)

    def scan_minutes(self, wildcards: Any, attempt: int) -> int:
        """Return the time for writing or reading the data once: less than a tenth of the usual speed."""
        return (START_MINUTES + math.ceil(self.data_mb(wildcards) / 100)) * _growth(attempt) ** 2

    def learning_memory_mb(self, wildcards: Any, attempt: int) -> int:
        """Return a learning job's memory: interpreter, mapped data, and tables for each thread."""
        own = INTERPRETER_MB + self.data_mb(wildcards) + TABLES_MB * self.plan.threads(wildcards)
        return WORKFLOW_MB + own * _growth(attempt)

    def learning_minutes(self, wildcards: Any, attempt: int) -> int:
        """Return a learning job's time: a generous estimate first, the config's whole limit at last."""
        events = self.data_mb(wildcards) * 1e6 / BYTES_PER_EVENT
        nodes = math.ceil(self.plan.n_variables(wildcards) / self.plan.n_parts(wildcards))
        expected = START_MINUTES + math.ceil(events * nodes * SECONDS_PER_EVENT_AND_NODE / 60)
        grown = expected * _growth(attempt) ** 2
        limit = self.plan.config.time_limit
        if limit is None:
            return 5 * grown  # ten minutes at least, then forty, then three hours
        whole = math.ceil((limit + SPARE_SECONDS) / 60)
        return whole if attempt >= self.attempts else min(grown, whole)

    def learning_limits(self, wildcards: Any, resources: Any) -> str:  # noqa: ARG002
        """Return the options by which a cluster's learning job keeps below its request."""
        if not self.workflow.remote_exec:
            return ""
        options = (
            f"--job-memory {max(resources.mem_mb - WORKFLOW_MB, INTERPRETER_MB)} "
            f"--job-time {max(resources.runtime * 60 - SPARE_SECONDS, SPARE_SECONDS)}"
        )
        return options + (" --last-attempt" if self.workflow.attempt >= self.attempts else "")


def _growth(attempt: int) -> int:
    return 1 << (attempt - 1)  # memory doubles with each attempt, time quadruples


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0
