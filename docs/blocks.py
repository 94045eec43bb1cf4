"""Generated blocks in the pages, between `<!-- begin NAME -->` and `<!-- end NAME -->`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

DOCS = Path(__file__).resolve().parent
RESULTS = DOCS / "results"
OURS = "empirical-bayes"
MARKED = re.compile(r"(<!-- begin ([\w-]+) -->)(.*?)(<!-- end \2 -->)", re.DOTALL)

BLOCKS: dict[str, Callable[[], str]] = {}


def block(function: Callable[[], str]) -> Callable[[], str]:
    """Register a function that makes the block of its name, written with hyphens."""
    BLOCKS[function.__name__.replace("_", "-")] = function
    return function


def refreshed(text: str) -> str:
    """Return a page with every block made anew."""

    def fill(match: re.Match[str]) -> str:
        begin, name, _, end = match.groups()
        content = BLOCKS[name]()
        return f"{begin}\n{content}\n{end}" if "\n" in content else f"{begin}{content}{end}"

    return MARKED.sub(fill, text)
