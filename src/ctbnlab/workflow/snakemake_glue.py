"""What the workflow sets before it runs: where jobs find the command, and when the next one may start."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any


def offer_command() -> None:
    """Let jobs find `ctbnlab` in the environment that runs this, activated or not, here or on a cluster."""
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def lift_rate_limit(workflow: Any) -> None:
    """Let Snakemake start as many jobs a second as it can, as it did before version 8.17.

    With a limit, which cannot be switched off by an option, every look at the ready jobs causes another
    one a second later, for ever, and every job that ends adds one look more: after a thousand jobs
    the driving process does nothing else, and cores idle while it does. To be called when the scheduler
    is there and has not begun (`onstart`).
    """
    workflow.scheduler.job_rate_limiter = None
