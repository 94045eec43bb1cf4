"""The user's own files, watched so that editing one repeats the jobs that depend on it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def inputs(paths: Iterable[str]) -> list[str]:
    """Return the files that can be inputs of a rule."""
    return [path for path in paths if not has_braces(path)]


def stamps(paths: Iterable[str]) -> list[str]:
    """Return what to watch, as a parameter of a rule, instead of the files that cannot be inputs."""
    return [stamp(path) for path in paths if has_braces(path)]


def has_braces(path: str) -> bool:
    """Return whether Snakemake would take a part of a path for a wildcard; it knows no way to escape one."""
    return "{" in path or "}" in path


def stamp(path: str) -> str:
    """Return the size and the time of change of a file."""
    status = Path(path).stat()
    return f"{status.st_size} {status.st_mtime_ns}"
