"""The workflow on a real SLURM cluster of two nodes: same results as locally, and survival of failures."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ctbnlab.evaluation.results_table import read_metrics
from tests.support.driving import (
    ARRAYS,
    GROUPED,
    SPREAD,
    TARGET,
    drive,
    driver,
    driver_log,
    found,
    submissions,
    wait_for,
)
from tests.support.runs import ROOT, content, planned, snakemake, tiny

LEARNERS = Path(__file__).parent / "learners"
MODULE = f"""
module ctbn:
    snakefile:
        {str(ROOT / "Snakefile")!r}
    config:
        config["ctbn"]


use rule * from ctbn as ctbn_*
"""


def small(**learners):
    """Return a config of two small networks, with these learners and CTSS."""
    config = tiny(learners={"ctss": {"algorithm": "ctss"}, **learners}, nodes_per_job="all")
    config["design"] |= {"states": [2], "replicates": 2}
    return config


def taking(seconds):
    return small(slow={"algorithm": str(LEARNERS / "takes_time.py"), "options": {"seconds": seconds}})


def local(folder, config):
    snakemake(folder, config, TARGET)
    return content(folder)


def used(cluster, before):
    """Return the nodes that have launched jobs since `before`."""
    return {node for node, jobs in cluster.launched().items() if jobs > before[node]}


@pytest.fixture(scope="module")
def networks():
    """A config of two networks, with one learning job per node."""
    config = tiny(learners={"ctss": {"algorithm": "ctss"}}, nodes_per_job=1)
    config["design"] |= {"replicates": 1}
    return config


@pytest.fixture(scope="module")
def expected(networks, tmp_path_factory):
    """The results of a local run of `networks`."""
    return local(tmp_path_factory.mktemp("local"), networks)


@pytest.fixture(scope="module")
def slow_expected(tmp_path_factory):
    """The results of a local, undisturbed run of the config that the tests below disturb."""
    return local(tmp_path_factory.mktemp("slow"), taking(3))


def test_grouped_submissions_give_the_local_results(cluster, networks, expected, tmp_path):
    drive(tmp_path, networks, *GROUPED)
    assert content(tmp_path) == expected
    assert submissions(tmp_path) == 1
    # The limits passed to a job are no reason to rerun it, locally or on the cluster.
    assert planned(tmp_path, networks, "--", TARGET) == {}
    assert planned(tmp_path, networks, *GROUPED, "--", TARGET) == {}


def test_groups_on_both_nodes_give_the_local_results(cluster, networks, expected, tmp_path):
    before = cluster.launched()
    drive(tmp_path, networks, *SPREAD)
    assert content(tmp_path) == expected
    assert submissions(tmp_path) == 2
    assert used(cluster, before) == {"n1", "n2"}


def test_arrays_on_both_nodes_give_the_local_results(cluster, networks, expected, tmp_path):
    one = networks | {"design": networks["design"] | {"states": [2]}}
    before = cluster.launched()
    drive(tmp_path, one, *ARRAYS)
    assert content(tmp_path) == {name: what for name, what in expected.items() if "/states~2/" in name}
    # An array of the three learning jobs; the other rules have one job each.
    assert driver_log(tmp_path).count("Submitted array job") == 1
    assert used(cluster, before) == {"n1", "n2"}


def test_an_array_learns_from_copies_on_its_nodes(cluster, ctbnlab, tmp_path):
    network, data, graph = (tmp_path / name for name in ("network.json", "data.arrow", "whole.json"))
    ctbnlab("generate", "--nodes", 6, "--states", 2, "--density", 0.3, "--seed", 1, "-o", network)
    ctbnlab("simulate", network, "--trajectories", 50, "--duration", 20, "--seed", 2, "-o", data)
    assert ctbnlab("learn", data, "-o", graph).returncode == 0
    request = ["sbatch", "--wait", "--array=1-3", "--mem=500", f"--chdir={tmp_path}"]
    environment = os.environ | {
        "SCRATCH_FOLDER": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    script = str(ROOT / "examples/learn_array.sh")
    subprocess.run([*request, script, data, "parts"], check=True, env=environment)
    assert len(list(tmp_path.glob("ctbnlab-*-n?/data.arrow"))) == 2
    parts = sorted(tmp_path.glob("parts/part-*.json"))
    assert len(parts) == 3
    assert ctbnlab("merge", *parts, "--data", data, "-o", "merged.json").returncode == 0
    assert (tmp_path / "merged.json").read_bytes() == graph.read_bytes()


def test_a_job_that_fails_once_is_repeated(cluster, tmp_path):
    marker = tmp_path / "marker"
    config = small(unlucky={"algorithm": str(LEARNERS / "fails_once.py"), "options": {"marker": str(marker)}})
    drive(tmp_path, config, *SPREAD)
    assert marker.exists()
    # Two networks, one of them twice.
    assert submissions(tmp_path) == 3
    assert set(read_metrics(tmp_path / TARGET)["status"]) == {"done"}


def test_a_job_that_exceeds_its_request_is_given_more_and_then_recorded(cluster, tmp_path):
    memory, duration = str(LEARNERS / "takes_memory.py"), str(LEARNERS / "takes_time.py")
    config = small(
        # The first request leaves about 350 MB to a learner, the second 700.
        large={"algorithm": memory, "options": {"megabytes": 500}},
        huge={"algorithm": memory, "options": {"megabytes": 3000}},
        # The first leaves half a minute, the second a minute and a half.
        long={"algorithm": duration, "options": {"seconds": 40}},
        endless={"algorithm": duration, "options": {"seconds": 600}},
    )
    config["design"] |= {"nodes": [1], "replicates": 1}
    config["network"] = {"connectivity": "none"}
    drive(tmp_path, config, *GROUPED, "--retries", "1", "--set-resources", "learn:runtime=attempt")
    assert submissions(tmp_path) == 2
    rows = read_metrics(tmp_path / TARGET).set_index("learner")
    assert rows["status"].to_dict() == {
        "ctss": "done",
        "large": "done",
        "huge": "failed",
        "long": "done",
        "endless": "timed out",
    }
    assert "exceeded the memory limit of 7" in rows.loc["huge", "reason"]
    assert "exceeded the time limit of 90 s" in rows.loc["endless", "reason"]


def test_a_module_repeats_its_jobs_and_finally_records_them(cluster, tmp_path):
    """What the workflow itself relies on works in a module: attempts, the shim for sacct, local rules."""
    memory = str(LEARNERS / "takes_memory.py")
    config = small(
        large={"algorithm": memory, "options": {"megabytes": 500}},
        huge={"algorithm": memory, "options": {"megabytes": 3000}},
    )
    config["design"] |= {"nodes": [1], "replicates": 1}
    config["network"] = {"connectivity": "none"}
    (tmp_path / "Snakefile").write_text(MODULE)
    drive(tmp_path, {"ctbn": config}, *GROUPED, "--retries", "1", target="results/tiny/report.html")
    # The network and what is learned from it, twice; what follows are local jobs.
    assert submissions(tmp_path) == 2
    assert (tmp_path / "results/tiny/report.html").stat().st_size > 10_000
    rows = read_metrics(tmp_path / TARGET).set_index("learner")
    assert rows["status"].to_dict() == {"ctss": "done", "large": "done", "huge": "failed"}
    assert "exceeded the memory limit of 7" in rows.loc["huge", "reason"]


def test_a_lost_node_loses_nothing(cluster, slow_expected, tmp_path):
    with driver(tmp_path, taking(3), *SPREAD) as run:
        wait_for(lambda: len(found(tmp_path, "data.arrow")) == 2)
        cluster.kill_node("n1")
        wait_for(lambda: "down" in cluster.states()[0])
        cluster.start_node("n1")
    assert run.returncode == 0
    assert content(tmp_path) == slow_expected


def test_the_controller_may_be_away_for_a_minute(cluster, slow_expected, tmp_path):
    with driver(tmp_path, taking(3), *SPREAD, "--jobs", "1") as run:
        wait_for(lambda: found(tmp_path, "data.arrow"))
        cluster.stop_controller()
        time.sleep(60)
        cluster.start_controller()
    assert run.returncode == 0
    assert content(tmp_path) == slow_expected


def test_a_killed_driver_resumes_where_it_was(cluster, slow_expected, tmp_path):
    with driver(tmp_path, taking(3), *SPREAD, "--jobs", "1") as run:
        wait_for(lambda: submissions(tmp_path) == 2)
        os.kill(run.pid, signal.SIGKILL)
    # The submitted jobs continue without the driver, and end.
    wait_for(lambda: not cluster.jobs())
    finished = {path: path.stat().st_mtime_ns for path in found(tmp_path, "metrics.json")}
    assert len(finished) == 4
    snakemake(tmp_path, taking(3), "--unlock")
    drive(tmp_path, taking(3), *SPREAD)
    assert submissions(tmp_path) == 2
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    assert content(tmp_path) == slow_expected


def test_a_cancelled_run_can_be_run_again(cluster, slow_expected, tmp_path):
    with driver(tmp_path, taking(3), *SPREAD, "--retries", "0") as run:
        wait_for(lambda: found(tmp_path, "data.arrow"))
        subprocess.run(["scancel", "--user", "root"], check=True)
    assert run.returncode
    drive(tmp_path, taking(3), *SPREAD)
    assert content(tmp_path) == slow_expected
