"""Requests grow with the data and the attempt, and a job stays below its request."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ctbnlab.workflow.config import load
from ctbnlab.workflow.plan import Plan
from ctbnlab.workflow.resources import ATTEMPTS, JobResources
from ctbnlab.workflow.snakemake_glue import RunningWorkflow


def resources(remote=False, retries=2, attempt=1, components=(), time_limit=None, **design):
    values = {"nodes": [5], "states": [2], "density": [0.1], "replicates": 1} | design
    learners = {"a": {"algorithm": "ctss"}, "b": {"algorithm": "ctss", "threads": 8}}
    content = {"experiment": "x", "design": values, "learners": learners, "time_limit": time_limit}
    content["nodes_per_job"] = 1
    workflow = SimpleNamespace(
        remote_exec=remote,
        attempt=attempt,
        execution_settings=SimpleNamespace(retries=retries),
        group_settings=SimpleNamespace(group_components=dict.fromkeys(components, 1)),
        scheduler=None,
        executor_plugin=None,
    )
    return JobResources(Plan(load(content)), RunningWorkflow(workflow))


def wildcards(**changes):
    values = {"nodes": "5", "states": "2", "density": "0.1", "scattered": "1", "replicate": "1"}
    return SimpleNamespace(**(values | {"learner": "a", "trajectories": "300"} | changes))


STEPS = ["small_memory_mb", "small_minutes", "scan_memory_mb", "scan_minutes"]
STEPS += ["learning_memory_mb", "learning_minutes"]


@pytest.mark.parametrize("step", STEPS)
def test_requests_grow_with_the_attempt(step):
    ask = getattr(resources(), step)
    first, second, third = (ask(wildcards(), attempt) for attempt in (1, 2, 3))
    assert 0 < first < second < third


@pytest.mark.parametrize("step", STEPS[2:])
def test_requests_grow_with_the_data(step):
    short, long = resources(duration=100), resources(duration=1_000_000)
    assert getattr(long, step)(wildcards(), 1) > getattr(short, step)(wildcards(), 1)


def test_memory_grows_with_threads_but_the_data_are_shared():
    ask = resources(duration=100_000).learning_memory_mb
    one, eight = ask(wildcards(), 1), ask(wildcards(learner="b"), 1)
    assert one < eight < 2 * one


def test_the_last_attempt_has_the_whole_time_limit():
    asked = resources(time_limit=36_000).learning_minutes
    assert asked(wildcards(), 1) < asked(wildcards(), 2) < asked(wildcards(), 3) == 601


def test_a_job_stays_below_its_request(monkeypatch):
    monkeypatch.setenv(ATTEMPTS, "3")
    asked = SimpleNamespace(mem_mb=1000, runtime=10)
    assert resources().learning_limits(wildcards(), asked) == ""
    limits = resources(remote=True).learning_limits(wildcards(), asked)
    assert limits == "--job-memory 650 --job-time 570"
    assert resources(remote=True, attempt=3).learning_limits(wildcards(), asked) == f"{limits} --last-attempt"


def test_jobs_know_the_number_of_attempts(monkeypatch):
    monkeypatch.delenv(ATTEMPTS, raising=False)
    resources(retries=4).small_memory_mb(wildcards(), 1)
    assert resources(remote=True, retries=0).attempts == 5
    monkeypatch.delenv(ATTEMPTS)


def test_networks_are_grouped_by_size_if_the_profile_packs_them():
    both = ("small_networks", "large_networks")
    assert resources().group(wildcards()) is None
    assert resources(components=both).group(wildcards()) == "large_networks"
    small = resources(components=both, nodes=[2])
    assert small.group(wildcards(nodes="2")) == "small_networks"
    assert small.group(wildcards(nodes="2")) == resources(remote=True, nodes=[2]).group(wildcards(nodes="2"))


@pytest.fixture
def data(ctbnlab):
    ctbnlab("generate", "--nodes", 2, "--states", 2, "--density", 0.5, "--seed", 1, "-o", "network.json")
    ctbnlab("simulate", "network.json", "--trajectories", 5, "--duration", 5, "--seed", 2, "-o", "data.arrow")
    return "data.arrow"


LEARNER = """
import os, signal, time
from dataclasses import dataclass

@dataclass(frozen=True)
class Mine:
    def learn_node(self, statistics, knowledge):
        {body}
"""


@pytest.mark.parametrize(
    ("body", "seconds", "status", "reason"),
    [
        ("time.sleep(600)", 2, "timed out", "exceeded the time limit of 2 s"),
        (
            "held = bytearray(b'x' * 2_000_000_000); time.sleep(600)",
            300,
            "failed",
            "exceeded the memory limit of 500 MB",
        ),
        ("os.kill(os.getpid(), signal.SIGKILL)", 300, "failed", "killed by SIGKILL"),
    ],
    ids=["time", "memory", "killed"],
)
def test_exceeding_a_request_is_retried_and_finally_recorded(
    ctbnlab, data, tmp_path, body, seconds, status, reason
):
    (tmp_path / "mine.py").write_text(LEARNER.format(body=body))
    command = ["learn", data, "--learner", "mine.py", "--record-failures", "-o", "graph.json"]
    command += ["--job-memory", 500, "--job-time", seconds]
    early = ctbnlab(*command)
    assert early.returncode == 75, early.stderr
    assert not (tmp_path / "graph.json").exists()
    last = ctbnlab(*command, "--last-attempt")
    assert last.returncode == 0, last.stderr
    text = (tmp_path / "graph.json").read_text()
    assert f'"{status}"' in text
    assert reason in text
