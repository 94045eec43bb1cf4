"""The software and hardware that a result was computed with: versions, machine, the workflow's revision.

The revision is that of the folder that the Snakefile is in, which need not be the folder in which the
workflow runs. The driving process looks it up once and passes it to its jobs in an environment variable: as
an argument it would make every job run again after every commit. Each row of the results records the
revision it was made with, so that an experiment that was extended later shows which rows are older.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ctbnlab._version import __version__
from ctbnlab.evaluation.row import REVISION

PACKAGES = ("numpy", "pyarrow", "scipy", "pandas", "matplotlib", "seaborn", "snakemake", "Cython")
SOURCE = "CTBNLAB_WORKFLOW"  # environment variable: where the workflow is


def export_revision(source: str) -> None:
    """Pass the workflow's place and revision to the jobs, unless the process that drives this one has."""
    if SOURCE not in os.environ:
        os.environ[SOURCE] = source
        os.environ[REVISION] = revision_of(source) or ""


def revision_of(source: str) -> str | None:
    """Return the git revision of a folder, "… with changes" if files differ; an address is its revision."""
    if "://" in source:
        return source
    try:
        revision, status = (
            subprocess.run(["git", "-C", source, *words], capture_output=True, text=True, check=True).stdout
            for words in (("rev-parse", "HEAD"), ("status", "--porcelain", ":/"))
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return revision.strip() + (" with changes" if status.strip() else "")


def environment(rows: Iterable[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """Return the versions of Python and packages, the machine, the workflow's revision, and those of rows."""
    made = Counter(json.dumps({"ctbnlab": row["version"], "revision": row["revision"]}) for row in rows)
    return {
        "ctbnlab": __version__,
        "revision": os.environ.get(REVISION) or None,
        "rows": [{**json.loads(text), "rows": count} for text, count in sorted(made.items())],
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := _version(name)) is not None},
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
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
