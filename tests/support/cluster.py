"""A real SLURM cluster of two nodes on one machine, without systemd, cgroups or a database.

Daemons are stopped by their pid files. The configuration must be at /etc/slurm/slurm.conf, because
Snakemake's plugin drops SLURM_* variables from the environment; so this needs root and Debian's slurm-wlm
and munge.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import time
from pathlib import Path

ROOT = Path("/tmp/slurm")
CONFIGURATION = Path("/etc/slurm/slurm.conf")
NODES = ("n1", "n2")
SLURM_CONF = """\
ClusterName=ci
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=cred_expire=10
CryptoType=crypto/munge
SlurmctldPidFile={root}/slurmctld.pid
SlurmdPidFile={root}/slurmd.%n.pid
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool/%n
SlurmctldLogFile={root}/log/slurmctld.log
SlurmdLogFile={root}/log/slurmd.%n.log
SlurmctldPort=26817
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory,CR_LLN
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=10
SlurmctldTimeout=20
MinJobAge=300
KillWait=2
InactiveLimit=0
Waittime=0
MaxArraySize=10001
MaxJobCount=20000
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=26821 CPUs=4 RealMemory=12000 State=UNKNOWN
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=26822 CPUs=4 RealMemory=12000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def why_not() -> str | None:
    """Return why no cluster can run here, or None if it can."""
    missing = [name for name in ("slurmctld", "slurmd", "munged", "squeue") if shutil.which(name) is None]
    if missing:
        return f"SLURM is not installed ({', '.join(missing)} not found)"
    return None if os.geteuid() == 0 else "a test cluster needs root"


class Cluster:
    """Two SLURM nodes and their controller; each daemon can be stopped, killed and restarted."""

    def start(self) -> None:
        """Start everything and wait until both nodes are idle."""
        self.stop()
        shutil.rmtree(ROOT, ignore_errors=True)
        for folder in ("state", "log", *(f"spool/{node}" for node in NODES)):
            (ROOT / folder).mkdir(parents=True)
        Path("/run/munge").mkdir(parents=True, exist_ok=True)
        key = ROOT / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o400)
        CONFIGURATION.parent.mkdir(parents=True, exist_ok=True)
        # Memory is polled: without cgroups, that is how SLURM ends a job that exceeds its request.
        CONFIGURATION.write_text(SLURM_CONF.format(root=ROOT))
        _run("munged", "--force", f"--key-file={key}", f"--pid-file={ROOT / 'munged.pid'}")
        self.start_controller()
        for node in NODES:
            self.start_node(node)
        self.wait_for_idle()

    def start_controller(self) -> None:
        """Start the controller."""
        _run("slurmctld", "-f", str(CONFIGURATION), "-i")

    def stop_controller(self) -> None:
        """Stop the controller; jobs continue."""
        _end(ROOT / "slurmctld.pid", signal.SIGTERM)

    def start_node(self, node: str) -> None:
        """Start a compute node."""
        _run("slurmd", "-N", node, "-f", str(CONFIGURATION))

    def kill_node(self, node: str) -> None:
        """Kill a compute node and the processes of its jobs, like a power cut."""
        jobs = _run("squeue", "--nodelist", node, "--noheader", "--format", "%A").split()
        _end(ROOT / f"slurmd.{node}.pid", signal.SIGKILL)
        for process in Path("/proc").iterdir():
            if process.name.isdecimal() and _is_of(process, node, jobs):
                _signal(int(process.name), signal.SIGKILL)

    def states(self) -> list[str]:
        """Return the state of each node according to the controller."""
        return _run("sinfo", "--noheader", "--Node", "--format", "%T", check=False).split()

    def jobs(self) -> list[str]:
        """Return the jobs that wait or run."""
        return _run("squeue", "--noheader", "--format", "%A").split()

    def wait_for_idle(self, seconds: float = 300) -> None:
        """Wait until every node is idle."""
        deadline = time.monotonic() + seconds
        while self.states() != ["idle"] * len(NODES):
            if time.monotonic() > deadline:
                raise RuntimeError(f"the cluster is not idle after {seconds} s: {self.states()}")
            time.sleep(0.2)

    def launched(self) -> dict[str, int]:
        """Return the number of jobs that each node has launched, from its log."""
        logs = {node: (ROOT / f"log/slurmd.{node}.log").read_text() for node in NODES}
        return {node: log.count("Launching batch job") for node, log in logs.items()}

    def stop(self) -> None:
        """Stop everything, including the daemons of an earlier start."""
        if (ROOT / "slurmctld.pid").exists():
            _run("scancel", "--user", "root", check=False)
            time.sleep(1)  # until the nodes know
        for node in NODES:
            _end(ROOT / f"slurmd.{node}.pid", signal.SIGTERM)
        self.stop_controller()
        _end(ROOT / "munged.pid", signal.SIGTERM)


def _run(*command: str, check: bool = True) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if check and result.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {result.stderr.strip() or result.stdout.strip()}")
    return result.stdout


def _is_of(process: Path, node: str, jobs: list[str]) -> bool:
    try:
        environment = (process / "environ").read_bytes().split(b"\0")
        command = (process / "cmdline").read_bytes()
    except OSError:
        return False
    if command.startswith(b"slurmstepd"):
        return any(f"[{job}.".encode() in command for job in jobs)
    names = (f"SLURMD_NODENAME={node}".encode(), *(f"SLURM_JOB_ID={job}".encode() for job in jobs))
    return names[0] in environment and any(name in environment for name in names[1:])


def _end(pid_file: Path, number: int, seconds: float = 20) -> None:
    try:
        pid = int(pid_file.read_text())
    except (OSError, ValueError):
        return
    deadline = time.monotonic() + seconds
    while _signal(pid, number) and time.monotonic() < deadline:
        time.sleep(0.1)
        number = 0  # signal once; then only check whether the process still exists
    pid_file.unlink(missing_ok=True)


def _signal(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True
