"""The dependence on Snakemake's internals, and the replacement for `sacct`, with fake SLURM commands."""

from __future__ import annotations

import inspect
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.scheduling.job_scheduler import JobScheduler

from ctbnlab.workflow.snakemake_glue import RunningWorkflow, replace_missing_sacct

FOLDER = Path(__file__).resolve().parents[2] / "workflow/scripts/without_accounts"
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


def test_the_rate_limit_is_removed():
    workflow = SimpleNamespace(
        scheduler=SimpleNamespace(job_rate_limiter=object()), executor_plugin=SimpleNamespace(name="local")
    )
    RunningWorkflow(workflow).prepare("scripts")
    assert workflow.scheduler.job_rate_limiter is None


def test_the_rate_limit_is_an_attribute_of_the_scheduler():
    # Setting an attribute of another name would raise no error and have no effect.
    assert "if self.job_rate_limiter is not None" in inspect.getsource(JobScheduler.schedule)
