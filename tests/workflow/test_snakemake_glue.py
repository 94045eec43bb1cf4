"""The dependence on Snakemake's internals, and the replacement for `sacct`, with fake SLURM commands."""

from __future__ import annotations

import inspect
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.scheduling.job_scheduler import JobScheduler

from ctbnlab.workflow import snakemake_glue
from ctbnlab.workflow.snakemake_glue import RunningWorkflow, join_passes, replace_missing_sacct

FOLDER = Path(snakemake_glue.__file__).parent / "without_accounts"
QUESTION = "sacct -X --parsable2 --noheader --format=JobIdRaw,State --endtime now --name the-run"


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Return a function that defines SLURM commands, a line of shell each; real ones are hidden."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{_without_slurm(os.environ['PATH'])}")

    def define(**commands):
        for name, line in commands.items():
            path = tmp_path / name
            path.write_text(f"#!/bin/sh\n{line}\n")
            path.chmod(0o755)
        replace_missing_sacct(FOLDER)

    return define


def _without_slurm(path):
    # This usually removes all of /usr/bin; the shell's built-in commands are enough here.
    return os.pathsep.join(folder for folder in path.split(os.pathsep) if not Path(folder, "squeue").exists())


def answer(question):
    return subprocess.run(question, shell=True, capture_output=True, text=True, check=False)


def test_sacct_is_used_if_slurm_keeps_accounts(site):
    site(squeue="echo queue", sacct="echo accounts")
    assert answer(QUESTION).stdout == "accounts\n"


def test_the_queue_is_asked_if_slurm_keeps_no_accounts(site):
    site(squeue='echo "$@"', sacct="echo 'accounting storage is disabled' >&2; exit 1")
    assert answer(QUESTION).stdout == "--states=all --noheader --format=%i|%T --name the-run\n"
    assert answer("sacct -j 7 -n -X -o nodelist").stdout == ""


def test_a_failing_queue_fails_the_query(site):
    site(squeue="exit 1")
    assert answer(QUESTION).returncode == 1


def test_the_path_stays_the_same_without_a_cluster(site):
    before = os.environ["PATH"]
    site()
    assert os.environ["PATH"] == before


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test sets."""
    now = SimpleNamespace(time=100.0)
    monkeypatch.setattr(snakemake_glue.time, "monotonic", lambda: now.time)
    return now


def test_one_later_pass_is_planned_at_a_time(clock):
    planned = []
    scheduler = SimpleNamespace(_schedule_reevalutation=planned.append)
    join_passes(scheduler)
    for moment in (100.0, 100.2, 100.9, 101.0, 101.5, 102.1):
        clock.time = moment
        scheduler._schedule_reevalutation(1.0)
    assert planned == [1.0, 1.0, 1.0]  # at 100.0, 101.0 and 102.1


def test_a_scheduler_is_mended_once_and_a_later_one_too(clock):
    planned = []
    workflow = SimpleNamespace(
        remote_exec=False,
        scheduler=SimpleNamespace(_schedule_reevalutation=planned.append),
        executor_plugin=SimpleNamespace(name="local"),
    )
    running = RunningWorkflow(workflow)
    running.prepare()
    mended = workflow.scheduler._schedule_reevalutation
    running.prepare()
    assert workflow.scheduler._schedule_reevalutation is mended
    workflow.scheduler = SimpleNamespace(_schedule_reevalutation=planned.append)
    running.prepare()
    assert workflow.scheduler._schedule_reevalutation is not planned.append


def test_passes_are_planned_by_a_method_of_the_scheduler():
    # Setting an attribute of another name would raise no error and have no effect.
    assert "self._schedule_reevalutation(self.job_rate_limiter" in inspect.getsource(JobScheduler.schedule)
