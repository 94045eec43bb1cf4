"""Everything that depends on Snakemake's internals and on its executor plugin for SLURM.

Snakemake hands a Snakefile its `workflow` object, whose attributes are not documented. The ones used are
declared below, and no other module touches them: after an upgrade of Snakemake, this is the file to check.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Container
from pathlib import Path
from typing import Protocol


class _ExecutionSettings(Protocol):
    retries: int


class _GroupSettings(Protocol):
    group_components: Container[str]


class _ExecutorPlugin(Protocol):
    name: str


class _Scheduler(Protocol):
    job_rate_limiter: object | None


class SnakemakeWorkflow(Protocol):
    """The attributes of Snakemake's `workflow` that are used here, as in Snakemake 9."""

    remote_exec: bool
    attempt: int
    execution_settings: _ExecutionSettings | None
    group_settings: _GroupSettings | None
    executor_plugin: _ExecutorPlugin | None
    scheduler: _Scheduler


class RunningWorkflow:
    """The workflow as it is being run: where, with which settings, and in which attempt.

    Settings are complete only after all rules have been read, so every property asks anew.
    """

    def __init__(self, workflow: SnakemakeWorkflow):
        self._workflow = workflow

    @property
    def in_cluster_job(self) -> bool:
        """Whether this process runs a job on a cluster, rather than driving the workflow."""
        return self._workflow.remote_exec

    @property
    def attempt(self) -> int:
        """The number of the current attempt at this job, from 1."""
        return self._workflow.attempt

    @property
    def retries(self) -> int:
        """How many times a failed job is submitted again; 0 if nothing is to be run (`--lint`)."""
        settings = self._workflow.execution_settings
        return 0 if settings is None else int(settings.retries)

    def packs(self, group: str) -> bool:
        """Return whether the profile packs the jobs of this group into shared submissions."""
        settings = self._workflow.group_settings
        return settings is not None and group in settings.group_components

    def prepare(self, scripts: str) -> None:
        """Apply the workarounds below; call this in `onstart`: the scheduler exists but has not started."""
        _lift_rate_limit(self._workflow.scheduler)
        plugin = self._workflow.executor_plugin
        if plugin is not None and plugin.name == "slurm":
            replace_missing_sacct(Path(scripts, "without_accounts"))


def put_command_on_path() -> None:
    """Let jobs, local or on a cluster, find `ctbnlab` in the environment of Snakemake, activated or not."""
    _prepend_to_path(Path(sys.executable).parent)


def _lift_rate_limit(scheduler: _Scheduler) -> None:
    """Remove the limit on jobs started per second.

    Snakemake ≥ 8.17 always creates a job rate limiter (--max-jobs-per-timespan, default 100/1s), which no
    option switches off. With a limiter, every pass over the ready jobs schedules another pass one timespan
    later, and every finished job adds a pass too (snakemake/snakemake#3744): after a thousand jobs the main
    process does nothing else, and cores are idle in the meantime.
    """
    scheduler.job_rate_limiter = None


def replace_missing_sacct(folder: Path) -> None:
    """Put the `sacct` in `folder`, which asks the queue, first on the path if SLURM keeps no accounts.

    snakemake-executor-plugin-slurm asks `sacct` for the states of jobs. It can be told to ask `squeue`
    instead, but whenever the controller does not respond it asks `sacct` all the same; without accounting
    that fails (snakemake/snakemake-executor-plugin-slurm#38), and the plugin loses track of its jobs and
    waits indefinitely.
    """
    if shutil.which("squeue") is not None and not _has_accounting():
        _prepend_to_path(folder)


def _has_accounting() -> bool:
    command = ["sacct", "--noheader", "--name", "none"]
    try:
        return subprocess.run(command, capture_output=True, timeout=20, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _prepend_to_path(folder: Path) -> None:
    os.environ["PATH"] = os.pathsep.join([str(folder), os.environ.get("PATH", "")])
