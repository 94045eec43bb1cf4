"""Places in the pages that are filled in: `<!-- begin NAME -->` to `<!-- end NAME -->`."""

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
    """Offer a function to the pages, by its name with hyphens."""
    BLOCKS[function.__name__.replace("_", "-")] = function
    return function


def refreshed(text: str) -> str:
    """Return a page with every marked place filled in."""

    def fill(match: re.Match[str]) -> str:
        begin, name, _, end = match.groups()
        made = BLOCKS[name]()
        return f"{begin}\n{made}\n{end}" if "\n" in made else f"{begin}{made}{end}"

    return MARKED.sub(fill, text)
