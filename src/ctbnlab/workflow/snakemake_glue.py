"""Everything that depends on Snakemake's internals and on its executor plugin for SLURM.

Snakemake hands a Snakefile its `workflow` object, whose attributes are not documented. The ones used are
declared below, and no other module touches them: after an upgrade of Snakemake, this is the file to check.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Container
from pathlib import Path
from typing import Protocol


class _ExecutionSettings(Protocol):
    retries: int


class _GroupSettings(Protocol):
    group_components: Container[str]


class _ExecutorPlugin(Protocol):
    name: str


class _Scheduler(Protocol):
    _schedule_reevalutation: Callable[[float], None]


class SourceFolder(Protocol):
    """The folder of the Snakefile that is being read, on this machine or on a host of repositories."""

    def get_path_or_uri(self, *, secret_free: bool) -> str:
        """Return a path or an address."""


class SnakemakeWorkflow(Protocol):
    """The attributes of Snakemake's `workflow` that are used here, as in Snakemake 9."""

    remote_exec: bool
    attempt: int
    execution_settings: _ExecutionSettings | None
    group_settings: _GroupSettings | None
    executor_plugin: _ExecutorPlugin | None
    scheduler: _Scheduler | None
    current_basedir: SourceFolder


class RunningWorkflow:
    """The workflow as it is being run: where, with which settings, and in which attempt.

    Settings are complete only after all rules have been read, so every property asks anew.
    """

    def __init__(self, workflow: SnakemakeWorkflow):
        self._workflow = workflow
        self._mended: object = None
        self._asked_for_accounts = False

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

    @property
    def source(self) -> str:
        """The folder or address of the Snakefile that is being read, the module's own if it is a module."""
        return self._workflow.current_basedir.get_path_or_uri(secret_free=True)

    def packs(self, group: str) -> bool:
        """Return whether the profile packs the jobs of this group into shared submissions."""
        settings = self._workflow.group_settings
        return settings is not None and group in settings.group_components

    def prepare(self) -> None:
        """Apply the workarounds below, as soon as what they concern exists.

        Called whenever a job's resources are computed, which is before it is submitted, and not in
        `onstart`, which Snakemake ignores if the workflow is used as a module.
        """
        if self.in_cluster_job:
            return
        scheduler, plugin = self._workflow.scheduler, self._workflow.executor_plugin
        if scheduler is not None and scheduler is not self._mended:
            join_passes(scheduler)
            self._mended = scheduler
        if plugin is not None and plugin.name == "slurm" and not self._asked_for_accounts:
            replace_missing_sacct(Path(__file__).parent / "without_accounts")
            self._asked_for_accounts = True


def put_command_on_path() -> None:
    """Let jobs, local or on a cluster, find `ctbnlab` in the environment of Snakemake, activated or not.

    With `--sdm conda` or `--sdm apptainer`, the `ctbnlab` of the environment or image comes first.
    """
    _prepend_to_path(Path(sys.executable).parent)


def join_passes(scheduler: _Scheduler) -> None:
    """Let the scheduler plan at most one later pass over the ready jobs at a time.

    Snakemake ≥ 8.17 always limits the rate of jobs (--max-jobs-per-timespan, default 100/1s). With a limit,
    every pass plans another one timespan later, and every finished job adds a pass too
    (snakemake/snakemake#3744): after a thousand jobs the main process does nothing else, and cores are idle
    in the meantime. A pass that is due already makes further ones superfluous. Limits stay in force.
    """
    plan = scheduler._schedule_reevalutation
    due = 0.0

    def plan_once(delay: float) -> None:
        nonlocal due
        now = time.monotonic()
        if due <= now:
            due = now + delay
            plan(delay)

    scheduler._schedule_reevalutation = plan_once


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
