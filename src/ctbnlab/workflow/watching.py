"""The user's own files, watched so that editing one repeats the jobs that depend on it."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from ctbnlab.data.formats.reading import parts_of


def inputs(paths: Iterable[str]) -> list[str]:
    """Return the files that can be inputs of a rule."""
    return [path for path in paths if not (has_braces(path) or Path(path).is_dir())]


def stamps(paths: Iterable[str]) -> list[str]:
    """Return what to watch, as a parameter of a rule, instead of the files that cannot be inputs."""
    return [stamp(path) for path in paths if has_braces(path) or Path(path).is_dir()]


def has_braces(path: str) -> bool:
    """Return whether Snakemake would take a part of a path for a wildcard; it knows no way to escape one."""
    return "{" in path or "}" in path


def stamp(path: str) -> str:
    """Return the size and the time of change of a file; of a folder of tables, those of every file.

    Snakemake would look at the folder alone, whose time does not change when a file in it is edited.
    """
    files = [(name, (Path(path) / name).stat()) for name in parts_of(path)]
    found = [f"{name} {status.st_size} {status.st_mtime_ns}".lstrip() for name, status in files]
    return found[0] if len(found) == 1 else sha256("\n".join(found).encode()).hexdigest()
