"""Who answers for `sacct`, with stand-ins for the commands of a cluster."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ctbnlab.workflow.accounts import ask_queue_without_accounts

FOLDER = Path(__file__).resolve().parents[2] / "workflow/scripts/without_accounts"
QUESTION = "sacct -X --parsable2 --noheader --format=JobIdRaw,State --endtime now --name the-run"


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Give a cluster's commands a line of shell each; no other cluster is seen."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{_without_slurm(os.environ['PATH'])}")

    def give(**commands):
        for name, line in commands.items():
            path = tmp_path / name
            path.write_text(f"#!/bin/sh\n{line}\n")
            path.chmod(0o755)
        ask_queue_without_accounts(FOLDER)

    return give


def _without_slurm(path):
    # Usually all of /usr/bin goes with it; the shell's own words are enough here.
    return os.pathsep.join(folder for folder in path.split(os.pathsep) if not Path(folder, "squeue").exists())


def answer(question):
    return subprocess.run(question, shell=True, capture_output=True, text=True, check=False)


def test_accounts_are_asked_where_there_are_any(site):
    site(squeue="echo queue", sacct="echo accounts")
    assert answer(QUESTION).stdout == "accounts\n"


def test_the_queue_is_asked_where_there_are_none(site):
    site(squeue='echo "$@"', sacct="echo 'accounting storage is disabled' >&2; exit 1")
    assert answer(QUESTION).stdout == "--states=all --noheader --format=%i|%T --name the-run\n"
    assert answer("sacct -j 7 -n -X -o nodelist").stdout == ""


def test_a_queue_that_does_not_answer_is_no_answer(site):
    site(squeue="exit 1")
    assert answer(QUESTION).returncode == 1


def test_nothing_changes_without_a_cluster(site):
    before = os.environ["PATH"]
    site()
    assert os.environ["PATH"] == before
