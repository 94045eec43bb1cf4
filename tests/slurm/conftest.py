"""One SLURM cluster for all of these tests; a machine can have only one.

A cluster occupies ports, daemons and /etc/slurm of the machine, so it is started only with CTBNLAB_SLURM=1;
then a test fails if the cluster cannot be started.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from tests.support.cluster import Cluster, why_not

WANTED = "CTBNLAB_SLURM"
LOCK = Path("/tmp/ctbnlab-slurm.lock")


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.xdist_group("slurm"))
            if not os.environ.get(WANTED):
                item.add_marker(pytest.mark.skip(reason=f"{WANTED}=1 starts a SLURM cluster here"))


@pytest.fixture(scope="session")
def cluster():
    """A running cluster; other processes that want one, of this test run or another, wait for its end."""
    reason = why_not()
    assert reason is None, f"{WANTED} is set, but {reason}"
    running = Cluster()
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            running.start()
            yield running
        finally:
            running.stop()
