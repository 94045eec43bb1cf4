"""How to learn of a cluster's jobs where SLURM keeps no accounts.

The executor plugin asks `sacct`, or the queue if told to; but while the controller is away it asks `sacct`
in any case, and where that has no answers it forgets its jobs and waits for ever. So where `sacct` is of
no use, one that asks the queue stands before it on the path.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path


def ask_queue_without_accounts(folder: Path) -> None:
    """Let the `sacct` in `folder` answer where SLURM has a queue but keeps no accounts."""
    if shutil.which("squeue") is not None and not _has_accounts():
        os.environ["PATH"] = os.pathsep.join([str(folder), os.environ.get("PATH", "")])


def _has_accounts() -> bool:
    command = ["sacct", "--noheader", "--name", "none"]
    try:
        return subprocess.run(command, capture_output=True, timeout=20, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
