"""What every test may use: the command as a user calls it, and steady hypothesis settings."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The machines that run these share cores: a slow example is no failure.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")


@pytest.fixture
def ctbnlab(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command in a folder of its own; returns status, output and errors as text."""

    def run(*arguments: object, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ctbnlab", *map(str, arguments)]
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)

    return run
