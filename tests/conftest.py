"""What every test may use: the command as a user calls it, and steady hypothesis settings."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The machines that run these share cores: a slow example is no failure. Whoever works on the code explores
# new examples with every run; the gate tries the same ones each time, so that it judges the change alone.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("gate", settings.get_profile("shared"), derandomize=True)
settings.register_profile("long", settings.get_profile("shared"), max_examples=2000)
settings.load_profile("gate" if os.environ.get("CI") else "shared")


@pytest.fixture
def ctbnlab(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command in a folder of its own; returns status, output and errors as text."""

    def run(*arguments: object, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ctbnlab", *map(str, arguments)]
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)

    return run
