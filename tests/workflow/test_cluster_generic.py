"""The profile for other clusters: a run through a stand-in queue, and the scripts for each scheduler."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import time
from pathlib import Path

import psutil
import pytest
import yaml

from ctbnlab.evaluation.results_table import read_metrics
from tests.support.runs import ROOT, base_command, content, snakemake, tiny
from tests.support.unmeasured import unmeasured

pytest.importorskip("snakemake_executor_plugin_cluster_generic")

PROFILE = ROOT / "profiles/cluster-generic"
QUEUE = Path(__file__).parent / "stand_in_queue"
LEARNERS = Path(__file__).parent / "learners"
SCHEDULERS = ("lsf", "pbs", "sge", "htcondor")
QUICKLY = ("--latency-wait", 5, "--max-status-checks-per-second", 10)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with the profile, and the stand-in queue on the path."""
    (tmp_path / "profiles").symlink_to(ROOT / "profiles")
    (tmp_path / "queue").mkdir()
    monkeypatch.setenv("PATH", f"{QUEUE}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("STAND_IN_QUEUE", str(tmp_path / "queue"))
    return tmp_path


def small(folder, **learners):
    """Return a config of one network."""
    config = tiny(learners={"ctss": {"algorithm": "ctss"}, **learners})
    config["design"] |= {"states": [2], "replicates": 1}
    return config


def requests(folder):
    """Return what was submitted: CPUs, megabytes and minutes of each submission, in order."""
    lines = [path.read_text() for path in sorted((folder / "queue").glob("*/request"), key=number_of)]
    return [tuple(map(int, re.match(r"-n (\d+) -M (\d+)MB .* -W (\d+) ", line).groups())) for line in lines]


def number_of(path):
    return int(path.parent.name)


def test_a_run_with_a_job_that_fails_once(folder):
    unlucky = ROOT / "tests/slurm/learners/fails_once.py"
    marker = folder / "marker"
    config = small(folder, unlucky={"algorithm": str(unlucky), "options": {"marker": str(marker)}})
    snakemake(folder, config, "--profile", "profiles/cluster-generic", *QUICKLY)
    assert marker.exists()
    # A network and all that is learned from it is one submission; it is made twice, and asks for more then.
    first, second = requests(folder)
    assert second[0] == first[0] and second[1] > first[1] and second[2] > first[2]
    exits = [(folder / f"queue/{k}/exit").read_text().strip() for k in (1, 2)]
    assert exits == ["1", "0"]
    assert set(read_metrics(folder / "results/tiny/metrics.parquet")["status"]) == {"done"}
    assert (folder / "results/tiny/report.html").exists()
    local = folder / "local"
    snakemake(local, config)
    assert content(folder) == content(local)


def test_cancelling_the_driver_cancels_its_jobs(folder):
    config = small(folder, hangs={"algorithm": str(LEARNERS / "hangs.py")})
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    command = [*base_command(), "--cores", "2", "--profile", "profiles/cluster-generic", *map(str, QUICKLY)]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    driver = subprocess.Popen(command, cwd=folder, env=unmeasured(), start_new_session=True, **silent)
    try:
        process = folder / "queue/1/process"
        wait_until(lambda: process.exists() and process.read_text().strip())
        job = psutil.Process(int(process.read_text()))
        wait_until(lambda: any("learn" in child.cmdline() for child in job.children(recursive=True)))
        family = [job, *job.children(recursive=True)]
        driver.send_signal(signal.SIGINT)
        driver.wait(60)
    finally:
        driver.kill()
        driver.wait()
    try:
        wait_until(lambda: not any(running(each) for each in family))
    finally:
        for each in filter(running, family):
            each.kill()


def running(process):
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_until(condition):
    """Wait until a condition holds, for at most a minute."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            if condition():
                return
        except psutil.NoSuchProcess:
            pass
        time.sleep(0.2)
    raise AssertionError("nothing happened for a minute")


# ---- The scripts, each with stand-ins for its scheduler's commands ----


def script(name, folder, arguments, commands):
    """Run a script of the profile with stand-ins for commands; return what it prints."""
    stand_ins = folder / "bin"
    stand_ins.mkdir(exist_ok=True)
    for command, text in commands.items():
        path = stand_ins / command
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    environment = {"PATH": f"{stand_ins}{os.pathsep}/usr/bin{os.pathsep}/bin"}
    done = subprocess.run(
        [PROFILE / name, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


SUBMISSIONS = {
    "lsf": ("bsub", "Job <123> is submitted to queue <normal>.", "123", "-n 3 -M 1000MB"),
    "pbs": ("qsub", "123.server", "123.server", "select=1:ncpus=3:mem=1000mb -l walltime=420"),
    "sge": ("qsub", "123", "123", "-pe smp 3 -l h_vmem=334M -l h_rt=420"),
    "htcondor": ("condor_submit", "123.0 - 123.0", "123.0", "request_memory = 1000MB"),
}


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_submission(scheduler, tmp_path):
    command, answer, number, asked = SUBMISSIONS[scheduler]
    keep = 'echo "$*" > asked; test "$2" != - || cat >> asked'
    printed = script(
        f"{scheduler}/submit", tmp_path, ["3", "1000", "7", "job.sh"], {command: f"{keep}; echo '{answer}'"}
    )
    assert printed == f"{number}\n"
    request = (tmp_path / "asked").read_text()
    assert asked in request and "job.sh" in request
    if scheduler == "lsf":
        assert "-W 7 " in request
    if scheduler == "htcondor":
        assert "request_cpus = 3" in request and "> 420" in request and "output = .snakemake" in request


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_refused_submission_is_an_error(scheduler, tmp_path):
    command = SUBMISSIONS[scheduler][0]
    with pytest.raises(subprocess.CalledProcessError):
        script(f"{scheduler}/submit", tmp_path, ["1", "1", "1", "job.sh"], {command: "exit 3"})


def qacct(code, failed=0):
    return f"echo 'failed       {failed}'; echo 'exit_status  {code}'"


HEADER = "echo 'job-ID prior name user state'; echo ----"
LISTED = HEADER + "; echo '  123 0.5 job me {} 11/18/2026'"
STATES = {
    "lsf": [
        ({"bjobs": "echo PEND"}, "running"),
        ({"bjobs": "echo RUN"}, "running"),
        ({"bjobs": "echo SSUSP"}, "running"),
        ({"bjobs": "echo DONE"}, "success"),
        ({"bjobs": "echo EXIT"}, "failed"),
        ({"bjobs": "echo 'Job <123> is not found' >&2; exit 255"}, "failed"),
        ({"bjobs": "echo 'LSF is down. Please wait ...' >&2; exit 255"}, "running"),
    ],
    "pbs": [
        ({"qstat": "echo '    job_state = Q'"}, "running"),
        ({"qstat": "echo '    job_state = R'"}, "running"),
        ({"qstat": "echo '    job_state = F'; echo '    Exit_status = 0'"}, "success"),
        ({"qstat": "echo '    job_state = F'; echo '    Exit_status = 271'"}, "failed"),
        ({"qstat": "echo '    job_state = F'"}, "failed"),
        # Torque does not know -x.
        (
            {"qstat": "test $1 != -x || exit 2; echo '    job_state = C'; echo '    exit_status = 0'"},
            "success",
        ),
        ({"qstat": "echo 'qstat: Unknown Job Id 123.server' >&2; exit 153"}, "failed"),
        ({"qstat": "echo 'Connection refused' >&2; exit 111"}, "running"),
    ],
    "sge": [
        ({"qstat": LISTED.format("qw"), "qacct": "exit 1"}, "running"),
        ({"qstat": LISTED.format("r"), "qacct": "exit 1"}, "running"),
        ({"qstat": LISTED.format("Eqw"), "qacct": "exit 1"}, "failed"),
        ({"qstat": "true", "qacct": qacct(0)}, "success"),
        ({"qstat": HEADER, "qacct": qacct(1)}, "failed"),
        ({"qstat": "true", "qacct": qacct(0, failed=100)}, "failed"),
        ({"qstat": "true", "qacct": "exit 1"}, "running"),
        ({"qstat": "exit 1", "qacct": "exit 1"}, "running"),
    ],
    "htcondor": [
        ({"condor_q": "echo 1", "condor_history": "exit 1"}, "running"),
        ({"condor_q": "echo 2", "condor_history": "exit 1"}, "running"),
        ({"condor_q": "true", "condor_history": "echo 4 0"}, "success"),
        ({"condor_q": "true", "condor_history": "echo 4 1"}, "failed"),
        ({"condor_q": "true", "condor_history": "echo 4 undefined"}, "failed"),
        ({"condor_q": "true", "condor_history": "echo 3 undefined"}, "failed"),
        ({"condor_q": "true", "condor_history": "true"}, "running"),
        ({"condor_q": "exit 1", "condor_history": "echo 4 1"}, "running"),
    ],
}
CASES = [(scheduler, *case) for scheduler, cases in STATES.items() for case in cases]


@pytest.mark.parametrize(("scheduler", "commands", "expected"), CASES)
def test_status(scheduler, commands, expected, tmp_path):
    assert script(f"{scheduler}/status", tmp_path, ["123"], commands) == f"{expected}\n"


def test_the_profile_names_the_scripts_of_every_scheduler():
    text = (PROFILE / "config.yaml").read_text()
    for scheduler in SCHEDULERS:
        for name in ("submit", "status"):
            assert f"profiles/cluster-generic/{scheduler}/{name}" in text
            assert os.access(PROFILE / scheduler / name, os.X_OK)
    page = (ROOT / "docs/executors.md").read_text()
    for name in ("bsub", "qsub", "condor_submit", "bkill", "qdel", "condor_rm"):
        assert name in page
