"""For all tests: the command as a user calls it, default signals, and the settings of hypothesis."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Machines that run the tests may be shared, so a slow example is no failure. Local runs explore new examples
# each time; CI tries the same ones in every run, so that a failure there comes from the change alone.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("gate", settings.get_profile("shared"), derandomize=True)
settings.register_profile("long", settings.get_profile("shared"), max_examples=2000)
settings.load_profile("gate" if os.environ.get("CI") else "shared")

# nohup and the background of a shell ignore some signals, and what tests start would inherit that.
for number, default in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, default)


@pytest.fixture
def ctbnlab(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs the command in a temporary folder and captures its output as text."""

    def run(*arguments: object, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ctbnlab", *map(str, arguments)]
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)

    return run
