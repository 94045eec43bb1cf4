"""The software and hardware that a result was computed with: versions, machine, git revision."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ctbnlab._version import __version__

PACKAGES = ("numpy", "pyarrow", "scipy", "pandas", "matplotlib", "seaborn", "snakemake", "Cython")


def environment() -> dict[str, Any]:
    """Return the versions of Python and packages, the processor, the memory, and the git revision if any."""
    return {
        "ctbnlab": __version__,
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := _version(name)) is not None},
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "git": _git(),
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    found = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return found[0] if found else platform.processor()


def _git() -> dict[str, Any] | None:
    """Return the revision of the current folder, and whether it has uncommitted changes."""
    try:
        revision, status = (
            subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout
            for words in (("rev-parse", "HEAD"), ("status", "--porcelain"))
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return {"revision": revision.strip(), "changed": bool(status.strip())}
