"""The environment of processes whose coverage is not measured."""

from __future__ import annotations

import os


def unmeasured() -> dict[str, str]:
    """Return the environment for a process that is to be interrupted.

    A signal that arrives in coverage's own code raises there, and leaves a lock taken: the process then never
    ends.
    """
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
