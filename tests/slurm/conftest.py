"""One cluster for all of these tests, on a machine that can have only one.

A cluster takes ports, daemons and /etc/slurm of the machine: it is started only where CTBNLAB_SLURM=1 asks
for it, and there a test fails if it cannot be.
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
    """A running cluster; other processes that want one, of this run or another, wait until it has ended."""
    reason = why_not()
    assert reason is None, f"a SLURM cluster is wanted here, but {reason}"
    running = Cluster()
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            running.start()
            yield running
        finally:
            running.stop()
