"""Findings: the input, how it was found and where it fails, one file per place."""

from __future__ import annotations

import hashlib
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def place_of(error: BaseException) -> str:
    """Return the kind of an exception and the innermost line of ctbnlab that it passed."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/ctbnlab/" in frame.filename] or frames
    last = ours[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}, {last.name}"


def note(folder: Path, content: bytes, error: BaseException, text: str) -> None:
    """Write a finding, unless one of the same place is there already and is not longer."""
    place = place_of(error)
    name = "finding-" + hashlib.blake2b(place.encode(), digest_size=6).hexdigest()
    path = folder / name
    if path.exists() and path.stat().st_size <= len(content):
        return
    path.write_bytes(content)
    (folder / f"{name}.txt").write_text(f"{place}\n\n{text}", encoding="utf-8", errors="replace")
